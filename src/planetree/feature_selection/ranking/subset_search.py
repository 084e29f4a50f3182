"""Searches through subsets of features, one feature in or out at a time.

    sequential       add the feature that makes the criterion largest, again and again (SFS); or,
                     from all features, take away the one that leaves it largest (SBS)
    plus l take r    l such steps, then r back, in rounds: the (l, r) method
    floating         after each step as many steps back as each give a better subset of its size
                     than the best known (Pudil et al. 1994); the plain sequence is searched first
                     and its subsets count among the known ones
    branch and bound from all features, take away sets of them in depth, and turn back where the
                     criterion is no better than that of the best subset of the size asked for
                     (Narendra & Fukunaga 1977): exact if no feature that goes makes it larger

The best subset known of each size is kept, and no subset is judged twice.

- floating search is never worse than the plain sequence at any size;
- of equally good features the first is taken, whatever the search;
- of a monotone criterion, branch and bound finds the best subset of its size.

A ranking of the features selects so many of the first.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, Mask
from planetree.feature_selection.selector import Selector
from planetree.parameters import check_parameters, choice, count, either, number
from planetree.separators.base import Documented

METHODS = ("sequential", "plus_l_take_r", "floating", "branch_and_bound")

Subset = tuple[int, ...]


class Criterion(Protocol):
    """What judges subsets: the larger, the better.

    Once time is up, the scores of the last subsets are left out.
    """

    def with_each(self, chosen: Subset, candidates: list[int]) -> list[float]:
        """Criterion of the chosen features and each candidate."""

    def without_each(self, chosen: Subset) -> list[float]:
        """Criterion of the chosen features without each of them."""


class ScoredSubset(NamedTuple):
    """A subset and its criterion."""

    features: Subset
    score: float


class SubsetSearch:
    """Subsets that have been judged, and the best of each size.

    Parameters
    ----------
    criterion : Criterion
    n_features : int
    forward : bool
        Whether steps add features; otherwise they take them away.
    """

    def __init__(self, criterion: Criterion, n_features: int, forward: bool) -> None:
        self.criterion = criterion
        self.n_features = n_features
        self.forward = forward
        self.scores: dict[Subset, float] = {}
        self.best: dict[int, ScoredSubset] = {}

    @property
    def start(self) -> Subset:
        """No features, or all of them."""
        return () if self.forward else tuple(range(self.n_features))

    def step(self, chosen: Subset) -> Subset:
        """Best subset one step on."""
        return self._grown(chosen) if self.forward else self._shrunk(chosen)

    def step_back(self, chosen: Subset) -> Subset:
        """Best subset one step back."""
        return self._shrunk(chosen) if self.forward else self._grown(chosen)

    def judge_all_features(self) -> None:
        """Judge the subset that has every feature, where a backward search starts."""
        *most, last = range(self.n_features)
        self._add(tuple(most), [last])
        self._keep(tuple(range(self.n_features)))

    def bound(self, chosen: Subset, free: Subset, target: int) -> None:
        """Look for the best subset of the target size among those without some of the `free`."""
        n_left = len(chosen) - target
        if not n_left:
            return
        self._judge_smaller(chosen)
        scores = {j: self.scores[_without_feature(chosen, j)] for j in free}
        order = sorted(free, key=scores.__getitem__)  # the last one has no features after it
        for place, j in enumerate(order[: len(order) - n_left + 1]):
            smaller, known = _without_feature(chosen, j), self.best.get(target)
            if n_left == 1:
                self._keep(smaller)
            elif known is None or scores[j] > known.score:
                self.bound(smaller, tuple(order[place + 1 :]), target)

    def _grown(self, chosen: Subset) -> Subset:
        others = [j for j in range(self.n_features) if j not in chosen]
        new = [j for j in others if _with_feature(chosen, j) not in self.scores]
        if new:
            self._add(chosen, new)
        return self._best_of([_with_feature(chosen, j) for j in others])

    def _shrunk(self, chosen: Subset) -> Subset:
        return self._best_of(self._judge_smaller(chosen))

    def _judge_smaller(self, chosen: Subset) -> list[Subset]:
        """The subsets with one feature less, judged."""
        smaller = [_without_feature(chosen, j) for j in chosen]
        if any(subset not in self.scores for subset in smaller):
            self._judge(smaller, self.criterion.without_each(chosen))
        return smaller

    def _add(self, chosen: Subset, candidates: list[int]) -> None:
        subsets = [_with_feature(chosen, j) for j in candidates]
        self._judge(subsets, self.criterion.with_each(chosen, candidates))

    def _judge(self, subsets: list[Subset], found: list[float]) -> None:
        """Note the scores of subsets; a `TimeoutError` if time did not suffice for all."""
        for subset, score in zip(subsets, found, strict=False):
            self.scores.setdefault(subset, score)
        if len(found) < len(subsets):
            if found:
                self._best_of(subsets[: len(found)])
            raise TimeoutError("Time is up.")

    def _best_of(self, subsets: list[Subset]) -> Subset:
        best = max(subsets, key=self.scores.__getitem__)
        self._keep(best)
        return best

    def _keep(self, subset: Subset) -> None:
        known = self.best.get(len(subset))
        if known is None or self.scores[subset] > known.score:
            self.best[len(subset)] = ScoredSubset(subset, self.scores[subset])


def _with_feature(chosen: Subset, j: int) -> Subset:
    """Subset with one feature more."""
    return tuple(sorted((*chosen, j)))


def _without_feature(chosen: Subset, j: int) -> Subset:
    """Subset with one feature less."""
    return tuple(i for i in chosen if i != j)


def search_subsets(
    search: SubsetSearch, target: int, method: str, steps: tuple[int, int] = (2, 1)
) -> None:
    """Search until a subset of the target size has been found.

    Parameters
    ----------
    search : SubsetSearch
    target : int
    method : {"sequential", "plus_l_take_r", "floating", "branch_and_bound"}
    steps : tuple of two ints
        How many steps a round of "plus_l_take_r" makes on, and how many back.
    """
    if not search.forward or method == "branch_and_bound":
        search.judge_all_features()
    if method == "branch_and_bound":
        every = tuple(range(search.n_features))
        search.bound(every, every, target)
        return
    if method == "plus_l_take_r":
        _in_rounds(search, target, *steps)
        return
    _plain(search, target)
    if method == "floating":
        _floating(search, target)


def _plain(search: SubsetSearch, target: int) -> None:
    chosen = search.start
    while len(chosen) != target:
        chosen = search.step(chosen)


def _in_rounds(search: SubsetSearch, target: int, n_on: int, n_back: int) -> None:
    last = search.n_features if search.forward else 1
    chosen = search.start
    while target not in search.best:
        for _ in range(n_on):
            chosen = chosen if len(chosen) == last else search.step(chosen)
        for _ in range(min(n_back, abs(len(chosen) - len(search.start)) - 1)):
            chosen = search.step_back(chosen)


def _floating(search: SubsetSearch, target: int) -> None:
    on = 1 if search.forward else -1
    size = len(search.start)
    while size != target:
        search.step(search.best[size].features if size in search.best else search.start)
        size += on
        while abs(size - len(search.start)) > 1:
            known = search.best[size - on].score
            search.step_back(search.best[size].features)
            if not search.best[size - on].score > known:
                break
            size -= on


def standing_order(subsets: dict[int, Subset], n_features: int) -> Floats:
    """Size from which on each feature is in every subset, and the size where it is first in one.

    Features sorted by these are ranked: in a chain of nested subsets in the order of entry.

    Returns
    -------
    array of shape (2, n_features)
        Infinite for a feature that is not in the largest subset, or in none.

    Examples
    --------
    >>> from planetree.feature_selection.ranking.subset_search import standing_order
    >>> standing_order({1: (2,), 2: (0, 1), 3: (0, 1, 2)}, 3)
    array([[2., 2., 3.],
           [2., 2., 1.]])
    """
    found = np.full((2, n_features), np.inf)
    standing = set(range(n_features))
    for size in sorted(subsets, reverse=True):
        standing &= set(subsets[size])
        found[0, list(standing)] = size
        found[1, list(subsets[size])] = size
    return found


class RankingSelector(Selector, Documented):
    """A selector of some of the first features of a ranking."""

    support_: Mask

    def _get_support_mask(self) -> Mask:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        """Say that missing values are taken, and a class for each row."""
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def count_to_select(estimator: Any, default: int, *words: str) -> int:
    """How many features `n_features_to_select` asks for: so many, or this share of all.

    It may be None or one of some words, too; then it is the default.
    """
    n, asked = estimator.n_features_in_, estimator.n_features_to_select
    at_most = count(1, n)._replace(words=f"a whole number from 1 to n_features = {n}")
    allowed = either(at_most, number(above=0, most=1), choice(*words, None))
    check_parameters(estimator, n_features_to_select=allowed)
    if not isinstance(asked, Real):
        return default
    return int(asked) if isinstance(asked, Integral) else max(1, int(n * asked))


def ranks_of(order: Indices) -> Indices:
    """Rank of each feature, 1 for the first, from the features in order.

    Examples
    --------
    >>> from planetree.feature_selection.ranking.subset_search import order_of, ranks_of
    >>> ranks_of([2, 0, 1]).tolist(), order_of([2, 3, 1]).tolist()
    ([2, 3, 1], [2, 0, 1])
    """
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def order_of(ranks: Indices) -> Indices:
    """Features in order from the rank of each; of equal ranks the first feature first."""
    return np.argsort(ranks, kind="stable")
