"""A tree while it grows: nodes that know their rows, made into a `Tree` when they stop.

A node holds the rows that reach it and the share with which each does. A row whose branch is not
known goes down every branch, its share divided as the known weight was: the rule of `Tree`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, Split
from planetree.tree.tree import Tree

__all__ = ["Node", "divide", "freeze", "upright"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


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
    """

    rows: Indices
    weights: Floats
    class_weights: Floats
    label: int
    split: Split | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        """Training weight of the node."""
        return float(self.class_weights.sum())

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no decision."""
        return self.split is None

    def close(self) -> None:
        """Make the node a leaf."""
        self.split, self.children = None, []

    def preorder(self) -> Iterator[Node]:
        """Yield the node and all below it, each before its children."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def divide(
    branch: Indices, weights: Floats, n_branches: int, parts: Floats | None = None
) -> list[tuple[NDArray[np.intp], Floats]]:
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
    several = split.rule != "slabs" or len(split.offsets) > 1 or split.n_terms > 1
    if several or split.weights.sum() > 0:
        return split
    turned = replace(split, weights=-split.weights + 0.0, offsets=-split.offsets + 0.0)
    before, after = split.branch(X), turned.branch(X)
    return turned if np.array_equal(after, np.where(before < 0, before, 1 - before)) else split


def freeze(root: Node, errors: Floats | None = None) -> Tree:
    """Tree of a root that has stopped growing; `errors` are those of its nodes in preorder."""
    nodes = list(root.preorder())
    number = {id(node): i for i, node in enumerate(nodes)}
    return Tree(
        splits=tuple(node.split for node in nodes),
        n_branches=np.array([len(node.children) for node in nodes]),
        children=np.array([number[id(child)] for node in nodes for child in node.children]),
        class_weights=np.array([node.class_weights for node in nodes]),
        predicted=np.array([node.label for node in nodes]),
        weights=np.array([node.weight for node in nodes]),
        errors=errors,  # type: ignore[arg-type]
    )
