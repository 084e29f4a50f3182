"""Several trees, one kept: the tree that costs least in one currency.

A handful of trees is grown from the same rows: with planes of few terms at the price asked for and
at a lower one, with planes of as many terms as the price pays for, with cuts that look ahead, with
planes for classes, and with rows that a teacher labeled. Each is pruned, improved
(`alternation`), rounded and graded, and the one with the least

    - sum w ln p(class) + 2/3 size * (terms * unit + classes left mixed)        (nats)

is kept; p are its graded probabilities, and `price_pruning` has the last summand. The trees that
pruning gives at all prices, of all that were grown, make the path: those that cost least at some
price.

- nothing is drawn at random and nothing is cross-validated: the same rows give the same tree;
- searches of one node are made once: trees that begin alike share them;
- trees grow and are finished in threads, and are the same for any number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from planetree.arrays import Floats, Indices, cells_of
from planetree.certificate import Certificate
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Planes, Split
from planetree.separators.sparse.feature_search import coarse
from planetree.statistics import ShareBounds
from planetree.table import Canonical
from planetree.tree.constraints.required_columns import lawful
from planetree.tree.graded_tree import LabeledRows, graded_part, graded_tree, recounted
from planetree.tree.growth import freeze
from planetree.tree.plane.alternation import alternate
from planetree.tree.plane.candidate import Candidate, Pricing
from planetree.tree.plane.candidates import FEW_TERMS
from planetree.tree.plane.class_planes import further_weights
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode, close_equal_leaves
from planetree.tree.plane.plane_search import Rows
from planetree.tree.plane.rounding import round_planes
from planetree.tree.price_pruning import PathStep, left_mixed, nested_trees, prune_by_price
from planetree.tree.tree import Tree

# Chosen among about 40 sets of trees and prices by five folds of 16 data sets, not those that are
# reported: 14.0% with 10.2 terms, where the first tree alone has 14.7% with 8.9. With the whole
# price in the choice 14.3% with 9.2. Trees of subsamples of the rows added nothing.
_LOWER_PRICE = 2 / 3
_TAUGHT_PRICES = (1.0, 4 / 3)  # of trees of taught rows, times the price that is asked for
_ACCURATE = 1e-6  # the gap up to which a plane is called optimal


class _Proposal(NamedTuple):
    """A tree as it was grown, and what pruning and improving made of it."""

    grower: PlaneGrower
    grown: PlaneNode
    root: PlaneNode


def _proposals(grower: PlaneGrower, n_jobs: int | None = None) -> list[_Proposal]:
    """Different trees of the same rows; when the time is up, those grown so far.

    They grow side by side in threads; what one has searched, the others do not search again.
    """
    pricing, most = grower.pricing, grower.searcher.max_terms
    lower = pricing._replace(price=_LOWER_PRICE * pricing.price)
    first = replace(grower, max_terms=grower.searcher.few_terms)
    variants = {
        _always: (first, replace(first, pricing=lower)),
        _has_many_terms: (replace(first, max_terms=most),),
        _looks_ahead: (replace(first, look_ahead=True),),
        _has_class_planes: (replace(first, class_planes=True),),
    }
    tasks = [(own, differs) for differs, growers in variants.items() for own in growers]
    calls = (delayed(_proposal)(*task, own_time=i > 0) for i, task in enumerate(tasks))
    found = Parallel(n_jobs=n_jobs, require="sharedmem")(calls)
    return [each for each in found if each is not None]


def _proposal(
    grower: PlaneGrower, differs: Callable[[PlaneNode], bool], *, own_time: bool
) -> _Proposal | None:
    """A tree, if it differs from others; none if it needs time of its own and there is none."""
    if own_time and grower.clock.is_over:
        return None
    grown = grower.grow()
    return _improved(grower, grown) if differs(grown) else None


def _taught_proposals(grower: PlaneGrower, taught: Iterable[Canonical]) -> Iterator[_Proposal]:
    """Trees of taught rows, with the real rows in their nodes; those there is time for."""
    pricing, real = grower.pricing, replace(grower, max_terms=grower.searcher.few_terms)
    for rows in taught:
        own = real.on_rows(rows)
        for factor in _TAUGHT_PRICES:
            own = replace(own, pricing=pricing._replace(price=factor * pricing.price))
            found = _improved(own, own.grow())
            yield _Proposal(real, real.learn(found.grown), real.learn(found.root))
            if grower.clock.is_over:
                return


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


def _has_class_planes(root: PlaneNode) -> bool:
    """Whether a tree has a decision between more than two branches."""
    return any(len(node.children) > 2 for node in root.preorder())


def _improved(grower: PlaneGrower, grown: PlaneNode) -> _Proposal:
    grower.orient(grown)
    root = grown.copy()
    prune_by_price(root, grower.pricing)
    close_equal_leaves(root)
    if not grower.searcher.monotonic.holds:
        alternate(root, grower)
        grower.orient(root)
    return _Proposal(grower, grown, root)


class FinishedTree(NamedTuple):
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
        Least and largest share of some classes in each node of a monotonic tree.
    clock : Clock
        When it has run out, trees get the best grading that a moment allows.
    """

    rows: Canonical
    labeled: LabeledRows
    bounds: Callable[[list[PlaneNode]], ShareBounds | None]
    clock: Clock = UNLIMITED

    def finished(self, roots: Iterable[PlaneNode], n_jobs: int | None) -> list[FinishedTree]:
        """Round and grade several trees, in threads."""
        calls = (delayed(self.finish)(root) for root in roots)
        return list(Parallel(n_jobs=n_jobs, require="sharedmem")(calls))

    def finish(self, root: PlaneNode) -> FinishedTree:
        """Round and grade a tree."""
        nodes = list(root.preorder())
        found = freeze(root).of_table(self.rows)
        rounded = self._rounded(found, nodes)
        graded = self._graded(rounded, self.labeled, self.bounds(nodes))
        return FinishedTree(nodes, found, rounded, graded)

    def _graded(self, tree: Tree, rows: LabeledRows, bounds: ShareBounds | None) -> Tree:
        return graded_tree(tree, rows, bounds=bounds, time_limit=self.clock.left_to_finish)

    def _rounded(self, tree: Tree, nodes: list[PlaneNode]) -> Tree:
        """The tree with weights of few digits: no row of any node changes its branch."""
        splits = []
        for split, node in zip(tree.splits, nodes, strict=True):
            if isinstance(split, Planes):
                X = self.labeled.X
                is_all = len(node.rows) == len(X)
                split = round_planes(split, X if is_all else cells_of(X, node.rows, split.features))
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
        whole = recounted(self._graded(rounded, self.labeled, bounds), counted)
        return [step._replace(tree=graded_part(whole, step.tree, few, bounds)) for step in steps]

    def certificates(self, tree: FinishedTree, is_graded: bool, clock: Clock) -> list[Certificate]:
        """How each decision was found, and what is proved of the one that predicts.

        The proofs share the seconds that are left to finish.
        """
        exponents = self.rows.given_columns(self.rows.exponents)
        after = tree.graded if is_graded else tree.rounded
        return [
            decision_certificate(node.candidate, old, new, exponents, clock.left_to_finish)
            for node, old, new in zip(tree.nodes, tree.rounded.splits, after.splits, strict=True)
            if not node.is_leaf
        ]


