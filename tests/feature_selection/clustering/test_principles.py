"""Principles of `CentroidSelector`: points of classes, and one more inequality a sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from test_centroid import drawn, ignore_conflicts

from planetree import CentroidSelector

pytestmark = ignore_conflicts


def medoids(X, y):
    """Row of each class with the least sum of squared distances from the others."""
    found = []
    for k in np.unique(y):
        rows = np.flatnonzero(y == k)
        sums = [np.sum((X[rows] - X[j]) ** 2) for j in rows]
        found.append(rows[np.argmin(sums)])
    return np.array(found)


def whole_program(X, y, stay=True):
    """Largest sum of weights in which samples are nearest their own medoids, and these stay so."""
    chosen, rows = medoids(X, y), []
    for j, own in enumerate(y):
        near = (X[j] - X[chosen[own]]) ** 2
        rows += [near - (X[j] - X[m]) ** 2 for k, m in enumerate(chosen) if k != own]
        mates = X[y == own]
        if stay:
            rows.append(np.sum((mates - X[chosen[own]]) ** 2 - (mates - X[j]) ** 2, axis=0))
    n = X.shape[1]
    return -linprog(-np.ones(n), A_ub=rows, b_ub=np.zeros(len(rows)), bounds=(0, 1)).fun


@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=8)
def test_medoids_have_the_value_of_the_whole_program_and_stay_medoids(seed, n_classes):
    X, y = drawn(seed, 15, 30, n_classes, shift=3.0)
    model = CentroidSelector(principle="k_medoids", relax=False).fit(X, y)
    np.testing.assert_array_equal(model.centroids_, X[medoids(X, y)])
    assert model.objective_ == pytest.approx(whole_program(X, y), rel=1e-7)
    assert model.objective_ <= model.bound_ <= model.objective_ * (1 + 1e-8)
    weighted = X * np.sqrt(model.weights_)
    for k, point in enumerate(weighted[medoids(X, y)]):
        mates = weighted[y == k]
        sums = [np.sum((mates - each) ** 2) for each in mates]
        assert np.sum((mates - point) ** 2) <= min(sums) * (1 + 1e-8)


@pytest.mark.parametrize("seed", [3, 5, 15, 18, 19])
def test_medoids_that_would_move_are_held(seed):
    """Tables on which the weights are larger if medoids may move."""
    X, y = drawn(seed, 10, 20, 2, shift=0.5)
    model = CentroidSelector(principle="k_medoids", relax=False).fit(X, y)
    assert model.objective_ == pytest.approx(whole_program(X, y), rel=1e-7)
    assert model.objective_ < whole_program(X, y, stay=False) - 0.05
    assert central(X * np.sqrt(model.weights_), y, medoids(X, y))


def test_the_rows_of_k_medoids_bind():
    """Without them, some weights move the centers of classes to other samples."""
    moved = 0
    for seed in range(8):
        X, y = drawn(seed, 15, 12, 2, shift=1.5)
        free = CentroidSelector(principle=PointsAlone(), margin=0.5).fit(X, y)
        moved += not central(X * np.sqrt(free.weights_), y, medoids(X, y))
        held = CentroidSelector(principle="k_medoids", margin=0.5).fit(X, y)
        kept = held.objective_ <= free.objective_ or len(held.outliers_) > len(free.outliers_)
        assert kept
    assert moved > 0


def central(X, y, chosen):
    """Whether rows have the least sum of distances in their classes."""
    sums = np.array([np.sum((X[y == k] - X[j]) ** 2) for j, k in enumerate(y)])
    return all(sums[m] <= sums[y == y[m]].min() * (1 + 1e-8) for m in chosen)


class PointsAlone:
    """Medoids that may move."""

    def points(self, values, codes, weights):
        return values[medoids(values, codes)]

    def rows(self, values, codes, weights):
        return None


class Medians:
    """A principle of one's own: the median of each class."""

    def points(self, values, codes, weights):
        return np.array([np.nanmedian(values[codes == k], axis=0) for k in range(codes.max() + 1)])

    def rows(self, values, codes, weights):
        return None


def test_a_principle_of_ones_own_says_what_stands_for_a_class():
    X, y = drawn(1, 20, 10, 3, shift=2.0)
    model = CentroidSelector(principle=Medians()).fit(X, y)
    centers = np.array([np.median(X[y == k], axis=0) for k in range(3)])
    np.testing.assert_array_equal(model.centroids_, centers)
    distances = ((X[:, None] - centers) ** 2 * model.weights_).sum(axis=2)
    assert np.array_equal(model.predict(X), distances.argmin(axis=1))


def test_what_is_no_principle_is_refused():
    X, y = drawn(1, 10, 4, 2)
    with pytest.raises(ValueError, match="k_medoids"):
        CentroidSelector(principle="k_modes").fit(X, y)
    with pytest.raises(ValueError, match="points and rows"):
        CentroidSelector(principle=3).fit(X, y)
