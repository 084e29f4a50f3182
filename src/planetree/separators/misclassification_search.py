"""Few errors: a bound for those of every plane, each conflict of rows holding one, and a search.

Let s_i = (x_i, -1) for a row of the class above and -(x_i, -1) for one below, so that a plane z has
the row on its own side where s_i z > 0. By Gordan's theorem no plane has all rows of a set on their
own side exactly when some lambda >= 0, not all 0, has sum_i lambda_i s_i = 0. Such a set is a
conflict. The support of a vertex of

    { lambda >= 0 :  sum_i lambda_i s_i = 0,  sum_i lambda_i = 1 }

is one of which no row can be spared (Gleeson & Ryan, 1990), so it has at most n + 2 rows
(Kirchberger, 1903). The errors of any plane hit every conflict. With charges c and any conflicts C,

    min   sum_i c_i e_i    s.t.   sum of e_i over C >= 1 for each C,    e_i in {0, 1}

is a bound, and it is the least charge of errors once a plane has all rows that are not hit on their
own side (Parker & Ryan, 1996).

- a conflict that a bound stands on is proved in whole numbers over the user's rows: nothing rounds;
- the program of the bound has only zeros and ones beside the charges; where these are whole numbers
  so is its value, and the solver's bound is raised to the next of them.

A plane with few errors is found by the parametric method. With a limit delta on the errors' charge,
the bilinear program

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

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.separators.problem import Problem
from planetree.solvers import HingeProgram, LinearProgram
from planetree.solvers.rational import solve_linear, whole

_NO_CONFLICT = 10.0  # what it costs to name none, where a row costs 1 to 2
_IN_SUPPORT = 1e-12  # a share below it is a rounded 0
_MOST_TERMS = 40  # of conflicts that are proved: whole numbers take tenths of a second there
_MIP_ROUNDING = 1e-6  # share by which branch and bound may overstate a bound


class _Cover(NamedTuple):
    """Rows that hit every known conflict, and what no plane's errors are charged less than."""

    hit: Mask
    bound: float


class Conflicts:
    """Conflicts of the rows of two classes, found one after the other.

    Parameters
    ----------
    rows : array of shape (n_rows, n_terms)
        As they are; what is proved is proved of them.
    normalized : array of the same shape
        In the units in which conflicts are sought.
    above : boolean array of shape (n_rows,)
    charges : array of shape (n_rows,)
        Of an error, positive.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.clock import UNLIMITED
    >>> from planetree.separators.misclassification_search import Conflicts
    >>> X, above = np.array([[0.0], [1.0], [2.0]]), np.array([True, False, True])
    >>> conflicts = Conflicts(X, X, above, np.ones(3))
    >>> conflicts.cover(UNLIMITED).bound
    0.0
    >>> _ = conflicts.separate(np.ones(3, dtype=bool), UNLIMITED)
    >>> conflicts.cover(UNLIMITED).bound
    1.0
    """

    def __init__(self, rows: Floats, normalized: Floats, above: Mask, charges: Floats) -> None:
        self._signs = np.where(above, 1.0, -1.0)
        self._rows, self._charges = rows, charges
        self._whole = bool((charges == np.round(charges)).all())
        self.n_programs = self.n_conflicts = 0
        self.all_proved = True
        self._times_in_conflict = np.zeros(len(rows))
        self._finder = _finder(self._signs[:, None] * _extended(normalized))
        scaled = charges / charges.max()
        self._unit = float(charges.max())
        self._cover = LinearProgram(
            scaled, upper=1.0, integer=np.ones(len(rows), dtype=bool), name="cover of conflicts"
        )

    def cover(self, clock: Clock) -> _Cover:
        """The least charge that hits every conflict found so far."""
        solution = self._cover.solve(clock.at_least_a_moment)
        self.n_programs += 1
        return _Cover(solution.x > 0.5, self._safe(solution.bound * self._unit))

    def separate(self, kept: Mask, clock: Clock) -> Floats | None:
        """Find conflicts without a common row until a plane separates those left: that plane.

        None where the time was over before.
        """
        left = kept.copy()
        while not clock.is_over:
            self._ask_among(left)
            solution = self._finder.solve(clock.at_least_a_moment)
            self.n_programs += 1
            if solution.x[-1] > 0.5:
                return -solution.duals[:-1]
            conflict = np.flatnonzero(solution.x[:-1] > _IN_SUPPORT)
            self.add(conflict)
            left[conflict] = False
        return None

    def add(self, conflict: Indices) -> None:
        """Add a conflict to the cover's program; a bound ends where one is not proved."""
        self.all_proved = self.all_proved and self._is_proved(conflict)
        row = sp.csr_matrix(
            (np.ones(len(conflict)), (np.zeros(len(conflict), dtype=int), conflict)),
            shape=(1, len(self._rows)),
        )
        self._cover.add_rows(row, lower=1.0)
        self._times_in_conflict[conflict] += 1.0
        self.n_conflicts += 1

    def _ask_among(self, left: Mask) -> None:
        """Prefer rows that are in few conflicts, among those left."""
        often = self._times_in_conflict / max(1.0, self._times_in_conflict.max())
        self._finder.change_costs(np.append(1.0 + often, _NO_CONFLICT))
        self._finder.change_bounds(upper=np.append(np.where(left, np.inf, 0.0), np.inf))

    def _is_proved(self, conflict: Indices) -> bool:
        """Whether some lambda >= 0 with lambda_0 = 1 adds the rows up to 0, without rounding."""
        if self._rows.shape[1] > _MOST_TERMS or len(conflict) < 2:
            return False
        E = _extended(self._rows[conflict])
        S = np.column_stack([whole(column)[0] for column in E.T])
        S = S * self._signs[conflict].astype(int).astype(object)[:, None]
        found = solve_linear(S[1:].T, -S[0])
        return found is not None and all(number * found[1] >= 0 for number in found[0])

    def _safe(self, bound: float) -> float:
        below = max(0.0, bound - _MIP_ROUNDING * max(self._unit, bound))
        return float(math.ceil(below - 1e-3)) if self._whole else below


def _extended(rows: Floats) -> Floats:
    return np.column_stack([rows, -np.ones(len(rows))])


def _finder(S: Floats) -> LinearProgram:
    """Program whose columns are the rows' lambda, and one that says there is no conflict.

    Where that one is 1, the duals are minus a plane that has s_i z >= 8 for every row allowed.
    """
    columns = np.vstack([S.T, np.ones(len(S))])
    none = np.zeros((len(columns), 1))
    none[-1] = 1.0
    sides = np.append(np.zeros(S.shape[1]), 1.0)
    cost = np.append(np.ones(len(S)), _NO_CONFLICT)
    return LinearProgram(
        cost, np.hstack([columns, none]), sides, sides, presolve=False, name="search for a conflict"
    )


_MAX_TURNS = 20  # of one descent
_MAX_DESCENTS = 12  # each halves what is left to win: the last at most a 4,000th of it
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
    >>> from planetree.separators.misclassification_search import _best_cut
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
            if not self.clock.is_over:  # building a program takes longer than a moment
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
