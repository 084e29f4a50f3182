"""Linear algebra in whole numbers, without rounding.

A float64 number is a whole number times a power of two, so a matrix of them is a matrix of whole
numbers in units of that power. `solve_semidefinite` and `solve_linear` eliminate without
fractions (Bareiss, 1968): every division comes out even, and numbers grow no longer than the
determinants that they are.

Columns that are exact combinations of others, as those of categories are, ask of a plane what the
others ask too: `independent_columns` and its kin leave them out of a proof.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from scipy.linalg import qr

from planetree.arrays import Floats, Indices, Mask, Whole
from planetree.table import different

_DEPENDENT = 1e-11  # what rounding leaves of a dependent column
_LARGEST_DENOMINATOR = 1000  # of the factors by which a column may be made of others
_DIGITS = 16  # bits before and after the point of numbers that are added without rounding
_MOST = 52 - 2 * _DIGITS - 1  # bits of the factors of such numbers
_MAX_PRODUCTS = 200_000  # in exact arithmetic, some tenths of a second


def whole(values: Floats) -> tuple[Whole, Fraction]:
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


def independent_columns(E: Floats) -> Indices:
    """Columns of which all others are combinations with small rational factors, exactly.

    All columns, where there are too many numbers to check that.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import independent_columns
    >>> len(independent_columns(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])))
    2
    """
    size = np.abs(E).max(axis=0)
    unit = np.exp2(-np.frexp(np.where(size > 0, size, 1.0))[1].astype(float))
    triangle: Floats = np.asarray(
        np.linalg.qr(E * unit, mode="r")
    )  # pivots would take long on all rows
    R, order = qr(triangle, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rank = int(np.count_nonzero(diagonal > _DEPENDENT * diagonal[0]))
    kept, others = np.sort(order[:rank]), np.sort(order[rank:])
    every = np.arange(E.shape[1])
    too_many = len(E) * rank * len(others) > _MAX_PRODUCTS and not _few_digits(E).all()
    if not len(others) or too_many:
        return every
    factors = np.linalg.lstsq(triangle[:, kept], triangle[:, others], rcond=None)[0]
    factors *= unit[kept][:, None] / unit[others]
    exact = all(_combines(E[:, kept], f, E[:, j]) for f, j in zip(factors.T, others, strict=True))
    return kept.astype(np.intp) if exact else every


def _spanning_columns(E: Floats) -> Indices:
    """Columns of which all others are exact combinations, as far as that is quickly found.

    Copies, and combinations of columns of few digits, such as those of categories, are found.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import _spanning_columns
    >>> len(_spanning_columns(np.array([[1.0, 0.0, 1.0, 0.1], [0.0, 1.0, 1.0, 0.2]])))
    3
    """
    first = np.sort(different(np.ascontiguousarray(E.T))[0])
    first = first[E[:, first].any(axis=0)]
    few = _few_digits(E[:, first])
    simple = first[few]
    kept = independent_columns(E[:, simple]) if few.any() else np.zeros(0, dtype=np.intp)
    return np.sort(np.concatenate([first[~few], simple[kept]])).astype(np.intp)


def affinely_spanning_columns(E: Floats) -> Indices:
    """Columns of which all others are exact combinations of theirs and a constant.

    As by `_spanning_columns`, of columns of few digits, from which the first row is taken away.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.rational import affinely_spanning_columns
    >>> len(affinely_spanning_columns(np.array([[1.0, 0.0, 0.1], [0.0, 1.0, 0.2]])))
    2
    """
    few = _few_digits(E)
    kept = _spanning_columns(E[:, few] - E[0, few]) if few.any() else np.zeros(0, dtype=np.intp)
    return np.sort(np.concatenate([np.flatnonzero(~few), np.flatnonzero(few)[kept]]))


def _few_digits(E: Floats) -> Mask:
    """Which columns hold numbers that few digits before and after the point can write."""
    with np.errstate(over="ignore"):  # numbers beyond have too many digits anyway
        units = np.ldexp(E, _DIGITS)
    return np.asarray(
        (units == np.rint(units)).all(axis=0) & (np.abs(E) < 2.0**_DIGITS).all(axis=0)
    )


def _combines(columns: Floats, factors: Floats, column: Floats) -> bool:
    rational = [Fraction(f).limit_denominator(_LARGEST_DENOMINATOR) for f in factors.tolist()]
    used = [(j, f) for j, f in enumerate(rational) if f]
    common = lcm(*(f.denominator for _, f in used))
    sizes = [abs(f) * common for _, f in used]
    few = _few_digits(columns).all() and _few_digits(column[:, None]).all()
    if few and sum(sizes, Fraction(common)) < 2**_MOST:
        whole = np.array([float(f * common) for _, f in used])  # nothing rounds below
        return bool((columns[:, [j for j, _ in used]] @ whole == common * column).all())
    if len(columns) * len(used) > _MAX_PRODUCTS:
        return False
    return all(
        sum((f * Fraction(row[j]) for j, f in used), Fraction(0)) == Fraction(value)
        for row, value in zip(columns.tolist(), column.tolist(), strict=True)
    )
