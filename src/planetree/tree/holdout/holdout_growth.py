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

import heapq
from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from planetree.clock import UNLIMITED, Clock
from planetree.planes import Split
from planetree.table import Table
from planetree.tree.growth import Node, divide
from planetree.tree.holdout.axis_search import AxisSearch, ColumnSplits
from planetree.tree.holdout.holdout_split import Division
from planetree.tree.separator.separator_growth import Attempt, Rules, TreeGrower, report

__all__ = ["HoldoutGrower", "Succession"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

ROUNDING = 1e-12  # of the error as a share


class Splitter(Protocol):
    """What finds the split of a terminal node."""

    def __call__(self, node: Node) -> Split | None:
        """Split of a node's rows; None if there is none."""


class Leaf(NamedTuple):
    """A terminal node with the rows of L2 that reach it, their weights, and those wrong there."""

    node: Node
    held: Indices
    weights: Floats
    wrong: float


class Candidate(NamedTuple):
    """A split that may be made: what it would make of a leaf."""

    leaf: Leaf
    split: Split
    children: list[Leaf]

    @property
    def decrease(self) -> float:
        """Weight of the rows of L2 that are wrong no more; below 0 if more are."""
        return self.leaf.wrong - sum(child.wrong for child in self.children)


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
        last = int((self.errors <= self.errors.min() + ROUNDING).argmax())
        for node in self.splits[last:]:
            node.close()
        return Succession(self.root, self.splits[:last], self.errors[: last + 1])


class HoldoutGrower:
    """Rows divided into those that a tree grows from and those it is judged by.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    weights : array of shape (n_rows,)
    n_classes : int
    division : Division
    criterion : {"gini", "entropy"}
    separator : separator, optional
        What makes the decisions; by default each splits one column.
    clock : Clock
        When its time is up, nodes that were not split yet are leaves.
    """

    def __init__(
        self,
        table: Table,
        codes: Indices,
        weights: Floats,
        n_classes: int,
        division: Division,
        criterion: str,
        separator: Any = None,
        clock: Clock = UNLIMITED,
    ) -> None:
        self.clock = clock
        self.values = table.values
        self.codes = codes
        self.weights = weights
        self.division = division
        self.search = AxisSearch(table, codes, n_classes, criterion, clock)
        self.n_classes = n_classes
        self._splitter: Splitter = (
            self._best_of_columns
            if separator is None
            else PlaneSplitter(table, codes, n_classes, separator, clock)
        )

    def grow(self, patience: int, stop_at_ties: bool) -> Succession:
        """Trees until more than `patience` in a row are no better than the best before them."""
        growing, held = self.division
        root = self._leaf(self._node(growing, self.weights[growing]), held, self.weights[held])
        total, wrong = float(root.weights.sum()), [root.wrong]
        splits: list[Node] = []
        least, n_failed = root.wrong, 0
        for candidate in self._best_first(root):
            node = candidate.leaf.node
            node.split = candidate.split
            node.children = [child.node for child in candidate.children]
            splits.append(node)
            wrong.append(wrong[-1] - candidate.decrease)
            margin = ROUNDING * total * (-1 if stop_at_ties else 1)
            n_failed = n_failed + 1 if wrong[-1] > least + margin else 0
            least = min(least, wrong[-1])
            if n_failed > patience:
                break
        return Succession(root.node, splits, np.array(wrong) / total)

    def _best_first(self, root: Leaf) -> Iterator[Candidate]:
        """Candidates in the order of their decreases, those of a leaf's children after its own."""
        serial, pending = count(), [root]
        waiting: list[tuple[float, float, int, Candidate]] = []
        while True:
            for leaf in pending:
                found = self._candidate(leaf)
                if found is not None:
                    heapq.heappush(waiting, (*self._priority(found), next(serial), found))
            if not waiting or self.clock.is_over:
                return
            best = heapq.heappop(waiting)[-1]
            pending = best.children
            yield best

    def _priority(self, candidate: Candidate) -> tuple[float, float]:
        removed = self.search.impurity(candidate.leaf.node.class_weights)
        removed -= sum(self.search.impurity(c.node.class_weights) for c in candidate.children)
        return -round(candidate.decrease, 9), -round(float(removed), 9)

    def _candidate(self, leaf: Leaf) -> Candidate | None:
        """What the best split makes of a leaf; None for one that is pure or cannot be split."""
        node = leaf.node
        if np.count_nonzero(node.class_weights) < 2:
            return None
        split = self._splitter(node)
        if split is None:
            return None
        branch = split.branch(self.values[node.rows])
        parts = divide(branch, node.weights, split.n_branches)
        nodes = [self._node(node.rows[at], weights, node) for at, weights in parts]
        if sum(child.weight > 0 for child in nodes) < 2:
            return None
        return Candidate(leaf, split, self._with_held_rows(leaf, split, nodes))

    def _with_held_rows(self, leaf: Leaf, split: Split, children: list[Node]) -> list[Leaf]:
        """Rows of L2 led from a leaf to its children, as the tree will lead them."""
        shares = np.array([child.weight for child in children]) / leaf.node.weight
        branch = split.branch(self.values[leaf.held])
        parts = divide(branch, leaf.weights, len(children), shares)
        return [
            self._leaf(child, leaf.held[at], weights)
            for child, (at, weights) in zip(children, parts, strict=True)
        ]

    def _node(self, rows: Indices, weights: Floats, parent: Node | None = None) -> Node:
        totals = np.bincount(self.codes[rows], weights, self.n_classes).astype(np.float64)
        label = int(totals.argmax())
        if parent is not None and totals.sum() == 0:
            label = parent.label
        return Node(rows, weights, totals, label)

    def _leaf(self, node: Node, held: Indices, weights: Floats) -> Leaf:
        wrong = weights[self.codes[held] != node.label].sum()
        return Leaf(node, held, weights, float(wrong))

    def _best_of_columns(self, node: Node) -> Split | None:
        if node.rows is self.division.growing:
            return self.root_splits.best()
        return self.search.column_splits(node.rows, node.weights).best()

    @cached_property
    def root_splits(self) -> ColumnSplits:
        """Best split of each column for all rows of L1."""
        growing = self.division.growing
        return self.search.column_splits(growing, self.weights[growing])


class PlaneSplitter:
    """Splits by a separator that sees the rows of the node alone."""

    def __init__(
        self, table: Table, codes: Indices, n_classes: int, separator: Any, clock: Clock
    ) -> None:
        rules = Rules(separator, 0, None, 0.0, None, charge_costs=False)
        costs = 1.0 - np.eye(n_classes)
        self.grower = TreeGrower(table, codes, costs, rules, clock)
        self.is_root = True  # the first node that is asked for

    def __call__(self, node: Node) -> Split | None:
        """Planes of the separator; None where it fails or gains nothing."""
        attempt = self.grower.attempt(node)
        if isinstance(attempt, Exception):
            report(attempt, node, is_root=self.is_root)
        self.is_root = False
        return attempt.planes if isinstance(attempt, Attempt) else None
