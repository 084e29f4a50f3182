"""Growing a readable tree: best first, without regard to whether a decision is worth its price.

The next leaf to be split is the one whose chosen decision removes the most entropy. Which decision
that is, among the candidates of the leaf, the prices decide.

Where columns must speak for or against a class, a decision that reads one of them keeps the share
of that class on its lower branch below a bound, and on its upper branch above it; the bounds hold
for all leaves below, so the tree as a whole is monotonic.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes
from planetree.separators.sparse.feature_search import TimeIsUpError, coarse
from planetree.tree.classifier import least_cost
from planetree.tree.growth import Node, divide, upright
from planetree.tree.plane.candidates import Candidate, Searcher, entropy
from planetree.tree.plane.plane_search import Rows
from planetree.tree.plane.prices import Pricing

__all__ = ["Grower", "PlaneNode"]

LEAST_SHARE = 0.3

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(eq=False)
class PlaneNode(Node):
    """A node with the candidate that its decision is, and the bounds of its last class's share."""

    children: list[PlaneNode] = field(default_factory=list)  # type: ignore[assignment]
    candidate: Candidate | None = None
    depth: int = 0
    low: float = 0.0
    high: float = 1.0

    def copy(self) -> PlaneNode:
        """Copy the node and all below it; rows and decisions are shared."""
        twin = PlaneNode(**{**self.__dict__, "children": []})
        twin.children = [child.copy() for child in self.children]
        return twin

    def all_nodes(self) -> list[PlaneNode]:
        """Nodes from this one down, each before its children."""
        return [node for node in self.preorder() if isinstance(node, PlaneNode)]

    def close(self) -> None:
        """Make the node a leaf."""
        super().close()
        self.candidate = None


