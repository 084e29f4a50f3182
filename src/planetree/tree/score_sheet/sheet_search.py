"""Score sheets for the decisions of a tree: steps, whole points and the table of their totals.

The terms of a plane become questions. A number is counted in full steps above a multiple of the
step; a step is 1, 2 or 5 times a power of ten, the nearest to half of the column's standard
deviation or to the whole of it. Each term has its own step, and all points from -`max_points` to
`max_points` are open: of this grid the sheet with the least hinge error is found and proved
(`tree.score_sheet.integer_points`),

    min   sum_i (2 w_i / W) max(0, 1 - s_i (scale * total_i - offset)).

Where one side is so light that no points do better than none (scale = 0), each side is charged 1 in
all: then other points do, unless the sides have equal means of all counts (Bennett 1993, Theorem
3.7) or columns must have other signs. Then the probabilities of the totals are fitted, as those of
a graded decision on the total are (`planetree.grading`), and kept in few digits. A division of
categories is one question, a cut among other decisions too, a pair of planes two; they have the
shares of the rows seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from planetree.arrays import Floats, Indices, Mask, encode
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.grading import grade
from planetree.parameters import check_argument, count
from planetree.planes import Among, Categories, Planes
from planetree.solvers import HingeProgram
from planetree.table import Canonical
from planetree.tree.constraints.monotonic_share import MonotonicShare
from planetree.tree.growth import training_branch
from planetree.tree.score_sheet.integer_points import WholePoints, whole_points
from planetree.tree.score_sheet.score_sheet import ALMOST, Question, ScoreSheet, Sheet, Steps
from planetree.tree.tree import Tree, refuse_products

_DEVIATIONS = (0.5, 1.0)  # of a step; with 0.25 totals double and five sets are no better
_MOST_TABLES = 64  # choices of steps; with more terms all have the finer step, or all the coarser
_MOST_ROWS = 20_000  # kept of training: points from -5 to 5 need no more
_LEAST = 1e-4  # probability that is printed; those above have two digits


class SheetRows(NamedTuple):
    """Training rows of some columns of a table, their classes and weights.

    Parameters
    ----------
    X : array of shape (n_rows, n_kept_columns)
    columns : array of int of shape (n_kept_columns,)
    share : MonotonicShare
        Which columns of the table may only raise, or only lower, the share of which classes.
    codes : array of int of shape (n_rows,)
    weights : array of shape (n_rows,)
    """

    X: Floats
    columns: Indices
    share: MonotonicShare
    codes: Indices
    weights: Floats

    @classmethod
    def kept(
        cls, rows: Canonical, weights: Floats, columns: Indices, share: MonotonicShare
    ) -> SheetRows:
        """Canonical rows in the units of the table; of many, some that their cells draw."""
        last = min(len(rows.draws), _MOST_ROWS) - 1
        low = np.flatnonzero(rows.draws <= np.partition(rows.draws, last)[last])
        chosen = low[np.argsort(rows.draws[low], kind="stable")][: last + 1]
        places = np.argsort(rows.columns)[columns]
        X = np.ldexp(rows.table.values[np.ix_(chosen, places)], rows.exponents[places])
        weights = weights[chosen] * (weights.sum() / weights[chosen].sum())
        codes = rows.order[rows.codes[chosen]]
        return cls(X, columns, share, codes, weights)

    def whole_width(self) -> Floats:
        """Rows with all columns of the table, those that were not kept unknown."""
        X = np.full((len(self.X), len(self.share.signs)), np.nan)
        X[:, self.columns] = self.X
        return X

    def signs_toward(self, upper: Mask) -> Floats:
        """Signs that points of columns may have where these classes are on the upper side."""
        falls = self.share.change(self.codes, self.weights, upper[self.codes]) < 0
        return -self.share.signs if falls else self.share.signs

    def some(self, mask: Mask) -> SheetRows:
        """Some of the rows."""
        return self._replace(X=self.X[mask], codes=self.codes[mask], weights=self.weights[mask])


def score_sheet(model: Any, max_points: int, time_limit: float | None) -> ScoreSheet:
    """Score sheet of a fitted tree that has kept some of its training rows."""
    check_argument("max_points", max_points, count(1))
    clock = Clock(time_limit)
    refuse_products(model.tree_, type(model).__name__, "a score sheet")
    if not model.tree_.n_terms:
        raise ValueError(
            "A tree without decisions has no score sheet. Choose a larger tree of path_: "
            "model.select(n_terms=...); or fit it with size='accurate' or a lower number."
        )
    if not hasattr(model, "_sheet_rows"):
        raise ValueError(
            "A score sheet needs the training rows, which model files do not hold. Make the sheet "
            "from the model that was fitted, or fit it again."
        )
    maker = _SheetMaker(model.rounded_tree_, int(max_points), clock)
    maker.make(model._sheet_rows)
    return ScoreSheet(model, maker.sheets)


class _Draft(NamedTuple):
    """Questions of a decision, what it does with the rows, and what proves the points."""

    questions: list[Question]
    threshold: float  # of the total, where its curve has its middle; NaN where it has none
    is_up: Mask  # which rows the decision sends up
    certificate: Certificate
    plane_objective: float = np.nan


@dataclass(eq=False)
class _SheetMaker:
    """Makes the sheets of a tree.

    Parameters
    ----------
    tree : Tree
        Each decision has two branches.
    max_points : int
    clock : Clock
    """

    tree: Tree
    max_points: int
    clock: Clock
    sheets: list[Sheet] = field(default_factory=list, init=False)

    def make(self, rows: SheetRows, node: int = 0) -> int:
        """Add the sheets of a node and of those below it; the number of the first, -1 of a leaf."""
        split = self.tree.splits[node]
        if split is None:
            return -1  # a leaf
        low, high = self.tree.children_of(node).tolist()
        if np.isnan(rows.whole_width()[:, split.features]).any(axis=1).all():  # none can answer
            return -1 if split.unknown < 0 else self.make(rows, (low, high)[split.unknown])
        upper = _upper_classes(self.tree.class_weights[[low, high]])
        X, turned, side = rows.whole_width(), False, split.unknown
        if isinstance(split, Planes) and self._is_counted(split):
            turned = len(upper) == 2 and bool(upper[0])  # points are for the second of two classes
            draft = self._plane(split, rows, X, upper ^ turned)
        else:
            draft = _tests(split, X)
        if turned:
            low, high, draft = high, low, draft._replace(is_up=~draft.is_up)
            side = 1 - side if side >= 0 else -1
        sheet, up = _with_table(draft, rows, X, len(upper))
        number, line = len(self.sheets), sheet.lines(X)
        self.sheets.append(sheet)
        taken = np.where(line < 0, side, up[line])
        after = [self.make(rows.some(taken == s), (low, high)[s]) for s in (0, 1)]
        sheet = replace(sheet, following=np.where(up, after[1], after[0]))
        if side >= 0:
            p = _printed(self.tree.leaf_distributions[(low, high)[side]])
            sheet = replace(sheet, if_missing=p, after_missing=after[side])
        self.sheets[number] = sheet
        return number

    def _is_counted(self, planes: Planes) -> bool:
        """Whether there are steps to count: a cut among other decisions stays a question."""
        return len(planes.offsets) == 1 and (planes.n_terms > 1 or self.tree.n_leaves == 2)

    def _plane(self, plane: Planes, rows: SheetRows, X: Floats, upper: Mask) -> _Draft:
        """Whole points in the place of a plane's weights."""
        used = np.flatnonzero(plane.weights[0])
        columns, categories = plane.columns[used], plane.categories[used]
        E = encode(X, columns, categories)
        known = ~np.isnan(E).any(axis=1)
        E, weights = E[known], rows.weights[known]
        sides = upper[rows.codes[known]].astype(np.int32)
        terms = list(zip(columns.tolist(), categories.tolist(), strict=True))
        choices = _choices([_asked(*term, E[:, t], weights) for t, term in enumerate(terms)])
        counts = [np.column_stack([_counts(a, X[known]) for a in asked]) for asked in choices]
        for charges in (2.0 * weights / weights.sum(), _even_charges(weights, sides)):
            found = whole_points(
                counts, sides, charges, self.max_points,
                signs=rows.signs_toward(upper)[columns], clock=self.clock,
            )  # fmt: skip
            if found.scale > 0:
                break
        spread = E.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        free = HingeProgram(E, sides, charges, np.ones(2), center=E.mean(axis=0), scale=scale)
        questions = map(Question, choices[found.table], found.points.tolist())
        return _Draft(
            [question for question in questions if question.points],
            found.offset / found.scale if found.scale > 0 else np.inf,
            training_branch(plane, X) == 1,
            _certificate(found),
            free.solve().objective,
        )


