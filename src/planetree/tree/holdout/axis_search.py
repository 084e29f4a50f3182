"""The best split of one column: a cut of numbers, or two groups of categories.

The best split leaves the least impurity (`impurity.py`) in its two branches. Rows that miss the
value are divided between the branches as the others are. A threshold lies midway between two
values. Categories are put in the order of the share of a class, for each class in turn, and cut in
two: for two classes no two groups are better (Breiman et al. 1984, theorem 4.5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Categories, Planes, Split
from planetree.separators.sparse.feature_search import coarse
from planetree.table import Table
from planetree.tree.impurity import IMPURITIES

__all__ = ["AxisSearch", "ColumnSplits"]


class ColumnSplits(NamedTuple):
    """For each column the impurity that its best split leaves, infinite if there is none."""

    left: Floats
    thresholds: Floats
    groups: dict[int, Indices]

    def best(self) -> Split | None:
        """Split that leaves the least impurity; None if every column is constant."""
        column = int(coarse(self.left).argmin())
        if not np.isfinite(self.left[column]):
            return None
        if column in self.groups:
            return Categories(column, self.groups[column])
        weights, threshold = np.ones((1, 1)), self.thresholds[column : column + 1]
        return Planes(weights, threshold, columns=np.array([column]))


class AxisSearch:
    """Rows of classes whose columns are searched for splits.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    n_classes : int
    criterion : {"gini", "entropy"}
    clock : Clock
        When its time is up, cuts are sought no more.
    """

    def __init__(
        self,
        table: Table,
        codes: Indices,
        n_classes: int,
        criterion: str,
        clock: Clock = UNLIMITED,
    ) -> None:
        self.clock = clock
        self.values = table.values
        self.codes = codes.astype(np.int32)
        self.n_classes = n_classes
        self.criterion = criterion
        n_categories = [len(column.categories or ()) for column in table.columns]
        self.categories = {j: n for j, n in enumerate(n_categories) if n}
        self.numbers = np.array([j for j, n in enumerate(n_categories) if not n], dtype=np.intp)

    def impurity(self, class_weights: Floats) -> Floats:
        """Weight times impurity of class weights along the last axis."""
        return IMPURITIES[self.criterion](class_weights)

    def column_splits(self, rows: Indices, weights: Floats) -> ColumnSplits:
        """Best split of each column for some rows."""
        n_columns = self.values.shape[1]
        left, thresholds = np.full(n_columns, np.inf), np.zeros(n_columns)
        values, codes = self.values[rows], self.codes[rows]
        numbers = values if not self.categories else values[:, self.numbers]
        thresholds[self.numbers], left[self.numbers] = _core.best_cuts(
            np.ascontiguousarray(numbers),
            codes,
            weights,
            self.n_classes,
            0.0,
            self.criterion == "gini",
            self.clock.left,
        )
        groups = {}
        for j, n_categories in self.categories.items():
            tally = self._tally(values[:, j], codes, weights, n_categories)
            left[j], groups[j] = self._best_groups(tally)
        return ColumnSplits(left, thresholds, groups)

    def _tally(
        self, cells: Floats, codes: NDArray[Any], weights: Floats, n_categories: int
    ) -> Floats:
        """Class weights of each category, and of the missing ones in the last row."""
        which = np.where(np.isnan(cells), n_categories, cells).astype(np.intp)
        tally = np.zeros((n_categories + 1, self.n_classes))
        np.add.at(tally, (which, codes), weights)
        return tally

    def _best_groups(self, tally: Floats) -> tuple[float, Indices]:
        """Impurity left by the best two groups of categories, and the branch of each."""
        known, unknown = tally[:-1], tally[-1]
        totals = known.sum(axis=1)
        present = np.flatnonzero(totals > 0)
        branches = np.full(len(known), -1)
        least = np.inf
        for c in range(self.n_classes if self.n_classes > 2 else 1):
            order = present[np.argsort(coarse(known[present, c] / totals[present]), kind="stable")]
            lower = np.cumsum(known[order], axis=0)[:-1]
            left = self._left(lower, known.sum(axis=0), unknown)
            if len(left) and left.min() < least - 1e-12:
                least = float(left.min())
                n_lower = int(coarse(left).argmin()) + 1
                branches[order[:n_lower]], branches[order[n_lower:]] = 0, 1
        return least, branches

    def _left(self, lower: Floats, total: Floats, unknown: Floats) -> Floats:
        """Impurity of two branches, the unknown divided as the known."""
        share = (lower.sum(axis=1) / max(total.sum(), np.finfo(float).tiny))[:, None]
        upper = np.maximum(total - lower, 0.0)
        both = self.impurity(lower + share * unknown) + self.impurity(upper + (1 - share) * unknown)
        return np.asarray(both)
