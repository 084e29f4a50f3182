"""
Exclusive-or: where one plane is not enough
===========================================

Two classes in opposite corners of a square defeat every single line. Two planes that are found together separate them.
"""

# %%
# The single plane with the least average violation gets about half of the points wrong.
import matplotlib.pyplot as plt
import numpy as np

from planetree import BilinearSeparator, RobustSeparator

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(300, 2))
X = X[np.abs(X).min(axis=1) > 0.08]
y = np.where(X[:, 0] * X[:, 1] > 0, "same", "different")
models = {
    "one plane": RobustSeparator().fit(X, y),
    "two planes": BilinearSeparator(random_state=0).fit(X, y),
}

# %%
# What each model predicts in the plane, with the training rows.
fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, 200)), axis=-1)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    sides = model.predict(grid.reshape(-1, 2)).reshape(200, 200) == "same"
    ax.contourf(*np.moveaxis(grid, -1, 0), sides, levels=1, colors=["#f6e3b4", "#bfe3d3"])
    for side, color in (("same", "#14694a"), ("different", "#b06f00")):
        ax.scatter(*X[y == side].T, s=12, color=color, label=side)
    ax.set_title(f"{name}: {np.mean(model.predict(X) != y):.0%} wrong")
axes[0].legend()
