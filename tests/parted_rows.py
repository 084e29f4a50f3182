"""Rows dealt into parts, and a fit to them that is that of the whole table."""

import numpy as np
import pytest

from planetree.distributed import open_partitions


def table(seed, n, d, k, kind):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    X = rng.normal(size=(n, d)) + rng.normal(scale=0.5, size=(k, d))[y]
    if kind == "levels":
        X = np.round(2 * X) / 2
    if kind == "tails":
        X *= np.exp(rng.normal(scale=1.5, size=X.shape))
    if kind == "separable":
        X[:, 0] += 20 * y
    if kind == "far":
        X += 1e6
    return X, y


def dealt(X, y, w, n_parts, how, seed):
    """Rows in parts: at random, sorted, by class, skewed, or one by one; some parts empty."""
    rng = np.random.default_rng(seed)
    at = {
        "random": rng.integers(0, n_parts, len(y)),
        "sorted": np.argsort(np.argsort(X[:, 0])) * n_parts // len(y),
        "class": y,
        "skewed": (rng.random(len(y)) < 0.02).astype(int),
        "single": np.minimum(np.arange(len(y)), 20),
    }[how]
    parts = [(X[at == p], y[at == p], w[at == p]) for p in range(at.max() + 1)]
    return open_partitions([*parts, (X[:0], y[:0], w[:0])])


def assert_same(found, whole):
    assert found.error_ == pytest.approx(whole.error_, rel=1e-9, abs=1e-12)
    assert found.bound_ <= whole.objective_ * (1 + 1e-15)
    assert found.gap_ <= 1e-9
    assert found.status_ == "optimal"


class Moving:
    """A part that gives other rows at each read, the last ones ever after."""

    name = "moving part"

    def __init__(self, *reads):
        self.reads = list(reads)

    def read(self):
        return self.reads.pop(0) if len(self.reads) > 1 else self.reads[0]


def assert_like(found, whole):
    assert found.error_ == pytest.approx(whole.error_, rel=1e-9)
    assert found.gap_ <= 1e-9
    assert found.classes_.tolist() == whole.classes_.tolist()
    assert found.columns_ == whole.columns_
