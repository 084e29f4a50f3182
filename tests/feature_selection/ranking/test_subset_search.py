"""Searches through subsets against all subsets, with a criterion that is drawn for each."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.feature_selection.ranking.subset_search import METHODS, SubsetSearch, search_subsets

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


@given(seeds, sizes, st.sampled_from([(2, 1), (3, 2), (3, 1)]))
def test_a_round_adds_l_features_and_takes_r_away(seed, n, steps):
    """The (l, r) method as it is defined, on sets: each step is the best one."""
    lottery, best, chosen = Lottery(seed, n), {}, frozenset()

    def worth(features):
        return lottery.worth[tuple(sorted(features))]

    while n not in best:
        for sign in [1] * steps[0] + [-1] * steps[1]:
            others = frozenset(range(n)) - chosen if sign > 0 else chosen
            if not others or (sign < 0 and len(chosen) == 1):
                continue
            chosen = max((chosen ^ {j} for j in others), key=worth)
            best[len(chosen)] = max(worth(chosen), best.get(len(chosen), -np.inf))
    search = SubsetSearch(Lottery(seed, n), n, forward=True)
    search_subsets(search, n, "plus_l_take_r", steps)
    assert {size: judged.score for size, judged in search.best.items()} == best


@given(seeds, sizes)
def test_a_forward_search_asks_about_no_subset_twice(seed, n):
    lottery = Lottery(seed, n)
    best_by("sequential", lottery, n, True, n)
    assert len(lottery.asked) == len(set(lottery.asked)) == n * (n + 1) // 2


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
