"""Columns that are exact combinations of others: what they ask of a plane, the others ask too."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from planetree.separators.problem import Array

__all__ = ["without_dependent"]

DEPENDENT = 1e-11  # what rounding leaves of a dependent column
LARGEST_DENOMINATOR = 1000
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
    if not len(others) or len(E) * rank * len(others) > MAX_PRODUCTS:
        return every
    factors = np.linalg.lstsq(triangle[:, kept], triangle[:, others], rcond=None)[0]
    factors *= unit[kept][:, None] / unit[others]
    exact = all(_combines(E[:, kept], f, E[:, j]) for f, j in zip(factors.T, others, strict=True))
    return kept.astype(np.intp) if exact else every


def _combines(columns: Array, factors: Array, column: Array) -> bool:
    rational = [Fraction(f).limit_denominator(LARGEST_DENOMINATOR) for f in factors.tolist()]
    used = [(j, f) for j, f in enumerate(rational) if f]
    return all(
        sum((f * Fraction(row[j]) for j, f in used), Fraction(0)) == Fraction(value)
        for row, value in zip(columns.tolist(), column.tolist(), strict=True)
    )
