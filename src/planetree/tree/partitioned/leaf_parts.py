"""Rows of one leaf of a table in parts: a table in parts of their own, read through the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.distributed import Partitions
from planetree.distributed.survey import Moments, merged_moments, number_moments
from planetree.planes import Planes
from planetree.table import Column, Table
from planetree.tree.partitioned.routing import Decisions
from planetree.tree.separator.leaf_separation import row_sums


@dataclass(frozen=True, eq=False)
class _LeafPart:
    """A part that gives its rows in a leaf; columns that are hidden are 0."""

    source: Any  # a part that gives cells, class codes and weights
    decisions: Decisions
    node: int
    columns: tuple[Column, ...]
    fill: Floats | None
    hidden: Indices | tuple[()]

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.source.source.name}, rows of node {self.node}"

    def with_rows(self, rows: Any) -> _LeafPart:
        """The same with its rows at hand."""
        return replace(self, source=self.source.with_rows(rows))

    def read(self) -> Any:
        """Cells, class codes and weights."""
        X, codes, weights = in_leaf(self.source.rows(), self.decisions, self.node)
        if self.fill is not None:
            X = np.where(np.isnan(X), self.fill, X)
        if len(self.hidden):
            X[:, self.hidden] = 0.0
        return Table(X, self.columns), codes.astype(np.intp), weights


def of_leaf(
    parts: Sequence[Any],
    decisions: Decisions,
    node: int,
    columns: tuple[Column, ...],
    fill: Floats | None = None,
    hidden: Indices | tuple[()] = (),
) -> Partitions:
    """The rows of a leaf as a table in parts, gaps filled if that is asked for, columns hidden."""
    given = decisions, node, columns, fill, hidden
    return Partitions(tuple(_LeafPart(each, *given) for each in parts))


def in_leaf(rows: Any, decisions: Decisions, node: int) -> tuple[Floats, Indices, Floats]:
    """Cells, class codes and weights of the rows of a part that reach a node."""
    reached = decisions(rows)
    at, weights = reached.nodes[node]
    return np.ascontiguousarray(reached.X[at]), reached.codes[at], weights


class _GapCounts(NamedTuple):
    """What fills gaps: moments of the columns, and weights of their categories."""

    moments: Moments
    categories: tuple[Floats, ...]


def gaps_of(rows: Any, decisions: Decisions, node: int, columns: tuple[Column, ...]) -> _GapCounts:
    """What the rows of a part that reach a node tell of its gaps."""
    X, _, weights = in_leaf(rows, decisions, node)
    counts = []
    for j, column in enumerate(columns):
        known = ~np.isnan(X[:, j])
        codes = X[known, j].astype(np.intp) if column.categories is not None else []
        size = len(column.categories or ())
        own = np.bincount(codes, weights[known], size) if size else np.empty(0)
        counts.append(own.astype(np.float64))
    return _GapCounts(number_moments(X, weights), tuple(counts))


def fills(found: Sequence[_GapCounts], columns: tuple[Column, ...]) -> Floats:
    """The mean of a column of numbers, the most frequent category; 0 where nothing is known."""
    means = merged_moments([each.moments for each in found])
    modes = [np.sum(each, axis=0) for each in zip(*(f.categories for f in found), strict=True)]
    return np.array(
        [
            (mean if known > 0 else 0.0) if column.categories is None else float(mode.argmax())
            for column, mean, known, mode in zip(
                columns, means.mean, means.weight, modes, strict=True
            )
        ]
    )


class BranchCounts(NamedTuple):
    """Where planes send the rows of a node.

    Parameters
    ----------
    classes : array of shape (n_branches + 1, n_classes)
        Class weights on each branch; the last are of rows whose branch is not known.
    n_rows : array of shape (n_branches + 1,)
    nearest : array of shape (n_branches, n_columns)
        A row of each branch: of one plane, the nearest to it; NaN where there is none.
    sums : array of shape (n_branches,)
        How near these are: the score before the threshold.
    """

    classes: Floats
    n_rows: Indices
    nearest: Floats
    sums: Floats


def look_at(rows: Any, decisions: Decisions, node: int, planes: Planes, k: int) -> BranchCounts:
    """Where planes send the rows of a part that reach a node; scores near a plane are below it."""
    X, codes, weights = in_leaf(rows, decisions, node)
    branch, sums = _branches(planes, X)
    b = planes.n_branches
    place = np.where(branch < 0, b, branch)
    classes = np.bincount(place * k + codes, weights, (b + 1) * k).astype(np.float64)
    nearest, ends = np.full((b, X.shape[1]), np.nan), np.full(b, np.nan)
    for each in np.unique(branch[branch >= 0]).tolist():
        at = np.flatnonzero(branch == each)
        own = at[sums[at].argmax() if each == 0 else sums[at].argmin()]
        nearest[each], ends[each] = X[own], sums[own]
    return BranchCounts(
        classes.reshape(b + 1, k), np.bincount(place, minlength=b + 1), nearest, ends
    )


def _branches(planes: Planes, X: Floats) -> tuple[Indices, Floats]:
    """Branch of each row, -1 where it is not known, and the score of one plane."""
    branch, sums = planes.branch(X), np.zeros(len(X))
    if planes.rule == "slabs" and len(X):
        known = branch >= 0
        found, rounding = row_sums(planes, X[known])
        sums[known] = found[:, 0]
        branch[known] = (found[:, 0] - planes.offsets[0] > rounding[:, 0]).astype(branch.dtype)
    return branch, sums


def merged_counts(parts: Sequence[BranchCounts]) -> BranchCounts:
    """All parts together."""
    sums = np.array([each.sums for each in parts])
    first = parts[0]
    nearest, ends = first.nearest.copy(), first.sums.copy()
    for b in range(len(ends)):
        known = np.flatnonzero(~np.isnan(sums[:, b]))
        if len(known):
            own = known[sums[known, b].argmax() if b == 0 else sums[known, b].argmin()]
            nearest[b], ends[b] = parts[own].nearest[b], sums[own, b]
    classes = np.sum([each.classes for each in parts], axis=0)
    return BranchCounts(classes, np.sum([each.n_rows for each in parts], axis=0), nearest, ends)