def _upper_classes(class_weights: Floats) -> Mask:
    """Which classes have more of their weight on the second of two branches than all rows have."""
    shares = class_weights[1] / np.maximum(class_weights.sum(axis=0), 1e-300)
    return np.asarray(shares > class_weights[1].sum() / class_weights.sum())


def _even_charges(weights: Floats, sides: NDArray[np.int32]) -> Floats:
    """Charges of rows that are 1 in all for each side."""
    totals = np.bincount(sides, weights, 2)[sides]
    return np.asarray(weights / totals)


def _tests(split: Planes | Categories, X: Floats) -> _Draft:
    """A division of categories as one question, or planes as one each."""
    is_up = training_branch(split, X) == 1
    if isinstance(split, Categories):
        kind = Certificate("a division of categories")
        asked = split.side(1) if split.side(1).codes else split.side(0)  # gaps alone ask nothing
        return _Draft([Question(asked, 1)], np.nan, is_up, kind)
    questions = [Question(split.half_space(p), 1) for p in range(len(split.offsets))]
    kind = Certificate("a cut of one column" if len(questions) == 1 else "two planes together")
    return _Draft(questions, np.nan, is_up, kind)


def _certificate(found: WholePoints) -> Certificate:
    kind = "whole points by branch and bound"
    return Certificate(kind, found.objective, found.bound, found.gap, found.status)


