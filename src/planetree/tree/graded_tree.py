"""A fitted tree with graded decisions: spreads, moved thresholds, probabilities of its leaves.

The threshold of a single plane moves to the middle of its grading, where a row takes both branches
with equal shares: there is one threshold, and the printed one is the one that predicts. It is
written with few digits, between the same two training scores and within a twentieth of the spread.
Rows are then counted again along the moved thresholds, and a leaf predicts the class of least
expected cost by its probabilities. A threshold whose move would leave a branch without rows stays
where it is, and the others are graded again.

A pair of planes has one spread, so their scores must be of one size: the plane with the smaller
ones is multiplied by 1, 2 or 5 times a power of ten, which keeps it readable and moves no row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask, cells_of
from planetree.clock import Clock
from planetree.grading import chosen_rows, grade, keep_class, leaf_grades
from planetree.planes import Planes, Split
from planetree.statistics import ShareBounds
from planetree.table import Canonical
from planetree.tree.classifier import least_cost
from planetree.tree.growth import divide
from planetree.tree.plane.rounding import simplest_between
from planetree.tree.pruning import cut
from planetree.tree.tree import Tree

_CLOSE = 0.05  # spreads by which a threshold may be rounded: shares change by 1 in 100 at most
_SPREAD_DIGITS = 3  # that are printed, so that what is printed is what predicts
_PAIRS = ("both", "same_side")
_NO_WEIGHT = 1e-9  # of a branch without rows


class LabeledRows(NamedTuple):
    """Training rows in an order of their own, in the units and classes of the table.

    By them a leaf predicts: costs are of taking one class (row) for another (column), and of
    classes that cost the same the first in order is taken.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
    codes, weights : array of shape (n_rows,)
    draws : array of shape (n_rows,)
        A number between 0 and 1 for each row, by its cells.
    costs : array of shape (n_classes, n_classes)
    order : array of shape (n_classes,)
        Class codes.
    """

    X: Floats
    codes: Indices
    weights: Floats
    draws: Floats
    costs: Floats
    order: Indices

    @classmethod
    def of(cls, rows: Canonical, weights: Floats, costs: Floats, read: Indices) -> LabeledRows:
        """Canonical rows in the units and classes of their table; columns that are read."""
        X = rows.given_cells(read)
        return cls(X, rows.order[rows.codes], weights, rows.draws, costs, rows.order)

    def some(self) -> LabeledRows:
        """As many rows as spreads need, of the same weight as all."""
        at = chosen_rows(self.draws, len(self.X))
        weights = self.weights[at] * (self.weights.sum() / self.weights[at].sum())
        few = self._replace(X=self.X[at], codes=self.codes[at], draws=self.draws[at])
        return few._replace(weights=weights) if len(at) < len(self.X) else self

    @property
    def all_rows(self) -> Any:
        """Other rows that these are some of (`partitioned.finishing`): there are none."""
        return None


def graded_tree(
    tree: Tree,
    rows: LabeledRows,
    *,
    moved: bool | Mask = True,
    bounds: ShareBounds | None = None,
    prior: Floats | None = None,
    time_limit: float | None = None,
) -> Tree:
    """Tree whose decisions are graded by training rows.

    Parameters
    ----------
    tree : Tree
    rows : LabeledRows
    moved : bool or boolean array of shape (n_nodes,)
        Whether thresholds move to the middles of their grading, or which of them do. If not, leaves
        keep their classes too: no row without missing values changes its class.
    bounds : ShareBounds, optional
        Least and largest probability of some classes at each node.
    prior : array of shape (n_classes,), optional
        Class shares of the whole table, where the tree is a part of another.
    time_limit : float, optional
        Seconds after which the best grading so far is taken.
    """
    tree, clock = _evened(tree, rows), Clock(time_limit)
    may_move = np.array(np.broadcast_to(moved, tree.n_nodes))
    while True:
        grades = grade(
            tree,
            *rows[:3],
            draws=rows.draws,
            shifts=may_move,
            bounds=bounds,
            prior=prior,
            expected=rows.all_rows and rows.all_rows.expected(tree),
            time_limit=clock.left,
        )
        graded = replace(tree, splits=tuple(map(_graded, tree.splits, grades.spreads.tolist())))
        if moved is False:
            shares, classes = tree.leaf_distributions, tree.predicted
            kept = keep_class(grades.leaf_probabilities, shares, classes, rows.costs)
            return replace(graded, leaf_probabilities=kept)
        after = recounted(_moved(graded, grades.shifts, rows), rows)
        held = _emptying(tree, after)
        if not held:
            return _with_leaves(after, grades.leaf_probabilities, rows)
        may_move[held] = False


def _emptying(before: Tree, after: Tree) -> list[int]:
    """Decisions whose threshold moved to where a branch has no rows any more.

    Where the threshold of such a decision did not move, the next above it that did.
    """
    above, found = {0: -1}, set()  # by node: the next decision above it that moved
    for node in np.flatnonzero(after.n_branches).tolist():
        old, new, children = before.splits[node], after.splits[node], after.children_of(node)
        own = above[node]
        if isinstance(old, Planes) and isinstance(new, Planes):
            own = own if np.array_equal(old.offsets, new.offsets) else node
        above.update(dict.fromkeys(children.tolist(), own))
        lost = (after.weights[children] < _NO_WEIGHT) & (before.weights[children] >= _NO_WEIGHT)
        if own >= 0 and lost.any() and not lost.all():
            found.add(own)
    return sorted(found)


def graded_part(
    tree: Tree, smaller: Tree, rows: LabeledRows, bounds: ShareBounds | None = None
) -> Tree:
    """A graded tree without the decisions that a smaller one lacks; its leaves are fitted anew.

    Parameters
    ----------
    tree : Tree
        Graded.
    smaller : Tree
        A tree from the same root, some of whose nodes are leaves.
    rows : LabeledRows
    bounds : ShareBounds, optional
        Least and largest probability of some classes at each node of `tree`.
    """
    at, kept, pending = np.zeros(tree.n_nodes, dtype=bool), [], [(0, 0)]
    while pending:
        node, other = pending.pop()
        kept.append(node)
        children = smaller.children_of(other).tolist()
        at[node] = not children
        pending.extend(reversed(list(zip(tree.children_of(node).tolist(), children, strict=False))))
    part = cut(tree, at)
    bounds = None if bounds is None else bounds.at(kept)
    return _with_leaves(part, leaf_grades(part, *rows[:4], bounds=bounds), rows)


def laplace_tree(tree: Tree) -> Tree:
    """Tree whose leaves hold one more row of each class; their classes stay.

    Examples
    --------
    >>> from planetree.tree import Tree
    >>> from planetree.tree.graded_tree import laplace_tree
    >>> laplace_tree(Tree([None], [0], [], [[3, 0]], [0], [3])).leaf_probabilities
    array([[0.8, 0.2]])
    """
    k, shares = tree.class_weights.shape[1], tree.leaf_distributions
    smoothed = (tree.class_weights + 1.0) / (tree.weights + k)[:, None]
    costs = 1.0 - np.eye(k)
    kept = keep_class(smoothed, shares, least_cost(shares, costs), costs)
    return replace(tree, leaf_probabilities=kept)


def _with_leaves(tree: Tree, probabilities: Floats, rows: LabeledRows) -> Tree:
    """The tree with probabilities of its leaves, and the classes that cost least by them."""
    none: Any = None  # errors are counted again
    predicted = least_cost(probabilities, rows.costs, rows.order)
    return replace(tree, predicted=predicted, leaf_probabilities=probabilities, errors=none)


class _Reached(NamedTuple):
    """Rows that reach a node, their weights there, and their scores if its decision has planes."""

    node: int
    at: Indices
    weights: Floats
    scores: Floats | None


def _reached(tree: Tree, rows: LabeledRows) -> Iterator[_Reached]:
    """Rows of each node in preorder, by C4.5's rule where a score is unknown.

    Those of a node are forgotten once its children have theirs, as there may be many.
    """
    pending = [(0, np.arange(len(rows.codes)), rows.weights)]
    while pending:
        node, at, weights = pending.pop()
        split = tree.splits[node]
        scores = _scores(split, rows.X, at) if isinstance(split, Planes) else None
        yield _Reached(node, at, weights, scores)
        if split is None:
            continue
        if isinstance(split, Planes):
            assert scores is not None
            branch = split.branch_of(scores)
            branch[branch < 0] = split.unknown
        else:
            branch = split.branch(cells_of(rows.X, at, split.features))
        del scores
        children = tree.children_of(node).tolist()
        parts = divide(branch, weights, len(children))
        del branch, weights
        below = [(child, at[places], w) for child, (places, w) in zip(children, parts, strict=True)]
        del at, parts
        pending.extend(reversed(below))
        del below


def recounted(tree: Tree, rows: LabeledRows) -> Tree:
    """The same tree with the training weights of its nodes counted again."""
    if rows.all_rows is not None:
        counts = rows.all_rows.counts(tree)
    else:
        counts = np.zeros_like(tree.class_weights, dtype=np.float64)
        for each in _reached(tree, rows):
            counts[each.node] = np.bincount(rows.codes[each.at], each.weights, counts.shape[1])
            del each  # before rows go on to the children
    return replace(tree, class_weights=counts, weights=counts.sum(axis=1))


def _scores(planes: Planes, X: Floats, at: Indices) -> Floats:
    """Scores of some rows, each once and in order; cells that no plane reads are not copied."""
    return planes.scores(X if len(at) == len(X) else cells_of(X, at, planes.features))


def _evened(tree: Tree, rows: LabeledRows) -> Tree:
    """The tree with pairs of planes that have scores of about one size; signs stay as they are."""
    if not any(isinstance(each, Planes) and each.rule in _PAIRS for each in tree.splits):
        return tree
    splits = {
        each.node: _even(tree.splits[each.node], rows.X, each.at) for each in _reached(tree, rows)
    }
    return replace(tree, splits=tuple(splits[node] for node in range(tree.n_nodes)))


def _even(split: Split | None, X: Floats, at: Indices) -> Split | None:
    if not isinstance(split, Planes) or split.rule not in _PAIRS or len(split.offsets) == 1:
        return split
    scores = _scores(split, X, at)
    scores = scores[~np.isnan(scores).any(axis=1)]
    if not scores.any(axis=0).all():
        return split
    _, powers = np.frexp(np.abs(scores).max(axis=0))  # squares of tiny scores would be 0
    sizes = np.sqrt((np.ldexp(scores, -powers) ** 2).mean(axis=0))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        sizes = np.ldexp(sizes, powers - powers.max())
        factors = np.array([_step(ratio) for ratio in (sizes.max() / sizes).tolist()])
        weights, offsets = split.weights * factors[:, None], split.offsets * factors
    even = replace(split, weights=weights, offsets=offsets)
    same = np.array_equal(even.branch_of(_scores(even, X, at)), split.branch(X[at]))
    return even if same else split


def _step(size: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio."""
    power = 10.0 ** np.floor(np.log10(size))
    return float(min((1, 2, 5, 10), key=lambda step: abs(np.log(size / (step * power)))) * power)


