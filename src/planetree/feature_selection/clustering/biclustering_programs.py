"""Linear and mixed 0-1 programs of consistent biclustering.

z holds the share of each feature in the average of its class, d_jk = sum of a_ij z_i over F_k:

    sum of z_i over F_k  =  1,    z >= 0,                                               (15)
    d_jh  >=  d_jk,    d_jh  >=  (1 + t) d_jk     for j of class h, k != h.         (16)(24)

conflict      The largest delta <= 0 that can be taken off the right sides of (16)(24) so that some
              z exists. Below 0, the duals name the samples that no shares can satisfy together.

step          max sum(x) with x_i <= 1, z_i <= x_i <= m_k z_i, (23), for given sizes m_k. The best
              x_i is min(1, m_k z_i), which is at least z_i as z_i <= 1: with z_i = u_i / m_k + s_i,
              0 <= u <= 1, s >= 0, the program is max sum(u), and (23) costs no rows. A step with
              sizes m_k gives the next sizes, the whole part of the sums of u (Algorithm 1).

proportional  max sum(x) for sizes in given proportions m_k, z_i = x_i / (m_k tau), with room e left
              in (16)(24). Its duals say what each sample costs.

exact         max sum(x) with x in {0, 1}, z_i = x_i y_k by Theorem 1 with M = 1, (12)(15)-(17).

Rows of (16)(24) join the linear programs where they are violated.

`search` finds large consistent biclusterings: linear programs find the sizes, repair the rest. Once
the proportions of the class sizes m_k are fixed, consistency is linear in the weights of the
features, and the program `proportional` has the largest sum of weights in a moment. So it is enough
to search among r classes for r - 1 proportions; each is moved up and down by a step that shrinks
when nothing gains. At the best proportions all but a few weights are 0 or 1. They are rounded with
a little room left, for several amounts of room; what rounding broke is repaired by taking features
away, and what does no harm is put back (`consistency`). The largest selection wins.

Algorithm 1 of the paper, in contrast, lets one class shrink step by step until its sizes agree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.clustering_classifier import in_use
from planetree.feature_selection.clustering.consistency import Biclustering, raised
from planetree.feature_selection.clustering.row_generation import solve_by_rows
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE

__all__ = ["ConsistencyProgram", "larger", "search"]

_NAME = "program of BiclusteringSelector"
_WHOLE = 1e-6  # what a sum of LP weights may miss a whole number by
_AT_ONCE = 50  # columns that join a program together
_ROOMS = (0.0, 1.0, 2.0, 4.0)  # in units of what an average feature adds to an average
_FIRST_STEP, _LAST_STEP = 0.1, 1e-3  # of the logarithm of a proportion
_GAIN = 0.1  # features: less is not worth a move


class ConsistencyProgram:
    """The programs of a biclustering.

    `joined` names the rows of (16)(24) that mattered in the last linear program, and `duals` has
    their duals; the next program starts from them. `spread` names the features whose s is in the
    program of a step.
    """

    def __init__(self, problem: Biclustering) -> None:
        self.problem = problem
        self.scale = float(np.abs(problem.values).mean())
        self.sums = sp.csr_array(problem.members, dtype=np.float64)
        self.joined: list[tuple[int, int, bool]] = []
        self.duals = np.zeros(0)
        self.spread = np.arange(len(problem.classes))

    def conflict(self) -> Indices:
        """Kept samples that no shares z can satisfy together; empty if there are none."""
        m, r = len(self.problem.classes), self.problem.n_classes
        solution = self._solve(
            cost=np.append(np.zeros(m), -1.0),
            equal=sp.hstack([self.sums, sp.csr_array((r, 1))]),
            side=1.0,
            lower=np.append(np.zeros(m), -np.inf),
            upper=np.append(np.ones(m), 0.0),
            expand=lambda rows: np.column_stack([rows, np.full(len(rows), -1.0)]),
            read=lambda point: (point[:m], point[m]),
        )
        feasible = solution.x[-1] >= -10 * TOLERANCE
        return np.unique([j for j, _, _ in self.joined if not feasible]).astype(np.intp)

    def iterate(self) -> tuple[Mask, int]:
        """Algorithm 1: the selection it ends with, made 0-1, and how many steps it took."""
        sizes = self.problem.members.sum(axis=1).astype(float)
        n_steps = 0
        while True:
            n_steps += 1
            x = self.step(sizes)
            found = np.maximum(1.0, np.floor(self.problem.members @ x + _WHOLE))
            if np.array_equal(found, sizes):
                return self.largest(x, sizes), n_steps
            sizes = found

    def step(self, sizes: Floats) -> Floats:
        """Step 2 of Algorithm 1 without the 0-1 condition.

        Of the columns s only `spread` is in the program; others join when their price says so.
        Smaller sizes leave the last z feasible with the same columns: z_i > 1 / m_k asks for s_i,
        and did so before.
        """
        while True:
            solution = self._step(sizes)
            gains = solution.duals[: self.problem.n_classes][self.problem.classes]
            for row, dual in zip(self.joined, self.duals, strict=True):
                gains = gains + dual * self._row(*row)
            gains[self.spread] = 0.0
            new = np.argsort(-gains, kind="stable")[:_AT_ONCE]
            new = new[gains[new] > TOLERANCE]
            if not len(new):
                m = len(self.problem.classes)
                self.spread = self.spread[solution.x[m:] > 0]
                return solution.x[:m]
            self.spread = np.append(self.spread, new)

    def proportional(self, sizes: Floats, room: float = 0.0) -> Floats:
        """Weights of the largest sum for averages whose sizes are in the proportions given.

        `room` is in units of `scale`. The weights are 0 where it is too large.
        """
        m, r = len(self.problem.classes), self.problem.n_classes
        inverse = 1.0 / sizes[self.problem.classes]
        solution = self._solve(
            cost=np.append(np.full(m, -1.0), 0.0),
            equal=sp.hstack([self.sums * inverse, np.full((r, 1), -1.0)]),
            side=0.0,
            lower=0.0,
            upper=np.append(np.ones(m), np.inf),
            expand=lambda rows: np.column_stack([rows * inverse, np.full(len(rows), -room)]),
            read=lambda point: (point[:m] * inverse, room * point[m]),
        )
        return solution.x[:m]

    def prices(self, selected: Mask) -> Floats:
        """What the inequalities of each sample cost near a selection: their duals."""
        self.proportional((self.problem.members @ selected).astype(float))
        prices = np.zeros(len(self.problem.codes))
        np.add.at(prices, [j for j, _, _ in self.joined], self.duals)
        return prices

    def exact(self, counted: Mask, time_limit: float | None, room: float = 0.0) -> Solution:
        """Mixed 0-1 program (11)-(17), whose objective counts the features of `counted`."""
        sums, m, r = self.sums, len(counted), self.problem.n_classes
        one, of_class = sp.eye_array(m), sums.T
        consistent = self._all_rows()
        n = len(consistent)
        rows = sp.block_array(
            [
                [sums, None, sp.csr_array((r, r))],  # (12)
                [None, sums, None],  # (15)
                [None, sp.csr_array(consistent), None],  # (16)(24)
                [one, -one, of_class],  # (17): y - z <= 1 - x
                [None, one, -of_class],  # z <= y
                [-one, one, None],  # z <= x
            ]
        )
        low = [np.ones(2 * r), np.full(n, room), np.full(3 * m, -np.inf)]
        high = [np.full(r, np.inf), np.ones(r), np.full(n, np.inf), np.ones(m), np.zeros(2 * m)]
        program = LinearProgram(
            np.concatenate([-1.0 * counted, np.zeros(m + r)]),
            rows,
            np.concatenate(low),
            np.concatenate(high),
            np.concatenate([np.zeros(2 * m), 1.0 / self.problem.members.sum(axis=1)]),
            1.0,
            np.arange(2 * m + r) < m,
            name=_NAME,
        )
        return program.solve(time_limit)

    def largest(self, x: Floats, sizes: Floats) -> Mask:
        """The features with the largest weights, as many of each class as its size."""
        selected = np.zeros(len(x), dtype=bool)
        for k, size in enumerate(sizes):
            features = np.flatnonzero(self.problem.classes == k)
            selected[features[np.argsort(-x[features], kind="stable")[: int(size)]]] = True
        return selected

    def _step(self, sizes: Floats) -> Solution:
        m, spread = len(self.problem.classes), self.spread
        inverse = 1.0 / sizes[self.problem.classes]

        def read(point: Floats) -> tuple[Floats, float]:
            z = point[:m] * inverse
            z[spread] += point[m:]
            return z, 0.0

        return self._solve(
            cost=np.append(np.full(m, -1.0), np.zeros(len(spread))),
            equal=sp.hstack([self.sums * inverse, self.sums[:, spread]]),
            side=1.0,
            lower=0.0,
            upper=np.append(np.ones(m), np.full(len(spread), np.inf)),
            expand=lambda rows: np.hstack([rows * inverse, rows[:, spread]]),
            read=read,
        )

    def _solve(
        self,
        *,
        cost: Floats,
        equal: Any,
        side: float,
        lower: Floats | float,
        upper: Floats,
        expand: Callable[[Floats], Floats],
        read: Callable[[Floats], tuple[Floats, float]],
    ) -> Solution:
        """Solve min cost.x with equal x = side and the rows of (16)(24) that matter.

        `expand` turns rows on z into rows of the program; `read` gives the shares z of a point and
        the room that it asks for.
        """
        r, n = self.problem.n_classes, len(self.joined)
        rows = equal
        if n:
            rows = sp.vstack([equal, expand(np.array([self._row(*row) for row in self.joined]))])
        program = LinearProgram(
            cost,
            rows,
            np.append(np.full(r, side), np.zeros(n)),
            np.append(np.full(r, side), np.full(n, np.inf)),
            lower,
            upper,
            presolve=False,
            name=_NAME,
        )

        def join(point: Floats) -> Floats:
            rows = self._join(*read(point))
            return expand(rows) if len(rows) else rows

        solution = solve_by_rows(program, join)
        used = in_use(solution.duals[r:])
        self.joined = [row for row, keep in zip(self.joined, used, strict=True) if keep]
        self.duals = solution.duals[r:][used]
        return solution

    def _join(self, z: Floats, room: float) -> Floats:
        """Rows of the kept samples that the shares z violate and that did not join before."""
        problem = self.problem
        averages = problem.values @ (problem.members * z).T / self.scale
        own = np.take_along_axis(averages, problem.codes[:, None], axis=1)
        short = raised(averages, problem.separation) - own + room
        np.put_along_axis(short, problem.codes[:, None], 0.0, axis=1)
        rounding = TOLERANCE * np.maximum(1.0, np.abs(averages).max())
        wrong = np.argwhere((short > rounding) & problem.kept[:, None]).tolist()
        named = [(j, k, bool(averages[j, k] > 0 < problem.separation)) for j, k in wrong]
        before = set(self.joined)
        new = [row for row in named if row not in before]
        self.joined += new
        return np.array([self._row(*row) for row in new])

    def _row(self, j: int, k: int, raise_it: bool) -> Floats:
        """Row (16) of a sample and another class, or (24) if it is to be raised.

        The shares of both classes have the same sum, so a number that is added for the one and
        taken off for the other changes nothing; the sample's mean keeps small differences of large
        values from being lost.
        """
        problem, raised_by = self.problem, self.problem.separation * raise_it
        values, mean = problem.values[j], problem.values[j].mean()
        own = problem.members[problem.codes[j]] * (values - mean)
        other = problem.members[k] * (values - mean + raised_by * values)
        return (own - other) / self.scale

    def _all_rows(self) -> Floats:
        problem = self.problem
        others = problem.codes[:, None] != np.arange(problem.n_classes)
        pairs = np.argwhere(others & problem.kept[:, None])
        kinds = (False, True) if problem.separation > 0 else (False,)
        return np.array([self._row(j, k, kind) for j, k in pairs for kind in kinds])


def search(problem: Biclustering, clock: Clock = UNLIMITED) -> Mask | None:
    """Find a large consistent selection, or None; it ends early once the time is up."""
    full = np.ones(len(problem.classes), dtype=bool)
    if problem.consistent(full):
        return full
    program = ConsistencyProgram(problem)
    sizes, most = _best_proportions(program, clock)
    unit, best = 1.0 / problem.members.sum(axis=1).min(), None
    for room in _ROOMS:
        if best is not None and clock.is_over:
            break
        x = program.proportional(sizes, room * unit)
        counts = np.maximum(1.0, np.rint(problem.members @ x))
        best = larger(best, problem.repair(program.largest(x, counts)))
        if best is not None and best.sum() >= np.floor(most):
            break
    return problem.repair(full) if best is None else best


def _best_proportions(program: ConsistencyProgram, clock: Clock) -> tuple[Floats, float]:
    """Proportions of the class sizes with the largest sum of weights, and that sum."""
    sizes = program.problem.members.sum(axis=1).astype(float)
    most, step = float(program.proportional(sizes).sum()), _FIRST_STEP
    while step > _LAST_STEP and not clock.is_over:
        before = most
        for k in range(1, len(sizes)):
            for factor in (np.exp(step), np.exp(-step)):
                moved = sizes * np.where(np.arange(len(sizes)) == k, factor, 1.0)
                value = float(program.proportional(moved).sum())
                if value > most + _GAIN:
                    sizes, most = moved, value
                    break
        step *= 1.5 if most > before else 1 / 3
    return sizes, most


def larger(selected: Mask | None, other: Mask | None) -> Mask | None:
    """The selection with more features, the first of equals, None only if both are."""
    if selected is None or (other is not None and other.sum() > selected.sum()):
        return other
    return selected
