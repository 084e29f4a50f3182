"""k-means local optimality: (2) from its definition, values from an oracle, conflicts by name."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from planetree import CentroidSelector
from planetree.clock import Clock
from planetree.exceptions import AccuracyWarning, ConflictError, ConflictWarning
from planetree.feature_selection.clustering import centroid

ignore_conflicts = pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")


def drawn(seed, n_samples, n_features, n_classes, shift=0.7):
    """Normal samples of which every class is higher in some features."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X[y[:, None] == np.arange(n_features) % n_classes] += shift
    return X, y


def rooms(X, y, weights, margin=0.0):
    """How much room each sample has in (2): the least over the other classes, relative."""
    centroids = {k: X[y == k].mean(axis=0) for k in np.unique(y)}
    rooms = []
    for sample, own in zip(X, y, strict=True):
        distance = {k: np.sum((sample - c) ** 2 * weights) for k, c in centroids.items()}
        near = (1 + margin) * distance[own]
        rooms.append(min((d - near) / (d + near) for k, d in distance.items() if k != own))
    return np.array(rooms)


problems = st.tuples(
    st.integers(0, 10**6), st.integers(6, 24), st.integers(1, 40), st.integers(2, 3)
)


@ignore_conflicts
@given(problems, st.sampled_from([0.0, 0.1]))
@settings(max_examples=60)
def test_every_sample_that_was_not_dropped_is_nearest_its_own_centroid(problem, margin):
    X, y = drawn(*problem)
    model = CentroidSelector(margin=margin).fit(X, y)
    others = np.setdiff1d(np.arange(len(y)), model.outliers_)
    assert np.all(rooms(X, y, model.weights_, margin)[others] >= -1e-8)
    assert np.all((model.weights_ >= 0) & (model.weights_ <= 1))
    assert model.weights_.max() == 1.0
    assert np.array_equal(model.support_, model.weights_ > 0)


def whole_program(X, y):
    """The largest sum of weights, from all rows of (2) at once."""
    centroids = {k: X[y == k].mean(axis=0) for k in np.unique(y)}
    rows = [
        (sample - centroids[own]) ** 2 - (sample - c) ** 2
        for sample, own in zip(X, y, strict=True)
        for k, c in centroids.items()
        if k != own
    ]
    return -linprog(-np.ones(X.shape[1]), A_ub=rows, b_ub=np.zeros(len(rows)), bounds=(0, 1)).fun


@given(st.integers(0, 10**6), st.integers(6, 24), st.integers(2, 3))
@settings(max_examples=40)
def test_the_value_is_that_of_the_whole_program(seed, n_samples, n_classes):
    X, y = drawn(seed, n_samples, 60, n_classes)
    model = CentroidSelector(relax=False).fit(X, y)
    assert model.objective_ == pytest.approx(whole_program(X, y), rel=1e-7)
    assert model.gap_ <= 1e-9
    assert model.status_ == "optimal"


@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=30)
def test_predictions_are_the_nearest_centroids(seed, n_classes):
    X, y = drawn(seed, 24, 30, n_classes)
    model = CentroidSelector().fit(X, y)
    new = np.random.default_rng(seed + 1).normal(size=(20, 30))
    distances = [np.sum((new - X[y == k].mean(0)) ** 2 * model.weights_, axis=1) for k in set(y)]
    assert np.array_equal(model.predict(new), np.argmin(distances, axis=0))


@given(st.integers(0, 10**6), st.integers(1, 12))
@settings(max_examples=30)
def test_no_more_features_than_asked_for_and_all_inequalities_hold(seed, n_features):
    X, y = drawn(seed, 12, 50, 2, shift=3.0)
    alone = max(rooms(X, y, each).min() for each in np.eye(50))
    try:
        model = CentroidSelector(max_features=n_features, relax=False).fit(X, y)
    except ConflictError:
        assert alone < 0
        return
    assert 1 <= model.support_.sum() <= n_features
    assert np.all(rooms(X, y, model.weights_) >= -1e-8)
    assert model.transform(X).shape == (12, model.support_.sum())


def test_a_feature_that_suffices_alone_is_found():
    """The widest room, in rounds, left a feature that violated a constraint; 16 others do not."""
    X, y = drawn(22788, 12, 50, 2, shift=3.0)
    model = CentroidSelector(max_features=1, relax=False).fit(X, y)
    assert rooms(X, y, model.weights_).min() > 0
    assert model.support_.sum() == 1


def test_few_features_are_those_that_tell_the_classes_apart():
    X, y = drawn(0, 40, 60, 2, shift=0.0)
    X[y == 1, :3] += 8.0
    model = CentroidSelector(max_features=3).fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1, 2]


CROSSED = np.array([[0.0], [0.2], [0.4], [9.0], [10.0], [10.2], [10.4], [1.0]])
SIDES = np.array(["low"] * 4 + ["high"] * 4)


