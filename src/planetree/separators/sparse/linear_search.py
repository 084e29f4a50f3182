"""Features of linear programs: the robust programs on sets of features.

The multipliers of an optimum say how much each left-out feature would gain at first.

- a feature that would gain nothing at first gains nothing at all: the multipliers prove that the
  program with it has the same optimum;
- what no planes with some features have less than is proved by multipliers that balance exactly
  (`solvers.hinge_certificate`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planetree.arrays import Floats
from planetree.clock import UNLIMITED, Clock
from planetree.separators.sparse.feature_search import Choice, FeatureSearch
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.hinge_certificate import hinge_bound

_KEPT_NUMBERS = 3e7  # multipliers kept for later solves to start from
_LEAST = 0.02  # seconds that a solve gets even if none are left


@dataclass(eq=False)
class LinearSearch(FeatureSearch):
    """Robust linear programs on sets of features.

    Parameters
    ----------
    owners, costs, clock : as for `FeatureSearch`
    program : HingeProgram
    price, below : arrays of shape (n_terms,)
        What a unit of each term's weight costs, above and below zero.
    set_solution : function of an estimator, a solution and a clock, optional
        Sets what a solution makes of an estimator, and gives its status.
    """

    program: HingeProgram
    price: Floats
    below: Floats
    set_solution: Callable[[Any, HingeSolution, Clock], str] | None = None

    def least(self, choice: Choice) -> float:
        """What no planes with the features of a choice have less than, in exact arithmetic."""
        key, solution = choice
        if key not in self.proved:
            forgotten = solution.duals is None and solution.answer is None
            solution = self.afresh(key).solution if forgotten else solution
            left = self.clock.left_at_least(_LEAST)
            self.proved[key] = hinge_bound(self.program, solution, left)
        return self.proved[key]

    def gains(self, choice: Choice) -> Floats:
        """What each feature that was left out would gain at first, for its cost."""
        slopes = self.program.pull(choice.solution)[:, :-1]
        excess = np.maximum(slopes - self.price, -slopes - self.below).clip(min=0.0).sum(axis=0)
        gains = self.by_feature(excess) / np.maximum(self.costs, 1e-300)
        gains[list(choice.features)] = 0.0
        return gains

    def set_planes(self, estimator: Any, choice: Choice, clock: Clock = UNLIMITED) -> str:
        """Set what a choice makes of an estimator; give its status."""
        assert self.set_solution is not None
        solution = choice.solution
        if self.time_is_up:
            solution = replace(solution, status="time_limit")
        return self.set_solution(estimator, solution, clock)

    def with_extra_price(self, extra: Floats, start: HingeSolution | None = None) -> HingeSolution:
        """Best planes with all features, whose terms cost so much more than they do."""
        self._watch_the_time()
        self.n_solves += 1
        return self._in_time(self.price + extra, start, below=self.below + extra)

    def _solve(self, key: tuple[int, ...], start: HingeSolution | None) -> HingeSolution:
        self.n_solves += 1
        if not key:
            return self._in_time(self.program.prohibitive, None)
        terms = np.flatnonzero(self.mask(key)[self.owners])
        chosen = None if len(terms) == len(self.price) else terms
        return self._in_time(self.price, start, below=self.below, features=chosen)

    def _in_time(self, price: Floats, start: HingeSolution | None, **more: Any) -> HingeSolution:
        """Solve within the time that is left, and a little more where none is."""
        found = self.program.solve(price, start, self.clock.left_at_least(_LEAST), **more)
        self.time_is_up |= found.status == "time_limit"
        return found

    def _to_keep(self, solution: HingeSolution) -> HingeSolution:
        """Solution without what would fill the memory if it were kept for every set."""
        multipliers = len(self.program.classes) * (len(self.program.charges) - 1)
        if multipliers * len(self.known) <= _KEPT_NUMBERS:
            return solution
        return replace(solution, pull=self.program.pull(solution), duals=None, answer=None)
