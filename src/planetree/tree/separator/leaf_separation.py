"""One leaf, one separator: the decision that a separator makes from the rows of a leaf.

What the separator sees. A number that is missing is filled in by the mean of its column over the
leaf, a category by the most frequent one: for the fit alone, since in the tree a row that misses a
value which the planes need goes down every branch. So planes that need columns with many missing
values divide few rows. Where values are missing, the separator is therefore asked again with fewer
columns: in the order of their standardized weights times the share of rows that have them, as many
as leave at most 50 %, 25 %, 10 %, 5 % and none of the rows incomplete, and the first alone. Of all
these planes those that gain most information are taken.

What enters the tree. The planes that the separator found, stated so that nothing depends on
rounding:

- a threshold lies midway between the training scores beside it; scores within rounding of it lie
  below it, and no other row changes its side;
- a decision of one term asks whether it exceeds its threshold;
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
from planetree.tree.growth import upright

__all__ = ["Seen", "influence", "narrower_views", "settled", "whole_view"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

INCOMPLETE = (0.5, 0.25, 0.1, 0.05, 0.0)  # shares of rows that may miss a column that is seen
ROUNDING = 1e-12  # of the size of a score


class Seen(NamedTuple):
    """Rows as a separator sees them, and the columns that were hidden from it: 0 in every row."""

    values: Floats
    hidden: Indices

    def hide(self, columns: Indices) -> Seen:
        """The same rows with other columns hidden."""
        values = self.values.copy()
        values[:, columns] = 0.0
        return Seen(values, columns)


def whole_view(values: Floats, weights: Floats, columns: tuple[Column, ...]) -> Seen:
    """Rows with all their columns, missing cells filled in.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Column
    >>> from planetree.tree.separator.leaf_separation import whole_view
    >>> rows = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, 1.0], [2.0, np.nan]])
    >>> whole_view(rows, np.ones(4), (Column("size"), Column("color", ("red", "blue")))).values
    array([[1., 0.],
           [2., 1.],
           [3., 1.],
           [2., 1.]])
    """
    missing, none = np.isnan(values), np.empty(0, dtype=np.intp)
    if not missing.any():
        return Seen(values, none)
    filled = values.copy()
    for j in np.flatnonzero(missing.any(axis=0)).tolist():
        filled[missing[:, j], j] = _typical(values[:, j], weights, columns[j])
    return Seen(filled, none)


def narrower_views(
    whole: Seen, planes: Planes, missing: NDArray[np.bool_], weights: Floats
) -> list[Seen]:
    """Views with the columns that count most in the planes of the whole view, fewer and fewer.

    Parameters
    ----------
    whole : Seen
    planes : Planes
        What a separator made of it.
    missing : array of shape (n_rows, n_columns)
    weights : array of shape (n_rows,)
    """
    counts = influence(planes, whole.values, weights) * (1.0 - weights @ missing / weights.sum())
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    incomplete = weights @ np.logical_or.accumulate(missing[:, order], axis=1) / weights.sum()
    n_seen = {int(np.searchsorted(incomplete, share, side="right")) for share in INCOMPLETE} | {1}
    columns = np.arange(missing.shape[1])
    fewer = sorted((n for n in n_seen if 0 < n < len(order)), reverse=True)
    return [whole.hide(np.setdiff1d(columns, order[:n])) for n in fewer]


def influence(planes: Planes, values: Floats, weights: Floats) -> Floats:
    """Standardized weights of each column, added up over planes and terms."""
    terms = encode(values, planes.columns, planes.categories)
    shares = weights / weights.sum()
    scale = np.sqrt(shares @ (terms - shares @ terms) ** 2)
    of_terms = np.abs(planes.weights).sum(axis=0) * scale
    return np.bincount(planes.columns, of_terms, values.shape[1]).astype(np.float64)


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
    if planes.rule == "argmax":
        return planes
    return upright(_midway(planes, values), values)


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
            middle = low + (high - low) / 2
            offsets[p] = (middle if middle < high else low) if low < high else offsets[p]
    return replace(planes, offsets=offsets)
