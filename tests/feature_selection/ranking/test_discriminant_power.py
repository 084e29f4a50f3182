"""The ranking by discriminant power: its rules, and what it finds."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from planetree import DiscriminantPowerSelector, HoldoutTreeClassifier, SparseSeparator
from planetree.datasets import make_waveform
from planetree.exceptions import TimeLimitWarning

pytestmark = pytest.mark.core


def test_the_scores_of_one_tree_are_its_powers():
    X, y = load_wine(return_X_y=True)
    model = DiscriminantPowerSelector().fit(X, y)
    (tree,) = model.trees_
    assert np.array_equal(model.scores_, tree.discriminant_power_)
    assert np.isnan(model.spread_).all()
    same = HoldoutTreeClassifier(random_state=tree.random_state).fit(X, y)
    assert np.array_equal(same.discriminant_power_, model.scores_)


def test_repeats_average_over_divisions():
    X, y = load_wine(return_X_y=True)
    model = DiscriminantPowerSelector(repeats=6).fit(X, y)
    powers = np.array([tree.discriminant_power_ for tree in model.trees_])
    np.testing.assert_allclose(model.scores_, powers.mean(axis=0))
    np.testing.assert_allclose(model.spread_, powers.std(axis=0, ddof=1))
    divisions = {tuple(tree.holdout_indices_) for tree in model.trees_}
    assert len(divisions) == 6


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_seed_gives_the_same_ranking_for_any_number_of_jobs(n_jobs):
    X, y = load_wine(return_X_y=True)
    first, again = (
        DiscriminantPowerSelector(repeats=4, random_state=3, n_jobs=n).fit(X, y)
        for n in (None, n_jobs)
    )
    assert np.array_equal(first.scores_, again.scores_)
    assert np.array_equal(first.ranking_, again.ranking_)


def test_the_ranking_obeys_its_rules():
    X, y = load_wine(return_X_y=True)
    model = DiscriminantPowerSelector(repeats=2).fit(X, y)
    assert sorted(model.ranking_) == list(range(1, 14))
    assert np.array_equal(model.ranking_[model.order_], np.arange(1, 14))
    used = np.isin(np.arange(13), np.concatenate([t.features_used_ for t in model.trees_]))
    gains = np.mean([tree.root_gains_ for tree in model.trees_], axis=0)
    assert not used.all()
    keys = [(not used[j], -round(model.scores_[j], 10), -gains[j], j) for j in model.order_]
    assert keys == sorted(keys)


def test_noise_is_ranked_last_in_most_seeds():
    """A column of noise beside a strong feature and three weaker ones that the class needs too."""
    last = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        y = rng.integers(4, size=600)
        X = rng.normal(size=(600, 4))
        X[:, 0] += 3 * (y >= 2)
        X[:, 1] += 3 * (y % 2)
        X[:, 2] += 2.5 * (y == 1)
        model = DiscriminantPowerSelector(repeats=5, random_state=seed).fit(X, y)
        last += model.order_[-1] == 3
    assert last >= 20


def test_of_waveforms_the_ends_are_worth_least():
    """At points 1 and 21 every wave is 0; all power lies in between.

    Five trees do not suffice to tell points 1 and 2 apart: it took a lucky division of the rows.
    """
    X, y = make_waveform(2600, random_state=0)
    model = DiscriminantPowerSelector(repeats=20).fit(X, y)
    assert {0, 20} <= set(model.order_[-8:].tolist())
    assert model.scores_[1:20].sum() > 0.99 * model.scores_.sum()


def test_selection_by_count_by_share_and_by_threshold():
    X, y = load_wine(return_X_y=True)
    by_count = DiscriminantPowerSelector(n_features_to_select=4).fit(X, y)
    assert np.array_equal(np.flatnonzero(by_count.support_), np.sort(by_count.order_[:4]))
    assert by_count.transform(X).shape == (178, 4)
    by_share = DiscriminantPowerSelector(n_features_to_select=0.5).fit(X, y)
    assert by_share.support_.sum() == 6
    by_power = DiscriminantPowerSelector(threshold=0.05).fit(X, y)
    assert np.array_equal(by_power.support_, by_power.scores_ > 0.05)
    default = DiscriminantPowerSelector().fit(X, y)
    assert np.array_equal(default.support_, default.scores_ > 0)
    both = DiscriminantPowerSelector(n_features_to_select=1, threshold=0.05).fit(X, y)
    assert both.support_.sum() == 1


def test_planes_rank_too():
    X, y = load_iris(return_X_y=True)
    model = DiscriminantPowerSelector(separator=SparseSeparator(), repeats=3).fit(X, y)
    assert set(model.order_[:2].tolist()) == {2, 3}


def test_it_serves_in_a_pipeline():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(
        DiscriminantPowerSelector(n_features_to_select=2), DecisionTreeClassifier(random_state=0)
    )
    assert model.fit(X, y).score(X, y) > 0.9


def test_rows_that_are_given_are_numbered_as_in_x():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[:30] = 0
    held = np.arange(0, 150, 2)
    model = DiscriminantPowerSelector(holdout=held).fit(X, y, sample_weight=weight)
    assert np.array_equal(model.trees_[0].holdout_indices_, held[held >= 30])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"repeats": 0}, "'repeats' parameter of Discr.* a whole number of at least 1"),
        ({"repeats": 2, "holdout": [1, 2]}, "every tree would be the same"),
        ({"threshold": "mean"}, "'threshold' .* must be a number or None"),
        ({"n_features_to_select": 5}, "from 1 to n_features = 4"),
        ({"n_features_to_select": 0.0}, "a number above 0 and at most 1"),
        ({"criterion": "error"}, "criterion"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        DiscriminantPowerSelector(**parameters).fit(X, y)


def test_a_time_limit_gives_the_first_tree_as_far_as_it_came():
    """The limit was looked at between trees only: one tree of many rows took as long as it took."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(TimeLimitWarning, match="0 of 4 trees"):
        model = DiscriminantPowerSelector(repeats=4, time_limit=0.0).fit(X, y)
    assert model.status_ == "time_limit"
    assert [tree.status_ for tree in model.trees_] == ["time_limit"]
    assert model.trees_[0].tree_.n_nodes == 1


def test_a_time_limit_averages_over_the_trees_that_were_finished(monkeypatch):
    X, y = load_iris(return_X_y=True)
    left = iter([9.0, 9.0, 9.0, 0.0, 0.0])
    whole = DiscriminantPowerSelector(repeats=2, random_state=1).fit(X, y)
    monkeypatch.setattr(
        "planetree.feature_selection.ranking.discriminant_power.Clock", lambda _: Lapsing(left)
    )
    with pytest.warns(TimeLimitWarning, match="2 of 4 trees"):
        model = DiscriminantPowerSelector(repeats=4, random_state=1, time_limit=9.0).fit(X, y)
    assert np.array_equal(model.scores_, whole.scores_)


class Lapsing:
    """A clock with given seconds left, one after the other."""

    def __init__(self, seconds):
        self.seconds = seconds

    @property
    def left(self):
        return next(self.seconds)

    @property
    def is_over(self):
        return False
