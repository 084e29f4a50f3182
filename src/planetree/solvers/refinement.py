"""The answer of a linear program, made accurate where its numbers are scaled badly.

Rows and columns are first multiplied by powers of two, which round nothing, until their entries are
near 1. Then what the last point and duals leave over is solved as a program of its own, enlarged by
a factor, and what it finds is added to them, reduced by the factor (Gleixner, Steffy and Wolter,
2016). With
rows as equations A x = 0, their activities being columns too, d = c - A'y and a factor f,

    min   f d.v    s.t.   A v = -f A x,    f (lower - x) <= v <= f (upper - x),

a point v with duals u gives x + v / f and y + u / f. A solver that is exact to 1e-9 makes these
exact to 1e-9 / f. What is left over is computed in the longest floating-point type there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats
from planetree.solvers.certificate import Model

__all__ = ["refine"]

_FACTORS = (1.0, 2.0**20, 2.0**40, 2.0**60)
_LARGEST = 1e19  # a cost that the solver still takes for a number
_PASSES = 4  # of scaling; more changes little

_Answer = tuple[Floats, Floats]


def refine(model: Model, solve: Callable[[Model], _Answer | None]) -> Iterator[_Answer]:
    """Points and duals of a program, each more accurate than the one before.

    Parameters
    ----------
    model : Model
        Without whole numbers.
    solve : callable
        Point and duals of a program as a solver gives them, or None.
    """
    (m, n), (r, c) = model.rows.shape, _equilibrium(model.rows)
    scaled = sp.diags_array(r) @ model.rows @ sp.diags_array(c)
    A = sp.csr_array(sp.hstack([scaled, -sp.eye_array(m)]))
    exact = A.astype(np.longdouble)
    cost = np.append(model.cost * c, np.zeros(m))
    lower = np.append(model.lower / c, model.row_lower * r)
    upper = np.append(model.upper / c, model.row_upper * r)
    whole = np.zeros(n + m, dtype=bool)
    x = np.clip(np.zeros(n + m, dtype=np.longdouble), lower, upper)
    y = np.zeros(m, dtype=np.longdouble)
    unit = np.exp2(-np.round(np.log2(np.abs(cost).max()))) if cost.any() else 1.0
    for factor in _FACTORS:
        ends = (-(exact @ x), -(exact @ x), lower - x, upper - x)
        low, high, least, most = (np.asarray(factor * end, dtype=np.float64) for end in ends)
        slopes = np.asarray(unit * factor * (cost - exact.T @ y), dtype=np.float64)
        found = None
        if np.abs(slopes).max() < _LARGEST:
            found = solve(Model(slopes, A, low, high, least, most, whole))
        if found is None:
            return
        x, y = np.clip(x + found[0] / factor, lower, upper), y + found[1] / (unit * factor)
        yield np.asarray(x[:n] * c, dtype=np.float64), np.asarray(y * r, dtype=np.float64)


def _equilibrium(rows: sp.csr_array) -> tuple[Floats, Floats]:
    """Powers of two for the rows and columns of a matrix that bring its entries near 1.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from planetree.solvers.refinement import _equilibrium
    >>> _equilibrium(sp.csr_array([[64.0, 1.0], [64.0, 1.0]]))
    (array([0.125, 0.125]), array([0.125, 8.   ]))
    """
    logs = rows.copy()
    logs.eliminate_zeros()
    logs.data = np.log2(np.abs(logs.data))
    filled = sp.csr_array((np.ones(logs.nnz), logs.indices, logs.indptr), shape=logs.shape)
    in_row, in_column = (np.maximum(1, filled.sum(axis=axis)) for axis in (1, 0))
    of_rows, of_columns = np.zeros(rows.shape[0]), np.zeros(rows.shape[1])
    for _ in range(_PASSES):
        of_columns = -(logs.sum(axis=0) + filled.T @ of_rows) / in_column
        of_rows = -(logs.sum(axis=1) + filled @ of_columns) / in_row
    middle = np.median(of_columns)
    return np.exp2(np.round(of_rows + middle)), np.exp2(np.round(of_columns - middle))
