"""A table that trees of parts are fitted to, and its parts."""

import numpy as np
import pandas as pd

from planetree.distributed import open_partitions


def frame_of(n, seed, k=2, gaps=0.0):
    """Two planes below each other, a category, and gaps; the classes overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    color = rng.choice(["red", "green", "blue"], n)
    first = X[:, 0] + 0.7 * X[:, 1] + 0.8 * (color == "red") + 0.3 * rng.normal(size=n) > 0.3
    second = X[:, 2] - 0.5 * X[:, 3] + 0.2 * rng.normal(size=n) > (0.0 if k > 2 else 1.2)
    y = np.where(first, np.where(second, 2 if k > 2 else 0, 1), 0)
    X[rng.random(X.shape) < gaps] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd")).assign(color=color)
    return frame.assign(kind=y, times=rng.integers(1, 4, n) * 1.0)


def parts_of(frame, p, weight=None):
    return open_partitions([frame[i::p] for i in range(p)] + [frame[:0]], "kind", weight)
