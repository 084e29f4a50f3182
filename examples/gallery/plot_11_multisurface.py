"""
Multisurfaces, and the network that they are
============================================

Pairs of parallel planes peel off what can only be one class, until nothing is left. The result is a network of threshold units
that needs no training.
"""

# %%
# A ring of one class around the other.
import matplotlib.pyplot as plt
import numpy as np

from planetree import MultisurfaceClassifier
from planetree.convert import to_network

rng = np.random.default_rng(0)
angle, radius = (
    rng.uniform(0, 2 * np.pi, 150),
    np.r_[rng.uniform(0, 0.5, 50), rng.uniform(0.7, 1, 100)],
)
X = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
y = np.where(radius < 0.6, "core", "ring")
model = MultisurfaceClassifier().fit(X, y)
network = to_network(model)
print(f"{model.n_planes_} planes, a network with layers of {network.n_units} units")
print("the same answers:", bool((network.predict(X) == model.predict(X)).all()))

# %%
# The planes cut the ring off piece by piece.
fig, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1.1, 1.1, 250), np.linspace(-1.1, 1.1, 250)), axis=-1)
core = model.predict(grid.reshape(-1, 2)).reshape(250, 250) == "core"
ax.contourf(*np.moveaxis(grid, -1, 0), core, levels=1, colors=["#eef1f4", "#bfe3d3"])
ax.scatter(*X.T, s=10, c=np.where(y == "core", "#14694a", "#8a93a0"))
ax.set_aspect("equal")
