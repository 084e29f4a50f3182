"""Linear algebra in whole numbers, without rounding.

A float64 number is a whole number times a power of two, so a matrix of them is a matrix of whole
numbers in units of that power. `solve_semidefinite` and `solve_linear` eliminate without
fractions (Bareiss, 1968): every division comes out even, and numbers grow no longer than the
determinants that they are.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["above", "below", "solve_linear", "solve_semidefinite", "whole"]

Array = NDArray[np.float64]
Whole = NDArray[np.object_]


def whole(values: Array) -> tuple[Whole, Fraction]:
    """Float64 numbers as whole numbers, and the power of two that each is to be multiplied by.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import whole
    >>> numbers, unit = whole(np.array([0.5, 3.0]))
    >>> [number * unit for number in numbers]
    [Fraction(1, 2), Fraction(3, 1)]
    """
    parts, exponents = np.frexp(values)
    top = (parts * 2.0**53).astype(np.int64)
    used = exponents[top != 0]
    least = int(used.min()) if len(used) else 0
    shifts = np.where(top != 0, exponents - least, 0)
    numbers = np.array([int(t) << int(s) for t, s in zip(top, shifts, strict=True)], dtype=object)
    return numbers, Fraction(2) ** (least - 53)


def solve_semidefinite(H: Whole, right: Whole) -> tuple[Whole, int]:
    """Whole y and d with H y / d = right, for a semidefinite H that has such a solution.

    Unknowns whose pivot is 0 are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import solve_semidefinite
    >>> y, d = solve_semidefinite(np.array([[2, 1], [1, 2]], object), np.array([3, 3], object))
    >>> y.tolist(), d
    ([3, 3], 3)
    """
    size, before = len(H), 1
    M = np.column_stack([H, right])
    pivots = []
    for i in range(size):
        pivot = M[i, i]
        if pivot == 0:  # so is the rest of its row and column
            continue
        pivots.append(i)
        crossed = np.outer(M[i + 1 :, i], M[i, i + 1 :])
        M[i + 1 :, i + 1 :] = (pivot * M[i + 1 :, i + 1 :] - crossed) // before
        before = pivot
    y = np.zeros(size, dtype=object)
    for i in reversed(pivots):
        y[i] = (before * M[i, size] - M[i, i + 1 : size] @ y[i + 1 :]) // M[i, i]
    return y, before


def solve_linear(A: Whole, right: Whole) -> tuple[Whole, int] | None:
    """Whole y and d with A y / d = right, for any A; None if there is no solution.

    Unknowns that other columns make up are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import solve_linear
    >>> A = np.array([[0, 2, 2], [3, 0, 0], [3, 2, 2]], object)
    >>> y, d = solve_linear(A, np.array([4, 3, 7], object))
    >>> [value / d for value in y]
    [1.0, 2.0, 0.0]
    >>> solve_linear(A, np.array([4, 3, 8], object)) is None
    True
    """
    M, before = np.column_stack([A, right]), 1
    pivots: list[int] = []
    for column in range(A.shape[1]):
        i = len(pivots)
        found = np.flatnonzero(M[i:, column])
        if not len(found):
            continue
        M[[i, i + found[0]]] = M[[i + found[0], i]]
        others, pivot = np.arange(len(M)) != i, M[i, column]
        # Jordan's form: the pivots above follow, and all end as the last one.
        M[others] = (pivot * M[others] - np.outer(M[others, column], M[i])) // before
        pivots.append(column)
        before = pivot
    if any(M[len(pivots) :, -1]):
        return None
    y = np.zeros(A.shape[1], dtype=object)
    y[pivots] = M[: len(pivots), -1]
    return y, before


def below(value: Fraction) -> float:
    """A float64 number that is not above a fraction."""
    near = float(value)
    return near if Fraction(near) <= value else float(np.nextafter(near, -np.inf))


def above(value: Fraction) -> float:
    """A float64 number that is not below a fraction."""
    return -below(-value)
