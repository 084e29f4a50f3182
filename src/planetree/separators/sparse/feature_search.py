"""Which features a decision needs: programs on some of the features, and steps between them.

A feature is a column of the table; a category column owns several terms, and counts once. The
objective of a set of features is that of the program whose other weights are zero; it never grows
when a feature is added. Steps from one set to another are guided by what is at hand anyway:

    forward     the features that would gain most at first are tried, and the best is kept
    drop        the features with the smallest weights go, as many at once as the limit allows,
                then one by one

What solves the program of a set, and what says how much a left-out feature would gain, is that of
linear programs (`linear_search`) or of any separator that is fitted anew (`fit_search`).

- planes of k classes may all be moved by the same plane, so a feature's size is the least that such
  a move leaves of its weights: the sum of their distances from their median.

Planes for every number of features are a `FeaturePath`; a tuning set tells which number errs least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock

_Features = tuple[int, ...]

_TRIED = 3  # left-out features that a step tries
_PATIENCE = 6  # features that cannot go before the rest is believed to stay
_ROUNDING = 1e-9  # an objective may exceed its limit by this share
_NEGLIGIBLE = 1e-9  # weights below this share of the largest are rounding


def coarse(values: Any) -> Any:
    """Numbers without their last digits: what differs by rounding alone is a tie."""
    return np.round(values, 10)


def raised(objective: float, share: float) -> float:
    """An objective and a share of its size more, and what rounding may add."""
    return objective + share * abs(objective) + _ROUNDING * max(1e-3, abs(objective))


class Choice(NamedTuple):
    """Some features, and the planes that are best for them.

    Parameters
    ----------
    features : tuple of int
    solution : HingeSolution or what a fit found
        Both have normalized `weights` of all terms, an `objective`, an `error` and a `status`.
    """

    features: _Features
    solution: Any

    @property
    def objective(self) -> float:
        """Objective of the planes."""
        return float(self.solution.objective)


class Goal(NamedTuple):
    """What is minimized over sets of features, and which sets count.

    Parameters
    ----------
    measure : function of what the features cost and of the objective
        Never falls when either grows.
    limit : float
        The largest objective that counts.
    max_features : int
    step : float
        Measures differ by at least this much or not at all.
    """

    measure: Callable[[float, float], float]
    limit: float
    max_features: int
    step: float = 0.0

    def allows(self, choice: Choice) -> bool:
        """Whether a choice counts."""
        return choice.objective <= self.limit and len(choice.features) <= self.max_features


class TimeIsUpError(Exception):
    """The time limit has passed; what was found so far stands."""


@dataclass(eq=False)
class FeatureSearch:
    """Programs on sets of features, each solved once.

    Parameters
    ----------
    owners : array of shape (n_terms,)
        The feature that each term belongs to, from 0.
    costs : array of shape (n_features,)
        What each feature costs; 1 each counts them.
    clock : Clock
        When its time is up, `solve` raises `TimeIsUpError`; the first program has planes anyway.
    """

    owners: Indices
    costs: Floats
    clock: Clock
    least_objective: float = field(default=0.0, init=False)  # no planes have less

    def __post_init__(self) -> None:
        self.time_is_up: bool = False
        self.n_solves = 0
        self.known: dict[_Features, Any] = {}
        self.proved: dict[_Features, float] = {}

    @property
    def n_features(self) -> int:
        """How many features there are to choose from."""
        return len(self.costs)

    def anew(self, clock: Clock = UNLIMITED) -> Self:
        """The same search before any program was solved."""
        return replace(self, clock=clock)

    def least(self, choice: Choice) -> float:
        """What no planes with the features of a choice have less than, in exact arithmetic."""
        raise NotImplementedError

    def gains(self, choice: Choice) -> Floats:
        """What each feature that was left out would gain at first, for its cost."""
        raise NotImplementedError

    def set_planes(self, estimator: Any, choice: Choice, clock: Clock = UNLIMITED) -> str:
        """Set what a choice makes of an estimator; give its status."""
        raise NotImplementedError

    def _solve(self, key: _Features, start: Any) -> Any:
        raise NotImplementedError

    def solve(self, features: Iterable[int], start: Any = None) -> Choice:
        """Best planes with some features; none at all leaves only the offsets."""
        key = tuple(sorted(features))
        if key not in self.known:
            self._watch_the_time()
            self.known[key] = self._to_keep(self._solve(key, start))
        return Choice(key, self.known[key])

    def everything(self) -> Choice:
        """Best planes with all features."""
        return self.solve(range(self.n_features))

    def afresh(self, features: Iterable[int]) -> Choice:
        """Solve a program from nothing: of several optima, not the one that lay on the way."""
        key = tuple(sorted(features))
        return Choice(key, self._solve(key, None))

    def _watch_the_time(self) -> None:
        if self.known and self.clock.is_over:
            self.time_is_up = True
            raise TimeIsUpError

    def _to_keep(self, solution: Any) -> Any:
        """Solution without what would fill the memory if it were kept for every set."""
        return solution

    def mask(self, features: Iterable[int]) -> Mask:
        """Features as a boolean array."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(features)] = True
        return mask

    def by_feature(self, of_terms: Floats) -> Floats:
        """Sums over the terms of each feature."""
        return np.bincount(self.owners, of_terms, self.n_features).astype(np.float64)

    def value(self, features: Iterable[int], start: Any = None) -> float:
        """Objective of the best planes with some features."""
        return self.solve(features, start).objective

    def cost(self, features: Iterable[int]) -> float:
        """What some features cost together."""
        return float(sum(self.costs[j] for j in features))

    def measure(self, goal: Goal, choice: Choice) -> float:
        """What a goal makes of a choice."""
        return goal.measure(self.cost(choice.features), choice.objective)

    def sizes(self, weights: Floats) -> Floats:
        """Sum of the absolute weights of each feature, the planes moved to where it is least."""
        if len(weights) > 1:
            weights = weights - np.median(weights, axis=0)
        return self.by_feature(np.abs(weights).sum(axis=0))

    def support(self, weights: Floats) -> frozenset[int]:
        """Features that planes use."""
        sizes = self.sizes(weights)
        return frozenset(np.flatnonzero(sizes > _NEGLIGIBLE * sizes.max(initial=0.0)).tolist())

    def met(self, keep: frozenset[int]) -> list[Choice]:
        """All sets solved so far that hold what must be in, and something."""
        known = self.known.items()
        return [Choice(key, found) for key, found in known if key and keep.issubset(key)]

    def best_met(self, goal: Goal, keep: frozenset[int]) -> Choice | None:
        """Best set solved so far."""
        met = [choice for choice in self.met(keep) if goal.allows(choice)]
        return min(met, key=lambda each: (self.measure(goal, each), each.objective), default=None)

    def forward(self, choice: Choice, tried: int = _TRIED) -> Choice:
        """Add the best of the features that would gain most; the same if none would."""
        grown = [
            self.solve((*choice.features, j), choice.solution)
            for j in self.promising(choice, tried)
        ]
        return min(grown, key=lambda each: coarse(each.objective), default=choice)

    def promising(self, choice: Choice, count: int, barred: Iterable[int] = ()) -> list[int]:
        """Left-out features that would gain most, the best first."""
        gains = self.gains(choice)
        gains[list(barred)] = 0.0
        order = np.argsort(-coarse(gains), kind="stable")[:count]
        return [int(j) for j in order if gains[j] > 0]

    def without(self, choice: Choice, features: Iterable[int]) -> Choice:
        """Best planes when some of the features go."""
        gone = set(features)
        return self.solve((j for j in choice.features if j not in gone), choice.solution)

    def weakest(self, choice: Choice, keep: frozenset[int]) -> list[int]:
        """Features that can go, the smallest weights for their cost first."""
        sizes = self.sizes(choice.solution.weights) / np.maximum(self.costs, 1e-300)
        return sorted((j for j in choice.features if j not in keep), key=lambda j: sizes[j])

    def drop(self, choice: Choice, limit: float, keep: frozenset[int]) -> Choice:
        """Leave out as many features, those with the smallest weights first, as `limit` allows."""
        choice = self._drop_at_once(choice, limit, keep)
        failed: set[int] = set()
        while len(choice.features) > 1:
            order = [j for j in self.weakest(choice, keep) if j not in failed]
            for j in order[: _PATIENCE - len(failed)]:
                smaller = self.without(choice, (j,))
                if smaller.objective <= limit:
                    choice = smaller
                    break
                failed.add(j)  # what cannot go now cannot go when others have gone
            else:
                return choice
        return choice

    def _drop_at_once(self, choice: Choice, limit: float, keep: frozenset[int]) -> Choice:
        """Halve the number of features that go until the limit allows it."""
        used = (self.support(choice.solution.weights) | keep) & set(choice.features)
        if used and len(used) < len(choice.features):
            smaller = self.solve(used, choice.solution)
            choice = smaller if smaller.objective <= limit else choice
        n_gone = len(choice.features) // 2
        while n_gone > 1:
            smaller = self.without(choice, self.weakest(choice, keep)[:n_gone])
            if smaller.features and smaller.objective <= limit:
                choice = smaller
                n_gone = min(n_gone, len(choice.features) // 2)
            else:
                n_gone //= 2
        return choice


class FeaturePath(NamedTuple):
    """The best planes known for every number of features.

    Parameters
    ----------
    n_features : array of int
        At most so many features.
    errors : array of float
        The average violation.
    objectives : array of float
        What was minimized, which never grows along the path; without a perturbation, the errors.
    features : list of tuples
        The columns that are used, fewer where more would gain nothing.
    """

    n_features: Indices
    errors: Floats
    objectives: Floats
    features: list[tuple[int, ...]]


def best_on_tuning_set(
    separator: Any,
    subsets: Iterable[tuple[int, ...]],
    fitted_to: tuple[Any, Any],
    tuning: tuple[Any, Any],
) -> int:
    """Size of the set of features whose planes err least on the tuning set, the least of equals."""
    used = sorted(set(subsets), key=len)
    errors = [1.0 - _with(separator, each).fit(*fitted_to).score(*tuning) for each in used]
    return len(used[int(np.argmin(errors))])


def _with(separator: Any, features: tuple[int, ...]) -> Any:
    """The separator of the planes with given features."""
    given = {"n_features": len(features), "required_features": list(features)}
    free = {"feature_price": None, "feature_costs": None, "exact": False}
    return clone(separator).set_params(algorithm="greedy", **given, **free)
