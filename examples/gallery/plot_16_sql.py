"""
The model in a database
=======================

A fitted tree as one SQL query. DuckDB gives the same answers as Python.
"""

# %%
# Export the tree, and run it where the data are.
import duckdb
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from planetree import PlaneTreeClassifier
from planetree.convert import to_sql

iris = load_iris(as_frame=True)
flowers = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)").replace(" ", "_"))
model = PlaneTreeClassifier(size="smallest").fit(flowers, iris.target_names[iris.target])
query = to_sql(model, "flowers", missing="majority")
print(query[:300], "...")

# %%
# Ask the database.
answers = duckdb.query(query).df()
print(
    "rows where Python and DuckDB differ:", (answers["prediction"] != model.predict(flowers)).sum()
)

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, rows in answers.groupby("prediction"):
    ax.scatter(rows["petal_length"], rows["petal_width"], s=16, label=name)
ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
ax.legend()
