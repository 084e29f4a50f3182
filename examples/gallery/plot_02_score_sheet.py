"""
A score sheet to carry in a pocket
==================================

Does this patient have heart disease? Whole points for a few questions, and a table from their sum to a probability. You need no
computer to use it.
"""

# %%
# A tree with a single decision becomes a sheet. Its points are proved to be the best on the grid of its steps.
import matplotlib.pyplot as plt
import numpy as np

from planetree import PlaneTreeClassifier
from planetree.datasets import load

heart = load("heart-cleveland")
model = PlaneTreeClassifier(max_splits=1).fit(heart.X, heart.y)
sheet = model.to_score_sheet(max_points=5)
print(sheet.to_text())

# %%
# The probability that each total stands for, and how many patients have it.
complete = heart.X.notna().all(axis=1)
points = sheet.points(heart.X[complete]).ravel()
totals, counts = np.unique(points, return_counts=True)
chances = sheet.predict_proba(heart.X[complete])[:, 1]
risks = [chances[points == total].mean() for total in totals]

fig, ax = plt.subplots(figsize=(7, 4))
ax.bar(totals, counts / counts.max(), color="#dde2e8", label="patients (scaled)")
ax.plot(totals, risks, "o-", color="#14694a", label="probability of heart disease")
ax.set(xlabel="total points", ylim=(0, 1.05))
ax.legend()
