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
colors = {"benign": "#14694a", "malignant": "#b06f00"}
for name, color in colors.items():
    ax.hist(reach[model.predict(X.iloc[:150]) == name], bins=25, color=color, alpha=0.7, label=name)
ax.axvline(reach[73], color="black", label="row 73")
ax.set(xlabel="distance from another answer, in deviations", ylabel="patients")
ax.legend()
