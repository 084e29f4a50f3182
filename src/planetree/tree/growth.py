"""A tree while it grows: nodes that know their rows, split best first, and made into a `Tree`.

A node holds the rows that reach it and the share with which each does. A row whose branch is not
known goes down every branch, its share divided as the known weight was: the rule of `Tree`.

Leaves wait in the order of what their decision promises. Before a leaf's decision is sought, it
waits with the most that any decision could promise; when its turn comes, the decision is sought
and the leaf waits again with what was found. So no decision is sought before it could be next.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Planes, Split
from planetree.table import Column, Table
from planetree.tree.classifier import least_cost
from planetree.tree.tree import Tree


@dataclass(eq=False)
class Node:
    """A node that may yet be split.

    Parameters
    ----------
    rows : array of int
        Training rows that reach the node.
    weights : array of float
        Weight of each of them, times the share with which it came.
    class_weights : array of shape (n_classes,)
    label : int
        Class code that the node predicts.
    split : Planes, Categories or None
    children : list of Node
    candidate : object
        What the search for the decision found, as its grower states it.
    """

    rows: Indices
    weights: Floats
    class_weights: Floats
    label: int = 0
    split: Split | None = None
    children: list[Any] = field(default_factory=list)
    candidate: Any = None

    @property
    def weight(self) -> float:
        """Training weight of the node."""
        return float(self.class_weights.sum())

    @property
    def votes(self) -> Floats:
        """Class weights by which the label is chosen."""
        return self.class_weights

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no decision."""
        return self.split is None

    def close(self) -> None:
        """Make the node a leaf."""
        self.split, self.children, self.candidate = None, [], None

    def preorder(self) -> Iterator[Any]:
        """Yield the node and all below it, each before its children."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


_N = TypeVar("_N", bound=Node)


@dataclass(eq=False, kw_only=True)
class BestFirst(Generic[_N]):
    """Splits the leaves of a tree, that with the least number first.

    A subclass says which number a leaf waits with (`bound`, then `priority`) and how its decision
    is found (`seek`).

    Parameters
    ----------
    clock : Clock
        When its time is up, leaves stay leaves.
    """

    clock: Clock = UNLIMITED
    n_ahead: int = field(default=0, init=False)  # leaves next in line that `seek` is told of

    def best_first(self, root: _N) -> Iterator[_N]:
        """Split leaf after leaf; each is yielded that has its decision, which may divide no row."""
        serial = count()
        waiting: list[tuple[Any, int, _N, Any]] = []

        def wait(number: Any, place: int, node: _N, candidate: Any = None) -> None:
            if number is not None:
                heapq.heappush(waiting, (number, place, node, candidate))

        wait(self.bound(root), next(serial), root)
        while waiting and not self.clock.is_over:
            _, place, node, candidate = heapq.heappop(waiting)
            if candidate is None or not self.is_open(candidate):
                ahead = [each[2] for each in heapq.nsmallest(self.n_ahead, waiting)]
                candidate = self.seek(node, ahead)
                if candidate is not None:
                    wait(self.priority(node, candidate), place, node, candidate)
                continue
            self.split(node, candidate)
            if node.is_leaf:
                continue
            yield node
            for child in node.children:
                wait(self.bound(child), next(serial), child)

    def bound(self, node: _N) -> Any:
        """Number of a leaf whose decision is not sought yet; None if it stays a leaf."""
        raise NotImplementedError

    def seek(self, node: _N, ahead: list[_N]) -> Any:
        """Decision of a leaf, with a `split` and `children`; None if there is none."""
        raise NotImplementedError

    def priority(self, node: _N, candidate: Any) -> Any:
        """Number of a leaf whose decision is found; None if it stays a leaf."""
        raise NotImplementedError

    def is_open(self, candidate: Any) -> bool:
        """Whether a decision found earlier may still be made."""
        return True

    def split(self, node: _N, candidate: Any) -> None:
        """Give a leaf its decision."""
        node.split, node.children, node.candidate = candidate.split, candidate.children, candidate


@dataclass(eq=False, kw_only=True)
class Grower(BestFirst[_N]):
    """Grows trees on the rows of one table.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    weights : array of shape (n_rows,)
    costs : array of shape (n_classes, n_classes)
        What it costs to take a row of one class for another: a leaf predicts what costs least.
    """

    kind: ClassVar[Any] = Node

    table: Table
    codes: Indices
    weights: Floats
    costs: Floats

    def make_node(self, rows: Indices, weights: Floats, parent: _N | None = None, **own: Any) -> _N:
        """Leaf of some rows; one that no row reaches has the label of its parent."""
        class_weights = np.bincount(self.codes[rows], weights, len(self.costs)).astype(np.float64)
        node: _N = self.kind(rows, weights, class_weights, **own)
        if parent is not None and not class_weights.any():
            node.label = parent.label
        else:
            node.label = int(least_cost(node.votes[None], self.costs)[0])
        return node

    def children(self, node: _N, split: Split) -> list[_N]:
        """Leaves that a decision makes of a node; none if no row's branch is known."""
        branch = training_branch(split, self.table.values[node.rows])
        if not (branch >= 0).any():
            return []
        parts = divide(branch, node.weights, split.n_branches)
        return [self.make_node(node.rows[at], weights, node) for at, weights in parts]


