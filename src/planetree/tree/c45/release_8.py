"""The number -999, which Release 8 of C4.5 stores for a missing number and so reads as one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from planetree.table import Column

__all__ = ["warn_of_stand_ins", "without_stand_ins"]

STAND_IN = np.float32(-999)


def warn_of_stand_ins(found: Sequence[int], columns: Sequence[Column]) -> None:
    """Warn that columns hold the number."""
    if not found:
        return
    names = ", ".join(repr(columns[j].name) for j in found[:5])
    warnings.warn(
        f"{len(found)} column(s) hold the number -999, which C4.5 Release 8 reads as missing: "
        f"{names}. With arithmetic='double' it is a number.",
        UserWarning,
        stacklevel=4,
    )


def without_stand_ins(
    values: NDArray[np.float64], number_columns: Iterable[int]
) -> NDArray[np.float64]:
    """Cells of some columns that round to -999 in 32 bits as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.c45.release_8 import without_stand_ins
    >>> without_stand_ins(np.array([[1.0], [-999.0]]), [0])
    array([[ 1.],
           [nan]])
    """
    cleared = values
    for j in number_columns:
        with np.errstate(over="ignore"):
            stands_in = values[:, j].astype(np.float32) == STAND_IN
        if stands_in.any():
            cleared = values.copy() if cleared is values else cleared
            cleared[stands_in, j] = np.nan
    return cleared