def _counts(asked: Steps | Among, X: Floats) -> Floats:
    return Question(asked, 1).counts(X)


def _asked(column: int, category: int, values: Floats, weights: Floats) -> list[Steps | Among]:
    """Ways to count a term."""
    if category >= 0:
        return [Among(column, (category,))]
    mean = np.average(values, weights=weights)
    deviation = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    finest = _resolution(values)
    steps = sorted({max(_nearest_step(part * deviation), finest) for part in _DEVIATIONS})
    return [_steps_from(column, float(values.min()), step) for step in steps]


def _steps_from(column: int, least: float, step: float) -> Steps:
    """Steps above the multiple of the step at or below the least value."""
    return Steps(column, float(f"{np.floor(least / step + ALMOST) * step:.15g}") + 0.0, step)


def _nearest_step(size: float) -> float:
    """1, 2 or 5 times a power of ten, whichever is nearest as a ratio.

    Examples
    --------
    >>> from planetree.tree.score_sheet.sheet_search import _nearest_step
    >>> _nearest_step(23.0), _nearest_step(0.08), _nearest_step(3.4)
    (20.0, 0.1, 5.0)
    """
    if not size > 0:
        return 1.0
    power = int(np.floor(np.log10(size)))
    near = [float(f"{m}e{power + up}") for up in (0, 1) for m in (1, 2, 5)]
    return min(near, key=lambda step: abs(np.log(step / size)))


def _resolution(values: Floats) -> float:
    """The power of ten, at most 1, that all values are multiples of; 0 if they have many digits."""
    for digits in range(7):
        if np.allclose(values * 10**digits, np.round(values * 10**digits), rtol=0, atol=1e-6):
            return float(f"1e-{digits}")
    return 0.0


def _choices(ways: list[list[Steps | Among]]) -> list[tuple[Steps | Among, ...]]:
    """Ways to count all terms: each in each of its ways, or if these are many, alike."""
    if np.prod([float(len(way)) for way in ways]) <= _MOST_TABLES:
        return list(product(*ways))
    return [tuple(way[0] for way in ways), tuple(way[-1] for way in ways)]


