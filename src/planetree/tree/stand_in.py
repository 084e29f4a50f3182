"""The number -999, which Release 8 of C4.5 stores for a missing number and so reads as one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planetree.table import Column

__all__ = ["without_stand_ins"]

STAND_IN = np.float32(-999)


def without_stand_ins(
    values: NDArray[np.float64], columns: Sequence[Column], *, warn: bool = True
) -> NDArray[np.float64]:
    """Cells of number columns that round to -999 in 32 bits as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Column
    >>> from planetree.tree.stand_in import without_stand_ins
    >>> without_stand_ins(np.array([[1.0], [-999.0]]), [Column("x")], warn=False)
    array([[ 1.],
           [nan]])
    """
    if not np.any(np.abs(values + 999.0) < 1e-4):  # rounding moves such a number by 3e-5 at most
        return values
    found = [
        j
        for j, column in enumerate(columns)
        if column.categories is None and np.any(_is_stand_in(values[:, j]))
    ]
    if not found:
        return values
    if warn:
        names = ", ".join(repr(columns[j].name) for j in found[:5])
        warnings.warn(
            f"{len(found)} column(s) hold the number -999, which C4.5 Release 8 reads as missing: "
            f"{names}. With arithmetic='double' it is a number.",
            UserWarning,
            stacklevel=4,
        )
    values = values.copy()
    for j in found:
        values[_is_stand_in(values[:, j]), j] = np.nan
    return values


def _is_stand_in(cells: NDArray[np.float64]) -> NDArray[np.bool_]:
    with np.errstate(over="ignore"):
        return cells.astype(np.float32) == STAND_IN