@dataclass(frozen=True, eq=False)
class Grower:
    """Grows and routes trees on the rows of one table.

    Parameters
    ----------
    rows : Rows
    searcher : Searcher
    pricing : Pricing
    costs : array of shape (n_classes, n_classes)
        What it costs to take a row of one class for another.
    max_splits, max_depth : int
    max_columns : int
        Most columns that all decisions may read together.
    usable : boolean array of shape (n_terms,)
        Terms that tell rows apart, each once.
    """

    rows: Rows
    searcher: Searcher
    pricing: Pricing
    costs: Floats
    max_splits: int
    max_depth: int
    max_columns: int
    usable: Mask

    def grow(self) -> PlaneNode:
        """Grow a tree from all rows; when the time is up, leaves stay what they are."""
        root = self.make_node(np.arange(len(self.rows.codes)), self.rows.weights)
        order = itertools.count()
        used = np.zeros(len(self.searcher.n_categories), dtype=bool)
        waiting: list[tuple[float, int, PlaneNode, Candidate | None]] = []

        def offer(node: PlaneNode, gain: float, candidate: Candidate | None = None) -> None:
            if gain > max(1e-9, self.least_gain):
                heapq.heappush(waiting, (-coarse(gain), next(order), node, candidate))

        offer(root, float(entropy(root.class_weights)))
        n_splits = 0
        while waiting and n_splits < self.max_splits:
            _, _, node, candidate = heapq.heappop(waiting)
            if candidate is None or self._exceeds(candidate, used):
                try:
                    candidate = self.choose(node, used)
                except TimeIsUpError:
                    break
                if candidate is not None:
                    offer(node, float(entropy(node.class_weights)) - candidate.entropy, candidate)
                continue
            node.split, node.candidate = candidate.split, candidate
            used[candidate.split.features] = True
            n_splits += 1
            self.route(node)
            for child in node.children:  # no decision removes more than all of the entropy
                offer(child, float(entropy(child.class_weights)))
        return root

    @property
    def least_gain(self) -> float:
        """What a decision must remove to be looked at: a part of the price of one term."""
        return LEAST_SHARE * self.pricing.price * self.pricing.unit

    def _exceeds(self, candidate: Candidate, used: Mask) -> bool:
        new = used.copy()
        new[candidate.split.features] = True
        return int(new.sum()) > self.max_columns

    def choose(self, node: PlaneNode, used: Mask) -> Candidate | None:
        """Candidate with the least entropy plus price."""
        can_split = node.weight >= 2 * self.searcher.min_weight and node.depth < self.max_depth
        if not can_split or np.count_nonzero(node.class_weights) < 2:
            return None
        room = self.max_columns - int(used.sum())
        columns = self.searcher.columns
        allowed = self.usable & used[columns] if room <= 0 else self.usable
        if not allowed.any():
            return None
        rows = self.rows_of(node)
        best = self.cheapest(node, self.searcher.candidates(rows, allowed), used)
        if best is None or self.paid(best) > float(entropy(node.class_weights)):
            best = self.cheapest(node, [best, *self.pairs(node, rows, allowed)], used)
        return None if best is None else self.searcher.settle(rows, best)

    def pairs(self, node: PlaneNode, rows: Rows, allowed: Mask) -> list[Candidate]:
        """Pairs of planes, if the node has entropy enough to pay for one.

        They are sought in many nodes, so their thresholds are charged by all rows. Below the root
        they have two terms at most: what is left there is seldom worth a sum.
        """
        searched = 2 * float(np.log(self.rows.weights.sum()))
        if entropy(node.class_weights) <= self.pricing.price * self.pricing.unit + searched:
            return []
        max_terms = self.searcher.max_terms if node.depth == 0 else min(2, self.searcher.max_terms)
        return self.searcher.pairs(rows, allowed, max_terms, searched)

    def paid(self, candidate: Candidate) -> float:
        """What a candidate leaves and costs, to a few digits."""
        return float(coarse(candidate.entropy + self.pricing.of(candidate)))

    def cheapest(
        self, node: PlaneNode, candidates: Iterable[Candidate | None], used: Mask
    ) -> Candidate | None:
        """Candidate with the least entropy plus price, of those that bounds and columns admit."""
        fitting = [
            each
            for each in candidates
            if each is not None and not self._exceeds(each, used) and self.in_bounds(node, each)
        ]
        return min(fitting, key=self.paid, default=None)

    def in_bounds(self, node: PlaneNode, candidate: Candidate) -> bool:
        """Whether a decision that reads a column with a sign keeps the shares in order."""
        if not self.reads_sign(candidate):
            return True
        rows = self.rows_of(node)
        shares = []
        for places, weights in divide(candidate.split.branch(rows.X), rows.weights, 2):
            classes = np.bincount(rows.codes[places], weights, self.searcher.n_classes)
            shares.append(float(np.clip(classes[-1] / classes.sum(), node.low, node.high)))
        return shares[0] <= shares[1]

    def reads_sign(self, candidate: Candidate) -> bool:
        """Whether a decision reads a column that may only speak one way."""
        signed = np.unique(self.searcher.columns[self.searcher.signs != 0])
        return bool(np.isin(candidate.split.features, signed).any())

    def rows_of(self, node: PlaneNode) -> Rows:
        """Rows of a node with the weights they have there."""
        rows = self.rows
        if len(node.rows) == len(rows.codes):
            return rows._replace(weights=node.weights)
        return rows.of(node.rows, node.weights)

    def make_node(
        self,
        rows: NDArray[np.intp],
        weights: Floats,
        depth: int = 0,
        low: float = 0,
        high: float = 1,
    ) -> PlaneNode:
        """Leaf of some rows."""
        classes = np.bincount(self.rows.codes[rows], weights, self.searcher.n_classes)
        node = PlaneNode(
            rows, weights, np.asarray(classes, dtype=np.float64), 0, depth=depth, low=low, high=high
        )
        node.label = self.label(node)
        return node

    def label(self, node: PlaneNode) -> int:
        """Class with the least expected cost; within the bounds of the node."""
        return int(least_cost(bounded(node)[None], self.costs)[0])

    def route(self, node: PlaneNode) -> None:
        """Send the rows of a node down its decision, and on below it.

        A branch that too little weight takes goes, and the other takes the node's place.
        """
        if node.split is None:
            return
        rows = self.rows_of(node)
        parts = divide(node.split.branch(rows.X), rows.weights, 2)
        bounds = self._bounds(node, parts)
        old: list[PlaneNode | None] = [*node.children] or [None, None]
        node.children = []
        for (places, weights), (low, high), before in zip(parts, bounds, old, strict=True):
            child = self.make_node(node.rows[places], weights, node.depth + 1, low, high)
            if before is not None:
                child.split, child.candidate = before.split, before.candidate
                child.children = before.children
            node.children.append(child)
        empty = [child for child in node.children if child.weight < 1e-9]
        if empty:
            self._replace(node, next(child for child in node.children if child is not empty[0]))
        else:
            for child in node.children:
                self.route(child)

    def orient(self, root: PlaneNode) -> None:
        """Ask whether a single term exceeds its threshold, not whether it falls short of it."""
        for node in root.all_nodes():
            if not isinstance(node.split, Planes):
                continue
            turned = upright(node.split, self.rows.X[node.rows])
            if turned is not node.split:
                node.split, node.children = turned, node.children[::-1]

    def _replace(self, node: PlaneNode, other: PlaneNode) -> None:
        node.split, node.candidate, node.children = other.split, other.candidate, other.children
        self.route(node)

    def _bounds(self, node: PlaneNode, parts: list) -> list[tuple[float, float]]:
        assert node.candidate is not None
        if not self.reads_sign(node.candidate):
            return [(node.low, node.high)] * 2
        codes = self.rows.codes[node.rows]
        shares = []
        for places, weights in parts:
            classes = np.bincount(codes[places], weights, self.searcher.n_classes)
            share = classes[-1] / classes.sum() if classes.sum() > 0 else 0.5
            shares.append(float(np.clip(share, node.low, node.high)))
        middle = sum(shares) / 2
        return [(node.low, middle), (middle, node.high)]


def bounded(node: PlaneNode) -> Floats:
    """Class weights of a node, the share of the last class moved into its bounds."""
    total, last = node.class_weights.sum(), node.class_weights[-1]
    if total == 0 or node.low <= last / total <= node.high:
        return node.class_weights
    share = float(np.clip(last / total, node.low, node.high))
    return np.array([total * (1 - share), total * share])
