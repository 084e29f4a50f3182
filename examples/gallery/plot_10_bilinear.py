"""
Two planes at once
==================

A class in a wedge: one plane cuts it off badly, a tree needs several axis-parallel steps, and bilinear separation finds both
sides of the wedge together.
"""

# %%
# Points on the circle, of which two planes through the center cut out a sector.
import matplotlib.pyplot as plt
import numpy as np

from planetree import BilinearSeparator, C45Classifier, RobustSeparator

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, size=(400, 2))
inside = (X @ [1.0, 0.35] > 0.1) & (X @ [0.2, 1.0] > 0.05)
y = np.where(inside, "inside", "outside")
models = [RobustSeparator(), C45Classifier(), BilinearSeparator(random_state=0)]

# %%
# Their regions.
fig, axes = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True, layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, 200)), axis=-1)
for ax, model in zip(axes, models, strict=True):
    model.fit(X, y)
    region = model.predict(grid.reshape(-1, 2)).reshape(200, 200) == "inside"
    ax.contourf(*np.moveaxis(grid, -1, 0), region, levels=1, colors=["#eef1f4", "#bfe3d3"])
    ax.scatter(*X.T, s=6, c=np.where(inside, "#14694a", "#8a93a0"))
    ax.set_title(f"{type(model).__name__}: {np.mean(model.predict(X) != y):.1%} wrong", fontsize=10)
