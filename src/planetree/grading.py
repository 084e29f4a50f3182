"""How sure a decision is: probabilities from shares of branches, and how both are fitted.

A row takes each branch of a decision with a share (`Planes.shares`), and a leaf l gives
probabilities q_l of the classes. The probabilities of the row are those of the leaves that it
reaches:

    p_c = sum over leaves  (product of the shares on the way) * q_lc.

The spread of each decision, the shift of its threshold and the q together minimize

    - sum w ln p_y  -  m sum_l sum_c prior_c ln q_lc
    + 1/2 sum_d { terms_d (ln(scale_d / spread_d) - ln 2)^2 + (shift_d / spread_d)^2 },

scale_d being the root mean square of the scores of the rows that reach d: a decision between few
rows, or with many terms, keeps a spread near half its scale, and every leaf holds m = 1 row of the
whole table besides its own. Only a single plane has a shift. A lookup of categories, and a plane
that asks for one category, stay hard: the leaves say all that a spread could.

The *way* of a row is what a reader finds by hand, and ends in a leaf with probabilities h. The
class of the way is the one of least expected cost under h. So that this class is the answer, p is
mixed with h,

    p' = (1 - t) p + t h,

with the least t at which no other class is cheaper, and then with the class itself by as little as
makes it the cheapest by a margin (`keep_class`): p is untouched where it agrees.

- p is never 0 or 1: it lies between the least and the largest q, and no q is below the prior's
  part of its leaf;
- the class of the way is the cheapest under p' by `MARGIN` of what the mistake costs: there is no
  tie that a reader, an export or another order of summation could decide otherwise;
- for two classes p' is p, or the point of even cost on the class's side: it grows with p and with
  the class of the way, so that it is monotonic in a column where both are;
- q that stay within the bounds of their leaves (`bounds`) keep p monotonic: below a decision that
  reads such a column, no leaf of the lower branch exceeds one of the upper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import logit, softmax

from planetree import _core
from planetree.arrays import Floats, Indices, Mask, row_parts
from planetree.planes import RULES, Planes, Split
from planetree.statistics import ShareBounds

_Expected = Callable[[Floats, Floats, Floats, Floats], Floats]

MARGIN = 1e-9  # above what sums of shares round off, below what anyone reads

# Tuned by cross-validated log loss on 16 sets; slopes from 1.5 to 3 and 1 to 2 rows do as well.
_SLOPE = 2.0  # scale / spread that decisions are drawn to
_LEAF_ROWS = 1.0  # rows of the whole table that each leaf holds besides its own
GRADED_ROWS = 10_000  # that spreads and shifts are fitted to: two numbers a decision need no more
_MOST_STEPS = 100  # 13 to 63 are seen
_ALL_ROWS_STEPS = 3  # of expectation and maximization, for the leaves
_LEAST = 1e-6  # of a bounded probability

_LOOKUP, _LEAF = len(RULES), len(RULES) + 1  # as the core numbers them


class _DecisionTree(Protocol):
    """What grading reads of a tree."""

    @property
    def splits(self) -> Sequence[Split | None]:
        """The decision of each node, None at a leaf."""

    @property
    def n_branches(self) -> Indices:
        """How many children each node has."""

    @property
    def children(self) -> Indices:
        """The children of one node after another."""

    @property
    def class_weights(self) -> Floats:
        """Training weight of each class at each node."""

    def children_of(self, node: int) -> Indices:
        """Children of a node in the order of its branches."""

    def parts(self, node: int) -> Floats:
        """What each branch of a node gets of a row with an unknown score."""


class _Grades(NamedTuple):
    """What grading adds to a tree, a number or row for each node.

    Parameters
    ----------
    spreads : array of shape (n_nodes,)
        0 where a node has no graded decision.
    shifts : array of shape (n_nodes,)
        What the threshold rises by.
    leaf_probabilities : array of shape (n_nodes, n_classes)
    """

    spreads: Floats
    shifts: Floats
    leaf_probabilities: Floats


def grade(
    tree: _DecisionTree,
    X: Floats,
    codes: Indices,
    weights: Floats,
    *,
    draws: Floats | None = None,
    shifts: bool | Mask = True,
    bounds: ShareBounds | None = None,
    prior: Floats | None = None,
    expected: _Expected | None = None,
    time_limit: float | None = None,
) -> _Grades:
    """Spreads, shifts and probabilities of the leaves that explain the classes of rows best.

    Parameters
    ----------
    tree : DecisionTree
    X : array of shape (n_rows, n_columns)
        In an order of their own: sums depend on it in the last digits.
    codes, weights : array of shape (n_rows,)
    draws : array of shape (n_rows,), optional
        Numbers that choose the rows of a large table: those with the lowest.
    shifts : bool or boolean array of shape (n_nodes,)
        Whether thresholds may move, or which of them.
    bounds : ShareBounds, optional
        Least and largest probability of some classes at each node.
    prior : array of shape (n_classes,), optional
        Class shares of the row that each leaf holds besides its own; by default those of the tree.
    expected : function of the scales, slopes, shifts and leaves, optional
        `expected_counts` of all rows, where these are some of them.
    time_limit : float, optional
        Seconds after which the best numbers so far are taken.
    """
    prior = _prior(tree) if prior is None else prior
    start = _smoothed(tree.class_weights, prior, bounds)
    graded = np.array([_is_graded(split) for split in tree.splits])
    if not graded.any() or (bounds is not None and not bounds.graded):
        return _Grades(np.zeros(len(start)), np.zeros(len(start)), start)
    some = chosen_rows(draws, len(X))
    inputs = _inputs(tree, X[some], graded)
    scales = _scales(tree, inputs, weights[some], graded)
    rows = _rows(tree, inputs, graded, scales, codes[some], weights[some])
    slopes, moves, leaf = _minimum(tree, rows, scales, start, prior, shifts, bounds, time_limit)
    if expected is not None:
        leaf = _improved(partial(expected, scales, slopes, moves), leaf, prior, bounds)
    elif len(some) < len(X) or _is_moved(bounds):
        parts = [
            _rows(tree, _inputs(tree, X[at], graded), graded, scales, codes[at], weights[at])
            for at in row_parts(len(X))  # what is made of many rows on the way goes at once
        ]

        def counted(leaf: Floats) -> Floats:
            return np.sum([part.expected_counts(slopes, moves, leaf) for part in parts], axis=0)

        leaf = _improved(counted, leaf, prior, bounds)
    spreads = scales / slopes
    return _Grades(spreads, -moves * spreads, leaf)


def leaf_grades(
    tree: _DecisionTree,
    X: Floats,
    codes: Indices,
    weights: Floats,
    draws: Floats | None = None,
    *,
    bounds: ShareBounds | None = None,
    prior: Floats | None = None,
) -> Floats:
    """Probabilities of the leaves of a tree whose spreads and thresholds stay as they are.

    Parameters are those of `grade`.
    """
    prior = _prior(tree) if prior is None else prior
    leaf = _smoothed(tree.class_weights, prior, bounds)
    spreads = [split.spread if isinstance(split, Planes) else 0.0 for split in tree.splits]
    scales, some = np.array(spreads), chosen_rows(draws, len(X))
    inputs = _inputs(tree, X[some], scales > 0)
    rows = _rows(tree, inputs, scales > 0, scales, codes[some], weights[some])
    counted = partial(rows.expected_counts, np.ones(len(leaf)), np.zeros(len(leaf)))
    return _improved(counted, leaf, prior, bounds)


def expected_counts(
    tree: _DecisionTree,
    X: Floats,
    codes: Indices,
    weights: Floats,
    scales: Floats,
    slopes: Floats,
    shifts: Floats,
    leaf: Floats,
) -> Floats:
    """Class weights that rows are expected to have in each leaf: they add up over parts of them.

    Parameters are those of `grade`, and what it found so far.
    """
    graded = np.array([_is_graded(split) for split in tree.splits])
    rows = _rows(tree, _inputs(tree, X, graded), graded, scales, codes, weights)
    return rows.expected_counts(slopes, shifts, leaf)


def improved_leaves(tree: _DecisionTree, expected: Callable[[Floats], Floats]) -> Floats:
    """Probabilities of the leaves by expected counts of rows that are not at hand."""
    prior = _prior(tree)
    return _improved(expected, _smoothed(tree.class_weights, prior, None), prior, None)


def _prior(tree: _DecisionTree) -> Floats:
    """Class shares of the whole table, with one more row of each class."""
    counts = tree.class_weights[0] + 1.0
    return np.asarray(counts / counts.sum())


def _smoothed(counts: Floats, prior: Floats, bounds: ShareBounds | None) -> Floats:
    """Class shares of nodes that hold a row of the whole table besides their own."""
    shares = (counts + _LEAF_ROWS * prior) / (counts.sum(axis=1, keepdims=True) + _LEAF_ROWS)
    return shares if bounds is None else bounds.inside(_LEAST).within(shares)


def _is_graded(split: Split | None) -> bool:
    """Whether distance from the planes of a decision can mean something."""
    if not isinstance(split, Planes):
        return False
    used = split.weights.any(axis=0)
    return bool(used.sum() > 1 or (split.categories[used] < 0).any())


def chosen_rows(draws: Floats | None, n_rows: int) -> Indices:
    """Rows of the lowest draws, if there are too many."""
    if draws is None or n_rows <= GRADED_ROWS:
        return np.arange(n_rows)
    return np.flatnonzero(draws <= np.partition(draws, GRADED_ROWS - 1)[GRADED_ROWS - 1])


def _inputs(tree: _DecisionTree, X: Floats, graded: Mask) -> list[Floats]:
    """What each node reads of the rows: scores where it is graded, else the branch; NaN unknown."""
    found = []
    for node, split in enumerate(tree.splits):
        if split is None:
            found.append(np.empty((len(X), 0)))
        elif graded[node] and isinstance(split, Planes):
            found.append(split.scores(X))
        else:
            found.append(_branches(split.branch(X)))
    return found


def _branches(branch: Indices) -> Floats:
    return np.where(branch < 0, np.nan, branch)[:, None]


def _scales(tree: _DecisionTree, inputs: list[Floats], weights: Floats, graded: Mask) -> Floats:
    """Root mean square of the scores of the rows that reach each graded decision; else 0."""
    reach, scales = {0: weights}, np.zeros(len(graded))
    for node in np.flatnonzero(tree.n_branches).tolist():
        split, scores, here = tree.splits[node], inputs[node], reach.pop(node)
        if graded[node] and isinstance(split, Planes):
            branch = _branches(split.branch_of(scores))[:, 0]
            if split.rule == "argmax":  # what all have in common changes nothing
                scores = scores - scores.mean(axis=1, keepdims=True)
            scales[node] = _root_mean_square(scores, np.where(np.isnan(branch), 0.0, here))
        else:
            branch = scores[:, 0]
        for b, (part, child) in enumerate(
            zip(tree.parts(node).tolist(), tree.children_of(node).tolist(), strict=True)
        ):
            reach[child] = here * np.where(np.isnan(branch), part, branch == b)
    return scales


def _root_mean_square(scores: Floats, weights: Floats) -> float:
    """Of scores of any size; 0 where there are none, or all are 0."""
    counted = np.abs(scores[weights > 0])
    largest = float(counted.max(initial=0.0))
    if not 0 < largest < np.inf:
        return 0.0
    squares = weights[weights > 0] * ((counted / largest) ** 2).mean(axis=1)
    total = np.sort(weights).sum()  # in an order that depends on nothing else
    return largest * float(np.sqrt(np.sort(squares).sum() / total))


def _rows(
    tree: _DecisionTree,
    inputs: list[Floats],
    graded: Mask,
    scales: Floats,
    codes: Indices,
    weights: Floats,
) -> _core.GradedRows:
    """Rows as the core reads them: scores in units of their scale, or the branch of a lookup."""
    rules, found = np.full(len(scales), _LEAF, dtype=np.int32), list(inputs)
    decisions = np.flatnonzero(tree.n_branches).tolist()
    for node in decisions:
        split = tree.splits[node]
        if scales[node] > 0 and isinstance(split, Planes):
            rules[node] = RULES.index(split.rule)
            found[node] = inputs[node] / scales[node]
        else:
            rules[node] = _LOOKUP
            if graded[node] and isinstance(split, Planes):  # all scores are 0
                found[node] = _branches(split.branch_of(inputs[node]))
    cells, weights = np.hstack(found), np.asarray(weights, dtype=np.float64)
    if len(codes) <= GRADED_ROWS:  # rows that differ in what no decision reads change nothing
        order = np.lexsort((weights, codes, *cells.T))
        cells, codes, weights = cells[order], codes[order], weights[order]
    return _core.GradedRows(
        rules,
        np.array([each.shape[1] for each in found], dtype=np.int32),
        np.asarray(tree.n_branches, dtype=np.int32),
        np.asarray(tree.children, dtype=np.int64),
        np.concatenate([np.empty(0), *map(tree.parts, decisions)]),
        tree.class_weights.shape[1],
        np.ascontiguousarray(cells),
        np.asarray(codes, dtype=np.int32),
        np.ascontiguousarray(weights),
    )


def _minimum(
    tree: _DecisionTree,
    rows: _core.GradedRows,
    scales: Floats,
    start: Floats,
    prior: Floats,
    shifts: bool | Mask,
    bounds: ShareBounds | None,
    time_limit: float | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Slopes and shifts of all nodes, in units of the scale, and probabilities of the leaves."""
    n, box_bounds = len(start), None if _is_moved(bounds) else bounds
    point, low, high = _box(start, box_bounds)
    pulls = *_forces(tree, scales, shifts), _LEAF_ROWS * prior, np.log(_SLOPE)
    found = rows.minimum(point, *pulls, low, high, _MOST_STEPS, time_limit)
    logits, slopes, moves = found[: -2 * n].reshape(start.shape), found[-2 * n : -n], found[-n:]
    leaf = np.where((tree.n_branches == 0)[:, None], softmax(logits, axis=1), start)
    if bounds is not None and _is_moved(bounds):
        leaf = bounds.inside(_LEAST).within(leaf)
    return np.exp(slopes), moves, leaf


