"""
Multisurfaces, and the network that they are
============================================

Pairs of parallel planes peel off what can only be one class, until nothing is left. The result is a network of threshold units
that needs no training.
"""

# %%
# Slanted bands that alternate between two classes.
import matplotlib.pyplot as plt
import numpy as np

from planetree import MultisurfaceClassifier
from planetree.convert import to_network

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(260, 2))
height = X @ [0.6, 1.0]
X = X[np.abs((height + 2) % 0.5 - 0.25) < 0.19]
y = np.where((X @ [0.6, 1.0] + 2) // 0.5 % 2 == 0, "even", "odd")
model = MultisurfaceClassifier().fit(X, y)
network = to_network(model)
print(f"{model.n_planes_} planes, a network with layers of {network.n_units} units")
print("the same answers:", bool((network.predict(X) == model.predict(X)).all()))

# %%
# Each pair of parallel planes takes a band off at either end.
fig, ax = plt.subplots(figsize=(5, 4.6), layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-1.1, 1.1, 250), np.linspace(-1.1, 1.1, 250)), axis=-1)
even = model.predict(grid.reshape(-1, 2)).reshape(250, 250) == "even"
ax.contourf(*np.moveaxis(grid, -1, 0), even, levels=1, colors=["#eef1f4", "#bfe3d3"])
ax.scatter(*X.T, s=10, c=np.where(y == "even", "#14694a", "#8a93a0"))
ax.set_aspect("equal")
