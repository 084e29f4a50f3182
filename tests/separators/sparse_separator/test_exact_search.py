"""Proofs that a choice of features is best, and what is proved when the time is over."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from planetree import SparseSeparator
from planetree.clock import UNLIMITED
from planetree.separators.sparse.exact_search import branch_and_bound
from planetree.separators.sparse.feature_search import FeatureSearch, Goal


class Drawn(FeatureSearch):
    """A search whose objective is the worth of the groups of features that lack some, or all."""

    def __init__(self, rng, n, costs):
        super().__init__(np.arange(n), costs, UNLIMITED)
        self.groups = rng.random((8, n)) < 0.4
        self.worths, self.by_any = rng.uniform(0.1, 1.0, 8), rng.random(8) < 0.5

    def _solve(self, key, start):
        inside = self.groups & self.mask(key)
        covered = np.where(self.by_any, inside.any(axis=1), (inside == self.groups).all(axis=1))
        weights = np.where(self.mask(key), 1.0 + self.worths @ self.groups, 0.0)[None]
        return SimpleNamespace(objective=self.worths[~covered].sum(), weights=weights)

    def least(self, choice):
        return choice.objective


@pytest.mark.parametrize("seed", range(30))
def test_from_the_worst_start_the_best_set_of_an_enumeration_is_found_and_proved(seed):
    """All features are the first choice, so nothing but the branches can find a better one."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    search = Drawn(rng, n, rng.integers(1, 5, n).astype(float))
    sets = [search.solve(s) for size in range(1, n + 1) for s in combinations(range(n), size)]
    limit = search.everything().objective + float(rng.uniform(0.0, 1.0))
    goals = [
        Goal(lambda cost, objective: cost, limit, n, step=1.0),
        Goal(lambda cost, objective: objective + 0.1 * cost, np.inf, n),
    ]
    for goal in goals:
        best = min(search.measure(goal, each) for each in sets if goal.allows(each))
        proof = branch_and_bound(search, goal, search.everything(), frozenset())
        assert goal.allows(proof.choice)
        assert search.measure(goal, proof.choice) == proof.value == pytest.approx(best)
        assert proof.bound == pytest.approx(best)


def test_a_bound_is_proved_before_the_time_is_over():
    """Disjoint sets that cannot all go prove most of the features at the first node."""
    rng = np.random.default_rng(3)
    y = np.resize([0, 1], 400)
    X = rng.normal(size=(400, 30)) + 0.4 * y[:, None]
    model = SparseSeparator(exact=True, time_limit=2.0).fit(X, y)
    assert 0.6 * model.n_features_used_ <= model.n_features_bound_ <= model.n_features_used_


def test_thirteen_features_are_proved():
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 300)
    X = rng.normal(size=(300, 13)) + 0.4 * y[:, None] * (rng.random(13) < 0.6)
    assert SparseSeparator(exact=True).fit(X, y).proved_
