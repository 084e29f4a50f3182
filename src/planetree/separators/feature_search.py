"""Which features a decision needs: programs on some of the features, and steps between them.

A feature is a column of the table; a category column owns several terms, and counts once. The
objective of a set of features is that of the program whose other weights are zero; it never grows
when a feature is added. Steps from one set to another are guided by what is at hand anyway:

    forward     the multipliers of the optimum say how much each left-out feature would gain at
                first; the few with the largest gain are tried, and the best is kept
    drop        the features with the smallest weights go, as many at once as the limit allows,
                then one by one
    exchange    a feature goes, the best of those that would gain most comes, and another goes
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.solvers import HingeProgram, HingeSolution

__all__ = ["Choice", "FeatureSearch"]

Array = NDArray[np.float64]
Features = tuple[int, ...]

TRIED = 3  # left-out features that a step tries
PATIENCE = 6  # features in turn that cannot go before the rest is believed to stay


class Choice(NamedTuple):
    """Some features, and the planes that are best for them."""

    features: Features
    solution: HingeSolution


class TimeIsUpError(Exception):
    """The time limit has passed; what was found so far stands."""


class FeatureSearch:
    """Programs on sets of features, each solved once.

    Parameters
    ----------
    program : HingeProgram
    owners : array of shape (n_terms,)
        The feature that each term belongs to, from 0.
    price, below : arrays of shape (n_terms,)
        What a unit of each term's weight costs, above and below zero.
    costs : array of shape (n_features,)
        What each feature costs; 1 each counts them.
    time_limit : float, optional
        Seconds after which `solve` raises `TimeIsUpError`.
    """

    def __init__(
        self,
        program: HingeProgram,
        owners: NDArray[np.intp],
        price: Array,
        below: Array,
        costs: Array,
        time_limit: float | None = None,
    ) -> None:
        self.program = program
        self.owners = owners
        self.price = price
        self.below = below
        self.costs = costs
        self.deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self.known: dict[Features, HingeSolution] = {}

    @property
    def n_features(self) -> int:
        """How many features there are to choose from."""
        return len(self.costs)

    @property
    def n_solves(self) -> int:
        """How many programs were solved."""
        return len(self.known)

    def solve(self, features: Iterable[int], start: HingeSolution | None = None) -> Choice:
        """Best planes with some features; none at all leaves only the offsets."""
        key = tuple(sorted(features))
        if key not in self.known:
            if time.monotonic() > self.deadline:
                raise TimeIsUpError
            self.known[key] = self._solve(key, start)
        return Choice(key, self.known[key])

    def _solve(self, key: Features, start: HingeSolution | None) -> HingeSolution:
        if not key:
            return self.program.solve(self.program.prohibitive, duals=True)
        terms = np.flatnonzero(self.mask(key)[self.owners])
        chosen = None if len(terms) == len(self.price) else terms
        return self.program.solve(self.price, start, duals=True, below=self.below, features=chosen)

    def afresh(self, choice: Choice) -> Choice:
        """Solve the program of a choice from nothing: of several optima, not the one on the way."""
        return Choice(choice.features, self._solve(choice.features, None))

    def mask(self, features: Iterable[int]) -> NDArray[np.bool_]:
        """Features as a boolean array."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(features)] = True
        return mask

    def by_feature(self, of_terms: Array) -> Array:
        """Sums over the terms of each feature."""
        return np.bincount(self.owners, of_terms, self.n_features).astype(np.float64)

    def value(self, features: Iterable[int], start: HingeSolution | None = None) -> float:
        """Objective of the best planes with some features."""
        return self.solve(features, start).solution.objective

    def cost(self, features: Iterable[int]) -> float:
        """What some features cost together."""
        return float(sum(self.costs[j] for j in features))

    def sizes(self, solution: HingeSolution) -> Array:
        """Sum of the absolute weights of each feature."""
        return self.by_feature(np.abs(solution.weights).sum(axis=0))

    def support(self, solution: HingeSolution, tolerance: float = 1e-9) -> Features:
        """Features that planes use, as a share of their largest weight."""
        sizes = self.sizes(solution)
        return tuple(np.flatnonzero(sizes > tolerance * sizes.max(initial=0.0)).tolist())

    def gains(self, choice: Choice) -> Array:
        """What each feature that was left out would gain at first, for its cost."""
        pull = choice.solution.pull
        assert pull is not None
        slopes = pull[:, :-1]
        excess = np.maximum(slopes - self.price, -slopes - self.below).clip(min=0.0).sum(axis=0)
        gains = self.by_feature(excess) / self.costs
        gains[list(choice.features)] = 0.0
        return gains

    def forward(self, choice: Choice, tried: int = TRIED) -> Choice:
        """Add the best of the features that would gain most; the same if none would."""
        grown = [
            self.solve((*choice.features, j), choice.solution)
            for j in self.promising(choice, tried)
        ]
        return min(grown, key=lambda each: each.solution.objective, default=choice)

    def promising(self, choice: Choice, count: int) -> list[int]:
        """Left-out features that would gain most, the best first."""
        gains = self.gains(choice)
        order = np.argsort(-gains, kind="stable")[:count]
        return [int(j) for j in order if gains[j] > 0]

    def drop(self, choice: Choice, limit: float, keep: frozenset[int]) -> Choice:
        """Leave out as many features, those with the smallest weights first, as `limit` allows."""
        choice = self._drop_at_once(choice, limit, keep)
        failed: set[int] = set()
        while len(choice.features) > 1:
            order = [j for j in self._by_weight(choice, keep) if j not in failed]
            for j in order[: PATIENCE - len(failed)]:
                smaller = self.without(choice, (j,))
                if smaller.solution.objective <= limit:
                    choice = smaller
                    break
                failed.add(j)  # what cannot go now cannot go when others have gone
            else:
                return choice
        return choice

    def without(self, choice: Choice, features: Iterable[int]) -> Choice:
        """Best planes when some of the features go."""
        gone = set(features)
        return self.solve((j for j in choice.features if j not in gone), choice.solution)

    def weakest(self, choice: Choice, keep: frozenset[int], count: int) -> list[int]:
        """Features that can go, the smallest weights for their cost first."""
        return self._by_weight(choice, keep)[:count]

    def _by_weight(self, choice: Choice, keep: frozenset[int]) -> list[int]:
        sizes = self.sizes(choice.solution) / self.costs
        return sorted((j for j in choice.features if j not in keep), key=lambda j: sizes[j])

    def _drop_at_once(self, choice: Choice, limit: float, keep: frozenset[int]) -> Choice:
        """Halve the number of features that go until the limit allows it."""
        sizes = self.sizes(choice.solution)
        used = [j for j in choice.features if sizes[j] > 0 or j in keep]
        if used and len(used) < len(choice.features):
            choice = self.solve(used, choice.solution)
        n_gone = len(choice.features) // 2
        while n_gone > 1:
            order = self._by_weight(choice, keep)[:n_gone]
            smaller = self.without(choice, order)
            if len(smaller.features) > 0 and smaller.solution.objective <= limit:
                choice = smaller
                n_gone = min(n_gone, len(choice.features) // 2)
            else:
                n_gone //= 2
        return choice
