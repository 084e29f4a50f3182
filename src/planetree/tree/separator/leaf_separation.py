"""One leaf, one separator: the decision that a separator makes from the rows of a leaf.

What the separator sees. A number that is missing is filled in by the mean of its column over the
leaf, a category by the most frequent one: for the fit alone, since in the tree a row that misses a
value which the planes need goes down every branch. So planes that need columns with many missing
values divide few rows. Where values are missing, the separator is therefore asked again with fewer
columns: in the order of their standardized weights times the share of rows that have them, as many
as leave at most 50%, 25%, 10%, 5% and none of the rows incomplete, and the first alone. Of all
these planes those that gain most information are taken.

What the tree may read. A budget of features is for the whole tree. Each decision is that of a
`SparseSeparator` to which features that the tree reads already cost next to nothing (one with
`n_features` counts them all the same). If it asks for more new features than the budget has left,
those with the largest standardized weights are granted, and it chooses again without the rest. So a
tree never reads more features than its budget, whatever the order of its splits.

What enters the tree. The planes that the separator found, stated so that nothing depends on
rounding:

- a threshold lies midway between the training scores beside it; scores within rounding of it lie
  below it, and no other row changes its side;
- a decision of one term asks whether it exceeds its threshold;
- of planes of which the largest wins, those that win no training row are left out, and two planes
  become the one of their difference;
- of a pair, a plane that has the same score for every training row is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask, encode, midway
from planetree.planes import Planes, influence
from planetree.separators import SparseSeparator
from planetree.table import Column, Table
from planetree.tree.growth import upright

_INCOMPLETE = (0.5, 0.25, 0.1, 0.05, 0.0)  # shares of rows that may miss a column that is seen
_ROUNDING = 1e-12  # of the sizes of a score's terms: more than the order of adding up can move it
_NEXT_TO_NOTHING = 1e-6  # of the cost of a feature


def hidden_columns(filled: Floats, planes: Planes, missing: Mask, weights: Floats) -> list[Indices]:
    """Columns to hide so that those that count most in some planes are seen, fewer and fewer.

    Parameters
    ----------
    filled : array of shape (n_rows, n_columns)
        Rows of the leaf, with missing values filled in.
    planes : Planes
        What a separator made of them.
    missing : array of shape (n_rows, n_columns)
    weights : array of shape (n_rows,)
    """
    counts = column_influence(planes, filled, weights)
    counts *= 1.0 - weights @ missing / weights.sum()
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    incomplete = weights @ np.logical_or.accumulate(missing[:, order], axis=1) / weights.sum()
    n_seen = {int(np.searchsorted(incomplete, share, side="right")) for share in _INCOMPLETE} | {1}
    columns = np.arange(missing.shape[1])
    fewer = sorted((n for n in n_seen if 0 < n < len(order)), reverse=True)
    return [np.setdiff1d(columns, order[:n]) for n in fewer]


def column_influence(planes: Planes, values: Floats, weights: Floats) -> Floats:
    """Standardized weights of each column, added up over planes and terms."""
    terms = np.ascontiguousarray(encode(values, planes.columns, planes.categories))
    of_terms = influence(planes.weights, _core.column_moments(terms, weights)[1])
    return planes.by_column(of_terms, values.shape[1])


def planes_for_tree(planes: Planes, values: Floats, hidden: Indices | tuple[()]) -> Planes:
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
    planes = hiding(planes, hidden)
    if planes.rule == "argmax":
        planes = only_winners(planes, values)
    if planes.rule == "argmax":
        return planes
    return upright(_without_constants(_midway(planes, values), values), values)


def hiding(planes: Planes, hidden: Indices | tuple[()]) -> Planes:
    """Planes that do not read some columns, which were 0: the indicator of code 0 was 1."""
    gone = planes.reads(hidden)
    if not gone.any():
        return planes
    always = gone & (planes.categories == 0)
    offsets = planes.offsets - planes.weights[:, always].sum(axis=1)
    return replace(planes, weights=np.where(gone, 0.0, planes.weights), offsets=offsets)


def only_winners(planes: Planes, values: Floats) -> Planes:
    """Planes that win some row; the one of their difference if they are two."""
    branch = planes.branch(values)
    winners = np.unique(branch[branch >= 0])
    weights, offsets = planes.weights[winners], planes.offsets[winners]
    if len(winners) < 2:
        return planes
    if len(winners) == 2:
        weights, offsets = weights[1:] - weights[:1], offsets[1:] - offsets[:1]
        return replace(planes, weights=weights, offsets=offsets, rule="slabs")
    return replace(planes, weights=weights, offsets=offsets)


def row_sums(planes: Planes, values: Floats) -> tuple[Floats, Floats]:
    """Weighted sums of the rows whose terms are all known, and by how much they may be rounded."""
    used = planes.weights.any(axis=0)
    terms = encode(values, planes.columns[used], planes.categories[used])
    terms, weights = terms[~np.isnan(terms).any(axis=1)], planes.weights[:, used]
    rounding = _ROUNDING * (np.abs(terms) @ np.abs(weights).T + np.abs(planes.offsets))
    return terms @ weights.T, rounding


def _without_constants(planes: Planes, values: Floats) -> Planes:
    """Planes whose scores differ among the rows, with the rule that is left for them.

    One of a pair may have the same score for every row, but for rounding: an answer that is no
    question. Above it a row takes the branch that the other plane sends it to; below it, never the
    branch of both, or the opposite one of the same side.
    """
    sums, rounding = row_sums(planes, values)
    if planes.rule not in ("both", "same_side") or len(planes.offsets) != 2 or not len(sums):
        return planes
    varies = np.ptp(sums, axis=0) > rounding.max(axis=0)
    is_above = sums[0] - planes.offsets > rounding[0]
    if varies.sum() != 1 or (planes.rule == "both" and not is_above[~varies].all()):
        return planes
    sign = 1.0 if is_above[~varies].all() else -1.0
    weights, offsets = sign * planes.weights[varies], sign * planes.offsets[varies]
    return replace(planes, weights=weights + 0.0, offsets=offsets + 0.0, rule="slabs")


def _midway(planes: Planes, values: Floats) -> Planes:
    sums, rounding = row_sums(planes, values)
    of_planes = zip(sums.T, planes.offsets, rounding.T, strict=True)
    return replace(planes, offsets=np.array([midway(*each) for each in of_planes]))


class FeatureBudget:
    """Features that a tree reads, and how many more it may.

    Parameters
    ----------
    limit : int
    separator : SparseSeparator
        Its required features are read from the start.
    columns : sequence of Column
    """

    def __init__(self, limit: int, separator: SparseSeparator, columns: tuple[Column, ...]) -> None:
        self.limit = limit
        self.n_columns: int = len(columns)
        names = {column.name: j for j, column in enumerate(columns)}
        required = separator.required_features or ()
        self.used: set[int] = {names[each] if isinstance(each, str) else each for each in required}

    def spend(self, features: Indices) -> None:
        """Count the features of a decision."""
        self.used.update(features.tolist())

    def fit(
        self,
        separator: SparseSeparator,
        table: Table,
        codes: Indices,
        weights: Floats,
    ) -> SparseSeparator:
        """Fit a separator so that its new features are within what is left."""
        left = self.limit - len(self.used)
        unused = [j for j in range(self.n_columns) if j not in self.used]
        own = tuple(separator.excluded_features or ())
        separator.set_params(excluded_features=own if left > 0 else (*own, *unused))
        if separator.n_features is None:
            separator.set_params(feature_costs=self._costs(separator.feature_costs))
        separator.fit(table, codes, sample_weight=weights)
        new = [j for j in separator.planes_.features.tolist() if j not in self.used]
        if len(new) > left:
            planes = separator.planes_
            moved = influence(planes.weights, separator.scale_)
            of_columns = planes.by_column(moved, self.n_columns)
            granted = sorted(new, key=lambda j: -of_columns[j])[:left]
            refused = [j for j in unused if j not in granted]
            separator.set_params(excluded_features=(*own, *refused))
            separator.fit(table, codes, sample_weight=weights)
        return separator

    def _costs(self, given: Any) -> Any:
        """Costs of the features, next to nothing for those in use."""
        if given is None or isinstance(given, Mapping):
            base = {} if given is None else dict(given)
            return {**base, **dict.fromkeys(sorted(self.used), _NEXT_TO_NOTHING)}
        costs = np.array(given, dtype=float)
        costs[sorted(self.used)] *= _NEXT_TO_NOTHING
        return costs