def _graded(split: Split | None, spread: float) -> Split | None:
    """The decision with a spread of few digits."""
    if not isinstance(split, Planes) or spread == 0:
        return split
    return replace(split, spread=float(f"{spread:.{_SPREAD_DIGITS - 1}e}"))


def _moved(tree: Tree, shifts: Floats, rows: LabeledRows) -> Tree:
    """The tree with thresholds in the middles of their grading."""
    splits: list[Any] = list(tree.splits)
    middles = {
        node: float(split.offsets[0] + shifts[node])
        for node, split in enumerate(splits)
        if isinstance(split, Planes) and shifts[node] != 0
    }
    offsets = {}
    if rows.all_rows is None:
        for each in _reached(tree, rows):
            if each.node in middles:
                offsets[each.node] = _offset(splits[each.node], middles[each.node], each.scores)
            del each  # before rows go on to the children
    else:
        for node, totals in rows.all_rows.totals_beside(tree, middles).items():
            offsets[node] = _middle(middles[node], splits[node].spread, totals)
    for node, offset in offsets.items():
        splits[node] = replace(splits[node], offsets=np.array([offset]))
    return replace(tree, splits=tuple(splits))


def _offset(planes: Planes, middle: float, scores: Any) -> float:
    """A threshold of few digits near a middle, by the scores of the rows of a plane's node."""
    totals = (scores + planes.offsets)[:, 0]
    return _middle(middle, planes.spread, totals[~np.isnan(totals)])


def _middle(middle: float, spread: float, totals: Floats) -> float:
    """A threshold of few digits near a middle, with the same rows above it: some, and not all."""
    above = totals[totals > middle]
    if len(above) in (0, len(totals)):  # no rows on one side: the outermost gap
        ends = np.unique(totals)
        if len(ends) < 2:
            return middle
        low, high = ends[-2:] if len(above) == 0 else ends[:2]
        middle = float(low / 2 + high / 2)
    low, high = float(totals[totals <= middle].max()), float(totals[totals > middle].min())
    spare = 1e-9 * (high - low)
    low, high = (
        max(low + spare, middle - _CLOSE * spread),
        min(high - spare, middle + _CLOSE * spread),
    )
    return simplest_between(low, high) if low < high else middle
