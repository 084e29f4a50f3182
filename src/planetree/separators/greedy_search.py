"""Few features by steps that are cheap to try: the default where a proof is not asked for.

fewest         the weights with the least 1-norm within the limit name a first set; steps forward
               from nothing name another; both lose what they can, and the better one is
               improved by exchanges until none helps
best_of_size   steps forward, with exchanges at each size
path           the best known set of each size, from steps forward and back
backward       one feature after the other goes, the one that hurts least (Brodley & Utgoff's
               sequential elimination with bounded loss)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planetree.separators.feature_search import Choice, FeatureSearch
from planetree.separators.published_search import least_excess

__all__ = ["backward", "best_of_size", "fewest", "forward", "path"]

SMALL = 10  # sets up to this size are worth a search
GAIN = 1e-9  # an objective must fall by this share to count as lower


def fewest(search: FeatureSearch, delta: float, keep: frozenset[int]) -> Choice:
    """Few features with an objective of at most delta."""
    sizes = least_excess(search, delta, search.mask(keep), precision=1e-3)
    used = set(np.flatnonzero(sizes > 1e-9 * sizes.max(initial=0.0)).tolist()) | keep or {0}
    everything = search.solve(range(search.n_features))
    first = search.solve(used, everything.solution)
    if first.solution.objective > delta:  # by rounding alone
        first = everything
    best = search.drop(first, delta, keep)
    if len(best.features) > SMALL:
        return best
    grown = forward(search, delta, keep, below=len(best.features))
    if grown.features and grown.solution.objective <= delta:
        grown = search.drop(grown, delta, keep)
        best = min(best, grown, key=lambda choice: _rank(search, choice))
    return _exchange_to_fewer(search, best, delta, keep)


def forward(
    search: FeatureSearch, delta: float, keep: frozenset[int], below: int | None = None
) -> Choice:
    """Steps forward until the objective is at most delta, or too many features are in."""
    most = search.n_features if below is None else below - 1
    choice = search.solve(keep)
    while (choice.solution.objective > delta or not choice.features) and (
        len(choice.features) < most
    ):
        grown = search.forward(choice)
        if grown is choice:
            break
        choice = grown
    return choice


def backward(search: FeatureSearch, delta: float, keep: frozenset[int]) -> Choice:
    """One feature after the other goes, the one that hurts least, while delta allows it."""
    choice = search.solve(range(search.n_features))
    while len(choice.features) > 1:
        smaller = [search.without(choice, (j,)) for j in choice.features if j not in keep]
        best = min(smaller, key=lambda each: each.solution.objective, default=choice)
        if best is choice or best.solution.objective > delta:
            break
        choice = best
    return choice


def best_of_size(search: FeatureSearch, n_features: int, keep: frozenset[int]) -> Choice:
    """Good planes with at most `n_features`."""
    choice = search.solve(keep)
    while len(choice.features) < n_features:
        grown = search.forward(choice)
        if grown is choice:
            break
        choice = _exchange(search, grown, keep)
    return choice


def path(
    search: FeatureSearch, keep: frozenset[int], n_features: int | None = None
) -> list[Choice]:
    """Best known set of each size, from one feature to all or to `n_features`."""
    most = search.n_features if n_features is None else min(n_features, search.n_features)
    best: dict[int, Choice] = {}

    def note(choice: Choice) -> None:
        known = best.get(len(choice.features))
        if known is None or choice.solution.objective < known.solution.objective:
            best[len(choice.features)] = choice

    choice = search.solve(keep)
    while len(choice.features) < most:
        grown = search.forward(choice)
        if grown is choice:  # nothing gains: the rest changes nothing
            left = next(j for j in range(search.n_features) if j not in choice.features)
            grown = search.solve((*choice.features, left), choice.solution)
        choice = _exchange(search, grown, keep)
        note(choice)
    for size in range(most, max(1, len(keep)), -1):
        weakest = search.weakest(best[size], keep, 2)
        for j in weakest:
            note(search.without(best[size], (j,)))
    return [best[size] for size in sorted(best) if size > 0]


def _rank(search: FeatureSearch, choice: Choice) -> tuple[float, float]:
    return search.cost(choice.features), choice.solution.objective


def _exchange(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Choice:
    """Exchange features one for one while that lowers the objective."""
    improved = True
    while improved:
        improved = False
        for j in search.weakest(choice, keep, 3):
            base = search.without(choice, (j,))
            for c in search.promising(base, 2):
                other = search.solve((*base.features, c), base.solution)
                if other.solution.objective < choice.solution.objective * (1 - GAIN) - 1e-15:
                    choice, improved = other, True
                    break
            if improved:
                break
    return choice


def _exchange_to_fewer(
    search: FeatureSearch, choice: Choice, delta: float, keep: frozenset[int]
) -> Choice:
    """Exchange features where that lets another one go."""
    improved = True
    while improved and len(choice.features) > max(1, len(keep)):
        improved = False
        for smaller in _neighbors(search, choice, keep):
            if smaller.solution.objective <= delta:
                choice = search.drop(smaller, delta, keep)
                improved = True
                break
    return choice


def _neighbors(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Iterator[Choice]:
    """Sets with one feature less: two go, and the best of those that would gain most comes."""
    order = search.weakest(choice, keep, 4)
    for a, j in enumerate(order):
        for i in order[a + 1 :]:
            base = search.without(choice, (j, i))
            for c in search.promising(base, 2):
                if c not in (i, j):
                    yield search.solve((*base.features, c), base.solution)
