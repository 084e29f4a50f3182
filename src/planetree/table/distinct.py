"""Which rows of a table are equal: what must not depend on order or repetition goes by these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["different"]


def different(
    rows: NDArray[np.float64], lead: NDArray[np.intp] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row occurs first, sorted by the rows' bytes, and which one each is.

    `lead` stands before the columns of the rows, as one more.
    """
    order, group = np.arange(len(rows)), np.zeros(len(rows), dtype=np.intp)
    at = order.copy()  # places in the order of rows that are not told apart yet
    for column in rows.T if lead is None else (lead, *rows.T):
        if not len(at):
            break
        cells = (column[order[at]] + 0.0).view(np.uint64).byteswap()  # -0.0 is a plain 0
        moved = np.lexsort((cells, group[at]))
        order[at], cells = order[at[moved]], cells[moved]
        new = np.append(True, (np.diff(group[at]) > 0) | (cells[1:] != cells[:-1]))
        group[at] = np.maximum.accumulate(np.where(new, at, 0))
        at = at[~(new & np.append(new[1:], True))]
    starts = group == np.arange(len(rows))
    inverse = np.empty(len(rows), dtype=np.intp)
    inverse[order] = np.cumsum(starts) - 1
    return order[starts], inverse
