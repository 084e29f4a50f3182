"""What the columns of a table held: ranges, deviations, missing cells.

A fitted tree keeps this of its training rows, so that a change of a row can be measured in
deviations and kept within what was observed, and new rows can be compared with those of training.

- a row of weight 3 is that row three times, and one of weight 0 is not there;
- of a column of categories, and of one without known cells, ranges and deviations are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.table.table import Table


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """What the columns of a table held.

    Parameters
    ----------
    low, high : array of shape (n_columns,)
        Least and largest number.
    deviation : array of shape (n_columns,)
        Standard deviation of the numbers.
    whole : boolean array of shape (n_columns,)
        Whether every number is whole.
    missing : array of shape (n_columns,)
        Share of the rows in which the cell is missing.
    """

    low: Floats
    high: Floats
    deviation: Floats
    whole: Mask
    missing: Floats

    def scales(self) -> Floats:
        """Deviation of each column; 1 where it has none."""
        usable = np.isfinite(self.deviation) & (self.deviation > 0)
        return np.where(usable, self.deviation, 1.0)

    def of_columns(self, chosen: Indices) -> ColumnRanges:
        """The same of some columns."""
        return ColumnRanges(**{name: part[chosen] for name, part in vars(self).items()})


def column_ranges(table: Table, weights: Floats | None = None) -> ColumnRanges:
    """See what the columns of a table held.

    Parameters
    ----------
    table : Table
    weights : array of shape (n_rows,), optional

    Examples
    --------
    >>> from planetree.table import Table, column_ranges
    >>> seen = column_ranges(Table.read([[1.0, 0.5], [3.0, None]]))
    >>> seen.low, seen.high, seen.whole, seen.missing
    (array([1. , 0.5]), array([3. , 0.5]), array([ True, False]), array([0. , 0.5]))
    """
    weights = np.ones(len(table.values)) if weights is None else weights
    values = np.ascontiguousarray(table.values)
    low, high, deviation, whole, missing = _core.column_ranges(values, weights)
    is_category = [column.categories is not None for column in table.columns]
    low[is_category] = high[is_category] = deviation[is_category] = np.nan
    return ColumnRanges(low, high, deviation, (whole > 0) & ~np.isnan(low), missing)
