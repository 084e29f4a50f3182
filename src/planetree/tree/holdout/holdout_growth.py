"""Growth by holdout error: the split that lowers the error on rows held out most is made next.

L1 are the rows that a tree grows from, L2 those held out. A terminal node predicts the most
frequent class of its rows of L1. From the root on,

    1. the best split of every terminal node is found on L1, once;
    2. the one that lowers the error on L2 most is made; of equals, that which removes most impurity
       on L1, then the one found first;
    3. its decrease is credited to the features that the split reads;
    4. growth ends when the error would rise, or nothing is left to split.

Gracia, Pla, Ferri & Garcia (1995), section 4.

The error is the weight of the rows of L2 that are predicted wrongly, as a share. A row that misses
a value goes down several branches; it is wrong with the shares in which it reaches wrong leaves. So
the decrease of a split does not depend on the splits made elsewhere, and is kept with it.

- decreases of a succession of trees sum to its first error minus its last;
- a tree that is cut back is an earlier one of its succession.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Categories, Planes, Split
from planetree.separators.sparse.feature_search import coarse
from planetree.table import Table
from planetree.table.partitions import Division
from planetree.tree.growth import Grower, Node, divide
from planetree.tree.impurity import IMPURITIES
from planetree.tree.separator.separator_growth import SeparatorGrower, SplitRules

_ROUNDING = 1e-12  # of the error as a share


class _ColumnSplits(NamedTuple):
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


class _AxisSearch:
    """Rows of classes whose columns are searched for the split that leaves the least impurity.

    A cut of numbers lies midway between two values. Categories are put in the order of the share of
    a class, for each class in turn, and cut in two: for two classes no two groups are better
    (Breiman et al. 1984, theorem 4.5). Rows that miss the value are divided as the others are.

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

    def column_splits(self, rows: Indices, weights: Floats) -> _ColumnSplits:
        """Best split of each column for some rows."""
        n_columns = self.values.shape[1]
        left, thresholds = np.full(n_columns, np.inf), np.zeros(n_columns)
        if self.clock.is_over:  # even a copy of the rows would make many of them late
            return _ColumnSplits(left, thresholds, {})
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
        return _ColumnSplits(left, thresholds, groups)

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


@dataclass(eq=False)
class _HoldoutNode(Node):
    """A node with the rows of L2 that reach it, their weights, and the weight of those wrong."""

    held: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    held_weights: Floats = field(default_factory=lambda: np.empty(0))
    wrong: float = 0.0


class _Division(NamedTuple):
    """A split that may be made, and what it would make of a leaf."""

    split: Split
    children: list[_HoldoutNode]


class Succession(NamedTuple):
    """Trees from the root on: the splits in the order in which they were made.

    Parameters
    ----------
    root : Node
    splits : list of Node
    errors : array of shape (n_splits + 1,)
        Share of the weight of L2 that each tree has wrong.
    """

    root: Node
    splits: list[Node]
    errors: Floats

    def cut_back(self) -> Succession:
        """End with the first of the trees with the least error."""
        last = int((self.errors <= self.errors.min() + _ROUNDING).argmax())
        for node in self.splits[last:]:
            node.close()
        return Succession(self.root, self.splits[:last], self.errors[: last + 1])


