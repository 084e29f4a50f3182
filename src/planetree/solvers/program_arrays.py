"""The arrays that programs are given: checked, in full length, as the solver reads them.

Rows held against each rival class say what each unknown of the planes adds to their margins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from planetree.arrays import Floats, Mask


def read_objective(cost: ArrayLike, n: int | None = None) -> Floats:
    """Costs of the columns, n of them if that is known."""
    costs = np.array(cost, dtype=np.float64)
    if costs.ndim != 1 or (n is not None and len(costs) != n):
        raise ValueError(f"cost must have one number per column ({n}), not shape {costs.shape}.")
    bad = ~(np.abs(costs) < 1e20)
    if bad.any():
        raise ValueError(f"cost must be finite, but column {bad.argmax()} costs {costs[bad][0]}.")
    return costs


def read_interval(lower: ArrayLike, upper: ArrayLike, n: int, what: str) -> tuple[Floats, Floats]:
    """Both bounds of n rows or columns."""
    low, high = (np.array(side, dtype=np.float64) for side in (lower, upper))
    for name, side in (("lower", low), ("upper", high)):
        if side.shape not in ((), (n,)):
            raise ValueError(f"The {name} bounds of {n} {what}s have shape {side.shape}.")
    low, high = (np.broadcast_to(side, n).copy() for side in (low, high))
    bad = ~(low <= high) | (low == np.inf) | (high == -np.inf)
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(f"{what} {i} must lie between {low[i]} and {high[i]}, but no number does.")
    low[low <= -1e20] = -np.inf  # as HiGHS reads it
    high[high >= 1e20] = np.inf
    return low, high


def read_matrix(matrix: Any, shape: tuple[int | None, int], what: str) -> sp.csr_array:
    """A matrix of a shape, None where any length will do."""
    if matrix is None:
        matrix = sp.csr_array((0, shape[1]))
    rows = sp.csr_array(matrix, dtype=np.float64, copy=True)
    if rows.ndim != 2 or rows.shape[1] != shape[1] or shape[0] not in (None, rows.shape[0]):
        wanted = f"({'any' if shape[0] is None else shape[0]}, {shape[1]})"
        raise ValueError(f"{what} must have shape {wanted}, not {rows.shape}.")
    rows.sum_duplicates()
    if not np.all(np.abs(rows.data) < 1e15):
        raise ValueError(f"{what} must hold finite numbers below 1e15 in size.")
    return rows


def read_whole(integer: ArrayLike | None, n: int) -> Mask:
    """Which of n columns must be whole."""
    whole = np.zeros(n, dtype=bool) if integer is None else np.array(integer)
    if whole.dtype != bool or whole.shape != (n,):
        raise ValueError(f"integer must be a boolean array of length {n}.")
    return whole


def numbered(*values: NDArray[Any]) -> tuple[Any, ...]:
    """A count, the numbers from 0 on, and values: how the solver takes what changes."""
    n = len(values[0])
    return n, np.arange(n, dtype=np.int32), *values


def entries(matrix: Any) -> tuple[Any, ...]:
    """Entries of a sparse matrix as the solver takes them."""
    index = (matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32))
    return matrix.nnz, *index, matrix.data


def signed_rows(
    Z: Floats, classes: NDArray[np.integer], n_classes: int, n_planes: int
) -> sp.csr_array:
    """Row (i, j) of S: the row i at the plane of its class, and less at that of its rival j.

    `n_planes` is as many as classes, or one less when the first class has none of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.program_arrays import signed_rows
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


def steepness(X: Floats, weights: Floats) -> float:
    """Sum of the sizes of the terms of a usual row's score."""
    sizes = np.abs(X - np.median(X, axis=0)) @ np.abs(weights).T
    return float(np.median(sizes, axis=0).max())
