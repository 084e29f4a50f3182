"""Squared violations of parts have the value and the proof of the whole table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import assert_same, dealt, table

from planetree import QuadraticSeparator
from planetree.distributed import open_partitions


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    k=st.sampled_from([2, 2, 3, 5]),
    kind=st.sampled_from(["plain", "levels", "tails", "separable", "far"]),
    how=st.sampled_from(["random", "sorted", "class", "skewed", "single"]),
    weighted=st.booleans(),
    l2=st.sampled_from([0.0, 0.0, 0.1]),
)
def test_the_value_and_the_proof_are_those_of_the_whole_table(seed, k, kind, how, weighted, l2):
    X, y = table(seed, 600, 4, k, kind)
    w = np.random.default_rng(seed).integers(0, 4, len(y)) * 1.0 if weighted else np.ones(len(y))
    w[:k] = 1.0
    whole = QuadraticSeparator(l2=l2).fit(X, y, w)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planetree.separators.partitioned._SAMPLE", 150)
        found = QuadraticSeparator(l2=l2).fit(dealt(X, y, w, 5, how, seed))
    assert_same(found, whole)
    assert found.objective_ == pytest.approx(whole.objective_, rel=1e-9, abs=1e-12)
    assert found.separable_ == whole.separable_
    assert found.coef_ == pytest.approx(whole.coef_, rel=1e-5, abs=1e-5 * np.abs(whole.coef_).max())


def test_costs_and_uniform_charges_are_those_of_the_whole_table():
    X, y = table(3, 800, 3, 3, "plain")
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]
    for options in ({"costs": costs}, {"weighting": "uniform"}):
        whole = QuadraticSeparator(**options).fit(X, y)
        parts = open_partitions([(X[i::3], y[i::3]) for i in range(3)])
        assert_same(QuadraticSeparator(**options).fit(parts), whole)


def test_a_class_that_a_plane_separates_from_the_others_needs_no_balance():
    """Its rows are at their margins, where rounding alone would pull."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=3000) > 0.5) * 1
    y = np.where(X[:, 2] > 1, 2, y)
    whole = QuadraticSeparator().fit(X, y)
    assert_same(QuadraticSeparator().fit(dealt(X, y, np.ones(3000), 3, "random", 0)), whole)
