"""The fitted tree: decisions, children and class weights as flat arrays.

A row starts at the root with share 1, and takes each branch of a decision with a share: by its
distance from the planes where the decision is graded (`Planes.shares`), all or nothing where it is
hard, and where the score is not known all of the decision's branch for that (`unknown`) or with the
part

    weight(branch) / weight(node)

of the training weight that went each way (C4.5's rule for missing values). Shares multiply on the
way down. A leaf that a row reaches with a share s adds s times its probabilities of the classes:
`leaf_probabilities` where there are such, else the class shares of its training rows; a leaf that
none of these reached adds s to the class it predicts.

The *way* of a row is what a reader finds by hand: every decision is taken by the signs of its
scores, graded or not. `apply`, `visits` and `decision_path` are about the way.

- nodes are numbered in preorder, so a child's number exceeds its parent's;
- the shares of a row over the leaves sum to 1, up to the rounding of the weights;
- the way of a row with no missing value ends in exactly one leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from planetree.arrays import Floats, Indices, cells_of, set_arrays
from planetree.planes import Among, Planes, Side, Split
from planetree.table import Canonical
from planetree.tree.axis_splits import AxisSplits, starts_of


class Visit(NamedTuple):
    """Rows that reach a node, and the share with which each does."""

    node: int
    rows: Indices
    shares: Floats


class Region(NamedTuple):
    """A leaf and the conditions on the way to it, from the root.

    A row with no missing value satisfies the conditions of exactly one leaf.
    """

    leaf: int
    conditions: tuple[Among | Side, ...]


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree of decisions, its nodes numbered in preorder.

    Parameters
    ----------
    splits : sequence of Planes, Categories or None
        The decision of each node, None at a leaf.
    n_branches : array of shape (n_nodes,)
        How many children each node has.
    children : array of shape (n_nodes - 1,)
        The children of node 0, then those of node 1, and so on, in the order of their branches.
    class_weights : array of shape (n_nodes, n_classes)
        Training weight of each class at each node.
    predicted : array of shape (n_nodes,)
        Class code that each node predicts.
    weights : array of shape (n_nodes,)
        Training weight at each node: what a missing value is divided by.
    errors : array of shape (n_nodes,), optional
        Weight of errors at or below each node, observed or estimated, whichever the maker of the
        tree went by; by default those observed if the node were a leaf.
    leaf_probabilities : array of shape (n_nodes, n_classes), optional
        Probability of each class that a node gives as a leaf; by default the shares of the classes
        in its training weight.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.tree import Tree
    >>> stump = Tree(
    ...     splits=[Planes([[1.0]], [2.5]), None, None],
    ...     n_branches=[2, 0, 0],
    ...     children=[1, 2],
    ...     class_weights=[[3, 1], [3, 0], [0, 1]],
    ...     predicted=[0, 0, 1],
    ...     weights=[4, 3, 1],
    ... )
    >>> rows = np.array([[1.0], [3.0], [np.nan]])
    >>> stump.apply(rows)
    array([1, 2, 1])
    >>> stump.distribution(rows)
    array([[1.  , 0.  ],
           [0.  , 1.  ],
           [0.75, 0.25]])
    """

    splits: Sequence[Split | None]
    n_branches: Indices
    children: Indices
    class_weights: Floats
    predicted: Indices
    weights: Floats
    errors: Floats = None  # type: ignore[assignment]
    leaf_probabilities: Floats | None = None

    def __post_init__(self) -> None:
        set_arrays(self, n_branches=np.intp, children=np.intp, predicted=np.intp)
        set_arrays(self, class_weights=float, weights=float)
        if self.errors is None:
            object.__setattr__(self, "errors", self._leaf_errors())
        set_arrays(self, errors=float)
        if self.leaf_probabilities is not None:
            set_arrays(self, leaf_probabilities=float)
        self._check()

    @classmethod
    def trusted(cls, **parts: Any) -> Tree:
        """The tree of parts that need no check: arrays of the right kind, to be read only."""
        tree = object.__new__(cls)
        tree.__dict__.update(parts)
        return tree

    def in_classes(self, order: Indices) -> Tree:
        """The tree with other class codes: what was class c is class `order[c]`."""
        class_weights = np.empty_like(self.class_weights)
        class_weights[:, order] = self.class_weights
        return replace(self, class_weights=class_weights, predicted=order[self.predicted])

    def of_table(self, rows: Canonical) -> Tree:
        """Tree of canonical rows in the columns, units and classes of their table."""
        splits = tuple(split and rows.split(split) for split in self.splits)
        return replace(self.in_classes(rows.order), splits=splits)

    @cached_property
    def child_starts(self) -> Indices:
        """Where the list of each node begins in `children`, and where the last ends."""
        return starts_of(self.n_branches)

    def _leaf_errors(self) -> Floats:
        right: Floats = self.class_weights[np.arange(self.n_nodes), self.predicted]
        return self.weights - right

    def _check(self) -> None:
        lengths = {len(self.splits), len(self.predicted), len(self.weights), len(self.errors)}
        if lengths != {self.n_nodes} or len(self.class_weights) != self.n_nodes:
            raise ValueError(f"A tree of {self.n_nodes} nodes needs as many of everything.")
        given = self.leaf_probabilities
        if given is not None and given.shape != self.class_weights.shape:
            raise ValueError(
                "leaf_probabilities need a row for each node, a column for each class."
            )
        numbers = np.arange(self.n_nodes)
        parents = numbers.repeat(self.n_branches)
        if len(self.children) != self.n_nodes - 1 or len(parents) != self.n_nodes - 1:
            raise ValueError("Every node but the root is the child of one node.")
        once = np.sort(self.children) == numbers[1:]
        if not (once.all() and (self.children > parents).all()):
            raise ValueError("Nodes are numbered in preorder, each the child of one node.")

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, leaves included."""
        return len(self.n_branches)

    @property
    def n_leaves(self) -> int:
        """How many leaves there are, also those that no training row reached."""
        return int(np.count_nonzero(self.n_branches == 0))

    @property
    def n_decisions(self) -> int:
        """How many nodes have a decision."""
        return self.n_nodes - self.n_leaves

    @property
    def n_terms(self) -> int:
        """How many terms all decisions read together."""
        return sum(split.n_terms for split in self.splits if split is not None)

    @property
    def features(self) -> Indices:
        """The columns that some decision reads."""
        read = [split.features for split in self.splits if split is not None]
        return np.unique(np.concatenate(read)) if read else np.empty(0, dtype=np.intp)

    @property
    def multiplies(self) -> bool:
        """Whether some decision multiplies columns."""
        return any(isinstance(split, Planes) and split.multiplies for split in self.splits)

    @property
    def depth(self) -> int:
        """How many decisions the longest way from the root to a leaf has."""
        depths = np.zeros(self.n_nodes, dtype=np.intp)
        for node in np.flatnonzero(self.n_branches).tolist():
            depths[self.children_of(node)] = depths[node] + 1
        return int(depths.max())

    @property
    def leaf_distributions(self) -> Floats:
        """Probability of each class that each node gives as a leaf.

        These are `leaf_probabilities`, or the shares in the training weight; where none came, all
        is the predicted class's.
        """
        if self.leaf_probabilities is not None:
            return self.leaf_probabilities
        reached = self.weights > 0
        shares = np.zeros_like(self.class_weights)
        shares[reached] = self.class_weights[reached] / self.weights[reached, None]
        shares[~reached, self.predicted[~reached]] = 1.0
        return shares

    def children_of(self, node: int) -> Indices:
        """Children of a node in the order of its branches."""
        starts = self.child_starts
        return self.children[starts[node] : starts[node + 1]]

    def parts(self, node: int) -> Floats:
        """Part that each branch of a node gets of a row that does not answer its decision."""
        children = self.children_of(node)
        split = None if isinstance(self.splits, AxisSplits) else self.splits[node]
        if isinstance(split, Planes) and split.unknown >= 0:
            return np.eye(len(children))[split.unknown]
        if self.weights[node] > 0:
            return self.weights[children] / self.weights[node]
        return np.full(len(children), 1.0 / len(children))

    def apply(self, X: Floats) -> Indices:
        """Leaf at the end of each row's way; of several, the one with the largest share."""
        leaves, largest = np.zeros(len(X), dtype=np.intp), np.zeros(len(X))
        for leaf, rows, shares in self._leaf_visits(X):
            more = shares > largest[rows]
            leaves[rows[more]] = leaf
            largest[rows[more]] = shares[more]
        return leaves

    def distribution(self, X: Floats, graded: bool = True) -> Floats:
        """Probability of each class for each row.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
        graded : bool
            Whether graded decisions give shares; if not, what the leaf at the end of a row's way
            says.
        """
        if graded and self._is_graded:
            return self.distributions(X)[0]
        shares = self.leaf_distributions
        found = np.zeros((len(X), shares.shape[1]))
        for leaf, rows, parts in self._leaf_visits(X):
            found[rows] += parts[:, None] * shares[leaf]
        return found

    def distributions(self, X: Floats) -> Floats:
        """Probability of each class for each row, graded, and at the end of its way.

        Returns
        -------
        array of shape (2, n_rows, n_classes)
        """
        leaf = self.leaf_distributions
        found = np.zeros((2, len(X), leaf.shape[1]))
        reach = {0: np.ones((2, len(X)))}
        for node, split in enumerate(self.splits):
            here = reach.pop(node)
            if split is None:
                found += here[:, :, None] * leaf[node]
                continue
            taken = self._shares(node, split, X)
            for b, child in enumerate(self.children_of(node).tolist()):
                reach[child] = here * taken[:, :, b]
        return found

    def _shares(self, node: int, split: Split, X: Floats) -> Floats:
        """Shares of the branches of a node: graded ones, and those of the way."""
        if isinstance(split, Planes) and split.spread > 0:
            scores = split.scores(X)
            branch, shares = split.branch_of(scores), split.shares_of(scores)
        else:
            branch, shares = split.branch(X), None
        way = (branch[:, None] == np.arange(self.n_branches[node])).astype(np.float64)
        taken = np.stack([way if shares is None else shares, way])
        unknown = branch < 0
        if unknown.any():
            taken[:, unknown] = self.parts(node)
        return taken

    def visits(self, X: Floats) -> Iterator[Visit]:
        """Nodes on the ways of rows, in preorder, each with its rows and their shares."""
        pending = [Visit(0, np.arange(len(X)), np.ones(len(X)))]
        while pending:
            visit = pending.pop()
            yield visit
            if self.n_branches[visit.node]:
                pending.extend(reversed(self._next_visits(visit, X)))

    def decision_path(self, X: Floats) -> sparse.csr_matrix:
        """Indicator of the nodes on the way of each row, with whatever share."""
        visits = list(self.visits(X))
        rows = np.concatenate([visit.rows for visit in visits])
        nodes = np.repeat([visit.node for visit in visits], [len(visit.rows) for visit in visits])
        ones = np.ones(len(rows), dtype=np.int64)
        return sparse.csr_matrix((ones, (rows, nodes)), shape=(len(X), self.n_nodes))

    def ways(
        self, order: Callable[[int], Sequence[int]] | None = None
    ) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        """Each leaf with the nodes on the way to it and the branch that it takes at each.

        `order` says in which order the branches of a node come; one that it leaves out is passed.
        """
        pending: list[tuple[int, tuple[tuple[int, int], ...]]] = [(0, ())]
        while pending:
            node, way = pending.pop()
            children = self.children_of(node).tolist()
            if not children:
                yield node, way
                continue
            branches = range(len(children)) if order is None else order(node)
            pending.extend((children[b], (*way, (node, b))) for b in reversed(branches))

    def regions(self) -> list[Region]:
        """Each leaf with the conditions on the way to it."""
        sides = [
            [] if split is None else [split.side(b) for b in range(self.n_branches[node])]
            for node, split in enumerate(self.splits)
        ]
        return [Region(leaf, tuple(sides[n][b] for n, b in way)) for leaf, way in self.ways()]

    def _leaf_visits(self, X: Floats) -> Iterator[Visit]:
        return (visit for visit in self.visits(X) if self.n_branches[visit.node] == 0)

    @cached_property
    def _is_graded(self) -> bool:
        return not isinstance(self.splits, AxisSplits) and any(
            isinstance(split, Planes) and split.spread > 0 for split in self.splits
        )

    def _next_visits(self, visit: Visit, X: Floats) -> list[Visit]:
        node, rows, shares = visit
        children = self.children_of(node)
        branch = self._branch(node, X, rows)
        unknown = np.flatnonzero(branch < 0)
        parts = self.parts(node) if len(unknown) else np.zeros(len(children))
        branch = branch.astype(np.int16 if len(children) < 2**15 else np.intp)
        order = np.argsort(branch, kind="stable")  # in linear time for 16 bits
        bounds = np.searchsorted(branch[order], np.arange(len(children) + 1))
        found = []
        for b, child in enumerate(children.tolist()):
            taken = order[bounds[b] : bounds[b + 1]]
            weights = shares[taken]
            if parts[b] > 0:
                taken = np.concatenate([taken, unknown])
                weights = np.concatenate([weights, shares[unknown] * parts[b]])
            if len(taken):
                found.append(Visit(child, rows[taken], weights))
        return found

    def _branch(self, node: int, X: Floats, rows: Indices) -> Indices:
        if isinstance(self.splits, AxisSplits):
            return self.splits.branch(node, X, rows)
        split = self.splits[node]
        assert split is not None
        return split.branch(cells_of(X, rows, split.features) if node else X)


def refuse_products(tree: Tree, owner: str, asked: str) -> None:
    """Raise where a tree multiplies columns, for what holds of sums of columns only."""
    if tree.multiplies:
        raise ValueError(
            f"{owner} multiplies columns, but {asked} works only with sums of columns. Fit it with "
            "products=None."
        )
