"""Weights of few digits that send every row the same way."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planetree.arrays import midway
from planetree.planes import Planes
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


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6))
def test_the_simplest_number_lies_in_its_interval(low, width):
    high = low + width
    assert low <= simplest_between(low, high) <= high
