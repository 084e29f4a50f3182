"""Rows of classes that overlap, and when two trees are one."""

import numpy as np
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**32 - 1)


def overlapping(seed, n=120, k=2, p=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, size=n)
    return rng.normal(size=(n, p)) + 0.8 * rng.normal(size=(k, p))[y], y


def same_tree(one, other):
    assert np.array_equal(one.n_branches, other.n_branches)
    assert np.array_equal(one.children, other.children)
    assert np.array_equal(one.predicted, other.predicted)
    np.testing.assert_allclose(one.class_weights, other.class_weights, rtol=1e-9)
