"""Planes of squared violations as they will predict, and what is proved of them.

A program sees classes in an order that depends on their rows, not on their names, and rows in one
that depends on what they hold. What it finds is turned back here, stated in the units of the user,
and judged as it is stored:

- the value is that of the stored planes on the rows as they were given;
- where the core cannot prove it, multipliers of the violated rows are proved to balance exactly,
  also where some equations follow from others; what is still open is finished in whole numbers if
  the program is small.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.planes import Planes
from planetree.separators.problem import Problem, class_ranks
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.exact_quadratic import finish_exactly
from planetree.solvers.program_arrays import signed_rows
from planetree.solvers.quadratic import beyond_margins, margins_of_planes

__all__ = ["JudgedRows", "ranks_of_classes", "turned", "unproved"]

_MAX_WORK = 2e9  # products of a factorization, some seconds
_NOTHING = (1e-10, 1e-8, 1e-6)  # of the largest violation: rounding
_ROUNDED = 2.0**-48  # of a charge: more than the rounding of its factors
_EPSILON = float(np.finfo(np.float64).eps)


class JudgedRows(NamedTuple):
    """What planes are judged by: rows whose classes stand in the order of `ranks`."""

    problem: Problem
    ranks: Indices
    program: HingeProgram
    deadline: float

    def proved(self, solution: HingeSolution, l2: float, **options: Any) -> HingeSolution:
        """The solution with what the core can prove of it."""
        left = None if self.deadline == np.inf else max(0.2, self.deadline - time.monotonic())
        judged = self.program.judge_quadratic(
            solution.weights, solution.offsets, l2, time_limit=left, **options
        )
        names = ("objective", "error", "bound", "gap")
        return replace(solution, **{name: getattr(judged, name) for name in names})

    def proved_by_balance(self, solution: HingeSolution, l2: float) -> HingeSolution:
        """The solution with a bound of multipliers that balance exactly, over the rows as given."""
        X, k = self.program.X, len(self.ranks)
        weights = solution.weights / self.program.scale
        offsets = solution.offsets + weights @ self.program.center
        short = 1.0 - margins_of_planes(self.program, weights, offsets).ravel()
        charges = self.program.constraint_charges()
        for nothing in _NOTHING:
            kept = (short > nothing * short.max()) & (charges > 0)
            if l2 > 0 or kept.sum() * (len(X.T) * k) ** 2 > _MAX_WORK:
                return solution
            S = signed_rows(X, self.program.classes, k, self.program.n_planes)[kept].toarray()
            left = None if self.deadline == np.inf else max(0.2, self.deadline - time.monotonic())
            bound = _balanced_bound(S, charges[kept], charges[kept] * short[kept], left)
            if bound > solution.bound:
                gap = max(0.0, solution.objective - bound)
                gap /= max(solution.objective, 1e-6 * float(charges.sum()))
                return replace(solution, bound=bound, gap=gap)
        return solution

    def finished(self, solution: HingeSolution, l2: float) -> HingeSolution:
        """The exact minimum, where that is affordable."""
        return finish_exactly(self.program, l2, solution, self.deadline)

    def judged(self, solution: HingeSolution, l2: float) -> tuple[Planes, HingeSolution]:
        """The planes that will predict, with the value that they have."""
        if solution.raw is not None:
            weights, offsets = solution.raw
        else:
            weights, offsets = solution.weights, solution.offsets
            if len(self.ranks) > 2:
                weights, offsets = weights - weights.mean(axis=0), offsets - offsets.mean()
            weights = weights / self.problem.scale
            offsets = offsets + weights @ self.problem.center
        if len(self.ranks) == 2 and self.ranks[0] == 1:
            offsets = np.nextafter(offsets, np.inf)  # a row on the plane stays below it
        weights, offsets, value = beyond_margins(self.program, weights, offsets, l2)
        unit = max(value.objective, 1e-6 * self.program.constraint_charges().sum())
        gap = max(0.0, value.objective - solution.bound) / unit
        weights, offsets = turned(weights, offsets, self.ranks)
        rule, terms = "slabs" if len(self.ranks) == 2 else "argmax", self.problem.terms
        planes = Planes(weights, offsets, rule, terms.columns, terms.categories)
        return planes, replace(solution, error=value.error, objective=value.objective, gap=gap)

    def wrong_rows(self, planes: Planes) -> bool:
        """Whether a row that counts is predicted as another class than its own."""
        branches = Planes(planes.weights, planes.offsets, planes.rule).branch(self.problem.E)
        return bool(
            np.any((self.ranks[branches] != self.problem.codes) & (self.problem.weights > 0))
        )


def _balanced_bound(S: Floats, charges: Floats, a: Floats, time_limit: float | None) -> float:
    """What no z has less of than 1/2 sum charge max(0, 1 - S z)^2, in exact arithmetic.

    Multipliers a >= 0 with a S = 0 prove sum(a - a^2 / (2 charge)). Those of a minimum, charges
    times violations, balance up to rounding; the core proves that some near them do exactly. -inf
    if it cannot.
    """
    zero, infinite = np.zeros(len(a)), np.full(len(a), np.inf)
    found: Any = _core.prove_feasible(S, np.zeros(S.shape[1]), zero, infinite, a, time_limit)
    if found is None:
        return -np.inf
    x, low, radius = found
    charges = charges * (1.0 - _ROUNDED)
    off = np.abs(low) + radius
    if np.any(off > x):
        return -np.inf
    squares = x * x / (2.0 * charges)
    slack = math.fsum(off * (1.0 + 2.0 * x / charges)) + 8.0 * _EPSILON * math.fsum(squares)
    bound = math.fsum(x) - math.fsum(squares) - slack * (1.0 + 1e-9)
    return bound - 8.0 * _EPSILON * math.fsum(x)


def turned(weights: Floats, offsets: Floats, ranks: Indices) -> tuple[Floats, Floats]:
    """Planes of ranked classes for the classes themselves, or back with the inverse of the ranks.

    One plane looks the other way if its two classes change places.
    """
    if len(offsets) > 1:
        return weights[ranks], offsets[ranks]
    sign = 1.0 if ranks[0] == 0 else -1.0
    return sign * weights + 0.0, sign * offsets + 0.0


def unproved(weights: Floats, offsets: Floats, status: str, n_iterations: int = 0) -> HingeSolution:
    """Planes of which nothing is known yet."""
    if len(offsets) == 2:
        weights, offsets = weights[1:] - weights[:1], offsets[1:] - offsets[:1]
    nan = float("nan")
    return HingeSolution(weights, offsets, nan, nan, nan, nan, status, n_iterations, method=status)


def ranks_of_classes(problem: Problem, n_classes: int) -> Indices:
    """Place of each class in an order that does not depend on its name, those without rows too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ranks = class_ranks(problem)
    return np.append(ranks, np.arange(len(ranks), n_classes))
