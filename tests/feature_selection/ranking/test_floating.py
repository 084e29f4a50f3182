"""Searches through subsets: what they promise, with scikit-learn and all subsets as oracles."""

from itertools import combinations

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from planetree import C45Classifier, FloatingSelector, RobustSeparator, _core
from planetree.datasets import make_waveform
from planetree.exceptions import TimeLimitWarning
from planetree.table import Table, canonical_columns

pytestmark = pytest.mark.core

seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_plain_search_is_that_of_scikit_learn(direction):
    X, y = make_waveform(300, random_state=5)
    X, cv = X[:, 5:12], StratifiedKFold(3)
    order = canonical_columns(Table.read(X), y.astype(int), np.ones(300))
    X = X[:, order]  # of equals the first is taken
    ours = FloatingSelector(
        KNeighborsClassifier(3), direction=direction, full_ranking=True, cv=cv
    ).fit(X, y)
    for n in (2, 5):
        peer = SequentialFeatureSelector(
            KNeighborsClassifier(3), n_features_to_select=n, direction=direction, cv=cv
        ).fit(X, y)
        assert np.array_equal(np.flatnonzero(peer.support_), np.sort(ours.order_[:n]))


@given(seeds)
def test_equally_near_rows_vote_in_an_order_that_rows_do_not_decide(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, size=(40, 4)).astype(float), rng.integers(0, 2, 40)
    order = rng.permutation(40)
    search = FloatingSelector(KNeighborsClassifier(3), full_ranking=True)
    first, again = search.fit(X, y).scores_, search.fit(X[order], y[order]).scores_
    assert first == again


def test_any_classifier_and_any_score_can_judge():
    X, y = load_iris(return_X_y=True)
    search = FloatingSelector(GaussianNB(), scoring="balanced_accuracy", cv=3)
    model = search.set_params(n_features_to_select=2).fit(X, y)
    expected = cross_val_score(
        GaussianNB(), X[:, model.support_], y, cv=3, scoring="balanced_accuracy"
    ).mean()
    assert model.scores_[2] == pytest.approx(expected)
    assert model.transform(X).shape == (150, 2)


def test_categories_reach_the_classifier_by_name():
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "green", "blue"], size=90)
    X = np.column_stack([color.astype(object), rng.normal(size=90), rng.normal(size=90)])
    model = FloatingSelector(C45Classifier(), n_features_to_select=1).fit(X, color == "red")
    assert model.support_.tolist() == [True, False, False]
    assert model.scores_[1] == 1


def test_the_best_size_is_the_smallest_with_the_best_score():
    X, y = load_wine(return_X_y=True)
    model = FloatingSelector(KNeighborsClassifier(3), n_features_to_select="best").fit(X, y)
    most = max(model.scores_.values())
    assert model.n_features_to_select_ == min(k for k, s in model.scores_.items() if s == most)
    assert sorted(model.ranking_) == list(range(1, 14))


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_without_a_full_ranking_what_is_not_told_apart_has_equal_ranks(direction):
    X, y = load_wine(return_X_y=True)
    whole = FloatingSelector(KNeighborsClassifier(3), direction=direction, full_ranking=True).fit(
        X, y
    )
    part = FloatingSelector(
        KNeighborsClassifier(3), direction=direction, n_features_to_select=5
    ).fit(X, y)
    expected = whole.ranking_.copy()
    expected[expected > 5 if direction == "forward" else expected <= 5] = (
        6 if direction == "forward" else 1
    )
    assert np.array_equal(part.ranking_, expected)


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), GaussianNB()], ids=["knn", "bayes"])
def test_the_answer_is_the_same_for_any_number_of_jobs(estimator):
    X, y = make_classification(120, 6, random_state=0)
    with joblib.parallel_config("threading"):
        one, two = (
            FloatingSelector(estimator, full_ranking=True, n_jobs=n).fit(X, y) for n in (1, 2)
        )
    assert one.scores_ == two.scores_


