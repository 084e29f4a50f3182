"""Steps between sets of features, on an objective of sets that is known for each of them."""

from types import SimpleNamespace

import numpy as np
import pytest

from planetree.clock import UNLIMITED, Clock
from planetree.separators.sparse.feature_search import FeatureSearch, Goal, TimeIsUpError


class Known(FeatureSearch):
    """A search whose objective is what the worths of the left-out features add up to."""

    def __init__(self, worths, clock=UNLIMITED):
        n = len(worths)
        super().__init__(np.arange(n), np.ones(n), clock)
        self.worths = np.array(worths)

    def _solve(self, key, start):
        self.n_solves += 1
        weights = np.where(self.mask(key), self.worths, 0.0)[None]
        return SimpleNamespace(objective=self.worths[~self.mask(key)].sum(), weights=weights)

    def gains(self, choice):
        return np.where(self.mask(choice.features), 0.0, self.worths)


WORTHS = [0.5, 3.0, 0.0, 1.0, 2.0, 0.25]


def test_a_set_is_solved_once_in_whatever_order_it_is_named():
    search = Known(WORTHS)
    assert search.value((3, 1)) == search.value((1, 3)) == 2.75
    assert search.n_solves == 1


def test_a_step_forward_brings_the_feature_that_lowers_the_objective_most():
    search, found = Known(WORTHS), []
    choice = search.solve(())
    for _ in range(6):
        choice = search.forward(choice)
        found.append(choice.features)
    assert found[:3] == [(1,), (1, 4), (1, 3, 4)]
    assert found[-1] == (0, 1, 3, 4, 5)  # the last feature gains nothing


@pytest.mark.parametrize("limit", [0.0, 0.25, 0.8, 2.0, 5.0])
def test_as_many_features_go_as_the_limit_allows(limit):
    """Worths add up, so the fewest features are the largest worths: sorting is the oracle."""
    search = Known(WORTHS)
    found = search.drop(search.everything(), limit, frozenset())
    gone = np.cumsum(sorted(WORTHS)) <= limit
    assert found.objective <= limit
    assert len(found.features) == max(1, 6 - gone.sum())
    kept = search.drop(search.everything(), limit, frozenset({2}))
    assert 2 in kept.features


def test_the_best_set_that_was_met_keeps_the_limits_of_the_goal():
    search = Known(WORTHS)
    goal = Goal(lambda cost, objective: cost, limit=2.0, max_features=3)
    assert search.best_met(goal, frozenset()) is None
    for features in ((1,), (1, 4), (1, 3, 4), (0, 1, 3, 4)):
        search.solve(features)
    assert search.best_met(goal, frozenset()).features == (1, 4)
    assert search.best_met(goal, frozenset({3})).features == (1, 3, 4)


def test_planes_moved_together_have_the_sizes_of_their_differences():
    """A plane that is added to all scores of three classes changes no class."""
    search = Known(WORTHS)
    weights = np.random.default_rng(0).normal(size=(3, 6))
    moved = search.sizes(weights + np.arange(6.0))
    np.testing.assert_allclose(moved, search.sizes(weights))
    assert search.support(np.tile([[1.0, 0.0, 2.0, 0.0, 0.0, 0.0]], (3, 1))) == set()


def test_after_the_time_no_program_but_the_first_is_solved():
    search = Known(WORTHS, Clock(0.0))
    search.everything()
    with pytest.raises(TimeIsUpError):
        search.solve((0,))
    assert search.time_is_up


class Misled(Known):
    """The same objective with the largest weights for what is worth least."""

    def _solve(self, key, start):
        found = super()._solve(key, start)
        found.weights = np.where(self.mask(key), 1.0 / (self.worths + 0.1), 0.0)[None]
        return found


def test_what_cannot_go_does_not_keep_others_from_going():
    search = Misled(WORTHS)
    assert search.drop(search.everything(), 0.8, frozenset()).features == (1, 3, 4)
