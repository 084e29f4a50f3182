"""Bilinear programs: rows that two planes may satisfy in one of two ways.

A way asks a row for a side of one plane or of both. With l = +1 above, -1 below, 0 for no demand,
and s_p the row's score at plane p, a way costs

    cost = sum_p [l_p != 0] max(0, 1 - l_p s_p),

and the row is where it should be, with a margin of 1, exactly when one of its ways costs nothing.
So, with x and y the costs of the first and the second way of all rows,

    min   sum_i weight_i x_i y_i      s.t.  rows with a single way cost nothing

is 0 exactly when two planes separate: Bennett (1993), Lemma 7.3.1 and Theorem 7.3.1.

    both        inside (+, +), its only way; outside (-, 0) or (0, -)       (7.14), (7.15)
    same_side   inside (+, +) or (-, -);     outside (-, +) or (+, -)       (7.16)

Held at x and y, the product has the slopes y and x: two programs of hinges, one a plane. A row with
a single way is charged twice the sum M of all other charges; as the multipliers above a plane and
those below it have equal sums, none exceeds M, and the charge acts as the constraint it stands for.

    serial        UBPA (7.2.1):   one plane, then the other at the new costs
    parallel      UBPA1 (7.2.2):  both planes at once; of the three pairs of old and new, the best
    frank_wolfe   BPA (7.2.3):    both at once, then the best point on the way to them

- the value falls in every step, by more than rounding, or the descent stops: for the first two
  at a vertex, of which there are finitely many (Theorem 7.2.1);
- where x y = 0 is in reach of `frank_wolfe`, one of the vertices it heads for has it (Theorem
  7.2.2), so these are looked at too.

A descent can come to w = 0. Then (section 7.4) a constraint is added that makes it infeasible: the
mean of the rows that the plane has below it must stay below, the mean of those above it above. A
plane that separates these rows separates their means. Where no plane does both this and what rows
with a single way ask, the zero stays, and the descent ends there.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.solvers import HingeProgram

ROUNDING = 1e-9  # hinges and normals below this are 0
_PROGRESS = 1e-9  # share of the value by which a step must lower it
_MAX_STEPS = 500  # a guard: descents end by _PROGRESS


class Demand(NamedTuple):
    """Points with the side of a plane that each should be on, and what it is charged otherwise."""

    X: Floats
    sides: Indices
    charges: Floats


@dataclass
class BilinearProgram:
    """Rows, their weights, which of them belong inside, and the rule that says where that is.

    Two planes are an array of shape (2, n_terms + 1): weights, then the offset.
    """

    X: Floats
    weights: Floats
    inside: Mask
    rule: str
    clock: Clock = UNLIMITED
    n_programs: int = 0
    n_iterations: int = 0
    sides: Indices = field(init=False)  # of each way, plane and row
    single: Mask = field(init=False)

    def __post_init__(self) -> None:
        m, inside = len(self.X), self.inside
        if self.rule == "both":
            ways = [[np.where(inside, 1, -1), inside], [np.zeros(m), np.where(inside, 0, -1)]]
        else:
            sign = np.where(inside, 1, -1)
            ways = [[sign, np.ones(m)], [-sign, -np.ones(m)]]
        self.sides = np.array(ways, dtype=np.intp)
        self.single = ~self.sides[1].any(axis=0)

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.clock.is_over

    def scores(self, planes: Floats) -> Floats:
        """Score of each row at each plane, of shape (2, n_rows)."""
        return planes[:, :-1] @ self.X.T - planes[:, -1:]

    def costs(self, planes: Floats) -> Floats:
        """Cost of each way of each row, of shape (2, n_rows)."""
        hinges = np.maximum(0.0, 1.0 - self.sides * self.scores(planes))
        hinges[(self.sides == 0) | (hinges < ROUNDING)] = 0.0
        return hinges.sum(axis=1)

    def value(self, costs: Floats) -> float:
        """The sum of products; infinite where a row's only way costs something."""
        if costs[0, self.single].any():
            return np.inf
        return float(self.weights @ (costs[0] * costs[1]))

    def margins(self, planes: Floats) -> tuple[Floats, Indices]:
        """How far each row is on the right side by the better of its ways, and which that is."""
        reached = np.where(self.sides == 0, np.inf, self.sides * self.scores(planes)).min(axis=1)
        reached[1, self.single] = -np.inf
        return reached.max(axis=0), reached.argmax(axis=0)

    def separated(self, planes: Floats) -> bool:
        """Whether every row is where it should be."""
        return bool(self.margins(planes)[0].min() > 0)

    def demand(self, plane: int, charges: Floats) -> Demand:
        """What is asked of a plane when each way of each row is charged as given."""
        sides = self.sides[:, plane]
        way, row = np.nonzero((sides != 0) & (charges > 0))
        hard = np.flatnonzero(self.single)
        most = 2.0 * charges[way, row].sum()
        return Demand(
            self.X[np.concatenate([row, hard])],
            np.concatenate([sides[way, row], sides[0, hard]]),
            np.concatenate([charges[way, row], np.full(len(hard), most)]),
        )

    def anchor(self, plane: int, planes: Floats) -> Demand:
        """The means of the rows that a plane has above it, and below it with no help."""
        scores = self.scores(planes)
        above, below = scores[plane] > 0, scores[plane] <= 0
        if self.rule == "both":
            below &= ~self.inside & (scores[1 - plane] > 0)
            above = self.inside
        means = [
            self.X[side].mean(axis=0) if side.any() else self.X[extreme]
            for side, extreme in (
                (above, scores[plane].argmax()),
                (below, np.where(self.single, np.inf, scores[plane]).argmin()),
            )
        ]
        return Demand(np.array(means), np.array([1, -1]), np.zeros(2))

    def best_planes(
        self, which: Iterable[int], planes: Floats, costs: Floats, anchors: list[Demand | None]
    ) -> Floats:
        """Replace some of the planes by the best at the given costs, each by itself."""
        charges = self.weights * costs[::-1]  # each way is charged what the other costs
        asked = {p: self.demand(p, charges) for p in which}
        found = self._solve({p: _with_anchor(asked[p], anchors[p]) for p in asked}, planes)
        lost = [p for p in asked if anchors[p] is None and _is_zero(found[p])]
        for p in lost:
            anchors[p] = self.anchor(p, planes)
        again = self._solve({p: _with_anchor(asked[p], anchors[p]) for p in lost}, planes)
        found |= {p: plane for p, plane in again.items() if self._holds(plane)}
        return np.array([found.get(p, planes[p]) for p in (0, 1)])

    def _holds(self, plane: Floats) -> bool:
        """Whether the rows with a single way are above a plane, by its margin."""
        scores = self.X[self.single] @ plane[:-1] - plane[-1]
        return bool(np.all(scores >= 1.0 - ROUNDING))

    def _solve(self, asked: dict[int, Demand], planes: Floats) -> dict[int, Floats]:
        jobs = [(demand, planes[p]) for p, demand in asked.items()]
        if len(jobs) < 2:
            answers = [best_plane(demand, start, self.clock) for demand, start in jobs]
        else:
            with ThreadPoolExecutor(len(jobs)) as threads:
                answers = list(
                    threads.map(lambda job: best_plane(job[0], job[1], self.clock), jobs)
                )
        self.n_programs += len(jobs)
        self.n_iterations += sum(steps for _, steps in answers)
        return {p: plane for p, (plane, _) in zip(asked, answers, strict=True)}


