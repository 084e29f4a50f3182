"""Weights of few digits that send every row the same way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree import arrays
from planetree.arrays import midway
from planetree.planes import Planes
from planetree.tree.plane import rounding
from planetree.tree.plane.rounding import round_planes
from planetree.tree.plane.rounding import simplest_between as simplest_between

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4))
def test_a_rounded_plane_divides_the_rows_as_the_plane_does(seed, n_terms):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, n_terms)) * 10.0 ** rng.integers(-3, 4, size=n_terms)
    weights = rng.normal(size=n_terms) / X.std(axis=0)
    scores = X @ weights
    plane = Planes([weights], [midway(scores, float(np.median(scores)))])
    assert np.array_equal(plane.branch(X), round_planes(plane, X).branch(X))


@pytest.mark.parametrize("rule", ["slabs", "both"])
def test_the_rows_nearest_to_a_plane_save_time_and_change_nothing(monkeypatch, rule):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 3))
        X[rng.random(300) < 0.1, 0] = np.nan
        weights = rng.normal(size=(1 if rule == "slabs" else 2, 3))
        planes = Planes(weights, np.full(len(weights), 0.1), rule)
        whole = round_planes(planes, X)
        monkeypatch.setattr(rounding, "_MANY_ROWS", 10)
        monkeypatch.setattr(rounding, "_NEAREST", 3)
        few = round_planes(planes, X)
        monkeypatch.undo()
        assert np.array_equal(whole.weights, few.weights)
        assert np.array_equal(whole.offsets, few.offsets)
        assert np.array_equal(few.branch(X), planes.branch(X))


@pytest.mark.parametrize("rule", ["slabs", "both"])
def test_rows_whose_terms_are_laid_out_part_by_part_give_the_same_plane(monkeypatch, rule):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.asfortranarray(rng.normal(size=(100, 4)))
        X[rng.random(100) < 0.1, 0] = np.nan
        weights = rng.normal(size=(1 if rule == "slabs" else 2, 3))
        planes = Planes(weights, np.full(len(weights), 0.1), rule, columns=[3, 0, 2])
        whole = round_planes(planes, X)
        monkeypatch.setattr(arrays, "_PART_ROWS", 7)
        parts = round_planes(planes, X)
        monkeypatch.undo()
        assert np.array_equal(whole.weights, parts.weights)
        np.testing.assert_allclose(whole.offsets, parts.offsets, rtol=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6))
def test_the_simplest_number_lies_in_its_interval(low, width):
    high = low + width
    assert low <= simplest_between(low, high) <= high


@pytest.mark.parametrize("X", [np.empty((0, 2)), np.full((3, 2), np.nan)])
def test_a_plane_that_knows_no_row_stays_as_it_is(X):
    plane = Planes([[1.25, -0.5]], [0.1])
    assert round_planes(plane, X) is plane
