"""Rows held against each rival class: what each unknown of the planes adds to their margins."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["rivals", "signed_rows"]

Array = NDArray[np.float64]


def signed_rows(
    Z: Array, classes: NDArray[np.integer], n_classes: int, n_planes: int
) -> sp.csr_array:
    """Row (i, j) of S: the row i at the plane of its class, and less at that of its rival j.

    `n_planes` is as many as classes, or one less when the first class has none of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.signed_rows import signed_rows
    >>> signed_rows(np.array([[2.0], [3.0]]), np.array([0, 1]), 2, 2).toarray()
    array([[ 2., -1., -2.,  1.],
           [-3.,  1.,  3., -1.]])
    """
    m, width = Z.shape[0], Z.shape[1] + 1
    rows = np.column_stack([Z, -np.ones(m)])
    number = np.arange(m * (n_classes - 1)).reshape(m, n_classes - 1)
    parts = []
    for sign, planes in ((1.0, classes[:, None]), (-1.0, rivals(classes, n_classes))):
        block = np.broadcast_to(planes - (n_classes - n_planes), number.shape)
        i, s = np.nonzero(block >= 0)
        columns = block[i, s][:, None] * width + np.arange(width)
        where = np.repeat(number[i, s], width), columns.ravel()
        shape = (number.size, n_planes * width)
        parts.append(sp.csr_array((sign * rows[i].ravel(), where), shape=shape))
    return parts[0] + parts[1]


def rivals(classes: NDArray[np.integer], n_classes: int) -> NDArray[np.integer]:
    """Classes that each row is held against: all but its own, in order."""
    slots = np.arange(n_classes - 1)
    return slots + (slots >= classes[:, None])
