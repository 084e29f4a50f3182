"""Why a row gets its class: the way it takes, and what would change the answer.

At each decision on the way the row has a score for every plane: how far its weighted sum exceeds
the offset. In the space of the terms it is `|score| / |weights|` away from that surface.

If one number x of the row varies and all else stands, every score is a line

    score(x) = slope * x + rest,

so the answer can change only where a line crosses zero or, where the largest of several scores
wins, crosses another. Between two crossings the answer is one, so the nearest other answer on
either side lies in the nearest interval whose middle has another, and bisection finds where it
begins. A category is tried value by value. Where the class follows the graded probabilities
(`grading="soft"`), it may change beside a crossing too: then numbers up to twelve spreads from each
are tried as well, half a spread apart.

A row also takes part in the other ways of graded decisions, the more the nearer it is to a plane:
the shares of its ways say how sure the answer is, and why.

- the value named in a `Change` changes the answer, and lies within the range of the training rows,
  widened to the row's own; it is whole if all numbers of the column were;
- no such number between it and the row's own does, but for those within `CLEARANCE` of it and, of
  soft answers, for changes of less than half a spread;
- no change of the numbers within `radius` changes the answer (`counterfactuals`);
- the shares of all ways sum to 1, and their probabilities, by shares, to those of the row, before
  these are mixed with its leaf's.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, encode
from planetree.planes import Categories, Planes, Split
from planetree.table import Column, ColumnRanges, Table, read_rows
from planetree.tree.inspection.answer_regions import RegionsError
from planetree.tree.inspection.counterfactuals import column_ranges_of, radii
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.inspection.row_moves import Change, cell_value
from planetree.tree.tree import Tree

_UNSURE = 0.1  # share of another branch from which on a row is in the gray zone
_SPREADS = np.arange(-24, 25) / 2.0  # beside a crossing: beyond, shares are 0 or 1 to 5 digits
_CLEARANCE = 1e-9  # of a number's size: how far beyond a border a change goes


class Step(NamedTuple):
    """A decision on the way of a row.

    Parameters
    ----------
    node : int
    split : Planes or Categories
    branch : int
        The branch taken; -1 where a value that is missing leaves it open.
    scores : array of shape (n_planes,)
        Weighted sum minus offset for each plane; NaN where not known.
    distances : array of shape (n_planes,)
        How far from each surface, in the space of the terms.
    contributions : array of shape (n_planes, n_terms)
        What each term adds to the sum of each plane; NaN where not known.
    share : float
        With which share of the row: less than 1 after a branch was open.
    taken : array of shape (n_branches,)
        The share with which a row that comes here takes each branch.
    """

    node: int
    split: Split
    branch: int
    scores: Floats
    distances: Floats
    contributions: Floats
    share: float
    taken: Floats

    @property
    def is_unsure(self) -> bool:
        """Whether the row lies in the gray zone: it takes another branch with 10% or more."""
        others = np.delete(self.taken, self.branch) if self.branch >= 0 else self.taken[:0]
        return bool((others >= _UNSURE).any())


class Way(NamedTuple):
    """A way of a row to a leaf, which it takes with a share.

    Parameters
    ----------
    leaf : int
    share : float
    branches : tuple of pairs
        The nodes on the way, and the branch that it takes at each.
    answer : object
        The class of the leaf.
    probability : float
        What the leaf gives that class.
    """

    leaf: int
    share: float
    branches: tuple[tuple[int, int], ...]
    answer: Any
    probability: float


class Explanation(NamedTuple):
    """Why a row gets its class.

    Parameters
    ----------
    answer : object
        The class of the row.
    shares : array of shape (n_classes,) or None
        Share of each class, where the model has shares.
    leaf : int
    steps : list of Step
        The decisions on the way, from the root; several ways where values are missing.
    changes : list of Change
        For each column whose change can change the answer, the smallest; the smallest of all
        first, categories last. None are sought where decisions multiply columns.
    ways : list of Way
        All ways that the row takes, those of the largest shares first; one where every decision
        is hard and every value known.
    radius : float
        No change of the row's numbers changes its class if the changes, in deviations, sum to less;
        infinite where none does at all, NaN where the class follows curved probabilities, where
        decisions multiply columns, or where missing cells leave too many regions to look at.
    """

    answer: Any
    shares: Floats | None
    leaf: int
    steps: list[Step]
    changes: list[Change]
    ways: list[Way]
    radius: float


def explain(model: Any, X: Any, row: int = 0) -> Explanation:
    """Explain the answer of a tree or separator for one row.

    Parameters
    ----------
    model : fitted tree or separator
    X : array or frame
        Rows such as the model was fitted to. Changes stay within the ranges of the training rows
        and are measured in their deviations. A separator keeps neither: the deviations are those
        of X, and there are no limits.
    row : int

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.tree import explain
    >>> X = [[1.0, 5.0], [2.0, 7.0], [3.0, 5.0], [4.0, 7.0]]
    >>> model = C45Classifier(min_cases=1, prune=False).fit(X, ["a", "a", "b", "b"])
    >>> why = explain(model, X, row=0)
    >>> why.answer, why.steps[0].scores, why.steps[0].branch
    ('a', array([-1.]), 0)
    >>> [(change.column, change.answer) for change in why.changes]
    [('x0', 'b')]
    """
    fitted = fitted_tree(model)
    tree, values = fitted.tree, read_rows(model, X, missing=fitted.missing)
    if not 0 <= row < len(values):
        raise ValueError(f"row must be from 0 to {len(values) - 1}, but it is {row!r}.")
    cells, ranges = values[row], column_ranges_of(model, values)
    one = Table(cells[None], model.columns_)
    present = model.predict(one).tolist()[0]
    limits = _Limits(ranges, cells, is_known=hasattr(model, "ranges_"))
    read = [] if tree.multiplies else tree.features.tolist()
    found = (_smallest_change(fitted, _Cell(model, cells, j, present), limits) for j in read)
    changes = sorted(filter(None, found), key=lambda each: (np.isnan(each.size), each.size))
    shares = model.predict_proba(one)[0] if hasattr(model, "predict_proba") else None
    leaf = int(tree.apply(cells[None])[0])
    steps, ways = list(_steps(tree, cells)), _ways(fitted, cells)
    code = fitted.classes.tolist().index(present)
    radius = _radius(fitted, cells, code, ranges)
    return Explanation(present, shares, leaf, steps, changes, ways, radius)


def _radius(fitted: FittedTree, cells: Floats, code: int, ranges: ColumnRanges) -> float:
    """How far numbers may move before the class changes; NaN where that is not known."""
    if fitted.tree.multiplies:
        return float("nan")
    try:
        return float(radii(fitted, cells[None], [code], ranges)[0])
    except RegionsError:
        return float("nan")


class _Limits:
    """Which numbers a change of a row may take: observed ones, and what is like them."""

    def __init__(self, ranges: ColumnRanges, cells: Floats, *, is_known: bool) -> None:
        self.scales = ranges.scales()
        ends = (ranges.low, ranges.high) if is_known else (-np.inf, np.inf)
        self.low, self.high = np.fmin(ends[0], cells), np.fmax(ends[1], cells)
        self.whole = ranges.whole & is_known

    def allow(self, column: int, value: float) -> bool:
        """Whether a number may stand in a column."""
        return bool(self.low[column] <= value <= self.high[column])


class _Cell:
    """A cell of a row, and the classes that a model gives the row with other values there."""

    def __init__(self, model: Any, cells: Floats, column: int, present: Any) -> None:
        self.model, self.cells, self.column, self.present = model, cells, column, present
        self.about: Column = model.columns_[column]
        self.own = float(cells[column])

    def answers(self, values: Any) -> list[Any]:
        """Class of the row with each of some values."""
        rows = np.tile(self.cells, (len(values), 1))
        rows[:, self.column] = values
        answers: list[Any] = self.model.predict(Table(rows, self.model.columns_)).tolist()
        return answers

    def differs(self, value: float) -> bool:
        """Whether a value changes the class."""
        return bool(self.answers([value])[0] != self.present)


def _steps(tree: Tree, cells: Floats) -> Iterator[Step]:
    """Decisions that a row meets, in preorder."""
    for visit in tree.visits(cells[None]):
        split = tree.splits[visit.node]
        if split is not None:
            scores, distances = _surfaces(split, cells)
            added = _contributions(split, cells)
            branch = int(split.branch(cells[None])[0])
            taken, share = _taken(tree, visit.node, split, cells), float(visit.shares[0])
            yield Step(visit.node, split, branch, scores, distances, added, share, taken)


def _taken(tree: Tree, node: int, split: Split, cells: Floats) -> Floats:
    """Share with which a row takes each branch of a decision."""
    (shares,) = split.shares(cells[None])
    return tree.parts(node) if np.isnan(shares[0]) else shares


def _ways(fitted: FittedTree, cells: Floats) -> list[Way]:
    """Ways to the leaves that a row reaches, by share."""
    tree, labels, found = fitted.tree, fitted.classes.tolist(), []
    pending: list[tuple[int, float, tuple[tuple[int, int], ...]]] = [(0, 1.0, ())]
    while pending:
        node, share, way = pending.pop()
        split = tree.splits[node]
        if split is None:
            code = fitted.codes[node]
            label, probability = labels[code], float(tree.leaf_distributions[node, code])
            found.append(Way(node, share, way, label, probability))
            continue
        taken = _taken(tree, node, split, cells).tolist()
        for b, child in enumerate(tree.children_of(node).tolist()):
            if share * taken[b] > 0:
                pending.append((child, share * taken[b], (*way, (node, b))))
    return sorted(found, key=lambda each: (-each.share, each.leaf))


def _contributions(split: Split, cells: Floats) -> Floats:
    """What each term of a row adds to the sum of each plane."""
    if isinstance(split, Categories):
        return np.empty((0, 0))
    return split.weights * encode(cells[None], split.columns, split.categories)


def _surfaces(split: Split, cells: Floats) -> tuple[Floats, Floats]:
    """Score of a row for each plane, and how far it is from each."""
    if isinstance(split, Categories):
        return np.empty(0), np.empty(0)
    scores = split.scores(cells[None])[0]
    weights, scores_between = split.weights, scores
    if split.rule == "argmax":  # the surface to each other plane is where the scores are equal
        winner = int(np.argmax(scores))
        weights, scores_between = weights[winner] - weights, scores[winner] - scores
    lengths = np.linalg.norm(weights, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = np.abs(scores_between) / lengths
    return scores, distances


def _smallest_change(fitted: FittedTree, cell: _Cell, limits: _Limits) -> Change | None:
    """Smallest change of one cell, within limits, that changes the answer, if any does."""
    if cell.about.categories is not None:
        return _other_category(cell)
    if np.isnan(cell.own):
        return None
    above, below = _sides(cell.own, _crossings(fitted, cell.cells, cell.column))
    scale = float(limits.scales[cell.column])
    if limits.whole[cell.column]:
        found = [_first_whole(cell, above, is_up=True), _first_whole(cell, below, is_up=False)]
    else:
        least = 1e-3 * _CLEARANCE * scale
        found = [_first_beyond(cell, side, least) for side in (above, below)]
    values = [value for value in found if value is not None and limits.allow(cell.column, value)]
    if not values:
        return None
    value = min(values, key=lambda new: abs(new - cell.own))
    size = abs(value - cell.own) / scale
    return Change(cell.about.name, cell.own, value, cell.answers([value])[0], size)


def _other_category(cell: _Cell) -> Change | None:
    """The first category that changes the answer."""
    names, own = cell.about.categories or (), cell_value(cell.about, cell.own)
    answers = cell.answers(np.arange(len(names), dtype=np.float64))
    for name, new in zip(names, answers, strict=True):
        if new != cell.present:
            return Change(cell.about.name, own, name, new, float("nan"))
    return None


def _crossings(fitted: FittedTree, cells: Floats, column: int) -> Floats:
    """Numbers of one column at which a score crosses zero, or another score."""
    at: list[float] = []
    is_soft = fitted.missing and not fitted.keeps_class
    for split in fitted.tree.splits:
        if isinstance(split, Planes) and column in split.features:
            beside = split.spread * _SPREADS if is_soft and split.spread else np.zeros(1)
            at.extend(_crossings_of(split, cells, column, beside))
    found = np.unique(at)
    return found[np.isfinite(found)]


def _crossings_of(planes: Planes, cells: Floats, column: int, beside: Floats) -> list[float]:
    """Numbers of one column at which lines of a decision cross zero or each other, or nearly."""
    slope = planes.weights[:, planes.columns == column].sum(axis=1)
    without = cells.copy()
    without[column] = 0.0
    rest = planes.scores(without[None])[0]
    lines = list(zip(slope.tolist(), rest.tolist(), strict=True))
    if planes.rule == "argmax":
        lines = [(a - c, b - d) for (a, b), (c, d) in combinations(lines, 2)]
    crossed = [(beside - intercept) / rise for rise, intercept in lines if rise != 0]
    return [float(value) for values in crossed for value in values]


def _sides(own: float, at: Floats) -> list[list[tuple[float, float]]]:
    """Intervals between crossings as (near, far), away from a number: those above, those below."""
    above, below = at[at >= own], at[at <= own][::-1]
    return [
        list(zip([own, *ends], [*ends, _end(own, ends, sign)], strict=True))
        for ends, sign in ((above.tolist(), 1.0), (below.tolist(), -1.0))
    ]


def _end(own: float, ends: list[float], sign: float) -> float:
    """A number beyond the last crossing, as far from it as it is from the row, or farther."""
    last = ends[-1] if ends else own
    return last + sign * max(abs(last - own), abs(last), 1.0)


def _first_whole(cell: _Cell, intervals: list[tuple[float, float]], *, is_up: bool) -> float | None:
    """First whole number on one side with another answer: where an interval begins, or next."""
    ends = np.array([near for near, _ in intervals])
    values = [np.ceil(ends), np.floor(ends) + 1] if is_up else [np.floor(ends), np.ceil(ends) - 1]
    tried = np.unique(np.concatenate(values))[:: 1 if is_up else -1]
    pairs = zip(tried.tolist(), cell.answers(tried), strict=True)
    return next((value for value, new in pairs if new != cell.present), None)


def _first_beyond(cell: _Cell, intervals: list[tuple[float, float]], least: float) -> float | None:
    """First number on one side with another answer than the present one."""
    middles = [near / 2 + far / 2 for near, far in intervals]
    for place, new in enumerate(cell.answers(middles)):
        if new != cell.present:
            same = middles[place - 1] if place else cell.own
            return _bisect(cell, same, middles[place], least)
    return None


def _bisect(cell: _Cell, same: float, other: float, least: float) -> float:
    """A number just beyond the border between one that does not differ and one that does.

    It is beyond rounding, by which the same sum may come out otherwise elsewhere: by a share of
    its size and of its distance from the row's own, or by what is `least` for the column.
    """

    def clearance() -> float:
        return max(least, _CLEARANCE * max(abs(same), abs(other), abs(other - cell.own)))

    while abs(other - same) > clearance():
        middle = same / 2 + other / 2
        if middle in (same, other):
            break
        if cell.differs(middle):
            other = middle
        else:
            same = middle
    beyond = other + float(np.sign(other - same)) * clearance()
    return beyond if cell.differs(beyond) else other
