"""A tree of separators over a table in parts: leaf by leaf, each decision by all rows of its leaf.

The leaf that holds most information is next, as in memory. Its separator is fitted to the rows that
reach it, which are read through the decisions above (`leaf_parts`), with its proof over all of
them. One more read tells the rows beside the threshold, which lies midway between them, and where
the rows go. Leaves with few rows are fetched, all that wait in one read, and grown in memory.

- a table of so few different rows that all come here is fitted in memory: the tree is that of
  memory to the bit;
- of a larger one, leaves are split in the same order by the same programs, so the tree is that of
  memory but for rounding, wherever the best planes are the only ones. Which columns with gaps a
  decision does without is tried on some rows of its leaf, and so are the features of a
  SparseSeparator: with these the decisions may be others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.clock import Clock
from planetree.distributed import Partitions
from planetree.distributed.partitions import Overview
from planetree.exceptions import SolverError
from planetree.grading import GRADED_ROWS
from planetree.planes import Planes
from planetree.separators.base import names_classes
from planetree.separators.partitioned import declare_columns
from planetree.separators.problem import term_scales
from planetree.solvers.partitioned.program import RowsChangedError
from planetree.table import Table, canonical, read_class_weight, read_costs
from planetree.tree.classifier import least_cost
from planetree.tree.graded_tree import graded_tree
from planetree.tree.growth import BestFirst, Node, freeze
from planetree.tree.partitioned.finishing import AllRows, LabeledParts
from planetree.tree.partitioned.leaf_parts import (
    BranchCounts,
    fills,
    gaps_of,
    in_leaf,
    look_at,
    merged_counts,
    of_leaf,
)
from planetree.tree.partitioned.reader import RowReader
from planetree.tree.partitioned.routing import Decisions
from planetree.tree.separator.leaf_separation import hiding, only_winners, planes_for_tree
from planetree.tree.separator.separator_growth import (
    NO_GAIN,
    SeparatorGrower,
    SplitRules,
    certificates,
    information,
    is_large_enough,
    leaf_separator,
    report_failure,
    takes_many_classes,
)

_SAMPLE = 100_000  # different rows that come here: all of a smaller table
_CELLS = 4_000_000  # of the rows of a leaf that is fetched: 32 MB
_AT_ONCE = 4  # times as many come in one read
_TRIED = 20_000  # rows of a leaf with gaps by which columns are hidden


class FitsSeparatorPartitions:
    """What lets a SeparatorTreeClassifier fit a table in parts."""

    grading_: str | None
    _strength: float | None

    def _fit_partitions(self: Any, partitions: Partitions) -> Any:
        self._check_parameters()
        self._refuse_for_parts()
        clock = Clock(self.time_limit)
        seen = partitions.overview(_SAMPLE, missing=True, enough=True)
        if seen.tells_all:
            cells, codes, weights = seen.some_rows
            self.fit(Table(cells, seen.columns, seen.named), seen.classes[codes], weights)
            self.n_reads_, self.n_bytes_gathered_ = seen.n_reads, seen.n_bytes
            return self
        declare_columns(self, seen)
        self.ranges_, self.costs_ = seen.ranges, read_costs(self.costs, self.classes_)
        separator = self._separator()
        self.multi_class_: bool = takes_many_classes(separator)
        heaviest = np.argsort(-seen.class_weights, kind="stable")
        self.class_order_: Indices = np.sort(heaviest) if names_classes(separator) else heaviest
        factors = read_class_weight(
            self.class_weight, seen.classes, np.arange(len(seen.classes)), seen.class_weights
        )
        grower = _PartedGrower(
            seen=seen,
            factors=factors,
            costs=self.costs_,
            order=self.class_order_,
            rules=self._rules(),
            clock=clock,
        )
        root = grower.grow()
        self._certificates = certificates(root)
        self.grading_ = "leaf"
        self.unpruned_tree_ = grower.graded(freeze(root))
        self._strength = None
        self._scales = grower.term_scales()
        self.prune(self.pruning, self.confidence)
        self.n_reads_, self.n_bytes_gathered_ = grower.reader.n_reads, grower.reader.n_bytes
        self._end_growing(clock, "leaves that were not split yet stay")
        return self

    def _refuse_for_parts(self: Any) -> None:
        """Raise for what needs all rows at once."""
        instead = "or fit planetree.distributed.sample(partitions, n)."
        separator = self._separator()
        if not hasattr(separator, "_fit_partitions"):
            raise ValueError(
                "A table in parts is fitted with RobustSeparator, QuadraticSeparator or "
                f"SparseSeparator, but the separator is {separator!r}. Take one of these, {instead}"
            )
        if self.max_features_total is not None:
            raise ValueError(
                "max_features_total needs all rows at once, so a table in parts is fitted without "
                f"it. Set max_features_total=None, {instead}"
            )
        if self.pruning == "cost_complexity":
            raise ValueError(
                "pruning='cost_complexity' fits folds of the rows, so a table in parts is fitted "
                f"without it. Set pruning='pessimistic', {instead}"
            )


@dataclass(eq=False)
class _Leaf(Node):
    """A node of a table in parts; `rows` and `weights` are empty until it is fetched."""

    n_rows: int = 0
    grower: SeparatorGrower | None = None


class _Decision(NamedTuple):
    """What a separator made of a leaf, as a grower in memory states it."""

    split: Planes
    children: list[Any]
    gain: float
    separator: Any


@dataclass(eq=False, kw_only=True)
class _PartedGrower(BestFirst[Any]):
    """Grows a tree on the rows of all parts.

    Parameters
    ----------
    seen : Overview
    factors : array of shape (n_classes,)
        What weights are multiplied by, class by class.
    costs : array of shape (n_classes, n_classes)
    order : array of shape (n_classes,)
        Class codes in the order in which ties are decided: nodes have their classes so.
    rules : SplitRules
    """

    seen: Overview
    factors: Floats
    costs: Floats
    order: Indices
    rules: SplitRules
    n_ahead: int = field(default=sys.maxsize, init=False)  # small leaves are fetched together
    reader: RowReader = field(init=False)
    shares: dict[int, Floats] = field(default_factory=dict, init=False)  # by identity

    def __post_init__(self) -> None:
        seen, self.k = self.seen, len(self.seen.classes)
        self.parts = seen.cell_parts(self.factors, self.order)
        self.own_costs = self.costs[np.ix_(self.order, self.order)]
        self.reader = RowReader(seen.engine, self.parts, seen.n_reads, seen.n_bytes, self.order)
        self.has_gaps = bool((seen.ranges.missing > 0).any())
        self.homes: dict[int, SeparatorGrower] = {}  # of nodes whose rows are here, by identity

    def grow(self) -> _Leaf:
        """Root of the tree."""
        told = self.reader.read(_size, self.k)  # by which later reads are known to be of these rows
        weights = np.sum([each for _, each in told], axis=0)
        self.root = self._leaf(weights, sum(n for n, _ in told))
        for _ in islice(self.best_first(self.root), self.rules.max_splits):
            pass
        return self.root

    def bound(self, node: Any) -> float | None:
        """Leaves wait by the information that they hold, as in memory."""
        return -information(node) if self._may_split(node) else None

    def seek(self, node: Any, ahead: list[Any]) -> Any:
        """What the separator makes of a leaf; None if nothing gains."""
        if self._is_small(node):
            self._fetch(self._fetched_with(node, ahead))
        home = self.homes.get(id(node))
        return self._of_parts(node) if home is None else home.seek(node, [])

    def priority(self, node: Any, candidate: Any) -> float:
        """A leaf whose decision is found is next."""
        return -information(node)

    def split(self, node: Any, candidate: Any) -> None:
        """Give a leaf its decision; rows that are here stay here."""
        super().split(node, candidate)
        if id(node) in self.homes:
            self.homes.update(dict.fromkeys(map(id, node.children), self.homes[id(node)]))

    def _may_split(self, node: Any) -> bool:
        n_rows = len(node.rows) if id(node) in self.homes else node.n_rows
        large = node.weight >= (self.rules.min_samples_split or 0.0) and n_rows > 1
        least = max(self.rules.min_impurity, NO_GAIN)
        return bool(large and information(node) > least * node.weight)

    def _leaf(self, class_weights: Floats, n_rows: int, parent: Any = None) -> _Leaf:
        none = np.empty(0, dtype=np.intp), np.empty(0)
        node = _Leaf(*none, class_weights, n_rows=n_rows)
        if parent is not None and not class_weights.any():
            node.label = parent.label
        else:
            node.label = int(least_cost(class_weights[None], self.own_costs)[0])
        return node

    # Leaves whose rows are fetched.

    def _is_small(self, node: Any) -> bool:
        return id(node) not in self.homes and self._n_cells(node) <= _CELLS

    def _n_cells(self, node: Any) -> int:
        return int(node.n_rows) * len(self.seen.columns)

    def _fetched_with(self, node: Any, following: list[Any]) -> list[Any]:
        """A leaf, and as many of those that follow as may come in the same read."""
        small = [node, *(each for each in following if self._is_small(each))]
        total = np.cumsum([self._n_cells(each) for each in small])
        return [each for each, n in zip(small, total, strict=True) if n <= _AT_ONCE * _CELLS]

    def _fetch(self, leaves: list[_Leaf]) -> None:
        """Bring the rows of some leaves here, in one read."""
        decisions, places = self._routes()
        found = self.reader.read(_rows_in, decisions, [places[id(leaf)] for leaf in leaves])
        for leaf, parts in zip(leaves, zip(*found, strict=True), strict=True):
            X, codes, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
            self.homes[id(leaf)] = self._in_memory(X, codes, weights)
            leaf.rows, leaf.weights = np.arange(len(codes)), weights

    # Decisions.

    def _of_parts(self, leaf: _Leaf) -> _Decision | None:
        decisions, places = self._routes()
        where = decisions, places[id(leaf)]
        columns, fill, hidden = self.seen.columns, None, np.empty(0, dtype=np.intp)
        if self.has_gaps:
            fill = fills(self.reader.read(gaps_of, *where, columns), columns)
            hidden = self._hidden(where)
        present = np.flatnonzero(leaf.class_weights)
        separator = leaf_separator(self.rules, self.clock, self.own_costs[np.ix_(present, present)])
        try:
            separator.fit(of_leaf(self.parts, *where, columns, fill, hidden))
        except RowsChangedError:
            raise
        except (SolverError, TimeoutError, ValueError) as error:
            report_failure(error, leaf, is_root=leaf is self.root)
            return None
        if separator.status_ == "interrupted":
            raise KeyboardInterrupt
        self.reader.n_reads += separator.n_reads_
        self.reader.n_bytes += separator.n_bytes_gathered_
        planes, counts = self._stated(hiding(separator.planes_, hidden), where)
        children, shares = self._children(leaf, counts)
        gain = information(leaf) - sum(map(information, children))
        if not gain > NO_GAIN * leaf.weight or not is_large_enough(
            self.rules, leaf.weight, planes.n_terms, is_root=leaf is self.root
        ):
            return None
        self.shares[id(leaf)] = shares
        return _Decision(planes, children, gain, separator)

    def _hidden(self, where: tuple[Any, int]) -> Indices:
        """Columns with gaps that some rows of a leaf are divided better without."""
        seen = of_leaf(self.parts, *where, self.seen.columns).overview(_TRIED, missing=True)
        self.reader.n_reads += seen.n_reads
        self.reader.n_bytes += seen.n_bytes
        cells, codes, weights = seen.some_rows
        grower = self._in_memory(cells, seen.classes[codes], weights)
        planes = grower.splitter(grower.make_node(np.arange(len(codes)), weights))
        if planes is None:
            return np.empty(0, dtype=np.intp)
        lost = np.flatnonzero(np.isnan(cells).any(axis=0))
        return np.setdiff1d(lost, planes.features)

    def _in_memory(self, X: Floats, codes: Indices, weights: Floats) -> SeparatorGrower:
        """Grower of rows that are here."""
        return SeparatorGrower(
            table=Table(np.ascontiguousarray(X), self.seen.columns),
            codes=codes.astype(np.intp),
            weights=weights,
            costs=self.own_costs,
            clock=self.clock,
            rules=self.rules,
        )

    def _stated(self, planes: Planes, where: tuple[Any, int]) -> tuple[Planes, BranchCounts]:
        """Planes as they enter the tree, and where they send the rows."""
        counts = merged_counts(self.reader.read(look_at, *where, planes, self.k))
        if planes.rule == "argmax":
            winners = only_winners(planes, _known(counts))
            if winners.rule == "argmax":
                own = np.append(np.flatnonzero(counts.n_rows[:-1]), planes.n_branches)
                return winners, BranchCounts(
                    counts.classes[own], counts.n_rows[own],
                    counts.nearest[own[:-1]], counts.sums[own[:-1]],
                )  # fmt: skip
            planes = winners
            counts = merged_counts(self.reader.read(look_at, *where, planes, self.k))
        stated = planes_for_tree(planes, _known(counts), ())
        if stated.weights[0] @ planes.weights[0] < 0:  # it was turned around
            order = np.array([1, 0, 2])
            counts = BranchCounts(
                counts.classes[order], counts.n_rows[order], counts.nearest[::-1], counts.sums[::-1]
            )
        return stated, counts

    def _children(self, leaf: _Leaf, counts: BranchCounts) -> tuple[list[_Leaf], Floats]:
        """Leaves that a decision makes, and what each gets of rows whose branch is not known."""
        known, unknown = counts.classes[:-1], counts.classes[-1]
        total = known.sum()
        shares = known.sum(axis=1) / total if total > 0 else np.zeros(len(known))
        sizes = counts.n_rows[:-1] + np.where(shares > 0, counts.n_rows[-1], 0)
        made = zip(known, shares, sizes, strict=True)
        return [self._leaf(own + s * unknown, int(n), leaf) for own, s, n in made], shares

    def _routes(self) -> tuple[Decisions, dict[int, int]]:
        """Decisions above the leaves that are in parts, and the places of nodes by identity."""
        nodes = list(self._routed(self.root))
        places = {id(node): i for i, node in enumerate(nodes)}
        inner = [id(node) in self.shares for node in nodes]
        splits = [node.split if own else None for node, own in zip(nodes, inner, strict=True)]
        children = [
            tuple(places[id(c)] for c in node.children) if own else ()
            for node, own in zip(nodes, inner, strict=True)
        ]
        return Decisions(splits, children, [self.shares.get(id(node)) for node in nodes]), places

    def _routed(self, node: Any) -> Iterator[Any]:
        yield node
        if id(node) in self.shares and node.split is not None:
            for child in node.children:
                yield from self._routed(child)

    # The tree by all rows.

    def graded(self, tree: Any) -> Any:
        """The tree with its probabilities, by as many rows at hand as memory takes, and by all."""
        X, codes, weights = self._sample()
        some = X[:GRADED_ROWS], codes[:GRADED_ROWS], weights[:GRADED_ROWS]
        self.reader = self.reader.with_parts(self.seen.cell_parts(self.factors))
        rows = LabeledParts(*some, None, self.costs, self.order, AllRows(self.reader, self.k))
        tree = tree.in_classes(self.order)
        return graded_tree(tree, rows, moved=False)  # type: ignore[arg-type]

    def _sample(self) -> tuple[Floats, Indices, Floats]:
        cells, codes, weights = self.seen.some_rows
        return np.ascontiguousarray(cells), codes, weights * self.factors[codes]

    def term_scales(self) -> dict[tuple[int, int], float]:
        """Standard deviations of the terms of the rows at hand."""
        cells, codes, weights = self._sample()
        rows = canonical(Table(cells, self.seen.columns), codes, weights, n_classes=self.k)
        return term_scales(rows, rows.weights)


def _size(rows: Any, k: int) -> tuple[int, Floats]:
    """How many rows a part has, and the weights of their classes."""
    _, codes, weights = rows
    return len(codes), np.bincount(codes, weights, k).astype(np.float64)


def _rows_in(
    rows: Any, decisions: Decisions, nodes: list[int]
) -> list[tuple[Floats, Indices, Floats]]:
    return [in_leaf(rows, decisions, node) for node in nodes]


def _known(counts: BranchCounts) -> Floats:
    return counts.nearest[~np.isnan(counts.sums)]
