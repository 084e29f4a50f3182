"""Consistent biclustering: (8), (9) and (24) from their definition; the three methods compared."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from test_centroid import drawn, ignore_conflicts

from planetree import BiclusteringSelector
from planetree.exceptions import ConflictError, ConflictWarning

METHODS = ("search", "iterative", "exact")


def consistent_rows(X, y, classes, selected, separation):
    """Which samples satisfy (9), and (24) where the other average is positive."""
    found = []
    for sample, own in zip(X, y, strict=True):
        average = {k: sample[selected & (classes == k)].mean() for k in np.unique(y)}
        found.append(
            all(
                average[own] >= other - 1e-9
                and (other <= 0 or average[own] >= (1 + separation) * other - 1e-9)
                for k, other in average.items()
                if k != own
            )
        )
    return np.array(found)


@ignore_conflicts
@pytest.mark.parametrize("method", METHODS)
@given(
    st.integers(0, 10**6),
    st.integers(6, 20),
    st.integers(6, 12),
    st.integers(2, 3),
    st.sampled_from([0.0, 0.1, 1.0]),
)
@settings(max_examples=25)
def test_every_selection_is_consistent_by_definition(
    method, seed, n_samples, n_features, n_classes, separation
):
    X, y = drawn(seed, n_samples, n_features, n_classes, shift=1.5)
    model = BiclusteringSelector(separation=separation, method=method).fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    assert np.array_equal(model.feature_classes_, means.argmax(axis=0))
    if np.isnan(model.baselines_).all():
        rows = consistent_rows(X, y, model.feature_classes_, model.support_, separation)
        assert model.consistent_ == rows.all()
        assert set(np.flatnonzero(~rows)) <= set(model.outliers_.tolist())
    assert model.objective_ == model.support_.sum() <= model.bound_


def largest_by_trying_all(X, y, classes, separation):
    """Size of the largest consistent selection."""
    best = 0
    for chosen in product([False, True], repeat=X.shape[1]):
        selected = np.array(chosen)
        if selected.sum() > best and set(classes[selected]) == set(y):
            rows = consistent_rows(X, y, classes, selected, separation)
            best = selected.sum() if rows.all() else best
    return best


@given(st.integers(0, 10**6), st.integers(2, 3), st.sampled_from([0.0, 0.3]))
@settings(max_examples=25)
def test_exact_is_the_best_of_all_selections_and_no_method_beats_it(seed, n_classes, separation):
    X, y = drawn(seed, 8, 8, n_classes, shift=1.5)
    found = {}
    for method in METHODS:
        try:
            model = BiclusteringSelector(separation=separation, method=method, relax=False).fit(
                X, y
            )
        except ConflictError:
            continue
        found[method] = model.objective_
        classes = model.feature_classes_
    if found:
        assert set(classes) == set(y)
        assert found["exact"] == largest_by_trying_all(X, y, classes, separation)
        assert max(found.values()) == found["exact"]


def planted(seed, n_classes, n_planted=20, n_spoiled=4):
    """Features that are high in one class each, and some that one foreign sample spoils."""
    rng = np.random.default_rng(seed)
    y = np.arange(8 * n_classes) % n_classes
    classes = np.arange(n_classes * (n_planted + n_spoiled)) % n_classes
    X = rng.normal(size=(len(y), len(classes))) + 6.0 * (y[:, None] == classes)
    spoiled = rng.permutation(len(classes))[: n_classes * n_spoiled]
    for feature in spoiled:
        foreign = rng.choice(np.flatnonzero(y != classes[feature])[:n_classes])
        X[foreign, feature] += 40.0
        X[y == classes[feature], feature] += 2.0 * n_classes  # it stays highest in its class
    return X, y, classes, spoiled


@pytest.mark.parametrize("method", ["search", "iterative"])
@given(st.integers(0, 10**6), st.integers(2, 4))
@settings(max_examples=20)
def test_planted_biclusters_are_recovered(method, seed, n_classes):
    X, y, classes, spoiled = planted(seed, n_classes)
    model = BiclusteringSelector(method=method, relax=False).fit(X, y)
    assert model.consistent_
    assert np.array_equal(model.feature_classes_, classes)
    if method == "search":
        lost = np.flatnonzero(~model.support_)
        assert set(lost) <= set(spoiled.tolist())
    new = np.random.default_rng(seed + 1).normal(size=X.shape) + 6.0 * (y[:, None] == classes)
    assert np.array_equal(model.predict(new), y)


@ignore_conflicts
@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_with_negative_averages_no_less_is_asked_than_without_separation(seed):
    """(24) alone would accept an own average below the other one."""
    X, y = drawn(seed, 12, 20, 2, shift=1.0)
    X -= 50.0
    model = BiclusteringSelector(separation=0.5).fit(X, y)
    rows = consistent_rows(X, y, model.feature_classes_, model.support_, 0.0)
    assert set(np.flatnonzero(~rows)) <= set(model.outliers_.tolist())


def test_a_class_without_features_is_where_the_others_are_low():
    X = np.array([[0.0, 1.0], [1.0, 0.5], [8.0, 9.0], [9.0, 8.0]])
    model = BiclusteringSelector().fit(X, ["low", "low", "up", "up"])
    assert model.feature_classes_.tolist() == ["up", "up"]
    assert 1.0 < model.baselines_[0] < 8.0
    assert np.isnan(model.baselines_[1])
    assert model.predict(X).tolist() == ["low", "low", "up", "up"]


def test_a_sample_in_conflict_is_named_or_left_out():
    X, y = drawn(5, 20, 4, 2, shift=8.0)
    y[3] = 1 - y[3]
    with pytest.raises(ConflictError, match="Rows") as caught:
        BiclusteringSelector(relax=False).fit(X, y)
    assert 3 in caught.value.rows
    with pytest.warns(ConflictWarning, match="1 rows"):
        model = BiclusteringSelector().fit(X, y)
    assert 3 in model.outliers_
    assert not model.consistent_


@ignore_conflicts
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("difference", [1e-5, 1e-7, 1e-9, 1e-11])
def test_small_differences_of_large_values_are_told_apart_or_left_out(method, difference):
    """A sample whose averages differ by little is satisfied, or named, never a failure."""
    X, y = drawn(2, 12, 2, 2, shift=3.0)
    X[3] = [0.5 + difference, 0.5]  # of class 1, to which the second feature belongs
    model = BiclusteringSelector(method=method).fit(X + 100.0, y)
    if difference >= 1e-7:
        assert 3 in model.outliers_
        assert not model.consistent_


def test_algorithm_1_counts_its_steps_and_keeps_what_is_consistent_already():
    X, y = drawn(0, 10, 40, 2, shift=9.0)
    model = BiclusteringSelector(method="iterative").fit(X, y)
    assert (model.objective_, model.n_iter_, model.status_) == (40.0, 1, "optimal")


def test_a_time_limit_leaves_a_consistent_selection_with_its_gap():
    X, y, _, _ = planted(0, 3, n_planted=60, n_spoiled=20)
    model = BiclusteringSelector(separation=0.5, method="exact", time_limit=0.2, relax=False).fit(
        X, y
    )
    assert model.consistent_
    assert model.status_ in ("time_limit", "optimal")
    assert model.gap_ == pytest.approx((model.bound_ - model.objective_) / model.objective_)


def test_many_categories_are_refused_by_name():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0], "color": ["red", "green", "blue"]})
    with pytest.raises(ValueError, match="'color' has 3 categories"):
        BiclusteringSelector().fit(frame, [0, 1, 1])


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"separation": -1.0}, "separation"),
        ({"method": "x"}, "method"),
        ({"time_limit": 0}, "time"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, named):
    with pytest.raises(ValueError, match=named):
        BiclusteringSelector(**parameters).fit([[0.0], [1.0]], [0, 1])


@ignore_conflicts
def test_a_time_limit_holds_while_samples_are_left_out():
    """It held for the mixed 0-1 program alone, and leaving out samples one by one took minutes."""
    X, y = load_breast_cancer(return_X_y=True)
    model = BiclusteringSelector(time_limit=1e-3).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.support_.all()
    right = np.setdiff1d(np.arange(len(y)), model.outliers_)
    assert model.score(X[right], y[right]) == 1.0
