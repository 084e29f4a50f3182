"""
A table that is larger than memory
==================================

Rows are read part by part. The plane is exactly the one that all rows together would give, with its proof.
"""

# %%
# Parts may be files, lazy frames or arrays. Here they are arrays.
import matplotlib.pyplot as plt
import numpy as np

from planetree import RobustSeparator
from planetree.distributed import open_partitions

rng = np.random.default_rng(0)
X = rng.normal(size=(60_000, 5))
y = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=60_000) > 0
sizes = [1_000, 4_000, 16_000, 60_000]
models = [
    RobustSeparator().fit(open_partitions([(X[:n:2], y[:n:2]), (X[1:n:2], y[1:n:2])]))
    for n in sizes
]
print(
    "proved optimal:",
    [model.gap_ < 1e-9 for model in models],
    "reads:",
    [m.n_reads_ for m in models],
)

# %%
# With more rows the direction of the plane settles.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for column in range(5):
    weights = [m.coef_[0, column] / np.linalg.norm(m.coef_) for m in models]
    ax.plot(sizes, weights, "o-", label=f"column {column}")
ax.set(xscale="log", xlabel="rows", ylabel="weight, normalized")
ax.legend()
