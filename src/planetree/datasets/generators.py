"""Generators of data sets whose structure is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def parity(n_bits: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """All rows of `n_bits` bits, and for each whether its number of ones is odd.

    Examples
    --------
    >>> from planetree.datasets import parity
    >>> X, y = parity(2)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    bits = np.arange(2**n_bits)[:, None] >> np.arange(n_bits)[::-1] & 1
    odd = np.asarray(bits.sum(axis=1) % 2, dtype=np.intp)
    return bits.astype(np.float64), odd


def two_planes(
    n_rows: int, n_features: int, alternating: bool = False, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Rows on the unit sphere that two random planes through the center separate.

    Bennett (1993), section 7.4.

    Parameters
    ----------
    n_rows, n_features : int
    alternating : bool
        Class 1 is where both planes have the row on the same side, not where both have it above.
    random_state : int or numpy Generator, optional

    Examples
    --------
    >>> from planetree.datasets import two_planes
    >>> X, y = two_planes(100, 3, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 3), [0, 1])
    """
    rng = np.random.default_rng(random_state)
    points = rng.normal(size=(n_rows + 2, n_features))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    X, above = points[2:], points[2:] @ points[:2].T > 0
    inside = above[:, 0] == above[:, 1] if alternating else above[:, 0] & above[:, 1]
    return X, np.asarray(inside, dtype=np.intp)
