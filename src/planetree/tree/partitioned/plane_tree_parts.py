"""The readable tree of a table in parts: grown from some rows, found again and counted on all.

The rows that a tree grows from are drawn from those with the lowest hashes of their content, which
are the same for any partitioning. As of a large table in memory, its planes are then found again on
all rows, level by level (`settling`), rounded, graded, counted and proved over all of them
(`finishing`).

- a table of so few different rows that all come here is fitted in memory: the tree is that of
  memory to the bit;
- of a larger one, memory draws other rows: the tree may have other decisions. Given the same drawn
  rows, decisions, planes, counts and probabilities are those of memory, but for rounding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.distributed import Partitions
from planetree.distributed.partitions import Overview
from planetree.grading import GRADED_ROWS
from planetree.planes import Planes
from planetree.separators.partitioned import declare_columns
from planetree.separators.problem import term_scales
from planetree.table import (
    Canonical,
    ColumnRanges,
    Table,
    Terms,
    canonical_order,
    read_class_weight,
    read_costs,
)
from planetree.tree.classifier import least_cost
from planetree.tree.constraints.monotonic_share import read_monotonic_share
from planetree.tree.graded_tree import graded_tree
from planetree.tree.growth import freeze, upright
from planetree.tree.partitioned.finishing import (
    AllRows,
    LabeledParts,
    plane_certificates,
    rounded_tree,
)
from planetree.tree.partitioned.reader import RowReader
from planetree.tree.partitioned.routing import Decisions, PartRows, answers_of, node_counts
from planetree.tree.partitioned.settling import NodeProgram, Settled, settle
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode, close_equal_leaves
from planetree.tree.plane.plane_search import PLANE_PRICE, sampled_rows
from planetree.tree.plane.tree_choice import FinishedTree, cheapest_path, decision_certificate
from planetree.tree.score_sheet.sheet_search import SheetRows

_SAMPLE = 100_000  # different rows that come here: all of a smaller table
_NO_WEIGHT = 1e-9  # of a branch that goes


class FitsPartitions:
    """What lets a PlaneTreeClassifier fit a table in parts."""

    def _fit_partitions(self: Any, partitions: Partitions) -> Any:
        price, clock = self._price(), Clock(self.time_limit)
        for name in ("teacher", "products"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name} needs rows in memory, so a table in parts is fitted without it. Set "
                    f"{name}=None, or fit planetree.distributed.sample(partitions, n)."
                )
        seen = partitions.overview(_SAMPLE, missing=True, enough=True)
        if seen.tells_all:
            cells, codes, weights = seen.some_rows
            self.fit(Table(cells, seen.columns, seen.named), seen.classes[codes], weights)
            self.n_reads_: int = seen.n_reads
            self.n_bytes_gathered_: int = seen.n_bytes
            return self
        declare_columns(self, seen)
        self.ranges_: ColumnRanges = seen.ranges
        self.costs_: Floats = read_costs(self.costs, self.classes_)
        self.grading_: Any = self.grading
        self.fidelity_ = None
        own = _PartedFit(self, seen, price, clock)
        own.set_tree()
        self.n_reads_, self.n_bytes_gathered_ = own.reader.n_reads, own.reader.n_bytes
        self._end_growing(clock, "nodes that were not split yet are leaves")
        return self


class _Grown(NamedTuple):
    """A tree by all rows: its nodes, with the places that they had in the tree of some rows."""

    root: PlaneNode
    places: dict[int, int]  # by the identity of the node
    settled: Settled


class _PartedFit:
    """One fit: some rows at hand, all others in parts."""

    def __init__(self, model: Any, seen: Overview, price: float, clock: Clock) -> None:
        self.model, self.clock = model, clock
        cells, codes, weights = seen.some_rows
        factors = _class_factors(model, seen)
        self.reader = RowReader(seen.engine, seen.cell_parts(factors), seen.n_reads, seen.n_bytes)
        self.sample = PartRows(np.ascontiguousarray(cells), codes, weights * factors[codes])
        table, k = Table(cells, seen.columns), len(seen.classes)
        self.few: Canonical = sampled_rows(canonical_order(table, codes, weights, n_classes=k))
        self.all_rows = AllRows(self.reader, k)
        self.choice = model._choice(self.few, price, clock, None)
        model.class_order_ = self.few.order

    def set_tree(self) -> None:
        """Set what is fitted of the tree that was chosen."""
        model, few, grower = self.model, self.few, self.choice.grower
        kept, finisher, found, grown_by, *_ = self.choice.trees
        is_graded = model.grading is not None
        grown = self._adopted(kept, grower)
        tree = self._counted(freeze(grown.root).in_classes(few.order))
        rounded = rounded_tree(tree, self.reader)
        after = self._graded(rounded, grown) if is_graded else rounded
        model.tree_ = after if is_graded else tree
        model.rounded_tree_ = after
        model.certificates_ = self._certificates(grown, rounded, after)
        model.path_ = cheapest_path(found, grown_by, is_graded, finisher.labeled)
        terms = Terms(grower.searcher.columns, grower.searcher.categories)
        model._scales = term_scales(few, few.weights, grower.rows.E, terms)
        read = np.union1d(model.tree_.features, model.path_[-1].tree.features)
        model._sheet_rows = SheetRows.kept(few, grower.weights, read, read_monotonic_share(model))

    def _graded(self, tree: Any, grown: _Grown) -> Any:
        """The tree graded by as many rows at hand as memory takes, and by all."""
        model, order = self.model, self.few.order
        X, codes, weights = self.sample
        some = X[:GRADED_ROWS], codes[:GRADED_ROWS], weights[:GRADED_ROWS]
        rows = LabeledParts(*some, None, model.costs_, order, self.all_rows)
        bounds = model._bounds(list(grown.root.preorder()), order)
        return graded_tree(tree, rows, bounds=bounds)  # type: ignore[arg-type]

    def _counted(self, tree: Any) -> Any:
        """The tree with the weights of all rows; those of a monotonic tree stay in their bounds."""
        if self.model.monotonic_cst is not None:
            return tree
        counts = self.all_rows.counts(tree)
        return replace(tree, class_weights=counts, weights=counts.sum(axis=1), errors=None)

    # Planes by all rows.

    def _adopted(self, kept: FinishedTree, grower: PlaneGrower) -> _Grown:
        """The tree of some rows with planes of all; as it was where the rules would not hold."""
        before = self._decisions(kept)
        jobs = {} if grower.searcher.monotonic.holds else self._jobs(kept.nodes)
        telling = self.few.given_columns(grower.searcher.telling)
        settled = settle(
            self.reader, self.sample, before, jobs, telling, grower.searcher.min_weight,
            self.all_rows.n_classes, self.clock,
        )  # fmt: skip
        grown = self._grown(kept, settled, grower)
        place = np.argsort(self.few.columns)
        read = frozenset(int(place[j]) for j in grown.root.features)
        if grower.rules is None or grower.rules.hold(read):
            return grown
        return self._grown(kept, Settled(before, {}, {}), grower)

    def _decisions(self, kept: FinishedTree) -> Decisions:
        """Decisions as some rows found them, in the units of the table."""
        number = {id(node): i for i, node in enumerate(kept.nodes)}
        children = [tuple(number[id(c)] for c in node.children) for node in kept.nodes]
        splits = [node.split and self.few.split(node.split) for node in kept.nodes]
        return Decisions(splits, children, [None] * len(splits))

    def _jobs(self, nodes: list[PlaneNode]) -> dict[int, NodeProgram]:
        """Programs of the nodes whose planes are found again."""
        jobs = {}
        for place, node in enumerate(nodes):
            candidate = node.candidate
            if node.is_leaf or candidate.way is None or not isinstance(node.split, Planes):
                continue
            split, way = self.few.split(candidate.split), np.zeros(len(self.few.order), dtype=bool)
            assert isinstance(split, Planes)
            way[self.few.order] = candidate.way
            turned = node.split is not candidate.split  # by `orient`: below is above
            way = ~way if turned else way
            jobs[place] = NodeProgram(split.columns, split.categories, way, PLANE_PRICE)
        return jobs

    def _grown(self, kept: FinishedTree, settled: Settled, grower: PlaneGrower) -> _Grown:
        """Nodes that count all rows; branches without any go, and decisions that say nothing."""
        decisions, k = settled.decisions, self.all_rows.n_classes
        found = self.reader.read(answers_of, decisions.splits, decisions.children, k)
        counts, _ = node_counts(decisions.splits, decisions.children, found)
        nodes = [node.copy() for node in kept.nodes]
        for place, (node, own) in enumerate(zip(nodes, counts[:, self.few.order], strict=True)):
            node.class_weights, node.split = own, decisions.splits[place]
            node.children = [nodes[child] for child in decisions.children[place]]
            if own.any():
                node.label = int(least_cost(node.votes[None], grower.costs)[0])
        root = _without_empty(nodes[0])
        close_equal_leaves(root)
        for node in root.preorder():
            if isinstance(node.split, Planes):
                turned = upright(node.split, self.sample.X)
                if turned is not node.split:
                    node.split, node.children = turned, node.children[::-1]
        return _Grown(root, {id(node): i for i, node in enumerate(nodes)}, settled)

    # Certificates.

    def _certificates(self, grown: _Grown, before: Any, after: Any) -> list[Certificate]:
        """How each decision was found, and what is proved of the one that predicts."""
        nodes = list(grown.root.preorder())
        places = [grown.places[id(node)] for node in nodes]
        final = {
            place: None if after is before else after.splits[i] for i, place in enumerate(places)
        }
        proved = plane_certificates(grown.settled, final, self.reader, self.sample)
        exponents = self.few.given_columns(self.few.exponents)
        found = []
        for place, node, old, new in zip(places, nodes, before.splits, after.splits, strict=True):
            if node.is_leaf:
                continue
            if place in proved:
                moved = float(old.offsets[0]), float(new.offsets[0])
                moved_to = moved if moved[0] != moved[1] else None
                found.append(replace(proved[place], moved=moved_to))
            else:
                candidate = node.candidate._replace(sampled=True)
                seconds = self.clock.left_to_finish
                found.append(decision_certificate(candidate, old, new, exponents, seconds))
        return found


def _without_empty(root: PlaneNode) -> PlaneNode:
    """A tree without branches that no row takes: the other takes the place of their node."""
    children = [_without_empty(child) for child in root.children]
    heavy = [child for child in children if child.weight >= _NO_WEIGHT]
    if len(children) == 2 and len(heavy) == 1:
        return heavy[0]
    root.children = children
    return root


def _class_factors(model: Any, seen: Overview) -> Floats:
    """What weights are multiplied by, class by class; their sum stays."""
    totals, k = seen.class_weights, len(seen.classes)
    given = read_class_weight(model.class_weight, seen.classes, np.arange(k), totals)
    return np.asarray(given * (totals.sum() / float(given @ totals)))
