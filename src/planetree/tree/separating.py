"""One leaf, one separator: the decision that a separator makes from the rows of a leaf.

What the separator sees. A number that is missing is filled in by the mean of its column over the
leaf, a category by the most frequent one: for the fit alone, since in the tree a row that misses a
value which the planes need goes down every branch. So planes that need columns with many missing
values divide few rows. Where values are missing, the separator is therefore asked several times:
with all columns, and with only those of which, starting with the most complete ones, at most 25 %,
10 %, 5 % and none of the rows miss any. The planes that gain most information are taken.

What enters the tree. The planes that the separator found, stated so that nothing depends on
rounding:

- a threshold lies midway between the training scores beside it; scores within rounding of it lie
  below it, and no other row changes its side;
- of planes of which the largest wins, those that win no training row are left out, and two planes
  become the one of their difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, encode
from planetree.table import Column

__all__ = ["Seen", "settled", "views"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

INCOMPLETE = (1.0, 0.25, 0.1, 0.05, 0.0)  # shares of rows that may miss a column that is seen
ROUNDING = 1e-12  # of the size of a score


class Seen(NamedTuple):
    """Rows as a separator sees them, and the columns that were hidden from it: 0 in every row."""

    values: Floats
    hidden: Indices


def views(values: Floats, weights: Floats, columns: tuple[Column, ...]) -> list[Seen]:
    """Rows without missing values, with fewer and fewer columns; one view if none is missing.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
    weights : array of shape (n_rows,)
    columns : tuple of Column

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Column
    >>> from planetree.tree.separating import views
    >>> rows = np.array([[1.0, 2.0], [np.nan, 3.0]])
    >>> [seen.values.tolist() for seen in views(rows, np.ones(2), (Column("a"), Column("b")))]
    [[[1.0, 2.0], [1.0, 3.0]], [[0.0, 2.0], [0.0, 3.0]]]
    """
    missing = np.isnan(values)
    if not missing.any():
        return [Seen(values, np.empty(0, dtype=np.intp))]
    filled = values.copy()
    for j in np.flatnonzero(missing.any(axis=0)).tolist():
        filled[missing[:, j], j] = _typical(values[:, j], weights, columns[j])
    found = []
    for hidden in _hidden(missing, weights):
        seen = filled.copy()
        seen[:, hidden] = 0.0
        found.append(Seen(seen, hidden))
    return found


def _hidden(missing: NDArray[np.bool_], weights: Floats) -> list[Indices]:
    """Columns to hide, those with most missing first, so that few enough rows miss any other."""
    order = np.argsort(weights @ missing, kind="stable")
    incomplete = np.logical_or.accumulate(missing[:, order], axis=1)
    shares = weights @ incomplete / weights.sum()
    n_seen = {int(np.searchsorted(shares, share, side="right")): None for share in INCOMPLETE}
    return [order[n:] for n in n_seen if n > 0]


def _typical(cells: Floats, weights: Floats, column: Column) -> float:
    """Mean of a column of numbers, most frequent category of another; 0 if all are missing."""
    known = ~np.isnan(cells)
    if not known.any():
        return 0.0
    if column.categories is None:
        return float(np.average(cells[known], weights=weights[known]))
    totals = np.bincount(cells[known].astype(np.intp), weights[known])
    return float(totals.argmax())


def settled(planes: Planes, values: Floats, hidden: Indices) -> Planes:
    """Planes as they enter the tree: see the top of this module.

    Parameters
    ----------
    planes : Planes
        Found by a separator.
    values : array of shape (n_rows, n_columns)
        The rows of the leaf; those whose score is not known are not asked.
    hidden : array of int
        Columns that were 0 in every row it saw.
    """
    planes = _without(planes, hidden)
    if planes.rule == "argmax":
        planes = _only_winners(planes, values)
    return planes if planes.rule == "argmax" else _midway(planes, values)


def _without(planes: Planes, hidden: Indices) -> Planes:
    """Planes that do not read some columns, which were 0: the indicator of code 0 was 1."""
    gone = np.isin(planes.columns, hidden)
    if not gone.any():
        return planes
    always = gone & (planes.categories == 0)
    offsets = planes.offsets - planes.weights[:, always].sum(axis=1)
    return replace(planes, weights=np.where(gone, 0.0, planes.weights), offsets=offsets)


def _only_winners(planes: Planes, values: Floats) -> Planes:
    branch = planes.branch(values)
    winners = np.unique(branch[branch >= 0])
    weights, offsets = planes.weights[winners], planes.offsets[winners]
    if len(winners) < 2:
        return planes
    if len(winners) == 2:
        weights, offsets = weights[1:] - weights[:1], offsets[1:] - offsets[:1]
        return replace(planes, weights=weights, offsets=offsets, rule="slabs")
    return replace(planes, weights=weights, offsets=offsets)


def _midway(planes: Planes, values: Floats) -> Planes:
    used = planes.weights.any(axis=0)
    terms = encode(values, planes.columns[used], planes.categories[used])
    terms = terms[~np.isnan(terms).any(axis=1)]
    weights = planes.weights[:, used]
    sums = terms @ weights.T
    rounding = ROUNDING * (np.abs(terms) @ np.abs(weights).T + np.abs(planes.offsets))
    above = sums - planes.offsets > rounding
    offsets = planes.offsets.copy()
    for p in range(len(offsets)):
        if above[:, p].any() and not above[:, p].all():
            low, high = sums[~above[:, p], p].max(), sums[above[:, p], p].min()
            offsets[p] = low + (high - low) / 2 if low < high else offsets[p]
    return replace(planes, offsets=offsets)