def best_plane(demand: Demand, start: Floats, clock: Clock = UNLIMITED) -> tuple[Floats, int]:
    """Plane with the least charge, and the steps it took; the old one where no side is contested.

    A descent needs a better plane, not a proved one: where charges are so far apart that rounding
    hides the proof, or time is over, the old one is kept.
    """
    total, first = demand.charges.sum(), demand.sides[:1]
    if total == 0 or clock.is_over or np.all(demand.sides == first):
        return start, 0
    program = HingeProgram(
        demand.X,
        (demand.sides > 0).astype(np.int32),
        demand.charges / total,
        np.ones(2),
        name="program of BilinearSeparator",
    )
    try:
        found = program.solve(
            near=(start[None, :-1], start[-1:]), time_limit=clock.at_least_a_moment
        )
    except SolverError:
        return start, 0
    return np.append(found.weights[0], found.offsets[0]), found.n_iterations


def _with_anchor(demand: Demand, anchor: Demand | None) -> Demand:
    """Add points that must be on their sides, whatever the others are charged."""
    if anchor is None:
        return demand
    most = np.full(len(anchor.X), max(demand.charges.max(), 2.0 * demand.charges.sum()))
    parts = zip(demand, (anchor.X, anchor.sides, most), strict=True)
    return Demand(*(np.concatenate(part) for part in parts))