@dataclass(eq=False, kw_only=True)
class HoldoutGrower(Grower[_HoldoutNode]):
    """Rows divided into those that a tree grows from and those it is judged by.

    Parameters
    ----------
    division : Division
    criterion : {"gini", "entropy"}
    separator : separator, optional
        What makes the decisions; by default each splits one column.
    """

    kind = _HoldoutNode

    division: Division
    criterion: str
    separator: Any = None

    def __post_init__(self) -> None:
        shared: dict[str, Any] = {"table": self.table, "codes": self.codes, "clock": self.clock}
        self.search: _AxisSearch = _AxisSearch(
            n_classes=len(self.costs), criterion=self.criterion, **shared
        )
        self._splitter: Callable[[Node], Split | None] = self._best_of_columns
        if self.separator is not None:
            rules = SplitRules(self.separator, min_samples_split=0.0)
            self._splitter = SeparatorGrower(
                rules=rules, weights=self.weights, costs=self.costs, **shared
            ).splitter

    def grow(self, patience: int, stop_at_ties: bool) -> Succession:
        """Trees until more than `patience` in a row are no better than the best before them."""
        growing, held = self.division
        root = self.make_node(growing, self.weights[growing])
        self._hold(root, held, self.weights[held])
        total, wrong = float(self.weights[held].sum()), [root.wrong]
        splits: list[Node] = []
        least, n_failed = root.wrong, 0
        margin = _ROUNDING * total * (-1 if stop_at_ties else 1)
        for node in self.best_first(root):
            splits.append(node)
            wrong.append(wrong[-1] - _decrease(node, node.children))
            n_failed = n_failed + 1 if wrong[-1] > least + margin else 0
            least = min(least, wrong[-1])
            if n_failed > patience:
                break
        return Succession(root, splits, np.array(wrong) / total)

    def bound(self, node: _HoldoutNode) -> tuple[float, ...] | None:
        """First of all, so that the best split of every leaf is known; a pure one stays a leaf."""
        return (-np.inf,) if np.count_nonzero(node.class_weights) > 1 else None

    def priority(self, node: _HoldoutNode, candidate: _Division) -> tuple[float, ...]:
        """Minus the decrease of the error on L2, then minus the impurity removed on L1."""
        impurity, children = self.search.impurity, candidate.children
        removed = impurity(node.class_weights) - sum(impurity(c.class_weights) for c in children)
        return -round(_decrease(node, children), 9), -round(float(removed), 9)

    def seek(self, node: _HoldoutNode, ahead: list[_HoldoutNode]) -> _Division | None:
        """What the best split makes of a leaf; None for one that cannot be split."""
        split = self._splitter(node)
        if split is None:
            return None
        children = self.children(node, split)
        if sum(child.weight > 0 for child in children) < 2:
            return None
        return _Division(split, children)

    def children(self, node: _HoldoutNode, split: Split) -> list[_HoldoutNode]:
        """Leaves that a split makes of a node; rows of L2 are led there as the tree will do it."""
        found = super().children(node, split)
        shares = np.array([child.weight for child in found]) / node.weight
        branch = split.branch(self.table.values[node.held])
        parts = divide(branch, node.held_weights, len(found), shares)
        for child, (at, weights) in zip(found, parts, strict=True):
            self._hold(child, node.held[at], weights)
        return found

    def _hold(self, node: _HoldoutNode, held: Indices, weights: Floats) -> None:
        node.held, node.held_weights = held, weights
        node.wrong = float(weights[self.codes[held] != node.label].sum())

    def _best_of_columns(self, node: Node) -> Split | None:
        if node.rows is self.division.growing:
            return self.root_splits.best()
        return self.search.column_splits(node.rows, node.weights).best()

    def root_gains(self) -> Floats:
        """Impurity that the best split of each column alone would remove at the root."""
        rows, left = self.division.growing, self.root_splits.left
        weights = self.weights[rows]
        totals = np.bincount(self.codes[rows], weights, len(self.costs)).astype(np.float64)
        removed = self.search.impurity(totals) - left
        return np.where(np.isfinite(left), removed / weights.sum(), 0.0)

    @cached_property
    def root_splits(self) -> _ColumnSplits:
        """Best split of each column for all rows of L1."""
        growing = self.division.growing
        return self.search.column_splits(growing, self.weights[growing])


def _decrease(node: _HoldoutNode, children: list[_HoldoutNode]) -> float:
    """Weight of the rows of L2 that a split has right and wrong without it; below 0 if fewer."""
    return node.wrong - sum(child.wrong for child in children)
