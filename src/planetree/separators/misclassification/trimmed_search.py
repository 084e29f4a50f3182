"""A plane with few errors, by the parametric method.

With s_i as in `conflicts`, charges c and a limit delta on the errors' charge, the bilinear program

    f(delta)  =  min   sum_i c_i (1 - r_i) u_i
                 s.t.  u_i >= 1 - s_i z,   u >= 0,        sum_i c_i r_i <= delta,   0 <= r <= 1

is 0 exactly when some plane's errors are charged at most delta: r forgives them. Bennett &
Bredensteiner (1997) search for the least delta with f(delta) = 0, after Mangasarian (1994); their
program charges besides a row that is forgiven but is on its own side, which changes no zero. The
constraints are uncoupled, so descents go by turns: for fixed r a linear program with hinges (RLP
without the rows that are forgiven), for fixed z the rows that are farthest on the wrong side are
forgiven. Every plane on the way gets the offset with the fewest errors, and the best is kept.

- a descent never raises its objective, and ends after finitely many turns;
- delta is halved between what is known to fail and the best plane found, so the search takes at
  most log2 of the rows descents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.separators.problem import Problem
from planetree.solvers import HingeProgram

__all__ = ["TrimmedSearch"]

_MAX_TURNS = 20  # of one descent
_MAX_DESCENTS = 12
_ROUNDING = 1e-12  # of the spread of scores: nearer ones are equal
_LEAST = 1e-3  # seconds that a program gets


class _Cut(NamedTuple):
    """A plane `weights . z = offset` of normalized terms, and the charge of its errors."""

    weights: Floats
    offset: float
    charge: float


def _best_cut(weights: Floats, Z: Floats, above: Mask, charges: Floats) -> _Cut | None:
    """Best offset for some weights, looking either way; None where all rows have one score.

    Of equally good ones it lies in the widest gap, and beyond all rows only where that is better.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.misclassification.trimmed_search import _best_cut
    >>> Z, above = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([False, True, False, True])
    >>> _best_cut(np.ones(1), Z, above, np.ones(4))
    _Cut(weights=array([1.]), offset=0.5, charge=1.0)
    """
    found = [_best_offset(each, Z, above, charges) for each in (weights, -weights)]
    cuts = [each for each in found if each is not None]
    return min(cuts, key=lambda cut: cut.charge) if cuts else None


def _best_offset(weights: Floats, Z: Floats, above: Mask, charges: Floats) -> _Cut | None:
    scores = Z @ weights
    order = np.argsort(scores, kind="stable")
    scores, signed = scores[order], np.where(above, charges, -charges)[order]
    spread = float(scores[-1] - scores[0])
    if not spread > 0:
        return None
    gaps = np.diff(scores)
    # Below the first row all of the lower class are wrong; each row passed changes its side.
    wrong = float(charges[~above].sum()) + np.append(0.0, np.cumsum(signed))
    widths = np.concatenate([[0.0], gaps, [0.0]])
    allowed = np.concatenate([[True], gaps > _ROUNDING * spread, [True]])
    least = wrong[allowed].min() + _ROUNDING * charges.sum()
    i = int(np.argmax(np.where(allowed & (wrong <= least), widths, -1.0)))
    ends = np.concatenate([[scores[0] - spread], scores, [scores[-1] + spread]])
    return _Cut(weights, float(ends[i] / 2 + ends[i + 1] / 2), float(wrong[i]))


class TrimmedSearch:
    """The parametric method on the rows of a problem of two classes; `best` is the best plane."""

    def __init__(self, problem: Problem, charges: Floats, clock: Clock) -> None:
        self.problem: Problem = problem
        self.charges: Floats = charges
        self.clock: Clock = clock
        self.Z, self.above = problem.normalized, problem.codes == 1
        self.n_programs: int = 0
        self.best: _Cut = self._of_one_column()
        self._signs = np.where(self.above, 1.0, -1.0)
        self._last = np.zeros(len(charges))  # how far rows are on their side of the last plane

    def run(self) -> _Cut:
        """Search, and give the best plane found."""
        for class_shares in (True, False):
            self._step(self._start_weights(class_shares))
        fails = 0.0
        for _ in range(_MAX_DESCENTS):
            limit = (fails + self.best.charge) / 2
            if self.clock.is_over or self.best.charge - fails <= self.charges.min():
                break
            self._descend(limit)
            if self.best.charge > limit:
                fails = limit
        return self.best

    def try_plane(self, weights: Floats) -> None:
        """Keep a plane with these weights if it is better than the best."""
        cut = _best_cut(weights, self.Z, self.above, self.charges)
        if cut is not None and cut.charge < self.best.charge:
            self.best = cut

    @property
    def best_charge(self) -> float:
        """Charge of the errors of the best plane."""
        return self.best.charge

    def _of_one_column(self) -> _Cut:
        """Plane of the first column that tells rows apart: what is there before any program."""
        j = int(np.argmax(np.ptp(self.Z, axis=0) > 0))
        cut = _best_cut(np.eye(self.Z.shape[1])[j], self.Z, self.above, self.charges)
        assert cut is not None
        return cut

    def _start_weights(self, class_shares: bool) -> Floats:
        if not class_shares:
            return self.charges
        totals = [self.charges[self.above == side].sum() for side in (True, False)]
        return self.charges / np.where(self.above, *totals)

    def _descend(self, limit: float) -> None:
        """Take turns between the rows that are forgiven and the plane, from the best plane."""
        self._last = self._signs * (self.Z @ self.best.weights - self.best.offset)
        before = np.zeros(0)
        for _ in range(_MAX_TURNS):
            kept = self.charges - self._forgiven(limit)
            if self.clock.is_over or np.array_equal(kept, before) or not self._step(kept):
                break
            before = kept

    def _forgiven(self, limit: float) -> Floats:
        """Charge of each row that is forgiven: of those farthest on the wrong side, up to a limit.

        The rows are those of a fractional knapsack; charges only limit how many fit.
        """
        order = np.argsort(self._last, kind="stable")
        filled = np.minimum(np.cumsum(self.charges[order]), limit)
        forgiven = np.zeros(len(order))
        forgiven[order] = np.diff(filled, prepend=0.0)
        return np.where(self._last < 1.0, forgiven, 0.0)

    def _step(self, weights: Floats) -> bool:
        """Plane of the linear program with some weights of rows; whether there is one."""
        used = weights > 0
        sides = self.above[used]
        if sides.all() or not sides.any():
            return False
        program = HingeProgram(
            np.ascontiguousarray(self.problem.E[used]),
            sides.astype(np.int32),
            weights[used] / weights.sum(),
            np.ones(2),
            center=self.problem.center,
            scale=self.problem.scale,
            name="program of MisclassificationSeparator",
        )
        try:
            solution = program.solve(time_limit=self.clock.left_at_least(_LEAST))
        except SolverError:
            return False
        self.n_programs += 1
        plane, offset = solution.weights[0], float(solution.offsets[0])
        self._last = self._signs * (self.Z @ plane - offset)
        self.try_plane(plane)
        return True
