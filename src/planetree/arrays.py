"""The array types that signatures speak of, and copies of parts of arrays."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Indices", "Mask", "Whole", "cells_of"]

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Whole: TypeAlias = NDArray[np.object_]  # whole numbers of any size

_FEW_CELLS = 1 << 16  # that are copied as fast as some of them


def cells_of(X: Floats, rows: Indices, columns: Indices) -> Floats:
    """Some rows of X, for a decision that reads some columns: of many rows, the others are 0.

    Columns that are never written take no memory.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.arrays import cells_of
    >>> cells_of(np.arange(6.0).reshape(3, 2), np.array([2]), np.array([1]))
    array([[4., 5.]])
    """
    if len(rows) * X.shape[1] < _FEW_CELLS:
        return X[rows]
    cells = np.zeros((len(rows), X.shape[1]), order="F")
    for j in columns.tolist():
        cells[:, j] = X[rows, j]
    return cells
