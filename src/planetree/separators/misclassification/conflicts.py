"""A bound for the errors of every plane: each conflict holds one.

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
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import Clock
from planetree.solvers import LinearProgram
from planetree.solvers.rational import solve_linear, whole

__all__ = ["Conflicts"]

_NO_CONFLICT = 10.0  # what it costs to name none, where a row costs 1 to 2
_IN_SUPPORT = 1e-12
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
    >>> from planetree.separators.misclassification.conflicts import Conflicts
    >>> X, above = np.array([[0.0], [1.0], [2.0]]), np.array([True, False, True])
    >>> conflicts = Conflicts(X, X, above, np.ones(3))
    >>> conflicts.cover(UNLIMITED).bound
    0.0
    >>> _ = conflicts.separate(np.ones(3, dtype=bool), UNLIMITED)
    >>> conflicts.cover(UNLIMITED).bound
    1.0
    """

    n_conflicts: int
    n_programs: int

    def __init__(self, rows: Floats, normalized: Floats, above: Mask, charges: Floats) -> None:
        self._signs = np.where(above, 1.0, -1.0)
        self._rows, self._charges = rows, charges
        self._whole = bool((charges == np.round(charges)).all())
        self.n_programs = self.n_conflicts = 0
        self.all_proved: bool = True
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