def _is_moved(bounds: ShareBounds | None) -> bool:
    """Whether probabilities are moved into their bounds afterwards: no box of logits has these."""
    return bounds is not None and len(bounds.classes) > 2


def _forces(tree: _DecisionTree, scales: Floats, shifts: bool | Mask) -> tuple[Floats, Floats]:
    """Terms of each graded decision, and whether its threshold moves; 0 for other nodes."""
    terms, moves = np.zeros(len(scales)), np.zeros(len(scales))
    may_move = np.broadcast_to(shifts, len(scales))
    for node in np.flatnonzero(scales).tolist():
        split = tree.splits[node]
        assert isinstance(split, Planes)
        terms[node], moves[node] = split.n_terms, may_move[node] and len(split.offsets) == 1
    return terms, moves


def _box(start: Floats, bounds: ShareBounds | None) -> tuple[Floats, Floats, Floats]:
    """First point, and what lies below and above all: logits, logarithms of slopes, shifts.

    Of two classes with bounds, the first logit is 0 and the second within them.
    """
    n, logits = len(start), np.log(start)
    ends = np.full((2, *start.shape), np.array([-np.inf, np.inf])[:, None, None])
    if bounds is not None:
        logits -= logits[:, :1]
        ends[:, :, 0] = 0.0
        ends[:, :, 1] = logit(bounds.inside(_LEAST)[:2])
    low, high = (
        np.concatenate([end.ravel(), np.full(2 * n, free)])
        for end, free in zip(ends, (-np.inf, np.inf), strict=True)
    )
    return np.concatenate([logits.ravel(), np.full(n, np.log(_SLOPE)), np.zeros(n)]), low, high


