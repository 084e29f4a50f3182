"""Cuts that pay by the planes after them: their score, and what rows cost below a plane."""

import numpy as np
import pytest
from scipy.optimize import minimize

from planetree import PlaneTreeClassifier
from planetree.tree.impurity import entropy
from planetree.tree.plane.look_ahead import linear_value, promising_cuts

pytestmark = pytest.mark.core


def test_a_cut_is_made_for_the_planes_that_follow_it():
    """Which of two columns counts depends on a third, which alone tells nothing."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 5))
    y = np.where(X[:, 2] > 0, X[:, 0], X[:, 1]) + 0.2 * rng.normal(size=500) > 0
    model = PlaneTreeClassifier().fit(X, y)
    root = model.tree_.splits[0]
    assert root.features.tolist() == [2]
    assert abs(root.offsets[0] / root.weights[0, 0]) < 0.3
    assert model.score(X, y) > 0.9


def logistic_loss(rule, terms, y):
    return np.logaddexp(0.0, -y * (terms @ rule)).sum()


def test_rows_below_a_plane_cost_the_least_logistic_loss_and_the_price_of_its_terms():
    """The oracle minimizes loss plus ridge by another method; a leaf costs its entropy."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 2))
    sides = Z[:, 0] + 0.5 * rng.normal(size=60) > 0
    y, terms = np.where(sides, 1.0, -1.0), np.column_stack([Z[:, 0], np.ones(60)])
    ridge = np.array([1.0, 1e-6])
    best = minimize(lambda w: logistic_loss(w, terms, y) + ridge @ w**2 / 2, np.zeros(2)).x
    found = linear_value(Z, sides, np.ones(60), [(0,), (1,)], 2.5)
    assert found == pytest.approx(logistic_loss(best, terms, y) + 2.5, abs=1e-5)
    leaf = float(entropy(np.bincount(sides).astype(float)))
    assert linear_value(Z, sides, np.ones(60), [(0,)], 1e9) == pytest.approx(leaf)


def test_a_weight_counts_as_so_many_rows_in_the_scores_of_cuts():
    rng = np.random.default_rng(1)
    Z, times = rng.normal(size=(300, 3)), rng.integers(1, 3, 300)
    sides = np.where(Z[:, 2] > 0, Z[:, 0], Z[:, 1]) > 0
    by_weight = promising_cuts(Z, sides, times.astype(float))
    by_rows = promising_cuts(Z.repeat(times, 0), sides.repeat(times), np.ones(times.sum()))
    assert by_weight
    assert [cut.term for cut in by_weight] == [cut.term for cut in by_rows]
    np.testing.assert_allclose(by_weight, by_rows, rtol=1e-6)
