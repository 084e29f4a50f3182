"""The program of squared violations over rows in parts, by Newton's method with a proof.

F is a quadratic wherever the same rows are violated, and its gradient is continuous. One read of
all rows gives its value, gradient and Hessian, which are sums over rows, and a bound of its minimum
(`square_sums`). Steps begin at the planes of a sample, so that few are left; the last read proves
the planes that it is of.

- the function is that of the whole table, whatever the partitioning, and so is its minimum;
- where planes separate the classes, very many have the value 0: those of the largest penalty that
  separates them are taken, of powers of ten, as in memory.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Mask
from planetree.solvers.partitioned.implied_terms import ImpliedTerms
from planetree.solvers.partitioned.passes import Band, RawPlanes
from planetree.solvers.partitioned.program import PartitionedProgram, PartitionedSolution
from planetree.solvers.partitioned.schedule import Pass, Program
from planetree.solvers.partitioned.square_sums import (
    Normal,
    SquareSums,
    merged_squares,
    proved_bound,
    pulls,
    squares_of_part,
)
from planetree.solvers.quadratic import FALLING_PENALTIES

_STEPS = 60
_TRIES = 8  # of shorter steps
_ROUNDING = 1e-15  # share of the value that a step must promise
_NOTHING = 1e-24  # times all charges is a value of nothing
_FLAT = 1e-11  # a direction with less than this share of the largest curvature is left alone
_ACCURATE = 1e-6  # the gap above which planes are called inaccurate
_SPARE = 1e-12  # by how much planes that separate are enlarged beyond their least margin


class _Point(NamedTuple):
    """Unknowns, the planes that they are, and what one read tells of them."""

    z: Floats
    planes: RawPlanes
    found: SquareSums
    objective: float
    slope: Floats
    bound: float


class _TimeOverError(Exception):
    """The time is up."""


@dataclass
class PartitionedSquares(PartitionedProgram):
    """The program of squared violations; half of `price` is what a squared weight costs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.normal: Normal = Normal(self.center, self.scale)
        self.shape = (1 if self.n_classes == 2 else self.n_classes - 1, len(self.scale) + 1)
        self.best: _Point | None = None

    def solve(self, E: Floats, codes: NDArray[np.int32], weights: Floats) -> Program:
        """Find the best planes, from rows of a sample: a program for `run_together`."""
        sample = Band(np.ascontiguousarray(E), codes, weights)
        self.implied: ImpliedTerms = ImpliedTerms.among(sample.E, self.unions)
        status = "optimal"
        try:
            at = yield from self._minimum(self._of_sample(sample), self.price)
            if self.price == 0 and at.found.least_margin > 0:
                yield from self._calmest(at)
        except (_TimeOverError, KeyboardInterrupt) as reason:
            if self.best is None:
                raise KeyboardInterrupt from reason
            status = "time_limit" if isinstance(reason, _TimeOverError) else "interrupted"
        return self._solution(status)

    def _of_sample(self, rows: Band) -> Floats:
        if len(np.unique(rows.codes)) < self.n_classes:
            return np.zeros(self.shape)
        program = self._hinges(rows, self._sample_charges(rows))
        left = self.clock.at_least_a_moment
        found = program.solve_quadratic(self.price, time_limit=left, exact=False)
        z = np.column_stack([found.weights, found.offsets])
        return z if len(z) == self.shape[0] else z[1:] - z[0]

    # One read.

    def _at(self, z: Floats, l2: float) -> Generator[Pass, Any, _Point]:
        """Value, gradient and bound of unknowns; the best so far is kept."""
        planes = self._planes_of(z)
        given = z, planes, self.table, self.normal, self.implied
        parts = self._gathered((yield Pass(squares_of_part, given)))
        self.n_reads += 1
        self._refuse_changes([each.digest for each in parts])
        self._refuse_other_classes([each.class_weights for each in parts])
        found = merged_squares(parts)
        drag = _drag(z[:, :-1], l2, self.n_classes)
        objective = found.error + float(np.vdot(drag, z[:, :-1])) / 2
        slope = np.column_stack([drag, np.zeros(len(z))]) - pulls(found, self.normal)[0]
        bound = proved_bound(found, self.normal, l2, self._free_terms(found))
        at = _Point(z, planes, found, objective, slope, bound)
        if l2 == self.price:
            if self.best is None or objective < self.best.objective:
                self.best = at
            self.best = self.best._replace(bound=max(self.best.bound, bound))
            self.tell(f"{self._note}, gap {self._gap(self.best):.1e}")
        return at

    def _planes_of(self, z: Floats) -> RawPlanes:
        """Planes in the units of the rows; those of several classes sum to 0."""
        if self.n_classes > 2:
            z = np.vstack([np.zeros(self.shape[1]), z])
            z = z - z.mean(axis=0)
        return self._planes(z[:, :-1], z[:, -1])

    def _free_terms(self, found: SquareSums) -> Mask:
        """Terms that others imply in every row."""
        used = np.sum([each.high[:-1] for each in found.sums.values()], axis=0)
        used = used if found.sums else np.zeros(len(self.scale))
        implied = self.implied.where(found.implied)
        return implied.free(used, found.low, found.high, self.unions)

    # Newton's method.

    def _minimum(self, z: Floats, l2: float) -> Generator[Pass, Any, _Point]:
        """The minimum with a penalty, from z."""
        at = yield from self._at(z, l2)
        nothing = _NOTHING * float(self.class_weights @ self.table.sum(axis=1))
        for _ in range(_STEPS):
            step = self._step(at, l2)
            gain = -float(np.vdot(step, at.slope))
            if not gain > _ROUNDING * at.objective + nothing:
                break
            if self.clock.is_over:
                raise _TimeOverError
            self.n_steps += 1
            new = yield from self._along(at, step, gain, l2)
            if new is None:
                break
            at = new
        return at

    def _along(
        self, at: _Point, step: Floats, gain: float, l2: float
    ) -> Generator[Pass, Any, _Point | None]:
        """A point on the line that is lower; None if rounding is all that is left."""
        t = 1.0
        for _ in range(_TRIES):
            new = yield from self._at(at.z + t * step, l2)
            if new.objective <= at.objective - 1e-4 * t * gain:
                return new
            rise = float(np.vdot(step, new.slope))
            if gain <= 1e-12 * at.objective:
                return None
            if self.clock.is_over:
                raise _TimeOverError
            t *= max(0.1, gain / (gain + rise)) if rise > 0 else 0.5
        return None

    def _step(self, at: _Point, l2: float) -> Floats:
        size = at.z.size
        hessian = at.found.hessian.reshape(size, size).copy()
        for j in range(len(self.scale)):
            place = np.arange(self.shape[0]) * self.shape[1] + j
            hessian[np.ix_(place, place)] += _drag(np.eye(self.shape[0]), l2, self.n_classes)
        unit = np.sqrt(hessian.diagonal())
        flat = unit == 0
        unit[flat] = 1.0
        scaled = hessian / np.outer(unit, unit)
        step = np.linalg.lstsq(scaled, at.slope.ravel() / unit, rcond=_FLAT)[0] / unit
        return np.asarray(np.where(flat, 0.0, -step).reshape(self.shape))

    # Planes that separate the classes.

    def _calmest(self, at: _Point) -> Generator[Pass, Any, None]:
        """Planes of the largest penalty that separates, so large that no row lacks any margin."""
        for l2 in (*FALLING_PENALTIES, 0.0):
            at = at if l2 == 0.0 else (yield from self._minimum(at.z, l2))
            spare = _SPARE
            while at.found.least_margin > 0 and spare < 1e-5:
                larger = at.z * ((1 + spare) / at.found.least_margin)
                calm = yield from self._at(larger, 0.0)
                if calm.found.error == 0.0:
                    self.best = calm
                    return
                spare *= 10

    # The answer.

    def _solution(self, status: str) -> PartitionedSolution:
        best = self.best
        assert best is not None
        gap = self._gap(best)
        if status == "optimal" and gap > _ACCURATE:
            status = "inaccurate"
        return PartitionedSolution(
            *best.planes, best.objective, best.found.error, best.bound, gap, status,
            best.found.n_wrong, self.n_reads, self.n_bytes, self.n_steps,
        )  # fmt: skip

    def _gap(self, at: _Point) -> float:
        whole = float(self.class_weights @ self.table.sum(axis=1))
        return max(0.0, at.objective - at.bound) / max(at.objective, 1e-6 * whole)


def _drag(weights: Floats, l2: float, n_classes: int) -> Floats:
    """Gradient of the penalty at the weights of the planes that are not fixed at 0."""
    return np.asarray(l2 * (weights - weights.sum(axis=0) / n_classes))
