"""The training rows of an edited tree: where they go, what grows from them, how a part is graded.

A part is a node of the tree with the rows that reach it. A subtree of a part is grown as a whole
tree is, from the rows of the part, at the prices of the whole tree; it is rounded, and all of its
decisions and leaves are graded together, with the class shares of the whole table as the prior.
Thresholds that a person set, and those of decisions that are kept, do not move.

Where columns are monotonic, a leaf's share of the classes they are about must not pass those of the
leaves on the other side of any decision above it that reads such a column. For a part these are

    low  = the largest share among leaves that must stay below,
    high = the least share among leaves that must stay above,

so whatever stays between them keeps the whole tree monotonic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, encode
from planetree.clock import Clock
from planetree.grading import keep_class, leaf_grades
from planetree.planes import Planes, Split
from planetree.statistics import ShareBounds
from planetree.table import Canonical, Table, canonical
from planetree.tree.classifier import least_cost
from planetree.tree.constraints.monotonic_share import MonotonicShare, read_monotonic_share
from planetree.tree.editing.edited_tree import EditNode, by_hand
from planetree.tree.graded_tree import LabeledRows, graded_tree, recounted
from planetree.tree.growth import divide, training_branch
from planetree.tree.plane.plane_growth import PlaneGrower
from planetree.tree.plane.plane_search import Rows, sampled_rows
from planetree.tree.plane.plane_tree import PlaneTreeClassifier
from planetree.tree.plane.rounding import round_planes
from planetree.tree.plane.tree_choice import (
    choose_tree,
    decision_certificate,
    found_on_all_rows,
)
from planetree.tree.tree import Tree

_ROUNDING = 1e-8  # of a share: more than the margin by which a label leads


class TreePart(NamedTuple):
    """A node with its rows.

    Parameters
    ----------
    at, weights : arrays
        Canonical rows that reach it, and their weights there.
    depth : int
    low, high : float
        Between which the share that is monotonic must stay.
    forbidden : frozenset of int
        Columns that it may not read.
    elsewhere : frozenset of int
        Columns that the rest of the tree reads.
    above : frozenset of int
        Columns that decisions above it read.
    """

    at: Indices
    weights: Floats
    depth: int = 0
    low: float = 0.0
    high: float = 1.0
    forbidden: frozenset[int] = frozenset()
    elsewhere: frozenset[int] = frozenset()
    above: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class EditingRows:
    """Training rows of a model, in canonical form and in that of the table.

    Parameters
    ----------
    model : PlaneTreeClassifier
        Its parameters say how trees grow.
    rows : Canonical
    labeled : LabeledRows
        The same rows, with all columns, in the units of the table.
    grower : PlaneGrower
        Of all rows.
    monotonic : MonotonicShare
        Signs of the columns of the table.
    """

    model: PlaneTreeClassifier
    rows: Canonical
    labeled: LabeledRows
    grower: PlaneGrower
    monotonic: MonotonicShare

    @classmethod
    def of(
        cls, model: PlaneTreeClassifier, table: Table, codes: Indices, weights: Floats
    ) -> EditingRows:
        """Rows of a fitted model: cells as it reads them, class codes, and weights above 0."""
        rows = canonical(table, codes, weights, n_classes=len(model.classes_))
        grower = model._grower(rows, model._price(), Clock(model.time_limit))
        every = np.arange(len(table.columns))
        labeled = LabeledRows.of(rows, grower.weights, model.costs_, every)
        return cls(model, rows, labeled, grower, read_monotonic_share(model))

    @property
    def is_graded(self) -> bool:
        """Whether the model gives graded probabilities."""
        return self.model.grading_ is not None

    @property
    def whole(self) -> TreePart:
        """All rows."""
        return TreePart(np.arange(len(self.labeled.codes)), self.labeled.weights)

    @property
    def prior(self) -> Floats:
        """Class shares of the table, with one more row of each class."""
        counts = self._counts(self.whole) + 1.0
        return np.asarray(counts / counts.sum())

    def _counts(self, part: TreePart) -> Floats:
        k = len(self.labeled.costs)
        return np.bincount(self.labeled.codes[part.at], part.weights, k).astype(np.float64)

    def part(self, root: EditNode, number: int) -> TreePart:
        """A node of a tree with its rows and what holds there."""
        part, way = self.whole, root.way(number)
        for node, branch in way[:-1]:
            assert node.split is not None
            low, high = self._bounds_of_branch(node, branch, part)
            part = self.branches(part, node.split)[branch]._replace(low=low, high=high)
            part = part._replace(forbidden=part.forbidden | node.forbidden)
        outside = root.with_node(number, way[-1][0].leaf()).features
        forbidden = part.forbidden | way[-1][0].forbidden
        return part._replace(forbidden=forbidden, elsewhere=frozenset(outside))

    def branches(self, part: TreePart, split: Split) -> list[TreePart]:
        """Parts that a decision, in the units of the table, makes of one."""
        branch = training_branch(split, self.labeled.X[part.at])
        parts = divide(branch, part.weights, split.n_branches)
        below = part._replace(
            depth=part.depth + 1, above=part.above | frozenset(split.features.tolist())
        )
        return [below._replace(at=part.at[at], weights=weights) for at, weights in parts]

    def direction(self, split: Split) -> int:
        """1 where the upper branch must have the larger monotonic share, -1 the smaller, 0 either.

        Raises where a decision reads monotonic columns and goes both ways.
        """
        signs = self.monotonic.signs
        if not signs[split.features].any():
            return 0
        if isinstance(split, Planes) and split.rule == "slabs" and len(split.offsets) == 1:
            ways = {int(s) for s in np.sign(split.weights[0] * signs[split.columns])} - {0}
            if len(ways) == 1:
                return ways.pop()
        names = [self.model.columns_[j].name for j in split.features if signs[j]]
        raise ValueError(
            f"monotonic_cst holds for {names}, and this decision would break it. Give them weights "
            "of their signs, in one plane."
        )

    def _bounds_of_branch(self, node: EditNode, branch: int, part: TreePart) -> tuple[float, float]:
        """Bounds of a branch by the leaves that are on the other one."""
        assert node.split is not None
        way = self.direction(node.split)
        if way == 0:
            return part.low, part.high
        other = [each for each in node.children[1 - branch].preorder() if each.is_leaf]
        shares = [self.monotonic.of(each.shares) for each in other]
        if (branch == 1) == (way > 0):
            return max(part.low, *shares), part.high
        return part.low, min(part.high, *shares)

    def part_grower(self, part: TreePart) -> PlaneGrower:
        """Grower of a part, at the prices of the whole tree."""
        clock, place = Clock(self.model.time_limit), np.argsort(self.rows.columns)
        grower = self.grower.without(place[sorted(part.forbidden)].tolist())
        elsewhere = np.isin(np.arange(len(place)), place[sorted(part.elsewhere)])
        low, high = self.monotonic.given_ends(part.low, part.high, self.rows.order)
        return replace(
            grower,
            table=self.rows.table.take(part.at),
            codes=self.rows.codes[part.at],
            weights=part.weights,
            rows=self.grower.rows.of(part.at, part.weights),
            clock=clock,
            searcher=replace(grower.searcher, clock=clock),
            depth=part.depth,
            low=low,
            high=high,
            elsewhere=elsewhere,
            read=frozenset(int(place[j]) for j in part.above),
            rules=None if part.elsewhere or part.depth else self.grower.rules,
            known={},
        )

    def grown(self, part: TreePart) -> EditNode:
        """What grows from the rows of a part, not yet graded."""
        at, rows = part.at, self.rows
        every = rows._replace(table=rows.table.take(at), codes=rows.codes[at], draws=rows.draws[at])
        every, grower = every._replace(weights=part.weights), self.part_grower(part)
        is_pure = np.count_nonzero(self._counts(part)) < 2
        if is_pure or not grower.has_columns:
            return EditNode()
        few = sampled_rows(every)
        if few is not every:
            X, searcher = few.table.values, grower.searcher
            E = np.ascontiguousarray(encode(X, searcher.columns, searcher.categories))
            own = Rows(E, X, few.codes, few.weights, few.draws)
            codes, weights = few.codes, few.weights
            grower = replace(grower, table=few.table, codes=codes, weights=weights, rows=own)
        finisher = self.model._finisher
        choice = choose_tree(grower, few, finisher)
        if few is not every:
            every = every.of_columns(choice.read)
            choice = found_on_all_rows(choice, grower, every, part.weights, finisher)
        return self._draft(choice.kept)

    def _draft(self, kept: Any) -> EditNode:
        """Decisions of a grown tree, found and rounded, with their candidates."""
        tree = kept.found

        def node(number: int) -> EditNode:
            if tree.splits[number] is None:
                return EditNode()
            return EditNode(
                split=tree.splits[number],
                rounded=kept.rounded.splits[number],
                children=tuple(node(child) for child in tree.children_of(number).tolist()),
                candidate=kept.nodes[number].candidate,
                fixed=False,
            )

        return node(0)

    def rounded(self, split: Split, part: TreePart) -> Split:
        """A decision with the fewest digits that send the rows of a part the same way."""
        if not isinstance(split, Planes):
            return split
        return round_planes(split, self.labeled.X[part.at])

    def finished(self, draft: EditNode, part: TreePart) -> EditNode:
        """A subtree, graded, counted, and with certificates."""
        rows, nodes = self._labeled_part(part), list(draft.preorder())
        bounds = self._bounds(draft, part)
        tree = self._counted(draft, rows, rounded=self.is_graded)
        if self.is_graded:
            tree = self._graded(tree, nodes, rows, bounds)
        else:
            tree = self._labeled(tree, bounds)
        tree = self._with_labels(tree, nodes, bounds)
        return self._with_figures(draft, tree)

    def _counted(self, draft: EditNode, rows: LabeledRows, *, rounded: bool) -> Tree:
        """The tree of a draft with the training weights of its nodes."""
        nothing = np.zeros(len(rows.costs))
        blank = draft.each(lambda node: replace(node, counts=nothing, probabilities=None))
        return recounted(blank.tree(rounded=rounded), rows)

    def _graded(
        self, tree: Tree, nodes: list[EditNode], rows: LabeledRows, bounds: ShareBounds | None
    ) -> Tree:
        """Spreads, thresholds that may move, and probabilities; locked decisions stay."""
        free = np.array([not node.fixed for node in nodes])
        graded = graded_tree(tree, rows, moved=free, bounds=bounds, prior=self.prior)
        if not any(node.locked and node.split is not None for node in nodes):
            return graded
        kept = tuple(
            node.split if node.locked else split
            for node, split in zip(nodes, graded.splits, strict=True)
        )
        graded = recounted(replace(graded, splits=kept), rows)
        leaf = leaf_grades(graded, *rows[:4], bounds=bounds, prior=self.prior)
        none: Any = None
        predicted = least_cost(leaf, rows.costs, rows.order)
        return replace(graded, leaf_probabilities=leaf, predicted=predicted, errors=none)

    def _labeled(self, tree: Tree, bounds: ShareBounds | None) -> Tree:
        """A hard tree: the votes of its nodes within their bounds, and the class of least cost."""
        votes, none = tree.class_weights, None
        if bounds is not None:
            votes = tree.weights[:, None] * bounds.within(tree.leaf_distributions)
        predicted = least_cost(votes, self.labeled.costs, self.labeled.order)
        return replace(tree, class_weights=votes, predicted=predicted, errors=none)  # type: ignore[arg-type]

    def stump(self, split: Split | None, part: TreePart) -> Tree:
        """A decision between two leaves, or a leaf, with the rows of a part; not graded."""
        leaves = () if split is None else (EditNode(),) * split.n_branches
        draft = EditNode(split=split, rounded=split, children=leaves)
        return self._labeled(self._counted(draft, self._labeled_part(part), rounded=True), None)

    def _labeled_part(self, part: TreePart) -> LabeledRows:
        every, at = self.labeled, part.at
        few = every._replace(X=every.X[at], codes=every.codes[at], draws=every.draws[at])
        return few._replace(weights=part.weights)

    def _with_labels(self, tree: Tree, nodes: list[EditNode], bounds: ShareBounds | None) -> Tree:
        """The tree with the labels that a person gave to leaves; raises where they break bounds."""
        labels = {i: node.predicted for i, node in enumerate(nodes) if node.has_label}
        if not labels:
            return tree
        tree, at = _relabeled(tree, labels, self.labeled.costs), list(labels)
        if bounds is not None:
            share, (low, high, *_) = bounds.of(tree.leaf_distributions[at]), bounds.at(at)
            wrong = np.flatnonzero((share < low - _ROUNDING) | (share > high + _ROUNDING))
            if len(wrong):
                label = self.model.classes_.tolist()[labels[at[wrong[0]]]]
                raise ValueError(f"monotonic_cst does not allow a leaf labeled {label!r} there.")
        return tree

    def _bounds(self, draft: EditNode, part: TreePart) -> ShareBounds | None:
        """Least and largest monotonic share at each node, in preorder."""
        if not self.monotonic.holds:
            return None
        ends = np.array(list(self._node_bounds(draft, part)))
        return self.monotonic.bounds(ends, graded=self.model.grading_ == "soft")

    def _node_bounds(self, node: EditNode, part: TreePart) -> Iterator[tuple[float, float]]:
        yield part.low, part.high
        if node.split is None:
            return
        parts, way = self.branches(part, node.split), self.direction(node.split)
        if way:
            shares = [self.monotonic.of(self._counts(each)) for each in parts]
            middle = float(np.clip(shares, part.low, part.high).mean())
            ends = [(part.low, middle), (middle, part.high)][::way]
            parts = [
                each._replace(low=low, high=high)
                for each, (low, high) in zip(parts, ends, strict=True)
            ]
        for child, own in zip(node.children, parts, strict=True):
            yield from self._node_bounds(child, own)

    def _with_figures(self, draft: EditNode, tree: Tree) -> EditNode:
        """The nodes of a draft with what grading found, and what is proved of each decision."""
        exponents = self.rows.given_columns(self.rows.exponents)
        numbers = iter(range(tree.n_nodes))

        def node(each: EditNode) -> EditNode:
            number = next(numbers)
            split, given = tree.splits[number], tree.leaf_probabilities
            certificate = each.certificate
            if each.candidate is not None:
                after = split if self.is_graded else each.rounded
                certificate = decision_certificate(
                    each.candidate, each.rounded, after, exponents, None
                )
                certificate = by_hand(certificate) if each.is_set else certificate
            return replace(
                each,
                split=split,
                rounded=split if self.is_graded else each.rounded,
                children=tuple(map(node, each.children)),
                certificate=certificate,
                counts=tree.class_weights[number],
                weight=float(tree.weights[number]),
                predicted=int(tree.predicted[number]),
                probabilities=None if given is None else given[number],
                candidate=None,
                fixed=True,
            )

        return node(draft)


def _relabeled(tree: Tree, labels: dict[int, int], costs: Floats) -> Tree:
    """A tree whose leaves have other classes: probabilities move as little as makes them so."""
    shares, predicted = tree.leaf_distributions.copy(), tree.predicted.copy()
    at, codes = np.array(list(labels)), np.array(list(labels.values()))
    shares[at] = keep_class(shares[at], shares[at], codes, costs)
    predicted[at] = codes
    none: Any = None
    return replace(tree, leaf_probabilities=shares, predicted=predicted, errors=none)
