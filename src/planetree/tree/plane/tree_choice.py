"""Several trees, one kept: the tree that costs least in one currency.

A handful of trees is grown from the same rows: with planes of few terms at the price asked for and
at a lower one, and with planes of as many terms as the price pays for. Each is pruned, improved
(`alternation`), rounded and graded, and the one with the least

    - sum w ln p(class) + 2/3 size * terms * unit        (nats, p its graded probabilities)

is kept. The trees that pruning gives at all prices, of all that were grown, make the path: those
that cost least at some price.

- nothing is drawn at random and nothing is cross-validated: the same rows give the same tree;
- searches of one node are made once: trees that begin alike share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.planes import Planes, Split
from planetree.separators.sparse.feature_search import coarse
from planetree.table import Canonical
from planetree.tree.graded_tree import LabeledRows, graded_part, graded_tree, recounted
from planetree.tree.growth import freeze
from planetree.tree.impurity import entropy
from planetree.tree.plane.alternation import alternate
from planetree.tree.plane.candidate import Candidate, Pricing
from planetree.tree.plane.candidates import FEW_TERMS
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode, close_equal_leaves
from planetree.tree.plane.plane_search import Rows
from planetree.tree.plane.rounding import round_planes
from planetree.tree.price_pruning import PathStep, nested_trees, prune_by_price
from planetree.tree.tree import Tree

__all__ = ["Finisher", "cheapest_path", "choose_tree", "decision_certificate"]

# Chosen among about 40 sets of trees and prices by five folds of 16 data sets, not those that are
# reported: 14.0 % with 10.2 terms, where the first tree alone has 14.7 % with 8.9. With the whole
# price in the choice 14.3 % with 9.2. Trees of subsamples of the rows added nothing.
_LOWER_PRICE = 2 / 3
_ACCURATE = 1e-6  # the gap up to which a plane is called optimal


class _Proposal(NamedTuple):
    """A tree as it was grown, and what pruning and improving made of it."""

    grower: PlaneGrower
    grown: PlaneNode
    root: PlaneNode


def _proposals(grower: PlaneGrower) -> Iterator[_Proposal]:
    """Different trees of the same rows; when the time is up, those grown so far."""
    pricing, most = grower.pricing, grower.searcher.max_terms
    lower = pricing._replace(price=_LOWER_PRICE * pricing.price)
    first = replace(grower, max_terms=grower.searcher.few_terms)
    variants = {
        _always: (first, replace(first, pricing=lower)),
        _has_many_terms: (replace(first, max_terms=most),),
        _looks_ahead: (replace(first, look_ahead=True),),
    }
    for differs, growers in variants.items():
        for own in growers:
            grown = own.grow()
            if differs(grown):
                yield _improved(own, grown)
            if grower.clock.is_over:
                return


def _lawful(found: list[_Proposal], grower: PlaneGrower) -> list[_Proposal]:
    """Trees that read what the rules ask for: those found, changed where they do not.

    A group of which a tree reads a part is required for one more tree and barred for another; what
    is required and not read gets a cut of its own, at the leaf where that leaves least.
    """
    rules = grower.rules
    if rules is None or rules.are_free:
        return found
    lawful: list[_Proposal] = []
    for each in found:
        for group in rules.halves(_read_by(each.root) | rules.required)[:1]:
            plans = [_barring(grower, group), replace(grower, rules=rules.requiring(group))]
            for plan in plans:
                if plan.usable.any():
                    lawful += _lawful([_improved(plan, plan.grow())], plan)
            break
        else:
            lawful += _with_required(each, grower)
    if not lawful:
        raise ValueError(
            "No tree reads the required_features: "
            "some of them are constant, or do not divide the rows. Require fewer."
        )
    return lawful


def _barring(grower: PlaneGrower, group: frozenset[int]) -> PlaneGrower:
    """The grower without the columns of a group; one that has required columns cannot go."""
    assert grower.rules is not None
    barred = np.isin(grower.searcher.columns, list(group))
    return replace(grower, usable=grower.usable & ~barred & (not group & grower.rules.required))


def _read_by(root: PlaneNode) -> frozenset[int]:
    """Columns that the decisions of a tree read."""
    splits = (node.split for node in root.preorder() if node.split is not None)
    return frozenset(int(j) for split in splits for j in split.features)


def _with_required(each: _Proposal, grower: PlaneGrower) -> list[_Proposal]:
    """A tree with a cut for each required column that it does not read; none if there is none."""
    assert grower.rules is not None
    root = each.root.copy()
    for column in sorted(grower.rules.lacking(_read_by(root))):
        if not _read_at_a_leaf(root, column, each.grower):
            return _with_first_cut(column, grower)
    return [each._replace(root=root)]


def _read_at_a_leaf(root: PlaneNode, column: int, grower: PlaneGrower) -> bool:
    """Give the leaf where it costs least a decision that reads a column; False if none has one."""
    leaves = [node for node in root.preorder() if node.is_leaf and node.depth < grower.max_depth]
    found = [(leaf, each) for leaf in leaves for each in _cuts_of_column(leaf, column, grower)]
    if not found:
        return False
    leaf, cut = min(
        found,
        key=lambda pair: float(
            coarse(grower.paid(pair[1], pair[0].read) - float(entropy(pair[0].class_weights)))
        ),
    )
    grower.split(leaf, cut)
    leaf.pinned = True
    return True


def _cuts_of_column(node: PlaneNode, column: int, grower: PlaneGrower) -> list[Candidate]:
    rows, searcher = grower.rows_of(node), grower.searcher
    allowed = grower.usable & (searcher.columns == column)
    if not allowed.any():
        return []
    return [*searcher.cuts(rows, allowed), *searcher.divisions(rows, allowed)]


def _with_first_cut(column: int, grower: PlaneGrower) -> list[_Proposal]:
    """A tree whose root reads a column that none of its leaves could; none if the root cannot."""
    root = grower.make_node(np.arange(len(grower.codes)), grower.weights)
    cuts = _cuts_of_column(root, column, grower)
    if not cuts or grower.first is not None:
        return []
    own = replace(grower, first=min(cuts, key=grower.paid))
    grown = own.grow()
    grown.pinned = not grown.is_leaf
    return [] if grown.is_leaf else _with_required(_improved(own, grown), own)


def _columns_of_trees(found: list[_Proposal], rows: Canonical) -> Indices:
    """Columns of the table that any decision reads."""
    nodes = [node for each in found for root in each[1:] for node in root.preorder()]
    read = [node.split.features for node in nodes if node.split is not None]
    return np.unique(rows.columns[np.concatenate([np.empty(0, dtype=np.intp), *read])])


def _always(root: PlaneNode) -> bool:
    return True


def _has_many_terms(root: PlaneNode) -> bool:
    """Whether a tree has a decision that one of few terms has not."""
    return any(
        node.split is not None and node.split.n_terms > FEW_TERMS for node in root.preorder()
    )


def _looks_ahead(root: PlaneNode) -> bool:
    """Whether a tree has a cut that pays by what is below it."""
    return any(node.split is not None and node.candidate.ahead < np.inf for node in root.preorder())


def _improved(grower: PlaneGrower, grown: PlaneNode) -> _Proposal:
    grower.orient(grown)
    root = grown.copy()
    prune_by_price(root, grower.pricing)
    close_equal_leaves(root)
    if not grower.searcher.signs.any():
        alternate(root, grower)
        grower.orient(root)
    return _Proposal(grower, grown, root)


class _FinishedTree(NamedTuple):
    """A tree in the columns and units of its table: as it was found, rounded, and graded."""

    nodes: list[PlaneNode]
    found: Tree
    rounded: Tree
    graded: Tree


@dataclass(frozen=True, eq=False)
class Finisher:
    """Makes fitted trees of grown ones.

    Parameters
    ----------
    rows : Canonical
        The rows that they were grown from.
    labeled : LabeledRows
        The same in the units of their table.
    bounds : function of nodes, or None
        Least and largest share of the second of two classes in each node of a monotonic tree.
    """

    rows: Canonical
    labeled: LabeledRows
    bounds: Callable[[list[PlaneNode]], Floats | None]

    def finish(self, root: PlaneNode) -> _FinishedTree:
        """Round and grade a tree."""
        nodes = list(root.preorder())
        found = freeze(root).of_table(self.rows)
        rounded = self._rounded(found, nodes)
        graded = graded_tree(rounded, self.labeled, bounds=self.bounds(nodes))
        return _FinishedTree(nodes, found, rounded, graded)

    def _rounded(self, tree: Tree, nodes: list[PlaneNode]) -> Tree:
        """The tree with weights of few digits: no row of any node changes its branch."""
        rows, splits = self.rows, []
        for split, node in zip(tree.splits, nodes, strict=True):
            if isinstance(split, Planes):
                at = np.argsort(rows.columns)[split.features]
                X = np.zeros((len(node.rows), len(rows.columns)))
                cells = rows.table.values[node.rows[:, None], at]
                X[:, split.features] = np.ldexp(cells, rows.exponents[at])
                split = round_planes(split, X)
            splits.append(split)
        return replace(tree, splits=tuple(splits))

    def graded_steps(
        self, grown: PlaneNode, steps: Iterable[PathStep], counted: LabeledRows
    ) -> list[PathStep]:
        """Nested trees with the grades of the whole that they are parts of; nodes count rows."""
        nodes, few = list(grown.preorder()), self.labeled.some()
        bounds, rounded = (
            self.bounds(nodes),
            self._rounded(freeze(grown).of_table(self.rows), nodes),
        )
        whole = recounted(graded_tree(rounded, few, bounds=bounds), counted)
        return [step._replace(tree=graded_part(whole, step.tree, few, bounds)) for step in steps]

    def certificates(
        self, tree: _FinishedTree, is_graded: bool, seconds: float | None
    ) -> list[Certificate]:
        """How each decision was found, and what is proved of the one that predicts."""
        exponents = self.rows.given_columns(self.rows.exponents)
        after = tree.graded if is_graded else tree.rounded
        return [
            decision_certificate(node.candidate, old, new, exponents, seconds)
            for node, old, new in zip(tree.nodes, tree.rounded.splits, after.splits, strict=True)
            if not node.is_leaf
        ]


class _ChosenTree(NamedTuple):
    """The tree that is kept of several, and the others.

    Parameters
    ----------
    kept : FinishedTree
    finisher : Finisher
        Of all rows.
    found : list of Proposal
    grown_by : Finisher
        Of the rows that they grew from.
    """

    kept: _FinishedTree
    finisher: Finisher
    found: list[_Proposal]
    grown_by: Finisher


def choose_tree(
    grower: PlaneGrower,
    few: Canonical,
    rows: Canonical,
    weights: Floats,
    finisher_of: Callable[[Canonical, Floats, Indices], Finisher],
) -> _ChosenTree:
    """Grow trees from few rows, keep the cheapest, and finish it with all rows.

    Parameters
    ----------
    grower : PlaneGrower
    few, rows : Canonical
        The rows of the grower, and all; the same where they are not many.
    weights : array of shape (n_rows,)
        Of all rows.
    finisher_of : function of rows, their weights, and the columns that decisions read
    """
    found = _lawful(list(_proposals(grower)), grower)
    read = _columns_of_trees(found, few)
    grown_by = finisher_of(few, grower.weights, read)
    trees = [grown_by.finish(each.root) for each in found]
    place = _cheapest_tree(trees, grown_by.labeled, grower.pricing)
    if few is rows:
        return _ChosenTree(trees[place], grown_by, found, grown_by)
    X, codes = rows.table.values, rows.codes
    every = Rows(X, X, codes, weights, rows.draws)
    whole = replace(grower, table=rows.table, codes=codes, weights=weights, rows=every)
    finisher = finisher_of(rows, weights, read)
    kept = finisher.finish(whole.adopt(found[place].root))
    return _ChosenTree(kept, finisher, found, grown_by)


def _cheapest_tree(trees: list[_FinishedTree], rows: LabeledRows, pricing: Pricing) -> int:
    """Place of the tree with the least penalized graded likelihood; terms cost the lower price."""
    costs = []
    for tree in trees:
        p = tree.graded.distribution(rows.X)[np.arange(len(rows.codes)), rows.codes]
        loss = -float(rows.weights @ np.log(p))
        size = sum(pricing.size(n.split, n.read) for n in tree.nodes if n.split is not None)
        costs.append(loss + _LOWER_PRICE * pricing.of_term * size)
    return int(coarse(costs).argmin())


def cheapest_path(
    found: list[_Proposal], finisher: Finisher, is_graded: bool, counted: LabeledRows
) -> list[PathStep]:
    """Trees that cost least at some price, of all that pruning gives, from the root leaf up.

    Nodes of graded trees count the rows that are given; others those that they were grown from.
    """
    pricing, unit = found[0].grower.pricing, found[0].grower.pricing.unit
    nested = [nested_trees(each.grown, pricing) for each in found]
    steps = [(step, p) for p, each in enumerate(nested) for step in each]
    hull = _hull([step for step, _ in steps], unit)
    kept = [(step, next(p for other, p in steps if other.tree is step.tree)) for step in hull]
    if not is_graded:
        return [step._replace(tree=step.tree.of_table(finisher.rows)) for step, _ in kept]
    path: list[PathStep] = []
    for p in sorted({p for _, p in kept}):
        of_tree = [step for step, own in kept if own == p]
        path.extend(finisher.graded_steps(found[p].grown, of_tree, counted))
    return sorted(path, key=lambda step: step.n_terms)


def _hull(steps: list[PathStep], unit: float) -> list[PathStep]:
    """Steps that have the least entropy + price * unit * terms at some price, with that price."""
    hull: list[PathStep] = []
    for step in sorted(steps, key=lambda each: (each.n_terms, each.entropy)):
        if hull and (step.n_terms == hull[-1].n_terms or step.entropy >= hull[-1].entropy - 1e-9):
            continue
        while len(hull) > 1 and _slope(hull[-1], step, unit) >= _slope(hull[-2], hull[-1], unit):
            hull.pop()
        hull.append(step)
    prices = [_slope(small, large, unit) for small, large in pairwise(hull)]
    return [step._replace(size_price=at) for step, at in zip(hull, [*prices, 0.0], strict=True)]


def _slope(small: PathStep, large: PathStep, unit: float) -> float:
    """Price at which two trees cost the same."""
    return (small.entropy - large.entropy) / ((large.n_terms - small.n_terms) * unit)


def decision_certificate(
    candidate: Candidate,
    before: Split | None,
    after: Split | None,
    exponents: Indices,
    seconds: float | None,
) -> Certificate:
    """How a decision was found, and what is proved of it once it is graded."""
    if not (isinstance(before, Planes) and isinstance(after, Planes)) or after is before:
        return candidate.certificate(seconds)
    if len(after.offsets) > 1:
        return candidate.certificate(seconds)
    weights = np.ldexp(after.weights, exponents[after.columns])
    found = candidate.certificate(seconds, replace(after, weights=weights))
    moved = float(before.offsets[0]), float(after.offsets[0])
    changed = moved[0] != moved[1] if candidate.solved is None else found.gap > _ACCURATE
    status = "rounded" if changed and found.status == "optimal" else found.status
    return replace(found, status=status, moved=moved if moved[0] != moved[1] else None)
