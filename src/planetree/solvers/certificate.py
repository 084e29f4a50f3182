"""The certificate of a linear program: a point and duals that prove each other optimal.

    min   c.x    s.t.   row_lower <= A x <= row_upper,    lower <= x <= upper

A vector y with one entry a row bounds every feasible value from below. With d = c - A'y,

    c.x  =  y.Ax + d.x  >=  sum_i min(y_i row_lower_i, y_i row_upper_i)
                          + sum_j min(d_j lower_j,     d_j upper_j)      =:  bound(y),

and a term whose multiplier asks for an infinite end makes the bound -inf. So x and y are optimal
exactly when x is feasible and c.x = bound(y). In floating point, `check` trusts nothing else:

- x is clipped into its bounds, y to the signs that its rows allow, and d is computed afresh;
- no row is violated by more than `TOLERANCE * max(1, |A||x|)` (primal feasibility);
- every d_j is an interval that counts its rounding, each term takes the worse end, and the sum is
  rounded down: with finite bounds of the columns the bound holds in exact arithmetic (Neumaier and
  Shcherbina, 2004);
- no d_j that asks for an infinite end exceeds `TOLERANCE * max(1, |c| + |A|'|y|)` (dual
  feasibility); what it can hide, |d_j x_j|, is taken off the bound, which then is no proof of its
  own: `rigorous` says so;
- |c.x - bound| is at most `TOLERANCE * max(1, sum |c_j x_j|, sum of the bound's terms)`.

`refine` makes an answer accurate where the numbers of its program are scaled badly. Rows and
columns are first multiplied by powers of two, which round nothing, until their entries are
near 1. Then what the last point and duals leave over is solved as a program of its own, enlarged by
a factor, and what it finds is added to them, reduced by the factor (Gleixner, Steffy and Wolter,
2016).
With rows as equations A x = 0, their activities being columns too, d = c - A'y and a factor f,

    min   f d.v    s.t.   A v = -f A x,    f (lower - x) <= v <= f (upper - x),

a point v with duals u gives x + v / f and y + u / f. A solver that is exact to 1e-9 makes these
exact to 1e-9 / f. What is left over is computed in the longest floating-point type there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Mask

TOLERANCE = 1e-9  # HiGHS asks 1e-7 of itself unless told otherwise
_LARGEST = 1e100  # what an infinite bound counts as
_EPSILON = float(np.finfo(np.float64).eps)
_FACTORS = (1.0, 2.0**20, 2.0**40, 2.0**60)  # what is left, magnified pass by pass
_LARGEST_COST = 1e19  # that the solver still takes for a number
_PASSES = 4  # of scaling; more changes little

_Answer = tuple[Floats, Floats]


class Model(NamedTuple):
    """The arrays of a program, in the letters of the equations above."""

    cost: Floats
    rows: sp.csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Mask


class CheckedPoint(NamedTuple):
    """What is true of a point x and duals y, whoever made them."""

    x: Floats
    y: Floats
    reduced_costs: Floats
    value: float
    bound: float
    primal_feasible: bool
    optimal: bool
    rigorous: bool


def check(model: Model, x: Floats, y: Floats, row_tolerance: float = TOLERANCE) -> CheckedPoint:
    """Judge a point and duals by the arithmetic that the top of this module states."""
    A, cost, size = model.rows, model.cost, abs(model.rows)
    x = np.clip(x, model.lower, model.upper)
    y = np.where(np.isinf(model.row_lower), np.minimum(y, 0.0), y)
    y = np.where(np.isinf(model.row_upper), np.maximum(y, 0.0), y)
    activity = A @ x
    outside = np.maximum(model.row_lower - activity, activity - model.row_upper)
    primal_feasible = np.all(outside <= row_tolerance * np.maximum(1.0, size @ np.abs(x)))

    reduced, noise = _reduced_costs(model, y)
    row_terms, _ = _least(y, y, model.row_lower, model.row_upper)
    column_terms, open_end = _least(reduced - noise, reduced + noise, model.lower, model.upper)
    slack = TOLERANCE * np.maximum(1.0, np.abs(cost) + size.T @ np.abs(y))
    dual_feasible = np.all(~open_end | (np.abs(reduced) <= slack))
    hidden = np.abs(reduced * x)[open_end].sum()
    value = float(cost @ x)
    bound = _sum_down(row_terms, column_terms) - hidden if dual_feasible else -math.inf

    terms = np.abs(row_terms).sum() + np.abs(column_terms).sum()
    scale = max(1.0, float(np.abs(cost * x).sum()), float(terms))
    optimal = primal_feasible and dual_feasible and abs(value - bound) <= TOLERANCE * scale
    rigorous = not open_end.any()
    return CheckedPoint(
        x, y, reduced, value, float(bound), bool(primal_feasible), bool(optimal), bool(rigorous)
    )


def steady(model: Model, y: Floats) -> Floats:
    """Duals moved by about their rounding, so that d asks for the finite end nearest to 0.

    A long column makes a large d of the rounding of y, which a far bound makes a large loss.
    """
    y = y.copy()
    columns = model.rows.tocsc()
    near_lower = np.abs(model.lower) <= np.abs(model.upper)
    for _ in range(3):
        reduced, noise = _reduced_costs(model, y)
        wrong = np.where(near_lower, noise - reduced, noise + reduced)
        loss = wrong * np.minimum(model.upper - model.lower, _LARGEST)
        small = np.abs(reduced) <= 64.0 * noise
        for j in np.flatnonzero(small & (loss > 0.01 * TOLERANCE)):
            part = slice(columns.indptr[j], columns.indptr[j + 1])
            rows, entries = columns.indices[part], columns.data[part]
            used = y[rows] != 0
            if used.any():
                i = np.abs(entries * used).argmax()
                step = 2.0 * (wrong[j] + noise[j]) / entries[i]
                y[rows[i]] -= step if near_lower[j] else -step
    return y


def _reduced_costs(model: Model, y: Floats) -> tuple[Floats, Floats]:
    """C - A'y, and what its rounding can be."""
    A = model.rows
    size = np.abs(model.cost) + abs(A).T @ np.abs(y)
    counts = np.repeat(y != 0, np.diff(A.indptr))  # a term that is 0 rounds nothing
    n_terms = np.bincount(A.indices[counts], minlength=A.shape[1]) + 3
    return model.cost - A.T @ y, n_terms * _EPSILON * size


def _least(low: Floats, high: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Mask]:
    """Least of slope * t over each interval and slope, and where it is -inf (then what is finite).

    Each is rounded down.
    """
    ends = np.where(low > 0, lower, upper), np.where(high > 0, lower, upper)
    open_end = (np.isinf(ends[0]) & (low != 0)) | (np.isinf(ends[1]) & (high != 0))
    finite = (np.where(np.isinf(end), 0.0, end) for end in ends)
    terms = [slope * end for slope, end in zip((low, high), finite, strict=True)]
    least = np.minimum(*terms)
    return least - 2.0 * _EPSILON * np.abs(least), open_end


def _sum_down(*terms: Floats) -> float:
    total = math.fsum(np.concatenate(terms).tolist())
    return math.nextafter(total, -math.inf) if total else total


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
        if np.abs(slopes).max() < _LARGEST_COST:
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
    >>> from planetree.solvers.certificate import _equilibrium
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
