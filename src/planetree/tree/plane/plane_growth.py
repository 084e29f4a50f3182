"""Growing a readable tree best first.

The next leaf to be split is the one whose chosen decision removes the most entropy, without regard
to whether it is worth its price. Which decision that is, among the candidates of the leaf, the
prices decide. A decision with k terms costs price * k * unit nats, unit = ln(all terms) + ln(rows)
/ 2, and what its search cost beside.

Where columns must speak for or against some classes, a decision that reads one of them keeps the
share of these on its lower branch below a bound, and on its upper branch above it; the bounds hold
for all leaves below, so the tree as a whole is monotonic.

- a column that costs something is paid once on a way from the root;
- decisions between leaves of one label say nothing, and go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np

from planetree.arrays import Floats, Indices, Mask, cells_of, encode
from planetree.planes import Planes
from planetree.separators.sparse.feature_search import TimeIsUpError, coarse
from planetree.table import Canonical
from planetree.tree.constraints.column_rules import ColumnRules
from planetree.tree.constraints.monotonic_share import MonotonicShare
from planetree.tree.growth import Grower, Node, divide, is_upright, training_branch, upright
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate, Pricing
from planetree.tree.plane.candidates import Searcher
from planetree.tree.plane.look_ahead import LEAST_GAIN
from planetree.tree.plane.plane_search import Rows, digest

# Of the price of one term: a leaf with less entropy to remove is not looked at, to save time. A
# decision that removes less than its price stays only if those below it make up for the rest.
_LEAST_SHARE = 0.3
# Decisions in a row that do not matter, after which growing ends; fewer where rows are many.
_PATIENCE, _PATIENCE_OF_MANY, _MANY_ROWS = 6, 3, 10_000
_COST_LEVELS = 3  # of what columns cost, the least, up to which decisions are sought apart
_LOOK_DEPTH = 2  # decisions from the root that look ahead


@dataclass(eq=False)
class PlaneNode(Node):
    """A node with its depth and the bounds of the share of some classes."""

    depth: int = 0
    low: float = 0.0
    high: float = 1.0
    monotonic: MonotonicShare | None = None  # what the bounds are about
    read: frozenset[int] = frozenset()  # columns that decisions above it read
    pinned: bool = False  # whether its decision stays, as it reads a column that is required

    @property
    def votes(self) -> Floats:
        """Class weights, the share that is monotonic moved into its bounds."""
        if self.monotonic is None:
            return self.class_weights
        return self.monotonic.within(self.class_weights, self.low, self.high)

    @property
    def features(self) -> frozenset[int]:
        """Columns that decisions from here down read."""
        splits = (node.split for node in self.preorder() if node.split is not None)
        return frozenset(int(j) for split in splits for j in split.features)

    def copy(self) -> PlaneNode:
        """Copy the node and all below it; rows and decisions are shared."""
        twin = PlaneNode(**{**self.__dict__, "children": []})
        twin.children = [child.copy() for child in self.children]
        return twin


@dataclass(eq=False, kw_only=True)
class PlaneGrower(Grower[PlaneNode]):
    """Grows and routes trees of planes.

    Parameters
    ----------
    rows : Rows
        Those of the table, with their terms.
    searcher : Searcher
    pricing : Pricing
    max_terms : int
        Most terms of a decision.
    max_splits, max_depth : int
    max_columns : int
        Most columns that all decisions may read together.
    usable : boolean array of shape (n_terms,)
        Terms that tell rows apart, each once.
    look_ahead : bool
        Whether cuts may pay by the planes that they make possible, near the root.
    class_planes : bool
        Whether decisions may have a plane for each class, near the root.
    depth, low, high : int and floats
        Of the root, where the tree is to be a part of another.
    elsewhere : boolean array of shape (n_columns,), optional
        Columns that the other parts of such a tree read.
    read : frozenset of int
        Columns that decisions above such a root read.
    first : Candidate, optional
        Decision of the root, where it is to have a certain one.
    rules : ColumnRules, optional
        What the trees that are proposed must read.
    """

    kind = PlaneNode

    rows: Rows
    searcher: Searcher
    pricing: Pricing
    max_terms: int
    max_splits: int
    max_depth: int
    max_columns: int
    usable: Mask
    look_ahead: bool = False
    class_planes: bool = False
    depth: int = 0
    low: float = 0.0
    high: float = 1.0
    elsewhere: Mask | None = None
    read: frozenset[int] = frozenset()
    first: Candidate | None = None
    rules: ColumnRules | None = None
    known: dict[bytes, list[Candidate]] = field(default_factory=dict)  # what searches found
    locks: dict[bytes, Lock] = field(default_factory=dict)  # of searches under way in threads
    _used: Mask = field(init=False)  # columns that decisions made so far read, or must

    @property
    def has_columns(self) -> bool:
        """Whether there is any column that decisions may read."""
        return bool(self.usable.any() or self.searcher.divided.any())

    def over(self, columns: Iterable[int]) -> PlaneGrower:
        """The same where decisions may read no other columns than these."""
        kept = np.isin(np.arange(len(self.searcher.n_categories)), list(columns))
        usable = self.usable & kept[self.searcher.columns]
        return replace(self, usable=usable, searcher=self.searcher.within(kept))

    def without(self, columns: Iterable[int]) -> PlaneGrower:
        """The same where decisions may not read some columns."""
        return self.over(set(range(len(self.searcher.n_categories))) - set(columns))

    def grow(self) -> PlaneNode:
        """Grow a tree from all rows; when the time is up, leaves stay what they are."""
        none = np.zeros(len(self.searcher.n_categories), dtype=bool)
        self._used = none if self.elsewhere is None else self.elsewhere.copy()
        if self.rules is not None:
            self._used[list(self.rules.required)] = True  # their places are taken
        root, idle = self._root(), 0
        patience = _PATIENCE if len(self.codes) <= _MANY_ROWS else _PATIENCE_OF_MANY
        for node in islice(self.best_first(root), self.max_splits):
            self._used[node.candidate.split.features] = True
            idle = 0 if self._matters(node) else idle + 1
            if idle == patience:
                break
        return root

    def _root(self) -> PlaneNode:
        """Leaf of all rows."""
        every, (low, high) = np.arange(len(self.codes)), (self.low, self.high)
        own: Any = {"depth": self.depth, "monotonic": self.searcher.monotonic, "read": self.read}
        return self.make_node(every, self.weights, low=low, high=high, **own)

    def _matters(self, node: PlaneNode) -> bool:
        """Whether a decision pays by itself, and its branches have different labels."""
        pays = self.paid(node.candidate, node.read) < float(entropy(node.class_weights))
        return pays and len({child.label for child in node.children}) > 1

    def bound(self, node: PlaneNode) -> float | None:
        """Minus all of the entropy of a leaf: no decision removes more."""
        return self._waiting(float(entropy(node.class_weights)))

    def priority(self, node: PlaneNode, candidate: Candidate) -> float | None:
        """Minus the entropy that a decision removes; the first decision does not wait."""
        if candidate is self.first:
            return -np.inf
        left = min(candidate.entropy, candidate.ahead)
        return self._waiting(float(entropy(node.class_weights)) - left)

    def _waiting(self, gain: float) -> float | None:
        least = _LEAST_SHARE * self.pricing.of_term
        return -float(coarse(gain)) if gain > max(1e-9, least) else None

    def is_open(self, candidate: Candidate) -> bool:
        """Whether the columns that a decision reads are not too many by now."""
        new = self._used.copy()
        new[candidate.split.features] = True
        return int(new.sum()) <= self.max_columns

    def seek(self, node: PlaneNode, ahead: list[PlaneNode]) -> Candidate | None:
        """Candidate with the least entropy plus price."""
        if self.first is not None and node.depth == self.depth:
            return self.first
        can_split = node.weight >= 2 * self.searcher.min_weight and node.depth < self.max_depth
        if not can_split or np.count_nonzero(node.class_weights) < 2:
            return None
        is_full = self._used.sum() >= self.max_columns
        allowed = self.usable & self._used[self.searcher.columns] if is_full else self.usable
        searcher = self.searcher.within(self._used) if is_full else self.searcher
        if not (allowed.any() or searcher.divided.any()):
            return None
        rows, whole = self.rows_of(node), float(entropy(node.class_weights))
        task = digest(node.rows, node.weights, allowed, searcher.divided)
        searched = self._pair_search
        try:
            found = self.found(task, lambda: searcher.candidates(rows, allowed))
            if self.class_planes and node.depth < _LOOK_DEPTH:
                classes = lambda: searcher.class_planes(rows, allowed)  # noqa: E731
                found = [*found, *self.found(task + b"classes", classes)]
            best = self.cheapest(
                node, [*found, *self._cheaper_to_measure(node, rows, allowed, searcher)]
            )
            no_plane_pays = best is None or self.paid(best, node.read) > whole
            if no_plane_pays and whole > self.pricing.of_term + searched:
                # Below the root pairs have two terms at most: what is left is seldom worth a sum.
                terms = searcher.few_terms if node.depth == 0 else min(2, searcher.max_terms)
                pairs = lambda: searcher.pairs(rows, allowed, terms, searched)  # noqa: E731
                best = self.cheapest(node, [best, *self.found(task + b"pairs", pairs)])
            if self._may_look_ahead(node, whole):
                found = self.found(task + b"ahead", lambda: searcher.cuts_ahead(rows, allowed))
                cut = self.cheapest(node, found)
                if cut and (best is None or cut.ahead < self.paid(best, node.read) - LEAST_GAIN):
                    return cut
            return None if best is None else searcher.settle(rows, best)
        except TimeIsUpError:
            return None

    def _cheaper_to_measure(
        self, node: PlaneNode, rows: Rows, allowed: Mask, searcher: Searcher
    ) -> list[Candidate]:
        """Candidates over columns that cost no more than a limit, or were read before.

        Of each number of terms a search keeps the plane that leaves least, whatever it costs.
        """
        if self.pricing.costs is None:
            return []
        columns, costs = searcher.columns, self.pricing.costs.copy()
        costs[list(node.read)] = 0.0
        levels = np.union1d(costs[columns[allowed]], costs[searcher.divided])
        found: list[Candidate] = []
        for limit in levels[:-1][:_COST_LEVELS].tolist():
            cheap, own = allowed & (costs[columns] <= limit), searcher.within(costs <= limit)
            task = digest(node.rows, node.weights, cheap, own.divided)
            found += self.found(task, lambda cheap=cheap, own=own: own.candidates(rows, cheap))  # type: ignore[misc]
        return found

    def _may_look_ahead(self, node: PlaneNode, whole: float) -> bool:
        """Whether a node is near enough to the root, and has entropy for a cut and two planes."""
        enough = whole > 4 * self.pricing.of_term and node.depth < _LOOK_DEPTH
        return self.look_ahead and enough and not self.searcher.monotonic.holds

    @property
    def _pair_search(self) -> float:
        """Nats for the thresholds of a pair: they are sought in many nodes, so by all rows."""
        return 2 * float(np.log(self.rows.weights.sum()))

    def found(self, task: bytes, search: Callable[[], list[Candidate]]) -> list[Candidate]:
        """What a search finds; trees that share a node, and what is known, search it once."""
        with self.locks.setdefault(task, Lock()):
            if task not in self.known:
                self.known[task] = search()
            return self.known[task]

    def paid(self, candidate: Candidate, read: frozenset[int] = frozenset()) -> float:
        """What a candidate leaves and costs below others that read columns, to a few digits."""
        return float(coarse(candidate.entropy + self.pricing.of(candidate, read)))

    def cheapest(self, node: PlaneNode, candidates: Iterable[Candidate | None]) -> Candidate | None:
        """Candidate with the least entropy plus price, of those that bounds and columns admit."""
        fitting = [
            each
            for each in candidates
            if each is not None
            and each.n_terms <= self.max_terms
            and self.is_open(each)
            and self._is_in_bounds(node, each)
        ]
        return min(fitting, key=lambda each: self.paid(each, node.read), default=None)

    def _is_in_bounds(self, node: PlaneNode, candidate: Candidate) -> bool:
        """Whether a decision that reads a column with a sign keeps the shares in order."""
        if not self._reads_sign(candidate):
            return True
        low, high = self._bounded_shares(node, candidate.split)
        return low <= high

    def _bounded_shares(self, node: PlaneNode, split: Any) -> list[float]:
        """Share that is monotonic on each branch, within the bounds of the node."""
        shares = []
        branch = self._branch(node, split)
        for places, weights in divide(branch, node.weights, 2):
            classes = np.bincount(self.codes[node.rows[places]], weights, len(self.costs))
            share = self.searcher.monotonic.of(classes)
            shares.append(float(np.clip(share, node.low, node.high)))
        return shares

    def _branch(self, node: PlaneNode, split: Any) -> Indices:
        """Branch of each row of a node."""
        return training_branch(split, self._cells(node, split))

    def _cells(self, node: PlaneNode, split: Any) -> Floats:
        """Rows of a node, as far as a decision reads them."""
        X = self.table.values
        return cells_of(X, node.rows, split.features) if node.depth else X

    def _reads_sign(self, candidate: Candidate) -> bool:
        """Whether a decision reads a column that may only speak one way."""
        signed = np.unique(self.searcher.columns[self.searcher.monotonic.signs != 0])
        return bool(np.isin(candidate.split.features, signed).any())

    def rows_of(self, node: PlaneNode) -> Rows:
        """Rows of a node with the weights they have there."""
        rows = self.rows
        if len(node.rows) == len(rows.codes):
            return rows._replace(weights=node.weights)
        return rows.of(node.rows, node.weights)

    def split(self, node: PlaneNode, candidate: Candidate) -> None:
        """Give a node a decision, and send its rows down."""
        node.split, node.candidate = candidate.split, candidate
        self.route(node)

    def route(self, node: PlaneNode) -> None:
        """Send the rows of a node down its decision, and on below it."""
        while node.split is not None:
            if self._route_once(node):
                for child in node.children:
                    self.route(child)
                return

    def _route_once(self, node: PlaneNode) -> bool:
        """Send rows to the children of a node; false if one gets none, and the other is it."""
        split: Any = node.split
        old = node.children or [None] * split.n_branches
        node.children = self.children(node, split)
        for child, before in zip(node.children, old, strict=True):
            if before is not None:
                child.split, child.candidate = before.split, before.candidate
                child.children, child.pinned = before.children, before.pinned
        for at, child in enumerate(node.children if len(node.children) == 2 else []):
            if child.weight < 1e-9:
                other = node.children[1 - at]
                node.split, node.candidate = other.split, other.candidate
                node.children, node.pinned = other.children, other.pinned
                return False
        return True

    def children(self, node: PlaneNode, split: Any) -> list[PlaneNode]:
        """Leaves that a decision makes of a node, with the bounds that hold there."""
        branch = self._branch(node, split)
        bounds = [(node.low, node.high)] * split.n_branches
        if self._reads_sign(node.candidate):
            middle = sum(self._bounded_shares(node, split)) / 2
            bounds = [(node.low, middle), (middle, node.high)]
        read = node.read | frozenset(split.features.tolist())
        own = {"depth": node.depth + 1, "monotonic": node.monotonic, "read": read}
        parts = zip(divide(branch, node.weights, split.n_branches), bounds, strict=True)
        return [
            self.make_node(node.rows[at], weights, node, low=low, high=high, **own)
            for (at, weights), (low, high) in parts
        ]

    def on_rows(self, rows: Canonical) -> PlaneGrower:
        """A grower of other rows of the same table; nothing is known of them."""
        table, codes, weights = rows.table, rows.codes, rows.weights
        E = encode(table.values, self.searcher.columns, self.searcher.categories)
        own = Rows(np.ascontiguousarray(E), table.values, codes, weights, rows.draws)
        return replace(
            self, table=table, codes=codes, weights=weights, rows=own, known={}, locks={}
        )

    def learn(self, root: PlaneNode) -> PlaneNode:
        """A tree that was grown from taught rows, with these rows in its nodes."""
        new = self._rooted(root)
        self.route(new)
        for node in new.preorder():
            if not node.is_leaf:  # planes stay those of the taught rows
                node.candidate = node.candidate._replace(taught=True, way=None)
        close_equal_leaves(new)
        self.orient(new)
        return new

    def _rooted(self, root: PlaneNode) -> PlaneNode:
        """A tree with these rows at its root, to be sent down."""
        new, old = self._root(), root.copy()
        for node in old.preorder():
            if not node.is_leaf and node.split is not node.candidate.split:  # turned by `orient`
                node.split, node.children = node.candidate.split, node.children[::-1]
        new.split, new.candidate, new.children = old.split, old.candidate, old.children
        return new

    def adopt(self, root: PlaneNode) -> PlaneNode:
        """A tree that was grown from a sample of these rows; its planes are found again on all.

        They stay as they are where others would no longer read what the rules ask for.
        """
        new = self._rooted(root)
        for node in new.preorder():
            while not node.is_leaf:
                node.candidate = self._settled(node)
                node.split = node.candidate.split
                if self._route_once(node):
                    break
        close_equal_leaves(new)
        if self.rules is not None and not self.rules.hold(new.features):
            new = self._rooted(root)
            self.route(new)
            for node in new.preorder():
                if not node.is_leaf:
                    node.candidate = node.candidate._replace(sampled=True)
        self.orient(new)
        return new

    def _settled(self, node: PlaneNode) -> Candidate:
        """The decision of a node by all of its rows, if it is a plane between classes."""
        candidate: Candidate = node.candidate._replace(sampled=True)
        if candidate.way is None or not isinstance(candidate.split, Planes):
            return candidate
        X, codes = self._cells(node, candidate.split), self.codes[node.rows]
        rows = Rows(X, X, codes, node.weights, self.rows.draws[node.rows])
        draft = candidate.way[codes], self.searcher.terms_of(candidate.split)
        try:
            return self.searcher.settle(rows, candidate._replace(draft=draft))
        except TimeIsUpError:
            return candidate

    def orient(self, root: PlaneNode) -> None:
        """Ask whether a single term exceeds its threshold, not whether it falls short of it."""
        for node in root.preorder():
            if isinstance(node.split, Planes) and not is_upright(node.split):
                turned = upright(node.split, self._cells(node, node.split))
                if turned is not node.split:
                    node.split, node.children = turned, node.children[::-1]


def close_equal_leaves(root: PlaneNode) -> None:
    """Close decisions all of whose branches are leaves of one label."""
    for node in reversed(list(root.preorder())):
        labels = {child.label for child in node.children}
        closes = len(labels) == 1 and all(child.is_leaf for child in node.children)
        if closes and not node.pinned:
            node.close()
            node.label = labels.pop()