def training_branch(split: Split, X: Floats) -> Indices:
    """Branch that each row takes, that of unknown rows included; -1 where it takes all by share.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.tree.growth import training_branch
    >>> training_branch(Planes([[1.0]], [2.0], unknown=1), np.array([[1.0], [np.nan]]))
    array([0, 1])
    """
    branch = split.branch(X)
    return np.where(branch < 0, split.unknown, branch) if isinstance(split, Planes) else branch


def divide(
    branch: Indices, weights: Floats, n_branches: int, parts: Floats | None = None
) -> list[tuple[Indices, Floats]]:
    """Places and weights of the rows that take each branch; -1 takes all, in proportion.

    Parameters
    ----------
    branch : array of shape (n_rows,)
    weights : array of shape (n_rows,)
    n_branches : int
    parts : array of shape (n_branches,), optional
        What each branch gets of a row that takes all; by default as the weight of the others.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.growth import divide
    >>> divide(np.array([0, 1, 0, -1]), np.array([1.0, 1.0, 2.0, 1.0]), 2)
    [(array([0, 2, 3]), array([1.  , 2.  , 0.75])), (array([1, 3]), array([1.  , 0.25]))]
    """
    known = branch >= 0
    if known.all():
        chosen = [np.flatnonzero(branch == b) for b in range(n_branches)]
        return [(places, weights[places]) for places in chosen]
    if parts is None:
        totals = np.bincount(branch[known], weights[known], n_branches)
        parts = totals / totals.sum() if totals.sum() > 0 else np.zeros(n_branches)
    divided = []
    for b in range(n_branches):
        taken = branch == b
        if parts[b] > 0:
            taken |= ~known
        places = np.flatnonzero(taken)
        divided.append((places, weights[places] * np.where(known[places], 1.0, parts[b])))
    return divided


def fill_missing(
    cells: Floats, weights: Floats, columns: tuple[Column, ...] | None = None
) -> Floats:
    """Cells with the mean of their column where they are missing; 0 if all of it is.

    Parameters
    ----------
    cells : array of shape (n_rows, n_columns)
        Returned itself where nothing is missing.
    weights : array of shape (n_rows,)
    columns : sequence of Column, optional
        A column of category codes among them gets the most frequent one instead.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Column
    >>> from planetree.tree.growth import fill_missing
    >>> rows = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, 1.0], [2.0, np.nan]])
    >>> fill_missing(rows, np.ones(4), (Column("size"), Column("color", ("red", "blue"))))
    array([[1., 0.],
           [2., 1.],
           [3., 1.],
           [2., 1.]])
    """
    missing = np.isnan(cells)
    if not missing.any():
        return cells
    if columns is None:  # all at once: there may be thousands of terms
        known = np.where(missing, 0.0, weights[:, None])
        total = known.sum(axis=0)
        means = np.where(missing, 0.0, cells * known).sum(axis=0) / np.where(total > 0, total, 1.0)
        return np.where(missing, means, cells)
    filled = cells.copy()
    filled[:, missing.all(axis=0)] = 0.0
    for j in np.flatnonzero(missing.any(axis=0) & ~missing.all(axis=0)).tolist():
        there = ~missing[:, j]
        if columns[j].categories is None:
            filled[~there, j] = np.average(cells[there, j], weights=weights[there])
        else:
            codes = cells[there, j].astype(np.intp)
            filled[~there, j] = np.bincount(codes, weights[there]).argmax()
    return filled


def is_upright(split: Planes) -> bool:
    """Whether a decision does not ask if a single term falls short of its threshold."""
    several = split.rule != "slabs" or len(split.offsets) > 1 or split.n_terms > 1
    return bool(several or split.weights.sum() > 0)


def upright(split: Planes, X: Floats) -> Planes:
    """Decision that asks whether a single term exceeds its threshold, not whether it falls short.

    The branches change places; a decision that would not divide the rows of X so stays.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.tree.growth import upright
    >>> turned = upright(Planes([[-1.0]], [-2.0]), np.array([[1.0], [3.0]]))
    >>> turned.weights, turned.offsets
    (array([[1.]]), array([2.]))
    """
    if is_upright(split):
        return split
    side = -1 if split.unknown < 0 else 1 - split.unknown
    turned = replace(
        split, weights=-split.weights + 0.0, offsets=-split.offsets + 0.0, unknown=side
    )
    before, after = split.branch(X), turned.branch(X)
    return turned if np.array_equal(after, np.where(before < 0, before, 1 - before)) else split


def freeze(root: Node) -> Tree:
    """Tree of a root that has stopped growing; its nodes hold their votes."""
    nodes = list(root.preorder())
    number = {id(node): i for i, node in enumerate(nodes)}
    return Tree(
        splits=tuple(node.split for node in nodes),
        n_branches=np.array([len(node.children) for node in nodes]),
        children=np.array([number[id(child)] for node in nodes for child in node.children]),
        class_weights=np.array([node.votes for node in nodes]),
        predicted=np.array([node.label for node in nodes]),
        weights=np.array([node.weight for node in nodes]),
    )
