"""Planes of squared violations as they will predict, and what is proved of them.

A program sees classes in an order that depends on their rows, not on their names, and rows in one
that depends on what they hold. What it finds is turned back here, stated in the units of the user,
and judged as it is stored:

- the value is that of the stored planes on the rows as they were given;
- where the core cannot prove it, multipliers of the violated rows are proved to balance exactly,
  also where some equations follow from others; what is still open is solved again with penalties
  that fall to 0, and finished in whole numbers if the program is small.

Requiring the exact minimum can fit the rows too well. So part of them can be kept as a tuning set,
and the solver stops when the accuracy on it falls: Bennett (1993), section 6.3.2.

- which rows are held back depends on their values alone, so neither the order of rows or columns,
  nor repetition, nor the names of classes, nor a unit that is a power of two changes the result;
- every class keeps at least one distinct row to be learned from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock
from planetree.planes import Planes
from planetree.separators.problem import Problem, canonical_terms, class_ranks, turned
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.exact_quadratic import finish_exactly
from planetree.solvers.program_arrays import signed_rows
from planetree.solvers.quadratic import beyond_margins, margins_of_planes, without_penalty

_FINISH = 0.2  # seconds that a proof gets even if none are left
_MAX_WORK = 2e9  # products of a factorization, some seconds
_NOTHING = (1e-10, 1e-8, 1e-6)  # of the largest violation: rounding
_ROUNDED = 2.0**-48  # of a charge: more than the rounding of its factors
_EPSILON = float(np.finfo(np.float64).eps)


class JudgedRows(NamedTuple):
    """What planes are judged by: rows whose classes stand in the order of `ranks`."""

    problem: Problem
    ranks: Indices
    program: HingeProgram
    clock: Clock

    def proved(self, solution: HingeSolution, l2: float, **options: Any) -> HingeSolution:
        """The solution with what the core can prove of it."""
        left = self.clock.left_at_least(_FINISH)
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
            left = self.clock.left_at_least(_FINISH)
            bound = _balanced_bound(S, charges[kept], charges[kept] * short[kept], left)
            if bound > solution.bound:
                gap = max(0.0, solution.objective - bound)
                gap /= max(solution.objective, 1e-6 * float(charges.sum()))
                return replace(solution, bound=bound, gap=gap)
        return solution

    def led_by_penalties(self, solution: HingeSolution, l2: float) -> HingeSolution:
        """The planes that falling penalties lead to, where these are better, with their bound."""
        led = solution if l2 > 0 else without_penalty(self.program, self.clock)
        if not led.objective < solution.objective:
            return solution
        return self.proved_by_balance(led, l2)

    def finished(self, solution: HingeSolution, l2: float) -> HingeSolution:
        """The exact minimum, where that is affordable."""
        return finish_exactly(self.program, l2, solution, self.clock)

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


def tuning_rows(problem: Problem, fraction: float) -> Mask:
    """Rows to hold back: a share of the distinct rows of each class, always the same ones.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import read_problem
    >>> from planetree.separators.quadratic_planes import tuning_rows
    >>> from sklearn.dummy import DummyClassifier
    >>> problem = read_problem(DummyClassifier(), np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    >>> int(tuning_rows(problem, 0.3).sum())
    2
    """
    rows = canonical_terms(problem, keep_classes=True)
    held_back = np.zeros(len(rows.codes), dtype=bool)
    for code in np.unique(rows.codes):
        mine = np.flatnonzero(rows.codes == code)
        mine = mine[np.argsort(rows.draws[mine], kind="stable")]
        held_back[mine[: min(max(1, round(fraction * len(mine))), len(mine) - 1)]] = True
    return held_back[rows.which]


def before_accuracy_falls(
    rounds: Iterator[HingeSolution], Z: Floats, codes: Indices, weights: Floats
) -> HingeSolution:
    """The last planes before the accuracy on a tuning set decreases (section 6.3.2)."""
    best, most = next(rounds), -1.0
    for solution in chain([best], rounds):
        right = _winners(Z @ solution.weights.T - solution.offsets) == codes
        accuracy = float(np.average(right, weights=weights))
        if accuracy < most:
            return replace(best, status="early_stopping")
        best, most = solution, accuracy
    return best


def _winners(scores: Floats) -> Indices:
    """Class of each row by its scores."""
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
