"""Whole points of least hinge error, found with a proof.

Rows of T terms, each row on one of two sides s_i = 1 or -1. A term can be counted in several ways,
say in steps of 5 or of 10, so there are tables of counts f_i to choose from. Of all tables and all
whole points p_t from -`max_points` to `max_points`, not all 0, those are found whose sum, on any
scale and with any threshold, violates the least:

    min   sum_i charge_i max(0, 1 - s_i (scale p.f_i - offset))    over table, p, scale, offset

Branch and bound: terms get their points one after the other, the one that moves the score most
first. With some given, their sum is one column, and the other terms have any weights: a hinge
program, whose optimum bounds every way to go on.

- the bound of each branch that is cut off holds in exact arithmetic (`hinge_certificate`), and so
  does the least of them;
- points that are multiples of others are those others on another scale, and are not looked at;
- p and -p are the same sheet, the scale turned: without signs that are asked for, the search lets
  the first that is not 0 be positive;
- a term may get no points; with no terms at all, or sides that no sum tells apart, the scale is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.solvers.hinge import HingeProgram, HingeSolution
from planetree.solvers.hinge_certificate import prove

_CLOSE = 1e-9  # a branch that could be better by this share alone is cut off


class WholePoints(NamedTuple):
    """Points of each term, the scale and offset of their sum, and what proves them.

    Parameters
    ----------
    table : int
        Which of the tables of counts.
    points : array of int of shape (n_terms,)
    scale : float
        What one point is worth, in margins; not negative.
    offset : float
        Of the scaled sum.
    objective : float
        Their hinge error, rounded up.
    bound : float
        No table and no points have less, on any scale; true in exact arithmetic.
    n_programs : int
        Hinge programs that were solved.
    status : {"optimal", "time_limit"}
    """

    table: int
    points: Indices
    scale: float
    offset: float
    objective: float
    bound: float
    n_programs: int
    status: str

    @property
    def gap(self) -> float:
        """How much of the objective the bound leaves open, as a share."""
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0


def whole_points(
    tables: Sequence[Floats],
    sides: NDArray[np.integer],
    charges: Floats,
    max_points: int,
    *,
    signs: Floats | None = None,
    clock: Clock = UNLIMITED,
) -> WholePoints:
    """Table of counts, and points, whose sum separates two sides best.

    Parameters
    ----------
    tables : sequence of arrays of shape (n_rows, n_terms)
    sides : array of shape (n_rows,)
        1 or 0.
    charges : array of shape (n_rows,)
        What a violation of 1 of each row costs.
    max_points : int
    signs : array of shape (n_terms,), optional
        1 or -1 where the points of a term may have that sign alone.
    clock : Clock
        When its time is over, the best points so far are returned with the bound that is left.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.score_sheet.integer_points import whole_points
    >>> counts = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0], [1.0, 3.0]])
    >>> found = whole_points([counts], np.array([0, 0, 0, 1, 1]), np.full(5, 0.2), 5)
    >>> found.points.tolist(), found.objective, found.bound
    ([0, 1], 0.0, 0.0)
    """
    search = _Search(max_points, clock)
    signs = np.zeros(tables[0].shape[1]) if signs is None else signs
    search.look_into(
        [search.root(t, _Rows.merged(f, sides, charges, signs)) for t, f in enumerate(tables)]
    )
    best = search.best or _no_points(len(signs), sides, charges)
    status = "time_limit" if search.out_of_time else "optimal"
    bound = min(search.bound, best.bound, best.objective)
    return best._replace(bound=bound, n_programs=search.n_programs, status=status)


def _no_points(n_terms: int, sides: NDArray[np.integer], charges: Floats) -> WholePoints:
    """All rows on the heavier side, where no points with the right signs do better."""
    light = 2.0 * min(charges[sides == 1].sum(), charges[sides == 0].sum())
    rounding = len(charges) * np.finfo(float).eps
    low, high = light * (1 - rounding), light * (1 + rounding)
    return WholePoints(0, np.zeros(n_terms, dtype=np.intp), 0.0, 0.0, high, low, 0, "optimal")


class _Rows(NamedTuple):
    """A table in which equal rows are one, the terms in the order in which they get points."""

    counts: Floats
    sides: NDArray[np.int32]
    charges: Floats
    signs: Floats
    order: Indices

    @classmethod
    def merged(
        cls, counts: Floats, sides: NDArray[np.integer], charges: Floats, signs: Floats
    ) -> _Rows:
        keys = np.column_stack([sides, counts])
        rows, which = np.unique(keys, axis=0, return_inverse=True)
        merged = np.bincount(which.ravel(), charges).astype(np.float64)
        order = np.arange(len(signs))
        return cls(rows[:, 1:], rows[:, 0].astype(np.int32), merged, signs, order)

    def by_influence(self, weights: Floats) -> _Rows:
        order = np.argsort(-np.abs(weights) * self.counts.std(axis=0), kind="stable")
        return self._replace(counts=self.counts[:, order], signs=self.signs[order], order=order)

    def program(self, points: Indices) -> HingeProgram:
        """The sum of some points as one column, the other terms as they are."""
        given = len(points)
        columns = self.counts[:, given:]
        if points.any():
            columns = np.column_stack([self.counts[:, :given] @ points, columns])
        ones = np.ones(2)
        return HingeProgram(columns, self.sides, self.charges, ones, name="program of points")


class _Branch(NamedTuple):
    """Points of the first terms of a table, and the program of the rest."""

    table: int
    rows: _Rows
    points: Indices
    program: HingeProgram
    solution: HingeSolution

    @property
    def is_leaf(self) -> bool:
        return len(self.points) == self.rows.counts.shape[1]

    def bound(self) -> float:
        """What every way to go on costs at least, in exact arithmetic."""
        program, n = self.program, self.program.X.shape[1]
        duals = program.multipliers(self.solution)
        if duals is not None:
            charges, none = program.constraint_charges().reshape(-1, 1), np.zeros(n)
            found = _core.prove_hinge_bound(
                program.X, program.classes, charges, np.ascontiguousarray(duals), 1, none, none
            )
            if found >= self.solution.objective * (1 - _CLOSE):
                return found
        return prove(program, self.solution).bound


@dataclass(eq=False)
class _Search:
    """The best points so far, and the least bound of what was cut off."""

    max_points: int
    clock: Clock
    best: WholePoints | None = field(default=None, init=False)
    bound: float = field(default=np.inf, init=False)
    n_programs: int = field(default=0, init=False)
    out_of_time: bool = field(default=False, init=False)

    def root(self, table: int, rows: _Rows) -> _Branch:
        """All points of a table."""
        none = np.zeros(0, dtype=np.intp)
        weights = rows.program(none).solve().weights[0]
        return self._branch(table, rows.by_influence(weights), none)

    def look_into(self, branches: Sequence[_Branch]) -> None:
        """Find the best points of some branches, the most promising one first."""
        for branch in sorted(branches, key=lambda each: each.solution.objective):
            if branch.is_leaf:
                self._judge(branch)
            elif self.best is not None and self.clock.is_over:
                self.out_of_time = True
                self.bound = min(self.bound, branch.bound())
            elif not self._cut_off(branch):
                self.look_into(list(self._children(branch)))

    def _cut_off(self, branch: _Branch) -> bool:
        """Whether it is proved that nothing in a branch is better than what is known."""
        if self.best is None or branch.solution.objective < self.best.objective * (1 - _CLOSE):
            return False
        bound = branch.bound()
        if bound < self.best.objective * (1 - 2 * _CLOSE):
            return False
        self.bound = min(self.bound, bound)
        return True

    def _judge(self, leaf: _Branch) -> None:
        """Keep all points of a table if they are the best; else that they are not."""
        if self.best is not None and self._cut_off(leaf):
            return
        proved = prove(leaf.program, leaf.solution)
        scale = float(proved.weights[0, 0])
        if scale < 0 and leaf.rows.signs.any():
            return  # the other way round it is no better than no points
        self.bound = min(self.bound, proved.bound)
        if self.best is None or proved.objective < self.best.objective:
            points = np.zeros_like(leaf.points)
            points[leaf.rows.order] = leaf.points if scale >= 0 else -leaf.points
            found = leaf.table, points, abs(scale), float(proved.offsets[0]), proved.objective
            self.best = WholePoints(*found, self.bound, self.n_programs, "optimal")

    def _children(self, branch: _Branch) -> Iterator[_Branch]:
        """The next term with each number of points that it may get."""
        signs, given = branch.rows.signs, len(branch.points)
        is_last = given + 1 == len(signs)
        can_turn = not branch.points.any() and not signs.any()
        least = 0 if can_turn or signs[given] > 0 else -self.max_points
        most = 0 if signs[given] < 0 else self.max_points
        for p in range(least, most + 1):
            points = np.append(branch.points, p)
            if not is_last or np.gcd.reduce(points) == 1:
                yield self._branch(branch.table, branch.rows, points)

    def _branch(self, table: int, rows: _Rows, points: Indices) -> _Branch:
        self.n_programs += 1
        program = rows.program(points)
        return _Branch(table, rows, points, program, program.solve())
