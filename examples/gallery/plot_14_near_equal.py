"""
Many sets of columns do about as well
=====================================

Every minimal set of columns whose plane is within 5% of the best, and how often each column appears in them.
"""

# %%
# Ten measurements of breast-cancer cells.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from planetree import SparseSeparator

data = load_breast_cancer(as_frame=True)
columns = ["worst perimeter", "worst smoothness", "worst texture", "worst radius", "worst area"]
X, y = data.data[columns], data.target_names[data.target]
found = SparseSeparator().fit(X, y).near_equal(within=0.05)
print(found.to_text())

# %%
# A column in every set is indispensable.
text = found.to_text()
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
sets = [line.split(": ")[1].split(", ") for line in text.splitlines() if line.startswith("  +")]
ax.barh(columns, [sum(name in each for each in sets) for name in columns], color="#14694a")
ax.set_xlabel(f"sets that need it, of {len(sets)}")
