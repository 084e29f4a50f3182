"""Consistent biclusterings: what they are, how a selection is made one, and their programs.

Every feature belongs to the class of samples in which its mean is largest, (8). With m_k selected
features in the class F_k of features, sample j has the averages

    d_jk  =  (1 / m_k) sum of a_ij over the selected features i of F_k,

and the selection is consistent if for every sample j of class h and every other class k

    d_jh  >=  d_jk + t max(0, d_jk).

At t = 0 this is (9) of Busygin & Pardalos (2005). For t > 0 it is (9) and (24) together: where d_jk
is positive it is their d_jh >= (1 + t) d_jk. Where d_jk is negative (24) alone would ask for less
than (9), so (9) stays.

A selection that is not consistent is repaired: the feature goes that leaves the smallest sum of
violations, until there are none; then comes back what does no harm. Each step looks at every
feature once, in closed form. Once hundreds are gone, several go at a time.

A class that no feature belongs to has the same average for all samples, its baseline: a constant
feature of its own. The class then is where all other averages are low.

In the programs, z holds the share of each feature in the average of its class, so that
d_jk = sum of a_ij z_i over F_k:

    sum of z_i over F_k  =  1,    z >= 0,                                               (15)
    d_jh  >=  d_jk,    d_jh  >=  (1 + t) d_jk     for j of class h, k != h.         (16)(24)

conflict      The largest delta <= 0 that can be taken off the right sides of (16)(24) so that some
              z exists. Below 0, the duals name the samples that no shares can satisfy together.

step          max sum(x) with x_i <= 1, z_i <= x_i <= m_k z_i, (23), for given sizes m_k. The best
              x_i is min(1, m_k z_i), which is at least z_i as z_i <= 1: with z_i = u_i / m_k + s_i,
              0 <= u <= 1, s >= 0, the program is max sum(u), and (23) costs no rows. A step with
              sizes m_k gives the next sizes, the whole part of the sums of u (Algorithm 1). As the
              paper prints it, x is 0 or 1: so it is with few features, while time allows.

proportional  max sum(x) for sizes in given proportions m_k, z_i = x_i / (m_k tau), with room e left
              in (16)(24). Its duals say what each sample costs.

Rows of (16)(24) join the linear programs where they are violated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.feature_selection.clustering.clustering_classifier import in_use, solve_by_rows
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE

_NAME = "program of BiclusteringSelector"
_WHOLE = 1e-6  # what a sum of LP weights may miss a whole number by
_MOST_WHOLE = 60  # features with which Algorithm 1 has 0-1 steps: some seconds at most
_AT_ONCE = 50  # columns that join a program together
_ROUNDING = 1e-10  # of the largest value, what an average may be wrong by
_SINGLY = 100  # features that go one at a time, before two go together


@dataclass(frozen=True, eq=False)
class Biclustering:
    """Samples with their classes, features with theirs, and the separation t asked for.

    `kept` says which samples count.
    """

    values: Floats
    codes: Indices
    classes: Indices
    separation: float
    kept: Mask

    @cached_property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.classes.max()) + 1

    @cached_property
    def members(self) -> Mask:
        """Which features belong to each class: F of the paper, one row a class."""
        return self.classes == np.arange(self.n_classes)[:, None]

    @cached_property
    def rounding(self) -> float:
        """How far an average may be wrong."""
        return _ROUNDING * float(np.abs(self.values).max())

    def averages(self, selected: Mask) -> Floats:
        """Average of the selected features of each class in each sample: D of the paper."""
        chosen = self.members & selected
        return self.values @ (chosen / chosen.sum(axis=1, keepdims=True)).T

    def slacks(self, averages: Floats) -> Floats:
        """By how much each inequality holds; infinite for a sample's own class."""
        own = np.take_along_axis(averages, self.codes[:, None], axis=1)
        slacks = own - _raised(averages, self.separation)
        np.put_along_axis(slacks, self.codes[:, None], np.inf, axis=1)
        return slacks

    def violated(self, selected: Mask) -> Mask:
        """Which samples, kept or not, violate an inequality, from the definition."""
        return np.any(self.slacks(self.averages(selected)) < -self.rounding, axis=1)

    def consistent(self, selected: Mask) -> bool:
        """Whether the samples that are kept violate nothing."""
        return not np.any(self.violated(selected) & self.kept)

    def repair(self, selected: Mask) -> Mask | None:
        """Make a selection consistent, or None: take features away, then put back what can be."""
        found = self._reduce(selected.copy())
        return None if found is None else self._fill(found)

    def _reduce(self, selected: Mask) -> Mask | None:
        n_gone = 0
        while not self.consistent(selected):
            costs = self._violations_after(selected, selected, -1.0)
            at_a_time = 1 + n_gone // _SINGLY
            best = np.argsort(costs, kind="stable")[:at_a_time]
            n_before = n_gone
            for feature in best[np.isfinite(costs[best])]:
                if np.count_nonzero(selected & (self.classes == self.classes[feature])) > 1:
                    selected[feature] = False
                    n_gone += 1
            if n_gone == n_before:
                return None
        return selected

    def _fill(self, selected: Mask) -> Mask:
        while not selected.all():
            costs = self._violations_after(selected, ~selected, 1.0)
            best = int(costs.argmin())
            if costs[best] > 0:
                break
            selected[best] = True
        return selected

    def _violations_after(self, selected: Mask, candidates: Mask, step: float) -> Floats:
        """Sum of violations once one candidate is taken away (step -1) or put in (step 1).

        Infinite for what is no candidate, and for the last feature of a class.
        """
        costs = np.full(len(self.classes), np.inf)
        averages = self.averages(selected)[self.kept]
        for k in range(self.n_classes):
            size = np.count_nonzero(selected & (self.classes == k))
            features = np.flatnonzero(candidates & (self.classes == k))
            if size + step >= 1 and len(features):
                values = self.values[np.ix_(self.kept, features)]
                moved = averages[:, [k]] + step * (values - averages[:, [k]]) / (size + step)
                costs[features] = self._violations(averages, k, moved)
        return costs

    def _violations(self, averages: Floats, k: int, moved: Floats) -> Floats:
        """Sum of violations when the averages of class k are each column of `moved`."""
        t, codes = self.separation, self.codes[self.kept]
        mine, level = codes == k, _raised(averages, t)
        level[:, k] = -np.inf
        # A sample of class k compares its moved average with the others, which stay.
        total = sum(
            np.maximum(0.0, level[mine, [other]][:, None] - moved[mine] - self.rounding).sum(axis=0)
            for other in range(self.n_classes)
            if other != k
        )
        own = np.take_along_axis(averages, codes[:, None], axis=1)[~mine]
        excess = _raised(moved[~mine], t) - own - self.rounding
        np.maximum(excess, 0.0, out=excess)
        np.put_along_axis(level, codes[:, None], -np.inf, axis=1)
        fixed = np.maximum(0.0, level[~mine] - own - self.rounding).sum()
        return total + excess.sum(axis=0) + fixed