def test_rows_of_a_given_division_are_numbered_as_in_x():
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) % 5 == 0, 0, 1)
    parts = list(ShuffleSplit(2, random_state=0).split(X))
    kept = np.flatnonzero(weight)
    fewer = [tuple(np.flatnonzero(np.isin(kept, part)) for part in pair) for pair in parts]
    search = FloatingSelector(KNeighborsClassifier(3), full_ranking=True)
    given_rows = search.set_params(cv=parts).fit(X, y, sample_weight=weight).scores_
    assert given_rows == pytest.approx(search.set_params(cv=fewer).fit(X[kept], y[kept]).scores_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"direction": "up"}, "'direction' .* must be 'forward' or 'backward'"),
        ({"method": "greedy"}, "'method' .* must be 'sequential'"),
        ({"steps": (1, 1)}, "'steps' .* must be two counts"),
        ({"cv": 1.5}, "cv as a share"),
        ({"n_features_to_select": 9}, "from 1 to n_features = 4"),
        ({"estimator": RandomForestRegressor()}, "'estimator' .* must be a classifier"),
        ({"estimator": KNeighborsClassifier(200)}, "n_neighbors = 200"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    X, y = load_iris(return_X_y=True)
    model = FloatingSelector(KNeighborsClassifier(3)).set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_a_classifier_without_weights_is_given_whole_ones_as_rows():
    X, y = load_iris(return_X_y=True)
    near = KNeighborsClassifier(3, weights="distance")
    weight = np.arange(150) % 3
    search = FloatingSelector(near, full_ranking=True)
    weighted = search.fit(X, y, sample_weight=weight).scores_
    repeated = search.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).scores_
    assert weighted == pytest.approx(repeated)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        search.fit(X, y, sample_weight=weight + 0.5)


ROWS = {
    "x": np.arange(8.0).reshape(4, 2),
    "classes": np.array([0, 1, 0, 1], dtype=np.int32),
    "weights": np.ones(4),
    "n_classes": 2,
    "voters": np.array([0, 1]),
    "tests": np.array([2, 3]),
    "n_neighbors": 1.0,
    "max_kept": 100,
}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"voters": np.array([0, 4])}, IndexError),
        ({"tests": np.array([-1])}, IndexError),
        ({"voters": np.array([], dtype=np.int64)}, ValueError),
        ({"classes": np.array([0, 2, 0, 1], dtype=np.int32)}, ValueError),
        ({"weights": np.array([1.0, 0.0, 1.0, 1.0])}, ValueError),
        ({"weights": np.ones(3)}, ValueError),
        ({"x": np.array([[np.nan, 0.0]] * 4)}, ValueError),
        ({"n_neighbors": np.nan}, ValueError),
    ],
)
def test_the_core_refuses_what_it_cannot_count(changed, error):
    with pytest.raises(error):
        _core.NeighborVotes(**{**ROWS, **changed})


def test_the_core_refuses_columns_that_are_not_there():
    votes = _core.NeighborVotes(**ROWS)
    with pytest.raises(IndexError, match="2 columns, but number 2"):
        votes.with_each(np.array([0]), np.array([2]))
    with pytest.raises(IndexError):
        votes.without_each(np.array([5]))


def test_more_neighbors_than_voters_all_vote():
    votes = _core.NeighborVotes(**{**ROWS, "n_neighbors": 9.0, "voters": np.array([0, 1, 2])})
    assert votes.with_each(np.array([], dtype=np.int64), np.array([0, 1])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("k", "cv"), [(3, None), (4, None), (1, 0.3)])
def test_classes_by_other_names_have_the_same_ranking(k, cv):
    """Folds, rows held out and votes of equally near rows went by the order of the class names."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (50, 4)).astype(float)
        y = (X[:, 0] + rng.normal(size=50) > 1.5).astype(int)
        search = FloatingSelector(
            KNeighborsClassifier(k), method="floating", full_ranking=True, cv=cv
        )
        ranking = search.fit(X, y).ranking_
        assert np.array_equal(ranking, search.fit(X, 1 - y).ranking_)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), GaussianNB()])
def test_a_time_limit_of_nothing_keeps_all_features(estimator, direction):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(TimeLimitWarning, match="no subset was judged, so all features are kept"):
        model = FloatingSelector(estimator, direction=direction, time_limit=0.0).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.support_.all()


def test_branch_and_bound_finds_the_plane_of_two_columns_with_the_least_error():
    """The least error of a robust plane on its training rows never falls when a column goes."""
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::5, :7], y[::5]
    everyone = np.arange(len(y))

    def least_error(model, X, y):
        return -model.objective_

    search = FloatingSelector(
        RobustSeparator(),
        method="branch_and_bound",
        n_features_to_select=2,
        cv=[(everyone, everyone)],
        scoring=least_error,
    ).fit(X, y)
    errors = {
        pair: RobustSeparator().fit(X[:, pair], y).objective_ for pair in combinations(range(7), 2)
    }
    best = min(errors, key=errors.get)
    assert np.flatnonzero(search.support_).tolist() == list(best)
    assert search.scores_[2] == pytest.approx(-errors[best], rel=1e-9)


def test_branch_and_bound_asks_for_one_size():
    X, y = load_iris(return_X_y=True)
    model = FloatingSelector(KNeighborsClassifier(1), method="branch_and_bound", full_ranking=True)
    with pytest.raises(ValueError, match="best subset of one size"):
        model.fit(X, y)