def _is_zero(plane: Floats) -> bool:
    """Whether the normal of a plane is 0."""
    return bool(np.linalg.norm(plane[:-1]) <= ROUNDING)


def _one_after_the_other(
    program: BilinearProgram, planes: Floats, costs: Floats, anchors: list[Demand | None]
) -> Floats:
    """Step of UBPA (7.2.1)."""
    for p in (0, 1):
        planes = program.best_planes([p], planes, costs, anchors)
        costs = program.costs(planes)
        if program.separated(planes):
            break
    return planes


def _best_pair(
    program: BilinearProgram, planes: Floats, costs: Floats, anchors: list[Demand | None]
) -> Floats:
    """Step of UBPA1 (7.2.2)."""
    new = program.best_planes([0, 1], planes, costs, anchors)
    pairs = [new, np.array([new[0], planes[1]]), np.array([planes[0], new[1]])]
    return min(pairs, key=lambda pair: program.value(program.costs(pair)))


def _part_of_the_way(
    program: BilinearProgram, planes: Floats, costs: Floats, anchors: list[Demand | None]
) -> Floats:
    """Step of BPA (7.2.3): the vertex where it separates, else the best point on the way to it."""
    new = program.best_planes([0, 1], planes, costs, anchors)
    if program.separated(new) or np.isinf(program.value(costs)):
        return new
    (x, y), (u, v), weights = costs, program.costs(new), program.weights
    slope = weights @ ((u - x) * y + x * (v - y))
    curvature = weights @ ((u - x) * (v - y))
    return planes + _best_share(slope, curvature) * (new - planes)


def _best_share(slope: float, curvature: float) -> float:
    """The t from 0 to 1 with the least `slope * t + curvature * t^2`.

    Examples
    --------
    >>> from planetree.separators.bilinear.bilinear_program import _best_share
    >>> [_best_share(*slopes) for slopes in ((-2.0, 2.0), (-2.0, 0.5), (1.0, -2.0), (1.0, 1.0))]
    [0.5, 1.0, 1.0, 0.0]
    """
    if curvature <= 0:
        return float(slope + curvature < 0)
    return min(1.0, max(0.0, -slope / (2.0 * curvature)))


ALGORITHMS = {
    "serial": _one_after_the_other,
    "parallel": _best_pair,
    "frank_wolfe": _part_of_the_way,
}


def descend(program: BilinearProgram, planes: Floats, algorithm: str) -> Floats:
    """Lower the value of the program from two planes until they separate or nothing lowers it."""
    step = ALGORITHMS[algorithm]
    anchors: list[Demand | None] = [None, None]
    costs = program.costs(planes)
    value = program.value(costs)
    for _ in range(_MAX_STEPS):
        if program.separated(planes) or program.late:
            break
        held = list(anchors)
        new = step(program, planes, costs, anchors)
        new_costs = program.costs(new)
        new_value = program.value(new_costs)
        fell = new_value < value * (1.0 - _PROGRESS)
        if not (fell or program.separated(new) or held != anchors):
            break
        planes, costs, value = new, new_costs, new_value
    return planes