def test_a_conflict_is_an_error_that_names_the_rows():
    with pytest.raises(ConflictError, match="in conflict") as caught:
        CentroidSelector(relax=False).fit(CROSSED, SIDES)
    assert set(caught.value.rows) <= {3, 7}
    assert caught.value.rows


def test_samples_on_the_wrong_side_are_dropped_with_a_warning():
    with pytest.warns(ConflictWarning, match="2 rows"):
        model = CentroidSelector().fit(CROSSED, SIDES)
    assert model.outliers_.tolist() == [3, 7]
    assert model.weights_ == pytest.approx([1.0])


def test_outliers_are_rows_of_the_table_that_was_given():
    weight = np.ones(10)
    weight[[0, 5]] = 0.0
    X, y = np.insert(CROSSED, [0, 4], 5.0, axis=0), np.insert(SIDES, [0, 4], "low")
    with pytest.warns(ConflictWarning):
        model = CentroidSelector().fit(X, y, sample_weight=weight)
    assert model.outliers_.tolist() == [4, 9]
    assert model.prices_.shape == (10,)


def test_a_sample_of_the_other_kind_pays_most():
    """Wrongly labeled among many features, it can be satisfied, at a price."""
    X, y = drawn(3, 40, 400, 2, shift=1.0)
    y[7] = 1 - y[7]
    model = CentroidSelector().fit(X, y)
    assert model.prices_.argmax() == 7
    assert 7 in model.outliers_


def test_a_category_has_one_weight_for_all_its_values():
    frame = pd.DataFrame(
        {
            "color": ["red", "red", "blue", "green", "blue", "green"],
            "size": [1.0, 2.0, 1.5, 1.2, 2.1, 1.6],
        }
    )
    y = ["a", "a", "b", "b", "b", "b"]
    model = CentroidSelector().fit(frame, y)
    assert model.weights_.shape == (2,)
    assert model.predict(frame).tolist() == y
    assert list(model.get_feature_names_out()) == ["color", "size"]


def test_equal_centroids_are_refused():
    with pytest.raises(ValueError, match="same centroid"):
        CentroidSelector().fit([[0.0], [2.0], [1.0], [1.0]], [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("parameters", "named"),
    [({"margin": -0.1}, "margin"), ({"max_features": 0}, "max_features")],
)
def test_parameters_out_of_range_are_named(parameters, named):
    with pytest.raises(ValueError, match=named):
        CentroidSelector(**parameters).fit(CROSSED, SIDES)


def test_values_beyond_squaring_are_refused():
    with pytest.raises(ValueError, match="other units"):
        CentroidSelector().fit(CROSSED * 1e200, SIDES)


@ignore_conflicts
def test_units_that_squares_pull_apart_leave_a_gap_that_is_told():
    """Squared distances of the measurements of tumors differ by 13 digits; that was an error."""
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(AccuracyWarning, match="gap"):
        model = CentroidSelector().fit(X, y)
    assert model.status_ == "inaccurate"
    assert model.objective_ <= model.bound_ <= model.objective_ * 1.01
    scaled = StandardScaler().fit_transform(X)
    assert CentroidSelector().fit(scaled, y).score(scaled, y) > 0.95


@ignore_conflicts
@pytest.mark.parametrize("factor", [1e-6, 1e4, 1e6])
def test_a_column_in_small_units_is_solved_and_proved(factor):
    """One column times 1e6 was always an error."""
    for seed in (1, 2, 5):
        rng = np.random.default_rng(seed)
        y = np.resize([0, 1], 20)
        X = rng.normal(size=(20, 5)) + y[:, None] * rng.normal(size=5)
        X[:, 0] *= factor
        model = CentroidSelector().fit(X, y)
        assert model.status_ == "optimal"
        assert model.gap_ <= 1e-9


def test_time_limits_that_are_none_are_refused():
    with pytest.raises(ValueError, match="time_limit"):
        CentroidSelector(time_limit=0).fit(CROSSED, SIDES)


def test_no_program_is_solved_once_time_is_over(monkeypatch):
    """Each round of conflicts solved one more program after the limit: .77 s for .2 s."""
    X, y = drawn(0, 40, 3, 2, shift=0.1)
    rounds = []
    solve = centroid._CentroidProgram.most_weight

    def slow(program, upper):
        rounds.append(1)
        monkeypatch.setattr(Clock, "is_over", True)
        return solve(program, upper)

    monkeypatch.setattr(centroid._CentroidProgram, "most_weight", slow)
    with pytest.warns(ConflictWarning):
        model = CentroidSelector(time_limit=60).fit(X, y)
    assert model.status_ == "time_limit"
    assert len(rounds) == 1
    assert (model.weights_ == 1).all()