def _with_table(draft: _Draft, rows: SheetRows, X: Floats, k: int) -> tuple[Sheet, Mask]:
    """Sheet of a decision's questions, and which of its lines are on the upper side."""
    total = np.zeros(len(X))
    for question in draft.questions:
        total = total + question.points * question.counts(X)
    known = ~np.isnan(total)
    lowest, highest = (int(end) for end in (total[known].min(), total[known].max()))
    seen = np.zeros((highest - lowest + 1, k))
    line = total[known].astype(np.intp) - lowest
    np.add.at(seen, (line, rows.codes[known]), rows.weights[known])
    everyone = np.bincount(rows.codes, rows.weights, k).astype(np.float64)
    went_up = rows.weights[known] * draft.is_up[known]
    up_weights = np.bincount(line, went_up, len(seen)).astype(np.float64)
    if np.isnan(draft.threshold):
        up = 2 * up_weights > seen.sum(axis=1)
        p = np.array([_smoothed(seen[up == side].sum(axis=0)) for side in up])
    else:
        up = _best_cut(up_weights, seen.sum(axis=1))
        totals = lowest + np.arange(float(len(seen)))
        p = _curve(totals, draft.threshold, seen, len(draft.questions))
    sheet = Sheet(
        tuple(draft.questions), lowest, np.array([_printed(each) for each in p]), seen,
        np.full(len(seen), -1), _printed(_smoothed(everyone)), draft.certificate,
        draft.plane_objective,
    )  # fmt: skip
    return sheet, up


def _best_cut(up_weights: Floats, weights: Floats) -> Mask:
    """Which totals are up, from one on, so that the most weight goes where it went before."""
    down = np.append(0.0, np.cumsum(weights - up_weights))
    agreed = down + up_weights.sum() - np.append(0.0, np.cumsum(up_weights))
    return np.arange(len(weights)) >= int(agreed.argmax())


def _smoothed(weights: Floats) -> Floats:
    """Shares of the classes, as if one row more had come, in equal parts of each class."""
    return np.asarray((weights + 1.0 / len(weights)) / (weights.sum() + 1.0))


def _curve(totals: Floats, threshold: float, seen: Floats, n_terms: int) -> Floats:
    """Probabilities of the classes at each total: those of a graded decision on the total."""
    up = totals > threshold
    nodes = np.array([seen.sum(axis=0), seen[~up].sum(axis=0), seen[up].sum(axis=0)])
    if not (n_terms and np.isfinite(threshold)):
        return np.tile(_smoothed(nodes[0]), (len(seen), 1))
    plane = Planes(
        np.ones((1, n_terms)), np.array([threshold])
    )  # as many terms as questions, all but one 0
    leaf = nodes.argmax(axis=1)
    branches, children = np.array([2, 0, 0]), np.array([1, 2])
    stump = Tree([plane, None, None], branches, children, nodes, leaf, nodes.sum(axis=1))
    line, codes = np.nonzero(seen)
    X = np.zeros((len(line), n_terms))
    X[:, 0] = totals[line]
    spreads, shifts, ends = grade(stump, X, codes, seen[line, codes])
    if not spreads[0] > 0:
        return np.tile(_smoothed(nodes[0]), (len(seen), 1))
    u = expit((totals - threshold - shifts[0]) / spreads[0])[:, None]
    return np.asarray((1.0 - u) * ends[1] + u * ends[2])


def _printed(p: Floats) -> Floats:
    """Probabilities of few digits that sum to 1: the largest is what the others leave.

    Of two classes the rarer has two digits; of more, each is in hundredths of a percent.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.score_sheet.sheet_search import _printed
    >>> _printed(np.array([0.0456, 0.9544])), _printed(np.array([1e-7, 1 - 1e-7]))
    (array([0.046, 0.954]), array([1.000e-04, 9.999e-01]))
    """
    two = len(p) == 2
    few = np.array([max(_LEAST, round(float(f"{x:.1e}" if two else x), 4)) for x in p])
    largest = int(p.argmax())
    few[largest] = round(1.0 - float(few.sum() - few[largest]), 4)
    return few