def _improved(
    expected: Callable[[Floats], Floats], leaf: Floats, prior: Floats, bounds: ShareBounds | None
) -> Floats:
    """Probabilities that explain the classes better: steps of expectation and maximization."""
    for _ in range(_ALL_ROWS_STEPS):
        counts = expected(leaf)
        reached = counts.any(axis=1, keepdims=True)  # leaves, but for those that no row reaches
        leaf = np.where(reached, _smoothed(counts, prior, bounds), leaf)
    return leaf


def keep_class(p: Floats, h: Floats, classes: Indices, costs: Floats) -> Floats:
    """Probabilities mixed with those of the way until its class is the cheapest.

    Parameters
    ----------
    p, h : array of shape (n_rows, n_classes)
        Graded probabilities, and those of the leaf at the end of each row's way.
    classes : array of shape (n_rows,)
        Code of the class of least expected cost under `h`.
    costs : array of shape (n_classes, n_classes)
        What it costs to take one class (row) for another (column): 0 on the diagonal, else above.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.grading import keep_class
    >>> p, h = np.array([[0.25, 0.75], [0.625, 0.375]]), np.array([[0.75, 0.25], [0.75, 0.25]])
    >>> keep_class(p, h, np.array([0, 0]), 1.0 - np.eye(2)).round(6)
    array([[0.5  , 0.5  ],
           [0.625, 0.375]])
    """
    mistakes = costs[classes]  # what each answer costs where the class is right
    at = np.flatnonzero((_dearer(p, classes, costs) < MARGIN * mistakes).any(axis=1))
    if not len(at):
        return p
    kept, few, mistakes, classes = p.copy(), p[at], mistakes[at], classes[at]
    dearer, room = (_dearer(each, classes, costs) for each in (few, h[at]))
    few = _toward(few, h[at], _least_part(-dearer, room - dearer))
    dearer = _dearer(few, classes, costs)
    short = np.where(mistakes > 0, MARGIN * mistakes - dearer, 0.0)
    kept[at] = _toward(few, np.eye(len(costs))[classes], _least_part(short, mistakes - dearer))
    return kept


def _dearer(p: Floats, classes: Indices, costs: Floats) -> Floats:
    """By how much each answer is expected to cost more than a given one."""
    expected = p @ costs
    return np.asarray(expected - expected[np.arange(len(p)), classes][:, None])


def _least_part(short: Floats, gained: Floats) -> Floats:
    """The least part of a mixture by which every answer gains what it is short of."""
    parts = np.divide(short, gained, out=np.zeros_like(short), where=(short > 0) & (gained > 0))
    return np.asarray(np.minimum(parts.max(axis=1, keepdims=True), 1.0))


def _toward(p: Floats, other: Floats, part: Floats) -> Floats:
    """Probabilities mixed with others by a part; untouched where it is 0."""
    return np.where(part > 0, (1.0 - part) * p + part * other, p)