def _raised(averages: Floats, separation: float) -> Floats:
    """What another class's average must not exceed the own one by: d + t max(0, d)."""
    return averages + separation * np.maximum(averages, 0.0)


class ConsistencyProgram:
    """The programs of a biclustering.

    `joined` names the rows of (16)(24) that mattered in the last linear program, and `duals` has
    their duals; the next program starts from them. `spread` names the features whose s is in the
    program of a step.
    """

    def __init__(self, problem: Biclustering) -> None:
        self.problem = problem
        self.scale: float = float(np.abs(problem.values).mean())
        self.sums: Any = sp.csr_array(problem.members, dtype=np.float64)
        self.joined: list[tuple[int, int, bool]] = []
        self.duals: Floats = np.zeros(0)
        self.spread: NDArray[Any] = np.arange(len(problem.classes))

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

    def iterate(self, clock: Clock) -> tuple[Mask, int, bool]:
        """Algorithm 1: its selection, made 0-1, its steps, and whether some were relaxed."""
        sizes = self.problem.members.sum(axis=1).astype(float)
        n_steps, relaxed = 0, len(self.problem.classes) > _MOST_WHOLE
        while True:
            n_steps += 1
            x = None if relaxed else self.whole_step(sizes, clock)
            relaxed = x is None
            x = self.step(sizes) if x is None else x
            found = np.maximum(1.0, np.floor(self.problem.members @ x + _WHOLE))
            if np.array_equal(found, sizes):
                return self.largest(x, sizes), n_steps, relaxed
            sizes = found

    def whole_step(self, sizes: Floats, clock: Clock) -> Floats | None:
        """Step 2 of Algorithm 1, or None if there is no time for it or no such selection."""
        m, r = len(self.problem.classes), self.problem.n_classes
        consistent = self.all_rows()
        one = sp.eye_array(m)
        rows = sp.block_array(
            [
                [sp.csr_array((r, m)), self.sums],  # (15)
                [None, sp.csr_array(consistent)],  # (16)(24)
                [one, -sp.diags_array(sizes[self.problem.classes])],  # (23): x <= m_k z
                [-one, one],  # z <= x
            ]
        )
        n, below = len(consistent), np.full(2 * m, -np.inf)
        low = np.concatenate([np.ones(r), np.zeros(n), below])
        high = np.concatenate([np.ones(r), np.full(n, np.inf), np.zeros(2 * m)])
        cost, whole = np.repeat([-1.0, 0.0], m), np.arange(2 * m) < m
        program = LinearProgram(cost, rows, low, high, 0.0, 1.0, whole, name=_NAME)
        try:
            solution = program.solve(clock.at_least_a_moment)
        except SolverError:
            return None
        return np.rint(solution.x[:m]) if solution.status == "optimal" else None

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
        short = _raised(averages, problem.separation) - own + room
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

    def all_rows(self) -> Floats:
        """All rows of (16)(24) of the kept samples."""
        problem = self.problem
        others = problem.codes[:, None] != np.arange(problem.n_classes)
        pairs = np.argwhere(others & problem.kept[:, None])
        kinds = (False, True) if problem.separation > 0 else (False,)
        rows = [self._row(j, k, kind) for j, k in pairs for kind in kinds]
        return np.array(rows).reshape(-1, len(problem.classes))  # none, if no sample is kept
