"""
Few genes for many samples
==========================

The nearest centroid, with as few features as the constraints allow, beside all features.
"""

# %%
# Only 10 of 500 columns carry the classes.
import matplotlib.pyplot as plt
import numpy as np

from planetree import CentroidSelector

rng = np.random.default_rng(1)
y = np.repeat([0, 1, 2], 25)
X = rng.normal(size=(75, 500))
X[:, :10] += 1.5 * rng.normal(size=(3, 10))[y]
model = CentroidSelector(max_features=12).fit(X, y)
print("selected:", np.flatnonzero(model.support_))

# %%
# The weight of each column. The first ten matter.
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
ax.bar(np.arange(60), model.weights_[:60], color=["#14694a"] * 10 + ["#b8c2cc"] * 50)
ax.set(xlabel="column (the first 60 of 500)", ylabel="weight")
