"""
A score sheet to carry in a pocket
==================================

Whole points for a few questions, and a table from their sum to a probability. You need no computer to use it.
"""

# %%
# A tree with a single decision becomes a sheet. Its points are proved to be the best on the grid of its steps.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from planetree import PlaneTreeClassifier

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
model = PlaneTreeClassifier(max_splits=1).fit(data.data, diagnosis)
sheet = model.to_score_sheet(max_points=5)
print(sheet.to_text())

# %%
# The probability that each total stands for, and how many patients have it.
points = sheet.points(data.data).ravel()
totals, counts = np.unique(points, return_counts=True)
risks = [sheet.predict_proba(data.data)[points == total, 1].mean() for total in totals]

fig, ax = plt.subplots(figsize=(7, 4))
ax.bar(totals, counts / counts.max(), color="#dde2e8", label="patients (scaled)")
ax.plot(totals, risks, "o-", color="#14694a", label="probability of malignant")
ax.set(xlabel="total points", ylim=(0, 1.05))
ax.legend()
