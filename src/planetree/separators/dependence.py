"""Columns that are exact combinations of others: what they ask of a plane, the others ask too."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from planetree.separators.problem import Array, distinct_rows

__all__ = ["without_dependent", "without_made_up"]

DEPENDENT = 1e-11  # what rounding leaves of a dependent column
LARGEST_DENOMINATOR = 1000
DIGITS = 16  # bits before and after the point of numbers that are added without rounding
MOST = 52 - 2 * DIGITS - 1  # bits of the factors of such numbers
MAX_PRODUCTS = 200_000  # in exact arithmetic, some tenths of a second


def without_dependent(E: Array) -> NDArray[np.intp]:
    """Columns of which all others are combinations with small rational factors, exactly.

    All columns, where there are too many numbers to check that.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.dependence import without_dependent
    >>> len(without_dependent(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])))
    2
    """
    size = np.abs(E).max(axis=0)
    unit = np.exp2(-np.frexp(np.where(size > 0, size, 1.0))[1].astype(float))
    triangle: Array = np.asarray(
        np.linalg.qr(E * unit, mode="r")
    )  # pivots would take long on all rows
    R, order = qr(triangle, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    rank = int(np.count_nonzero(diagonal > DEPENDENT * diagonal[0]))
    kept, others = np.sort(order[:rank]), np.sort(order[rank:])
    every = np.arange(E.shape[1])
    too_many = len(E) * rank * len(others) > MAX_PRODUCTS and not _few_digits(E).all()
    if not len(others) or too_many:
        return every
    factors = np.linalg.lstsq(triangle[:, kept], triangle[:, others], rcond=None)[0]
    factors *= unit[kept][:, None] / unit[others]
    exact = all(_combines(E[:, kept], f, E[:, j]) for f, j in zip(factors.T, others, strict=True))
    return kept.astype(np.intp) if exact else every


def without_made_up(E: Array) -> NDArray[np.intp]:
    """Columns of which all others are exact combinations, as far as that is quickly found.

    Copies, and combinations of columns of few digits, such as those of categories, are found.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.dependence import without_made_up
    >>> len(without_made_up(np.array([[1.0, 0.0, 1.0, 0.1], [0.0, 1.0, 1.0, 0.2]])))
    3
    """
    first = np.sort(distinct_rows(np.ascontiguousarray(E.T))[0])
    first = first[E[:, first].any(axis=0)]
    few = _few_digits(E[:, first])
    simple = first[few]
    kept = without_dependent(E[:, simple]) if few.any() else np.zeros(0, dtype=np.intp)
    return np.sort(np.concatenate([first[~few], simple[kept]])).astype(np.intp)


def _few_digits(E: Array) -> NDArray[np.bool_]:
    """Which columns hold numbers that few digits before and after the point can write."""
    units = np.ldexp(E, DIGITS)
    return np.asarray((units == np.rint(units)).all(axis=0) & (np.abs(E) < 2.0**DIGITS).all(axis=0))


def _combines(columns: Array, factors: Array, column: Array) -> bool:
    rational = [Fraction(f).limit_denominator(LARGEST_DENOMINATOR) for f in factors.tolist()]
    used = [(j, f) for j, f in enumerate(rational) if f]
    common = lcm(*(f.denominator for _, f in used))
    sizes = [abs(f) * common for _, f in used]
    few = _few_digits(columns).all() and _few_digits(column[:, None]).all()
    if few and sum(sizes, Fraction(common)) < 2**MOST:
        whole = np.array([float(f * common) for _, f in used])  # nothing rounds below
        return bool((columns[:, [j for j, _ in used]] @ whole == common * column).all())
    if len(columns) * len(used) > MAX_PRODUCTS:
        return False
    return all(
        sum((f * Fraction(row[j]) for j, f in used), Fraction(0)) == Fraction(value)
        for row, value in zip(columns.tolist(), column.tolist(), strict=True)
    )
