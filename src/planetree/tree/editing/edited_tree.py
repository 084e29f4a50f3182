"""A tree as its editor holds it: nested nodes that never change, each with what a person set.

A `Tree` is flat arrays; an edit puts one subtree in the place of another. So the editor nests the
nodes, and every node carries all that the arrays say of it. Nodes are shared between the trees
before and after an edit:

- what is outside the edited subtree keeps every bit: decisions, spreads, counts, probabilities;
- nodes are numbered in preorder, as in `Tree`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.planes import Split
from planetree.tree.plane.candidate import Candidate
from planetree.tree.tree import Tree

BY_HAND = "set by hand"


def by_hand(certificate: Certificate | None = None) -> Certificate:
    """What is proved of a decision that a person chose, if anything.

    Examples
    --------
    >>> from planetree.certificate import Certificate
    >>> from planetree.tree.editing.edited_tree import by_hand
    >>> by_hand().kind, by_hand(Certificate("linear program")).kind
    ('set by hand', 'set by hand: linear program')
    """
    if certificate is None:
        return Certificate(BY_HAND)
    kind = certificate.kind.replace("best cut of every column", "best cut of its column")
    return replace(certificate, kind=f"{BY_HAND}: {kind}")


@dataclass(frozen=True, eq=False)
class EditNode:
    """A node of an edited tree and all below it.

    Parameters
    ----------
    split, rounded : Planes, Categories or None
        The decision that predicts, and the one that is printed.
    children : tuple of EditNode
    certificate : Certificate or None
        How the decision was found; None of leaves, and of decisions that are not finished.
    counts : array of shape (n_classes,)
        Training weight of each class.
    weight : float
    predicted : int
        Class code.
    probabilities : array of shape (n_classes,), or None
        What the node says as a leaf; None where the tree is not graded.
    candidate : Candidate or None
        Of a decision that was just found: its program.
    fixed : bool
        Whether the threshold stays where it is when the tree is graded.
    is_set : bool
        Whether a person chose the decision, closed the node, or gave the leaf its label.
    has_label : bool
        Whether a person gave the leaf its label.
    locked : bool
        Whether the node and all below it stay as they are.
    forbidden : frozenset of int
        Columns that no decision here or below may read.
    """

    split: Split | None = None
    rounded: Split | None = None
    children: tuple[EditNode, ...] = ()
    certificate: Certificate | None = None
    counts: Floats = field(default_factory=lambda: np.empty(0))
    weight: float = 0.0
    predicted: int = 0
    probabilities: Floats | None = None
    candidate: Candidate | None = None
    fixed: bool = True
    is_set: bool = False
    has_label: bool = False
    locked: bool = False
    forbidden: frozenset[int] = frozenset()

    def preorder(self) -> Iterator[EditNode]:
        """The node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.preorder()

    @property
    def n_nodes(self) -> int:
        """How many nodes there are from here down."""
        return sum(1 for _ in self.preorder())

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no decision."""
        return self.split is None

    @property
    def features(self) -> set[int]:
        """Columns that decisions from here down read."""
        splits = (node.split for node in self.preorder())
        return {int(j) for split in splits if split is not None for j in split.features}

    def way(self, number: int) -> list[tuple[EditNode, int]]:
        """Nodes from here to the one of a number, each with the branch that leads on; it has -1."""
        if number == 0:
            return [(self, -1)]
        number -= 1
        for branch, child in enumerate(self.children):
            size = child.n_nodes
            if number < size:
                return [(self, branch), *child.way(number)]
            number -= size
        raise IndexError(number)

    def at(self, number: int) -> EditNode:
        """Node of a number in preorder."""
        return self.way(number)[-1][0]

    def with_node(self, number: int, node: EditNode) -> EditNode:
        """The same tree with another node, and what is below it, in the place of one."""
        found, way = node, self.way(number)
        for above, branch in reversed(way[:-1]):
            children = (*above.children[:branch], found, *above.children[branch + 1 :])
            found = replace(above, children=children)
        return found

    def leaf(self) -> EditNode:
        """The node without its decision."""
        return replace(
            self, split=None, rounded=None, children=(), certificate=None, candidate=None
        )

    def tree(self, *, rounded: bool = False) -> Tree:
        """Flat arrays of the nodes, with the decisions that predict or those that are printed."""
        nodes = list(self.preorder())
        splits = tuple(node.rounded if rounded else node.split for node in nodes)
        is_graded = any(node.probabilities is not None for node in nodes)
        return Tree(
            splits=splits,
            n_branches=[len(node.children) for node in nodes],  # type: ignore[arg-type]
            children=self._children(),
            class_weights=np.array([node.counts for node in nodes]),
            predicted=[node.predicted for node in nodes],  # type: ignore[arg-type]
            weights=[node.weight for node in nodes],  # type: ignore[arg-type]
            leaf_probabilities=np.array([n.shares for n in nodes]) if is_graded else None,
        )

    @property
    def shares(self) -> Floats:
        """What the node says as a leaf."""
        if self.probabilities is not None:
            return self.probabilities
        if self.weight > 0:
            return np.asarray(self.counts / self.weight)
        return np.eye(len(self.counts))[self.predicted]

    def each(self, change: Callable[[EditNode], EditNode]) -> EditNode:
        """The tree with each node changed, the deepest first."""
        return change(replace(self, children=tuple(c.each(change) for c in self.children)))

    def _children(self) -> Indices:
        """Numbers of the children of one node after the other."""
        found: list[int] = []
        for first, node in enumerate(self.preorder(), 1):
            sizes = [0, *(child.n_nodes for child in node.children)]
            found += [first + before for before in accumulate(sizes[:-1])]
        return np.array(found, dtype=np.intp)


def nested(
    tree: Tree, rounded: Tree, certificates: list[Certificate], **flags: list[Any]
) -> EditNode:
    """Nodes of flat arrays; flags are lists of a value for each node."""
    place = np.cumsum(tree.n_branches > 0) - 1

    def node(number: int) -> EditNode:
        is_leaf = tree.splits[number] is None
        certificate = None if is_leaf else certificates[place[number]]
        given = tree.leaf_probabilities
        own = {name: values[number] for name, values in flags.items()}
        hand = certificate is not None and certificate.kind.startswith(BY_HAND)
        return EditNode(
            split=tree.splits[number],
            rounded=rounded.splits[number],
            children=tuple(node(child) for child in tree.children_of(number).tolist()),
            certificate=certificate,
            counts=tree.class_weights[number],
            weight=float(tree.weights[number]),
            predicted=int(tree.predicted[number]),
            probabilities=None if given is None else given[number],
            **{"is_set": hand, **own},
        )

    return node(0)
