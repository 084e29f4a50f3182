"""Pairwise thresholds: (3)-(5) from their definition, the value from an oracle, the relaxation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from test_centroid import drawn, ignore_conflicts

from planetree import PairwiseSelector
from planetree.exceptions import ConflictError, ConflictWarning


def distances_of(X, y, weights):
    """Weighted squared distance of every pair, with its kind."""
    return {
        (j, k): (np.sum((X[j] - X[k]) ** 2 * weights), y[j] == y[k])
        for j, k in combinations(range(len(y)), 2)
    }


def check_thresholds(model, X, y):
    """(3), (4) and (5) for every pair that was not dropped."""
    dropped = {tuple(sorted(pair)) for pair in model.dropped_pairs_.tolist()}
    within, between = model.thresholds_
    rounding = 1e-8 * max(between, within)
    assert within <= between + rounding
    for pair, (distance, same) in distances_of(X, y, model.weights_).items():
        if pair not in dropped:
            assert distance <= within + rounding if same else distance >= between - rounding


@ignore_conflicts
@pytest.mark.parametrize("objective", ["separation", "features"])
@given(st.integers(0, 10**6), st.integers(4, 16), st.integers(1, 60), st.integers(2, 3))
@settings(max_examples=30)
def test_every_kept_pair_satisfies_its_threshold(objective, seed, n_samples, n_features, n_classes):
    X, y = drawn(seed, n_samples, n_features, n_classes)
    try:
        model = PairwiseSelector(objective=objective).fit(X, y)
    except ConflictError:
        return  # every pair of two classes went
    check_thresholds(model, X, y)
    assert model.weights_.max() == pytest.approx(1.0)
    assert (model.n_relaxations_ > 0) == (len(model.dropped_pairs_) > 0)


def whole_program(X, y, objective):
    """Value of (20) or (18) with all rows of (3)-(5) at once."""
    m = X.shape[1]
    rows = [np.append(np.zeros(m), [1.0, -1.0])]
    for j, k in combinations(range(len(y)), 2):
        square = (X[j] - X[k]) ** 2
        rows.append(np.append(square, [-1, 0]) if y[j] == y[k] else np.append(-square, [0, 1]))
    cost = np.append(np.zeros(m), [1.0, -1.0])
    if objective == "features":
        cost = np.append(-np.ones(m), [0.0, 0.0])
    bounds = [(0, 1)] * m + [(0, None)] * 2
    return -linprog(cost, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), bounds=bounds).fun


@pytest.mark.parametrize("objective", ["separation", "features"])
@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=15)
def test_the_value_is_that_of_the_whole_program(objective, seed, n_classes):
    X, y = drawn(seed, 15, 80, n_classes, shift=3.0)
    model = PairwiseSelector(objective=objective, relax=False).fit(X, y)
    assert model.objective_ == pytest.approx(whole_program(X, y, objective), rel=1e-6)
    assert model.gap_ <= 1e-8
    assert model.n_relaxations_ == 0


def test_pairs_join_in_several_rounds_when_there_are_many():
    X, y = drawn(0, 60, 200, 2, shift=4.0)
    model = PairwiseSelector(relax=False).fit(X, y)
    check_thresholds(model, X, y)


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_predictions_are_those_of_the_nearest_sample(seed):
    X, y = drawn(seed, 12, 30, 3, shift=3.0)
    model = PairwiseSelector().fit(X, y)
    new = np.random.default_rng(seed + 1).normal(size=(10, 30)) + 1.0
    distances = ((new[:, None] - X) ** 2 * model.weights_).sum(axis=2)
    assert np.array_equal(model.predict(new), y[distances.argmin(axis=1)])


def test_a_sample_among_the_others_is_the_outlier():
    X, y = drawn(1, 30, 8, 2, shift=6.0)
    X[4] = X[5] + 0.1
    with pytest.warns(ConflictWarning, match="dropped_pairs_"):
        model = PairwiseSelector().fit(X, y)
    assert 4 in model.outliers_
    assert np.all(np.any(model.dropped_pairs_ == 4, axis=1) | (model.n_relaxations_ > 1))


def test_a_conflict_is_an_error_that_names_the_rows():
    X = [[0.0], [1.0], [0.5], [9.0]]
    with pytest.raises(ConflictError, match="relax=True") as caught:
        PairwiseSelector(relax=False).fit(X, ["a", "a", "b", "b"])
    assert len(caught.value.rows) >= 3


def test_data_without_a_pair_to_keep_is_refused():
    """The middle sample is nearer to both ends than they are to each other, in every feature."""
    with pytest.raises(ConflictError, match="do not suit this data"):
        PairwiseSelector().fit([[-1.0], [1.0], [0.0]], ["a", "a", "b"])


def test_classes_of_one_sample_have_no_inner_threshold():
    model = PairwiseSelector().fit([[0.0, 1.0], [3.0, 1.0]], ["a", "b"])
    assert model.thresholds_ == (0.0, 9.0)


def test_thresholds_do_not_imply_k_means_local_optimality():
    """Against section 2.2: (3)-(5) hold with all weights 1, and (2) does not.

    Class a is one sample at distance 1 from its 20 classmates, which coincide. Class b is a
    simplex of side 1, every corner at distance 1 or more from all of class a. The squared distance
    of the sample from its own centroid is (20/21)^2, from that of b about 1/2.
    """
    corners = np.eye(40) / np.sqrt(2.0)
    center = corners.mean(axis=0)
    rise = np.sqrt(1.0 - np.sum((corners[0] - center) ** 2))
    sample, mates = np.append(center, rise), np.append(center, rise + 1.0)
    b = np.column_stack([corners, np.zeros(40)])
    a = np.vstack([sample, np.tile(mates, (20, 1))])
    X, y = np.vstack([a, b]), np.repeat([0, 1], [21, 40])
    pairs = distances_of(X, y, np.ones(41)).values()
    assert max(d for d, same in pairs if same) <= min(d for d, same in pairs if not same) + 1e-12
    own, other = np.sum((sample - a.mean(0)) ** 2), np.sum((sample - b.mean(0)) ** 2)
    assert own > other + 0.3


def test_an_unknown_objective_is_named():
    with pytest.raises(ValueError, match="'objective' parameter of PairwiseSelector must be"):
        PairwiseSelector(objective="most").fit([[0.0], [1.0]], [0, 1])