class ChosenTree(NamedTuple):
    """The tree that is kept of several, and the others.

    Parameters
    ----------
    kept : FinishedTree
    finisher : Finisher
        Of the rows that it is finished with.
    found : list of _Proposal
    grown_by : Finisher
        Of the rows that they grew from.
    place : int
        Which of them is kept.
    read : array of int
        Columns of the table that any of them reads.
    """

    kept: FinishedTree
    finisher: Finisher
    found: list[_Proposal]
    grown_by: Finisher
    place: int
    read: Indices


def choose_tree(
    grower: PlaneGrower,
    rows: Canonical,
    finisher_of: Callable[[Canonical, Floats, Indices], Finisher],
    *,
    taught: Iterable[Canonical] = (),
    n_jobs: int | None = None,
) -> ChosenTree:
    """Grow trees, and keep the cheapest.

    Parameters
    ----------
    grower : PlaneGrower
    rows : Canonical
        The rows of the grower.
    finisher_of : function of rows, their weights, and the columns that decisions read
    taught : iterable of Canonical
        Rows that a teacher labeled; none are asked for when the time is up.
    n_jobs : int, optional
        Threads that trees grow in.
    """
    found = _proposals(grower, n_jobs)
    if not grower.clock.is_over:
        found.extend(_taught_proposals(grower, taught))
    found = lawful(found, grower, _improved)
    read = _columns_of_trees(found, rows)
    finisher = replace(finisher_of(rows, grower.weights, read), clock=grower.clock)
    trees = finisher.finished([each.root for each in found], n_jobs)
    price = grower.searcher.weight_price
    place = _cheapest_tree(trees, finisher.labeled, grower.pricing, price)
    return ChosenTree(trees[place], finisher, found, finisher, place, read)


def found_on_all_rows(
    choice: ChosenTree,
    grower: PlaneGrower,
    rows: Canonical,
    weights: Floats,
    finisher_of: Callable[[Canonical, Floats, Indices], Finisher],
) -> ChosenTree:
    """The tree that was chosen on some rows, its planes found again and finished on all.

    Parameters
    ----------
    choice : ChosenTree
    grower : PlaneGrower
        Of some rows.
    rows : Canonical
        All rows, with the columns that trees read.
    weights : array of shape (n_rows,)
        Of all rows.
    finisher_of : function of rows, their weights, and the columns that decisions read
    """
    X, codes = rows.table.values, rows.codes
    every = Rows(X, X, codes, weights, rows.draws)
    whole = replace(grower, table=rows.table, codes=codes, weights=weights, rows=every)
    finisher = replace(finisher_of(rows, weights, choice.read), clock=grower.clock)
    kept = finisher.finish(whole.adopt(choice.found[choice.place].root))
    return choice._replace(kept=kept, finisher=finisher)


def _cheapest_tree(
    trees: list[FinishedTree], rows: LabeledRows, pricing: Pricing, weight_price: float
) -> int:
    """Place of the tree with the least penalized graded likelihood; terms cost the lower price."""
    costs = []
    for tree in trees:
        p = tree.graded.distribution(rows.X)[np.arange(len(rows.codes)), rows.codes]
        loss = -float(rows.weights @ np.log(p))
        size = sum(pricing.size(n.split, n.read) for n in tree.nodes if n.split is not None)
        mixed = sum(left_mixed(n) for n in tree.nodes if n.split is not None)
        further = sum(further_weights(split) for split in tree.graded.splits)
        paid = pricing.of_term * size + pricing.price * mixed + weight_price * further
        costs.append(loss + _LOWER_PRICE * paid)
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
    if candidate.solved is None and len(after.offsets) > 1:
        return candidate.certificate(seconds)
    weights = np.ldexp(after.weights, after.exponents(exponents))
    found = candidate.certificate(seconds, replace(after, weights=weights))
    moved = float(before.offsets[0]), float(after.offsets[0])
    has_moved = len(after.offsets) == 1 and moved[0] != moved[1]
    changed = has_moved if candidate.solved is None else found.gap > _ACCURATE
    status = "rounded" if changed and found.status == "optimal" else found.status
    return replace(found, status=status, moved=moved if has_moved else None)
