"""The cheapest change of a row to a goal on probabilities: branch and bound over boxes of scores.

A box bounds the scores of some planes. Within it every share lies between two numbers: that of a
graded plane between sigmoid(low / spread) and sigmoid(high / spread), that of a hard one is 0, 1 or
open. From the leaves up, with s_b the shares of the branches of a node, which sum to 1,

    least and largest P_c  =  min and max of  sum_b s_b P_bc,    low_b <= s_b <= high_b,

a knapsack for each class c. A box whose bounds do not allow the goal goes. The cheapest row of the
others is a program of half-spaces, which the core solves; the cheapest box is looked at first:

- a cheapest row that meets the goal is the cheapest of all, for no other box has less;
- otherwise the box is cut in two along the score that leaves most open, at 0 where the class is
  that of the way, and rows beyond the cheapest one, in its direction, are tried as answers;
- where all open decisions have one graded plane, bounds of the slopes give half-spaces that hold
  every row of the box that meets the goal (`_tangents`), so that few boxes are needed.

So the bound is the least cost of the boxes that are left. It holds for every row that meets the
goal and clears the hard planes (`counterfactuals`); the answer is within `_GAP` of it unless more
than `_MOST_BOXES` boxes were needed. No list of regions is made, however many there are.

With `grading="leaf"` probabilities are mixed with those of the way until its class is the cheapest
(`grading.keep_class`). Where errors cost the same, mixing lifts no class above 1/2 by more than its
margin, so a goal above that is met only where the graded probability meets it, on a way to that
class.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import expit, logit

from planetree._core import cheapest_change
from planetree.arrays import Floats, Indices, Mask
from planetree.planes import Among, Categories, Planes, Split
from planetree.tree.inspection.answer_regions import AnswerRegions, HalfSpaces
from planetree.tree.inspection.counterfactuals import ChangedRow, ChangeSearch
from planetree.tree.inspection.probability_goals import ProbabilityGoal, claims_of
from planetree.tree.inspection.score_boxes import (
    Box,
    Directions,
    directions_of,
    graded_shares,
    least_mixture,
    possible_branches,
)

_GAP = 1e-4  # of the cost, between an answer and its bound
_MOST_BOXES = 3_000  # some seconds for a row
_NARROW = 1e-13  # of a share: what rounding leaves of a box that is cut no more
_ROUNDING = 1e-12  # of a sum that a tangent is made of
_WAY_FIRST = 10.0  # scores whose sign decides the way are cut before others as wide


class _Open(NamedTuple):
    """A score that a box leaves open: of which half-space, how much of the row, and its spread."""

    number: int
    width: float
    spread: float


@dataclass(eq=False)
class BoxSearch(ChangeSearch):
    """Searches for the cheapest changes of rows to goals on probabilities.

    Parameters
    ----------
    probability : float, optional
        What one of the wanted classes should get; by default it should be predicted.
    codes_of, shares_of : functions of rows
        What the model answers: classes and probabilities.
    """

    kind: ClassVar[str] = "branch and bound over boxes of scores"
    proved: ClassVar[float] = _GAP

    probability: float | None = None
    codes_of: Callable[[Floats], Indices] = field(default=lambda rows: np.empty(0, np.intp))
    shares_of: Callable[[Floats], Floats] = field(default=lambda rows: np.empty((0, 0)))

    def cheapest(
        self, cells: Floats, wanted: frozenset[int], held: frozenset[int] = frozenset()
    ) -> ChangedRow:
        """Cheapest change of a row to the goal, with the cells of `held` as they are."""
        return _RowSearch(self, cells, ProbabilityGoal(wanted, self.probability), held).run()

    def meets(self, goal: ProbabilityGoal, row: Floats) -> int:
        """Code of the class by which the model gives a row what is asked for; -1 if none."""
        if goal.probability is None:
            code = int(self.codes_of(row[None])[0])
            return code if code in goal.wanted else -1
        shares = self.shares_of(row[None])[0]
        best = max(goal.wanted, key=lambda c: float(shares[c]))
        return best if shares[best] >= goal.probability else -1

    @cached_property
    def numbers(self) -> list[tuple[int, ...]]:
        """Half-spaces of each node: of its planes, or of the categories of its branches."""
        splits, fitted = list(self.tree.splits), self.regions.fitted
        by_way = fitted.keeps_class or not fitted.missing
        if by_way and any(isinstance(s, Planes) and s.rule == "argmax" for s in splits):
            raise ValueError(
                "This tree has a decision with a plane for each class, whose cheapest changes are "
                "found only for answers, and only in a few thousand regions. Fit it with "
                "grading='soft', or fill in missing cells."
            )
        return [tuple(_numbers_of(split, self.regions)) for split in splits]

    @cached_property
    def half_spaces(self) -> HalfSpaces:
        """All half-spaces of the tree."""
        assert self.numbers is not None
        return self.regions.half_spaces

    @cached_property
    def directions(self) -> Directions:
        """Which half-spaces are parallel."""
        return directions_of(self.half_spaces)

    @property
    def tree(self) -> Any:
        """The tree of the model."""
        return self.regions.fitted.tree


def _numbers_of(split: Split | None, regions: AnswerRegions) -> Iterator[int]:
    if isinstance(split, Planes):
        planes = _against_the_first(split) if split.rule == "argmax" else split
        for plane in range(len(planes.offsets)):
            yield regions.side(planes.half_space(plane))[0]
    elif isinstance(split, Categories):
        for branch in range(split.n_branches):
            yield regions.side(Among(split.column, split.side(branch).codes))[0]


def _against_the_first(planes: Planes) -> Planes:
    """By how much other scores exceed the first: what their softmax depends on."""
    weights, offsets = planes.weights, planes.offsets
    differences = weights[1:] - weights[0], offsets[1:] - offsets[0]
    return replace(planes, weights=differences[0], offsets=differences[1], rule="slabs")


class _Below(NamedTuple):
    """Bounds of the claims' sums below a node."""

    low: Floats
    high: Floats


