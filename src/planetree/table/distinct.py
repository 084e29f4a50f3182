"""Which rows of a table are equal: what must not depend on order or repetition goes by these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["different"]


def different(rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row occurs first, sorted by the rows' bytes, and which one each is."""
    rows = np.ascontiguousarray(rows + 0.0)  # -0.0 is a plain 0
    as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1])))
    _, first, inverse = np.unique(as_bytes.ravel(), return_index=True, return_inverse=True)
    return first, inverse
