"""
What would change this answer?
==============================

The smallest changes of a row that would change its class, proved to be the smallest.
"""

# %%
# A patient near the border.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from planetree import PlaneTreeClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
model = PlaneTreeClassifier().fit(X, y)
explained = model.explain(X.iloc[[73]])
answers = explained.counterfactuals(n_answers=3)[0]
for answer in answers:
    print(answer.to_text())

# %%
# How far the border is for everyone: the least sum of changes, in deviations of a column, that changes the answer.
reach = model.explain(X.iloc[:150]).robustness()
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
answer = model.predict(X.iloc[:150])
names = ["benign", "malignant"]
ax.hist(
    [reach[answer == n] for n in names],
    bins=25,
    stacked=True,
    color=["#14694a", "#d39a2d"],
    label=names,
)
ax.axvline(reach[73], color="black", label="row 73")
ax.set(xlabel="distance from another answer, in deviations", ylabel="patients")
ax.legend()