class _Slopes:
    """Bounds of the slopes of the claims' sums along each score, and the scores left open."""

    def __init__(self, n_scores: int, n_rows: int) -> None:
        self.low, self.high = np.zeros((n_rows, n_scores)), np.zeros((n_rows, n_scores))
        self.are_known = True
        self.open: list[_Open] = []

    def add(self, number: int, reach: Floats, rise: _Below, slope: Floats) -> None:
        """A decision that a row reaches with a share between two, and what its branches differ."""
        ends = np.multiply.outer(np.multiply.outer(reach, slope), np.array(rise))
        self.low[:, number] += ends.min(axis=(0, 1, 2))
        self.high[:, number] += ends.max(axis=(0, 1, 2))


class _RowSearch:
    """The search for one row."""

    def __init__(
        self, search: BoxSearch, cells: Floats, goal: ProbabilityGoal, held: frozenset[int]
    ) -> None:
        self.search, self.cells, self.goal = search, cells, goal
        self.spaces = search.half_spaces
        self.moves = search.changeable.moves(cells, self.spaces, held)
        self.scores = self.spaces.scores(cells)
        self.rows = np.concatenate([self.moves.effects, -self.moves.effects])
        sizes = self.spaces.sizes(search.changeable.reach(cells))
        self.spare = search.clearance * sizes
        exact = self.spaces.are_exact(search.changeable.whole)
        self.spare_below = np.where(exact, 0.0, self.spare)
        fitted = search.regions.fitted
        self.by_way = fitted.keeps_class or not fitted.missing
        self.is_hard = self.by_way and goal.probability is None
        self.claims = claims_of(goal, fitted.costs)
        self.ends = search.tree.leaf_distributions @ self.claims.rows.T
        missing, new = search.open_cells(cells)
        self.lost = missing, missing | new
        self.best = ChangedRow(None, -1, np.inf, np.inf)

    def run(self) -> ChangedRow:
        """The cheapest box first, until none is cheaper than the best answer."""
        numbers, floor = count(), np.inf  # of boxes that can be cut no more
        waiting = self._solved(self._everything, numbers)
        for _ in range(_MOST_BOXES):
            if not waiting or waiting[0][0] >= self.best.cost * (1 - _GAP):
                break
            cost, _, box, new, opened = heapq.heappop(waiting)
            code = self.search.meets(self.goal, new) if self._meet(new[None])[0] else -1
            if code >= 0:
                return ChangedRow(new, code, self._cost(new), min(cost, floor, self._cost(new)))
            if not self.is_hard:
                self._try_beyond(new)
            parts = self._cut(box, new, opened)
            if not parts:
                floor = min(floor, cost)
            for part in parts:
                for each in self._solved(part, numbers):
                    heapq.heappush(waiting, each)
        bound = min(floor, self.best.cost, *(each[0] for each in waiting[:1]))
        return self.best._replace(bound=bound)

    def _cost(self, new: Floats) -> float:
        return self.search.changeable.cost(self.cells, new)

    @cached_property
    def _everything(self) -> Box:
        """The scores that the moves of a row can reach."""
        low, high = self.scores.copy(), self.scores.copy()
        for column in np.unique(self.moves.columns).tolist():
            own = self.moves.columns == column
            with np.errstate(invalid="ignore"):
                ends = self.moves.effects[:, own, None] * self.moves.parts[own, 1:3]
            ends = np.nan_to_num(ends.reshape(len(low), -1), nan=0.0, posinf=np.inf, neginf=-np.inf)
            low, high = (
                low + np.minimum(ends.min(axis=1), 0),
                high + np.maximum(ends.max(axis=1), 0),
            )
        rounding = 1e-9 * (1.0 + np.abs(self.scores))
        return Box(low - rounding, high + rounding)

    def _solved(self, box: Box, numbers: Iterator[int]) -> list[Any]:
        """A box with its cheapest row; nothing where it has none, or none that meets the goal."""
        box = self.search.directions.tightened(box)
        if (box.low > box.high).any():
            return []
        slopes = _Slopes(len(self.scores), len(self.ends.T))
        found = self._bounds(0, box, np.ones(2), slopes)
        if not self.claims.allowed(found.high) or not self._leads_there(box):
            return []
        n, start = len(self.scores), self._everything
        below = np.flatnonzero(box.high < start.high)
        above = np.flatnonzero(box.low > start.low)
        cuts, limits = self._tangents(box, slopes)
        members = np.concatenate([below, above + n, 2 * n + np.arange(len(cuts))])
        rights = np.concatenate([box.high - self.scores, self.scores - box.low, limits])
        sizes, place, _, bound, _ = cheapest_change(
            self.moves.parts,
            self.moves.columns,
            len(self.cells),
            np.ascontiguousarray(np.concatenate([self.rows, cuts])),
            np.where(np.isfinite(rights), rights, 0.0),
            members.astype(np.int64),
            np.array([0, len(members)], np.int64),
            self.search.max_changes,
        )
        if place < 0:
            return []
        new = self.search.changeable.changed(self.cells, self.moves, sizes)
        return [(float(bound), next(numbers), box, new, slopes.open)]

    def _tangents(self, box: Box, slopes: _Slopes) -> tuple[Floats, Floats]:
        """Half-spaces that hold all rows of a box that meet the goal: effects of moves, limits.

        From a corner k of the box, a sum f of the goal is at most f(k) + sum_i slope_i (s_i - k_i),
        with the largest slopes from the lower ends and the least from the upper ones.
        """
        nothing = np.empty((0, self.moves.effects.shape[1])), np.empty(0)
        if not slopes.are_known or len(np.unique(self.claims.of)) > 1 or self.is_hard:
            return nothing
        cuts, limits = [], []
        for corner, steep in ((box.low, slopes.high), (box.high, slopes.low)):
            if not np.isfinite(corner).all():
                continue
            at = self._bounds(0, Box(corner, corner), np.ones(2), None).high
            for row, least in enumerate(self.claims.least):
                rise = steep[row] @ (self.scores - corner)
                cuts.append(-steep[row] @ self.moves.effects)
                limits.append(at[row] + rise - least + _ROUNDING * (1.0 + abs(rise)))
        return (np.array(cuts), np.array(limits)) if cuts else nothing

    def _try_beyond(self, new: Floats) -> None:
        """Keep the nearest row beyond one, in its direction, that meets the goal."""
        steps = np.concatenate([[0.0], 2.0 ** np.arange(-30, 8)])
        rows, met = np.empty((0, 0)), np.empty(0, dtype=bool)
        for _ in range(2):
            rows = self._beyond(new, steps)
            met = self._meet(rows)
            if not met.any():
                return
            first = int(np.argmax(met))
            steps = np.linspace(steps[max(first - 1, 0)], steps[first], 33)
        row = rows[int(np.argmax(met))]
        cost = self._cost(row)
        if cost < self.best.cost and (code := self.search.meets(self.goal, row)) >= 0:
            self.best = ChangedRow(row, code, cost, cost)

    def _beyond(self, new: Floats, more: Floats) -> Floats:
        """Rows with changes of numbers that are larger by some shares, within what is allowed."""
        able, cells = self.search.changeable, self.cells
        moved = ~able.categorical & (new != cells) & ~np.isnan(cells)
        found = new + np.multiply.outer(more, np.where(moved, new - cells, 0.0))
        found = np.where(able.whole, np.where(new > cells, np.ceil(found), np.floor(found)), found)
        return np.where(moved, np.clip(found, able.low, able.high), new)

    def _meet(self, rows: Floats) -> Mask:
        """Whether the tree gives rows what is asked for, but for mixing."""
        shares = self.search.tree.distribution(rows, graded=not self.is_hard)
        held = shares @ self.claims.rows.T >= self.claims.least
        return np.array([self.claims.allowed(np.where(each, np.inf, -np.inf)) for each in held])

    def _leads_there(self, box: Box) -> bool:
        """Whether some way in a box ends with a wanted class, if the way gives the class."""
        if self.is_hard or not self.by_way or any(self.lost):
            return True
        codes = self.search.regions.fitted.codes
        return any(int(codes[leaf]) in self.goal.wanted for leaf in self._leaves(0, box))

    def _leaves(self, node: int, box: Box) -> Iterator[int]:
        """Leaves that ways in a box may end at."""
        split = self.search.tree.splits[node]
        if split is None:
            yield node
            return
        taken = possible_branches(split, *self._ends_of(node, box))
        for branch, child in enumerate(self.search.tree.children_of(node).tolist()):
            if branch in taken:
                yield from self._leaves(child, box)

    def _ends_of(self, node: int, box: Box) -> tuple[Floats, Floats]:
        """Bounds of the scores of a node."""
        numbers = list(self.search.numbers[node])
        low, high = box.low[numbers], box.high[numbers]
        split = self.search.tree.splits[node]
        if isinstance(split, Planes) and split.rule == "argmax":
            return np.append(0.0, low), np.append(0.0, high)
        return low, high

    def _bounds(self, node: int, box: Box, reach: Floats, slopes: _Slopes | None) -> _Below:
        """Bounds of the goal's sums below a node that is reached with a share between two."""
        tree = self.search.tree
        split = tree.splits[node]
        if split is None:
            return _Below(self.ends[node], self.ends[node])
        low, high = self._shares(node, split, box)
        nothing = _Below(self.ends[node], self.ends[node])
        parts = [
            self._bounds(int(child), box, reach * [low[b], high[b]], slopes)
            if high[b] > 0
            else nothing
            for b, child in enumerate(tree.children_of(node))
        ]
        if slopes is not None and not np.array_equal(low, high):
            self._note(node, split, box, reach, parts, slopes)
        least = least_mixture(low, high, np.array([each.low for each in parts]))
        most = -least_mixture(low, high, -np.array([each.high for each in parts]))
        return _Below(least, most)

    def _note(
        self,
        node: int,
        split: Split,
        box: Box,
        reach: Floats,
        parts: list[_Below],
        slopes: _Slopes,
    ) -> None:
        """Note the scores that a node leaves open, and how steep the sums are along them."""
        spread = self._spread(split)
        for number in self.search.numbers[node]:
            ends = np.array([box.low[number], box.high[number]])
            crossed = bool(ends[0] <= 0 < ends[1])
            width = float(np.diff(expit(ends / spread))[0]) if spread > 0 else float(crossed)
            by_sign = crossed and (spread == 0 or self.by_way)
            if width * reach[1] > _NARROW:
                first = _WAY_FIRST if by_sign and spread > 0 else 1.0
                slopes.open.append(
                    _Open(number, first * width * reach[1], 0.0 if by_sign else spread)
                )
        single = isinstance(split, Planes) and split.rule == "slabs" and len(split.offsets) == 1
        if not single or spread == 0:
            slopes.are_known = False
            return
        below, above = parts
        rise = _Below(above.low - below.high, above.high - below.low)
        u = expit(ends / spread)
        most = 0.25 if crossed else float((u * (1 - u)).max())
        slope = np.array([(u * (1 - u)).min(), most]) / spread
        slopes.add(self.search.numbers[node][0], reach, rise, slope)

    def _spread(self, split: Split) -> float:
        """How graded a decision is; 0 where signs alone count."""
        return split.spread if isinstance(split, Planes) and not self.is_hard else 0.0

    def _shares(self, node: int, split: Split, box: Box) -> tuple[Floats, Floats]:
        """Least and largest share of each branch of a node."""
        lost = self.lost[1] if isinstance(split, Categories) else self.lost[0]
        parts = np.asarray(self.search.tree.parts(node))
        if not lost.isdisjoint(split.features.tolist()):
            missing = not self.lost[0].isdisjoint(split.features.tolist())
            known = isinstance(split, Categories) and split.unknown >= 0 and missing
            parts = np.eye(len(parts))[split.unknown] if known else parts
            return parts, parts
        ends = self._ends_of(node, box)
        if self._spread(split) > 0:
            assert isinstance(split, Planes)
            return graded_shares(split, *ends)
        taken = possible_branches(split, *ends)
        if not taken:  # a category that belongs to no branch
            return parts, parts
        high = np.isin(np.arange(split.n_branches), list(taken)).astype(np.float64)
        strays = isinstance(split, Categories) and bool((split.branches < 0).any())
        if strays and not (ends[0] > 0).any():  # perhaps a category that belongs to no branch
            return np.zeros_like(high), np.ones_like(high)
        return (high if len(taken) == 1 else np.zeros_like(high)), high

    def _cut(self, box: Box, new: Floats, opened: list[_Open]) -> tuple[Box, ...]:
        """The two parts of a box along the score that leaves most open; none if none does."""
        if not opened:
            return ()
        number, _, spread = max(opened, key=lambda each: each.width)
        if spread == 0:
            return box.cut(number, -self.spare_below[number], self.spare[number])
        low, high = (float(expit(end / spread)) for end in (box.low[number], box.high[number]))
        own = float(expit(self.spaces.scores(new)[number] / spread))
        inside = low + 0.1 * (high - low) < own < high - 0.1 * (high - low)
        middle = float(logit(own if inside else (low + high) / 2)) * spread
        if not box.low[number] < middle < box.high[number]:
            return ()
        return box.cut(number, middle, middle)
