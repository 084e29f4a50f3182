"""What stands for missing cells, where a model needs every value.

A missing number is the weighted median of its column in training. A missing category is one of its
own, `OWN_CATEGORY`; where training had no such row, the most frequent category, the first of
equals. What fills a column is kept with it (`Column.fill`), so whoever reads rows by the columns of
a model fills them alike.

- a table without gaps comes out as it is, but for what its columns keep;
- a row of weight 3 counts as that row three times, and the order of rows does not matter.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planetree.arrays import Floats
from planetree.table.table import Column, Table

OWN_CATEGORY = "(missing)"


def imputed(table: Table, weights: Floats) -> Table:
    """The table without gaps, whose columns keep what fills them.

    Parameters
    ----------
    table : Table
    weights : array of shape (n_rows,)
        How many times each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table
    >>> from planetree.table.imputation import imputed
    >>> table = imputed(Table.read([[1.0, "a"], [None, "b"], [4.0, None]]), np.ones(3))
    >>> table.values
    array([[1. , 0. ],
           [2.5, 1. ],
           [4. , 2. ]])
    >>> table.columns[1].categories
    ('a', 'b', '(missing)')
    """
    cells = zip(table.columns, table.values.T, strict=True)
    columns = tuple(_with_fill(column, each, weights) for column, each in cells)
    return Table(table.values, columns, table.named).filled()


def _with_fill(column: Column, cells: Floats, weights: Floats) -> Column:
    """The column with what fills its gaps."""
    known = ~np.isnan(cells)
    if column.categories is None:
        fill = _weighted_median(cells[known], weights[known]) if known.any() else 0.0
        return replace(column, fill=fill)
    if known.all():
        counts = np.bincount(cells.astype(np.intp), weights, len(column.categories))
        return replace(column, fill=float(counts.argmax()))
    own = [c for c, label in enumerate(column.categories) if label == OWN_CATEGORY]
    code = own[0] if own else len(column.categories)
    categories = column.categories if own else (*column.categories, OWN_CATEGORY)
    return replace(column, categories=categories, fill=float(code))


def _weighted_median(values: Floats, weights: Floats) -> float:
    """Least value with half the weight up to it, or the middle of two where it is exactly half."""
    order = np.lexsort((weights, values))
    values, reached = values[order], np.cumsum(weights[order])
    low, high = (np.searchsorted(reached, reached[-1] / 2, side=side) for side in ("left", "right"))
    return float(values[low] / 2 + values[min(int(high), len(values) - 1)] / 2)
