"""The certificate of a linear program: a point and duals that prove each other optimal.

    min   c.x    s.t.   row_lower <= A x <= row_upper,    lower <= x <= upper

A vector y with one entry a row bounds every feasible value from below. With d = c - A'y,

    c.x  =  y.Ax + d.x  >=  sum_i min(y_i row_lower_i, y_i row_upper_i)
                          + sum_j min(d_j lower_j,     d_j upper_j)      =:  bound(y),

and a term whose multiplier asks for an infinite end makes the bound -inf. So x and y are optimal
exactly when x is feasible and c.x = bound(y). In floating point, `check` trusts nothing else:

- x is clipped into its bounds, y to the signs that its rows allow, and d is computed afresh;
- no row is violated by more than `TOLERANCE * max(1, |A||x|)` (primal feasibility);
- no d_j that asks for an infinite end exceeds `TOLERANCE * max(1, |c| + |A|'|y|)` (dual
  feasibility); what it can hide, |d_j x_j|, is taken off the bound;
- |c.x - bound| is at most `TOLERANCE * max(1, sum |c_j x_j|, sum of the bound's terms)`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["TOLERANCE", "Certificate", "Model", "check"]

Array = NDArray[np.float64]

TOLERANCE = 1e-9


class Model(NamedTuple):
    """The arrays of a program, in the letters of the equations above."""

    cost: Array
    rows: sp.csr_array
    row_lower: Array
    row_upper: Array
    lower: Array
    upper: Array
    integer: NDArray[np.bool_]


class Certificate(NamedTuple):
    """What is true of a point x and duals y, whoever made them."""

    x: Array
    y: Array
    reduced_costs: Array
    value: float
    bound: float
    primal_feasible: bool
    optimal: bool


def check(model: Model, x: Array, y: Array, row_tolerance: float = TOLERANCE) -> Certificate:
    """Judge a point and duals by the arithmetic that the top of this module states."""
    A, cost, size = model.rows, model.cost, abs(model.rows)
    x = np.clip(x, model.lower, model.upper)
    y = np.where(np.isinf(model.row_lower), np.minimum(y, 0.0), y)
    y = np.where(np.isinf(model.row_upper), np.maximum(y, 0.0), y)
    activity = A @ x
    outside = np.maximum(model.row_lower - activity, activity - model.row_upper)
    primal_feasible = np.all(outside <= row_tolerance * np.maximum(1.0, size @ np.abs(x)))

    reduced = cost - A.T @ y
    row_terms, _ = _least(y, model.row_lower, model.row_upper)
    column_terms, open_end = _least(reduced, model.lower, model.upper)
    slack = TOLERANCE * np.maximum(1.0, np.abs(cost) + size.T @ np.abs(y))
    dual_feasible = np.all(~open_end | (np.abs(reduced) <= slack))
    hidden = np.abs(reduced * x)[open_end].sum()
    value = float(cost @ x)
    bound = float(row_terms.sum() + column_terms.sum() - hidden) if dual_feasible else -math.inf

    terms = np.abs(row_terms).sum() + np.abs(column_terms).sum()
    scale = max(1.0, float(np.abs(cost * x).sum()), float(terms))
    optimal = primal_feasible and dual_feasible and abs(value - bound) <= TOLERANCE * scale
    return Certificate(x, y, reduced, value, bound, bool(primal_feasible), bool(optimal))


def _least(slope: Array, lower: Array, upper: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Least of slope * t over each interval, and where it is -inf (given as 0)."""
    end = np.where(slope > 0, lower, upper)
    open_end = np.isinf(end) & (slope != 0)
    return slope * np.where(np.isinf(end), 0.0, end), open_end
