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
from planetree.feature_selection.ranking.subset_criteria import Neighbors
from planetree.feature_selection.ranking.subset_search import METHODS, SubsetSearch, search_subsets
from planetree.table import Table, canonical_columns

pytestmark = pytest.mark.core


class Lottery:
    """A criterion that is drawn for every subset: as little monotone as can be."""

    def __init__(self, seed, n_features):
        rng = np.random.default_rng(seed)
        worth = rng.normal(size=n_features)
        self.worth = {
            subset: float(worth[list(subset)].sum() + rng.normal())
            for size in range(1, n_features + 1)
            for subset in combinations(range(n_features), size)
        }
        self.asked = []

    def with_each(self, chosen, candidates):
        return [self._ask((*chosen, j)) for j in candidates]

    def without_each(self, chosen):
        return [self._ask(i for i in chosen if i != j) for j in chosen]

    def _ask(self, features):
        self.asked.append(tuple(sorted(features)))
        return self.worth[self.asked[-1]]


def best_by(method, lottery, n_features, forward, target):
    search = SubsetSearch(lottery, n_features, forward)
    search_subsets(search, target, method)
    return search.best


seeds, sizes, ways = st.integers(0, 10**6), st.integers(2, 7), st.booleans()


@given(seeds, sizes, ways)
def test_floating_search_is_never_worse_than_the_plain_one_at_any_size(seed, n, forward):
    lottery, target = Lottery(seed, n), n if forward else 1
    plain = best_by("sequential", lottery, n, forward, target)
    floating = best_by("floating", lottery, n, forward, target)
    assert set(floating) == set(plain) == set(range(1, n + 1))
    assert all(floating[k].score >= plain[k].score for k in plain)


def test_floating_search_finds_the_best_subset_more_often():
    found = {"sequential": 0, "floating": 0}
    for seed in range(60):
        lottery = Lottery(seed, 6)
        for method in found:
            best = best_by(method, lottery, 6, True, 6)
            for k, judged in best.items():
                most = max(v for subset, v in lottery.worth.items() if len(subset) == k)
                found[method] += judged.score == most
    assert found["floating"] > found["sequential"]


@given(seeds, sizes, ways, st.sampled_from(METHODS))
def test_every_subset_kept_has_the_score_that_the_criterion_gives_it(seed, n, forward, method):
    lottery = Lottery(seed, n)
    best = best_by(method, lottery, n, forward, n if forward else 1)
    for size, (features, score) in best.items():
        assert len(features) == size
        assert score == lottery.worth[features]


@given(seeds, sizes, ways)
def test_rounds_of_l_and_r_reach_their_target(seed, n, forward):
    target = n if forward else 1
    best = best_by("plus_l_take_r", Lottery(seed, n), n, forward, target)
    assert set(best) == set(range(1, n + 1))


@given(seeds, sizes)
def test_a_forward_search_asks_about_no_subset_twice(seed, n):
    lottery = Lottery(seed, n)
    best_by("sequential", lottery, n, True, n)
    assert len(lottery.asked) == len(set(lottery.asked)) == n * (n + 1) // 2


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


@pytest.mark.parametrize("k", [1, 3, 4])
@pytest.mark.parametrize("max_kept", [10**9, 0], ids=["kept", "recomputed"])
def test_neighbors_counted_by_feature_are_those_of_scikit_learn(monkeypatch, k, max_kept):
    monkeypatch.setattr("planetree.feature_selection.ranking.subset_criteria._MAX_KEPT", max_kept)
    X, y = make_waveform(211, random_state=1)
    parts = list(StratifiedKFold(3).split(X, y))
    criterion = Neighbors(X, y, np.ones(len(y)), k, parts, None)
    rng = np.random.default_rng(0)

    def accuracy(features):
        return cross_val_score(KNeighborsClassifier(k), X[:, features], y, cv=parts).mean()

    for _ in range(5):
        chosen = rng.choice(21, size=rng.integers(1, 8), replace=False)
        others = np.setdiff1d(np.arange(21), chosen)[:3]
        found = criterion.with_each(tuple(chosen), others.tolist())
        np.testing.assert_allclose(found, [accuracy([*chosen, j]) for j in others])
        if len(chosen) > 1:
            found = criterion.without_each(tuple(chosen))
            np.testing.assert_allclose(found, [accuracy(chosen[chosen != j]) for j in chosen])


@given(seeds)
def test_a_neighbor_of_weight_w_votes_as_w_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    weights = rng.integers(1, 4, size=30)
    which = np.repeat(np.arange(30), weights)
    once = [(np.arange(20), np.arange(20, 30))]
    often = [(np.flatnonzero(which < 20), np.flatnonzero(which >= 20))]
    weighted = Neighbors(X, y, weights.astype(float), 5, once, None)
    repeated = Neighbors(X[which], y[which], np.ones(len(which)), 5, often, None)
    assert weighted.with_each((0,), [1, 2]) == pytest.approx(repeated.with_each((0,), [1, 2]))
    assert weighted.without_each((0, 1)) == pytest.approx(repeated.without_each((0, 1)))


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


def test_a_time_limit_ends_a_search_with_the_best_subsets_so_far():
    """The criterion stops answering: the subsets judged by then are kept, the best by size."""

    class Hasty(Lottery):
        def with_each(self, chosen, candidates):
            left = max(0, 9 - len(self.asked))
            return super().with_each(chosen, candidates[:left])

    lottery = Hasty(0, 6)
    search = SubsetSearch(lottery, 6, forward=True)
    with pytest.raises(TimeoutError):
        search_subsets(search, 6, "sequential")
    assert set(search.best) == {1, 2}
    assert search.best[2].score == max(lottery.worth[s] for s in lottery.asked if len(s) == 2)


class Monotone(Lottery):
    """A criterion that never falls when a feature joins: the largest worth within a subset."""

    def __init__(self, seed, n):
        super().__init__(seed, n)
        drawn = dict(self.worth)
        for subset in self.worth:
            self.worth[subset] = max(v for part, v in drawn.items() if set(part) <= set(subset))


@given(seeds, sizes)
def test_branch_and_bound_finds_the_best_subset_of_a_monotone_criterion(seed, n):
    """The oracle is enumeration; subsets that cannot be better are not judged."""
    for target in range(1, n + 1):
        criterion = Monotone(seed, n)
        found = best_by("branch_and_bound", criterion, n, True, target)[target]
        of_size = [v for subset, v in criterion.worth.items() if len(subset) == target]
        assert found.score == max(of_size) == criterion.worth[found.features]


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
