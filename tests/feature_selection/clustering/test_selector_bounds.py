"""Bounds of the clustering selectors over X itself, held against optima in fractions.

With two features and rows g x >= 0 over the unit square, the largest sum lies at a corner or where
a row crosses a side, so a handful of fractions holds it.
"""

import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from planetree import CentroidSelector, PairwiseSelector
from planetree.feature_selection.clustering.centroid import _implied


def table(seed):
    """Few rows of two features, far from 0, where squares and means round."""
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], 9)
    X = rng.normal(size=(9, 2)) + np.column_stack([2.5 * y, 0.5 * y])
    return X + rng.choice([0.0, 1e3, 1e6], size=2), y


def points_of_the_square(rows):
    """Exact candidates for the optimum that satisfy all rows g x >= 0."""
    candidates = [(Fraction(a), Fraction(b)) for a in (0, 1) for b in (0, 1)]
    for a, b in rows:
        if b:
            candidates.append((Fraction(1), -a / b))
        if a:
            candidates.append((-b / a, Fraction(1)))
    inside = [(s, t) for s, t in candidates if 0 <= s <= 1 and 0 <= t <= 1]
    return [(s, t) for s, t in inside if all(a * s + b * t >= 0 for a, b in rows)]


def centroid_rows(X, y):
    exact = [[Fraction(v) for v in row] for row in X.tolist()]
    groups = [[row for row, own in zip(exact, y, strict=True) if own == c] for c in (0, 1)]
    means = [[sum(column) / len(group) for column in zip(*group, strict=True)] for group in groups]
    return [
        [(row[i] - means[1 - own][i]) ** 2 - (row[i] - means[own][i]) ** 2 for i in (0, 1)]
        for row, own in zip(exact, y, strict=True)
    ]


def pair_squares(X, y):
    exact = [[Fraction(v) for v in row] for row in X.tolist()]
    squares = {True: [], False: []}
    for p, q in combinations(range(len(y)), 2):
        apart = [(exact[p][i] - exact[q][i]) ** 2 for i in (0, 1)]
        squares[bool(y[p] == y[q])].append(apart)
    return squares


@pytest.mark.parametrize("units", [(1, 1), (1e4, 1), (1, 1e4)])
@pytest.mark.parametrize("seed", range(30))
def test_no_weights_of_centroids_exceed_the_bound_in_fractions(seed, units):
    """It held for rounded differences of squares: off by 1e-9 where columns are far from 0."""
    X, y = table(seed)
    X *= units
    best = max(s + t for s, t in points_of_the_square(centroid_rows(X, y)))
    if best == 0:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CentroidSelector().fit(X, y)
    assert best <= Fraction(model.bound_)
    if model.status_ == "optimal":
        assert float(best) >= model.objective_ - 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_bounds_implied_by_rows_cut_off_no_point_of_them(seed):
    """Rows that hold with equality at x, which all other points with x_i so large violate."""
    rng = np.random.default_rng(seed)
    small = 2.0 ** -rng.integers(1, 40, size=2)
    x = np.append(np.ones(4), small)
    G = np.zeros((2, 6))
    G[:, :4] = rng.integers(0, 9, size=(2, 4)) + 1.0
    G[[0, 1], [4, 5]] = -G[:, :4].sum(axis=1) / small
    found = _implied(np.ones(6), G, 1e-14)
    assert np.all(G @ x == 0)
    assert np.all(x <= found)
    assert np.all(found <= x * (1 + 1e-12))


@pytest.mark.parametrize("seed", range(20))
def test_no_weights_of_pairs_exceed_the_bound_in_fractions(seed):
    X, y = table(seed)
    X[:, 0] += 40 * y
    squares = pair_squares(X, y)
    rows = [
        [b - a for a, b in zip(within, between, strict=True)]
        for within in squares[True]
        for between in squares[False]
    ]
    best = max(s + t for s, t in points_of_the_square(rows))
    model = PairwiseSelector(objective="features").fit(X, y)
    assert best <= Fraction(model.bound_)
    assert float(best) >= model.objective_ - 1e-6
