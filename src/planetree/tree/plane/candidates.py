"""Decisions that a node could make: sparse planes and cuts, each with what it leaves and costs.

For two sides of the classes there are planes with one, two, ... terms (`plane_search`), the best
cut of each single column by entropy, and the best division of the categories of a column. Where
rows are many, planes are found on some of them, measured on all, and the one that is chosen is
found again on all (`settle`).

More than two classes are put on two sides in several ways (`class_sides`); two ways are kept.

- the entropy left by a candidate always counts all classes;
- a threshold lies midway between the training scores beside it;
- of the candidates with the same number of terms only the one with the least entropy is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.certificate import Certificate
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Categories, Planes, Split, midway
from planetree.separators.sparse.feature_search import TimeIsUpError, coarse
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.hinge_certificate import prove
from planetree.tree.growth import divide, fill_missing
from planetree.tree.impurity import entropy
from planetree.tree.plane.class_sides import class_sides
from planetree.tree.plane.plane_pairs import PlanePair, plane_pairs
from planetree.tree.plane.plane_search import PlaneSearch, Rows, some_rows

__all__ = ["Candidate", "Searcher"]

_KEPT_GROUPINGS = 2  # of the ways screened: more did not lower the error on 16 data sets
_ROUNDING = 1e-9  # of the largest score: more than the order of adding up can move one


class Candidate(NamedTuple):
    """A decision, the entropy it leaves, how many terms it has, and what its search cost.

    Parameters
    ----------
    split : Planes or Categories
    entropy : float
        Weight times nats, over the branches.
    n_terms : int
    searched : float
        Nats for what was searched beside the terms: a threshold, or a division of categories.
    solved : HingeProgram and HingeSolution, or None
        The plane's program, and its answer.
    draft : pair of arrays, or None
        Of a plane found on some of the rows: which rows belong above it, and its terms.
    """

    split: Split
    entropy: float
    n_terms: int
    searched: float = 0.0
    solved: tuple[HingeProgram, HingeSolution] | None = None
    draft: tuple[Mask, Indices] | None = None

    def certificate(self, time_limit: float | None = None) -> Certificate:
        """How it was found; the bound of a plane's program is true in exact arithmetic."""
        if self.solved is not None:
            proved = prove(*self.solved, time_limit)
            figures = proved.objective, proved.bound, proved.gap, proved.status
            return Certificate("linear program", *figures)
        if isinstance(self.split, Planes) and len(self.split.offsets) > 1:
            return Certificate("search for a pair of planes", status="stationary")
        return Certificate("best cut of every column, by entropy", status="optimal")


class Searcher:
    """Finds the candidates of nodes of one training table.

    Parameters
    ----------
    columns, categories : arrays of shape (n_terms,)
        What each term reads, as in `Planes`.
    n_categories : array of shape (n_columns,)
        How many categories each column has; 0 for numbers.
    n_classes : int
    max_terms : int
        Most terms of a plane.
    signs : array of shape (n_terms,)
        1 or -1 where a weight may only have that sign.
    min_weight : float
        Least weight of a branch.
    clock : Clock
        When its time is up, a search raises `TimeIsUpError`.
    """

    def __init__(
        self,
        columns: Indices,
        categories: Indices,
        n_categories: Indices,
        n_classes: int,
        max_terms: int,
        signs: Floats,
        min_weight: float,
        clock: Clock = UNLIMITED,
    ) -> None:
        self.columns = columns
        self.clock = clock
        self.categories = categories
        self.n_categories = n_categories
        self.n_classes = n_classes
        self.max_terms = max_terms
        self.signs = signs
        self.min_weight = min_weight

    def candidates(self, rows: Rows, allowed: Mask) -> list[Candidate]:
        """Best candidate for each number of terms and each kind, of the terms that are allowed."""
        self.watch_the_time()
        filled = fill_missing(rows.E, rows.weights)
        cuts = list(self.cuts(rows, allowed))
        found = [*cuts, *self.divisions(rows, allowed)]
        self.watch_the_time()
        for sides in self.groupings(rows, filled, cuts, allowed):
            found.extend(self.planes(rows, filled, sides, allowed, self.max_terms))
        return _best_of_each_size(found)

    def watch_the_time(self) -> None:
        """Raise `TimeIsUpError` when the time is up."""
        if self.clock.is_over:
            raise TimeIsUpError

    def pairs(self, rows: Rows, allowed: Mask, max_terms: int, searched: float) -> list[Candidate]:
        """Best pair of planes for each number of terms."""
        if self.signs.any():
            return []
        filled, terms = fill_missing(rows.E, rows.weights), np.flatnonzero(allowed)
        few, weights = some_rows(rows)
        classes = np.eye(self.n_classes)[rows.codes[few]] * weights[:, None]
        found: list[Candidate] = []
        for sides in self.groupings(rows, filled, [], allowed):
            tried = plane_pairs(filled[few], sides[few], classes, terms, max_terms, self.min_weight)
            for pair in tried:
                self.watch_the_time()
                found.append(self._pair(pair, searched))
        best = _best_of_each_size(found)
        branches = (each.split.branch(rows.X) for each in best)
        left = (self.left_entropy(rows, branch) for branch in branches)
        return [each._replace(entropy=e) for each, e in zip(best, left, strict=True)]

    def _pair(self, pair: PlanePair, searched: float) -> Candidate:
        columns, categories = self.columns[pair.terms], self.categories[pair.terms]
        planes = Planes(pair.weights, pair.offsets, pair.rule, columns, categories)
        return Candidate(planes, pair.entropy, planes.n_terms, searched)

    def cuts(self, rows: Rows, allowed: Mask) -> Iterator[Candidate]:
        """Best cut of each term by entropy; of all of them the best one."""
        terms = np.flatnonzero(allowed)
        codes = rows.codes.astype(np.int32)
        thresholds, left = _core.best_cuts(
            np.ascontiguousarray(rows.E if allowed.all() else rows.E[:, terms]),
            codes,
            rows.weights,
            self.n_classes,
            self.min_weight,
            time_limit=self.clock.left,
        )
        left = np.where(self._cut_is_barred(rows, terms, thresholds), np.inf, left)
        if len(left) and np.isfinite(left.min()):
            best = int(coarse(left).argmin())
            plane = self._plane(np.array([1.0]), thresholds[best], terms[best : best + 1])
            yield Candidate(plane, float(left[best]), 1, float(np.log(rows.weights.sum())))

    def _cut_is_barred(self, rows: Rows, terms: Indices, thresholds: Floats) -> Mask:
        """Whether the class that a sign speaks for is rarer on the side where it should not be."""
        barred = np.zeros(len(terms), dtype=bool)
        for t in np.flatnonzero(self.signs[terms]):
            above = rows.E[:, terms[t]] > thresholds[t]
            shares = [_share_of_last(rows, above), _share_of_last(rows, ~above)]
            barred[t] = (shares[0] - shares[1]) * self.signs[terms[t]] < 0
        return barred

    def divisions(self, rows: Rows, allowed: Mask) -> Iterator[Candidate]:
        """Categories of a column on two branches, in order of the share of the commonest class."""
        for column in np.flatnonzero(self.n_categories > 2):
            if not allowed[self.columns == column].all():
                continue
            candidate = self._division(rows, int(column))
            if candidate is not None:
                yield candidate

    def _division(self, rows: Rows, column: int) -> Candidate | None:
        codes = rows.X[:, column]
        known = ~np.isnan(codes)
        n = int(self.n_categories[column])
        table = np.zeros((n, self.n_classes))
        np.add.at(table, (codes[known].astype(int), rows.codes[known]), rows.weights[known])
        present = np.flatnonzero(table.sum(axis=1) > 0)
        if len(present) < 3:
            return None
        shares = table[present] / table[present].sum(axis=1, keepdims=True)
        order = present[np.lexsort((present, shares[:, table.sum(axis=0).argmax()]))]
        best = None
        for cut in range(1, len(order)):
            branches = np.full(n, -1)
            branches[order[:cut]], branches[order[cut:]] = 0, 1
            split = Categories(column, branches)
            left = self.left_entropy(rows, split.branch(rows.X))
            if best is None or left < best[1] - 1e-9:
                best = split, left
        assert best is not None
        searched = np.log(rows.weights.sum()) + (len(present) - 1) * np.log(2)
        return Candidate(best[0], best[1], 1, float(searched)) if np.isfinite(best[1]) else None

    def left_entropy(self, rows: Rows, branch: Indices) -> float:
        """Entropy of two branches; infinite if one has too little weight."""
        total = 0.0
        for places, weights in divide(branch, rows.weights, 2):
            classes = np.asarray(np.bincount(rows.codes[places], weights, self.n_classes), float)
            if classes.sum() < self.min_weight:
                return np.inf
            total += float(entropy(classes))
        return total

    def groupings(
        self, rows: Rows, filled: Floats, cuts: list[Candidate], allowed: Mask
    ) -> list[Mask]:
        """Rows on the second side, for the most promising ways to put the classes on two."""
        above = [cut.split.branch(rows.X) == 1 for cut in cuts]
        ways = [way[rows.codes] for way in class_sides(rows, filled, above, self.n_classes)]
        if len(ways) < 2:
            return ways
        left = [self._screen(rows, filled, sides, allowed) for sides in ways]
        return [ways[at] for at in np.argsort(coarse(left), kind="stable")[:_KEPT_GROUPINGS]]

    def _screen(self, rows: Rows, filled: Floats, sides: Mask, allowed: Mask) -> float:
        """Least entropy that a plane of two terms leaves."""
        found = [c.entropy for c in self.planes(rows, filled, sides, allowed, 2, forward_only=True)]
        return min(found, default=np.inf)

    def planes(
        self,
        rows: Rows,
        filled: Floats,
        sides: Mask,
        allowed: Mask,
        max_terms: int,
        forward_only: bool = False,
    ) -> Iterator[Candidate]:
        """Planes of up to `max_terms` terms between two sides."""
        few, weights = some_rows(rows)
        search = self._search(filled[few], sides[few], weights, allowed)
        if search is None:
            return
        draft_of = sides if len(search.program.classes) < len(sides) else None
        for chosen in search.term_sets(max_terms, forward_only):
            candidate = self._candidate(rows, search, search.solve(chosen).solution, draft_of)
            if candidate is not None and candidate.n_terms <= max_terms:
                yield candidate

    def settle(self, rows: Rows, candidate: Candidate) -> Candidate:
        """The plane of all rows in the place of one that was found on some of them."""
        if candidate.draft is None:
            return candidate
        sides, terms = candidate.draft
        allowed = np.isin(np.arange(len(self.columns)), terms)
        search = self._search(fill_missing(rows.E, rows.weights), sides, rows.weights, allowed)
        assert search is not None
        solution = search.solve(range(len(search.terms))).solution
        return self._candidate(rows, search, solution, None) or candidate

    def _search(
        self, filled: Floats, sides: Mask, weights: Floats, allowed: Mask
    ) -> PlaneSearch | None:
        """Programs between two sides over the terms that are allowed and not constant."""
        if not sides.any() or sides.all():
            return None
        center, scale = _core.column_moments(np.ascontiguousarray(filled), weights)
        terms = np.flatnonzero(allowed & (scale > 0))
        if not len(terms):
            return None
        return PlaneSearch(
            filled,
            sides,
            weights,
            terms,
            center[terms],
            scale[terms],
            self.signs[terms],
            self.clock,
        )

    def _candidate(
        self,
        rows: Rows,
        search: PlaneSearch,
        solution: HingeSolution,
        draft_of: Mask | None,
    ) -> Candidate | None:
        used = np.array(sorted(search.support(solution.weights)), dtype=np.intp)
        if not len(used):
            return None
        weights = np.zeros(len(search.terms))
        weights[used] = solution.weights[0, used] / search.scale[used]
        terms = search.terms[used]
        plane = self._plane(weights[used], solution.offsets[0] + weights @ search.center, terms)
        scores = rows.E[:, terms] @ weights[used]
        known = ~np.isnan(scores)
        rounding = _ROUNDING * np.abs(scores[known]).max(initial=0.0)
        offset = midway(scores[known], plane.offsets[0], rounding)
        branch = np.where(known, scores > offset, -1)
        left = self.left_entropy(rows, branch)
        if not np.isfinite(left):
            return None
        plane = self._plane(weights[used], offset, terms)
        draft = None if draft_of is None else (draft_of, terms)
        return Candidate(plane, left, len(used), 0.0, (search.program, solution), draft)

    def _plane(self, weights: Floats, offset: float, terms: Indices) -> Planes:
        return Planes(
            weights[None, :],
            np.array([offset]),
            "slabs",
            self.columns[terms],
            self.categories[terms],
        )


def _share_of_last(rows: Rows, mask: Mask) -> float:
    """Share of the second of two classes among some rows."""
    weight = rows.weights[mask].sum()
    return float(rows.weights[mask & (rows.codes == 1)].sum() / weight) if weight > 0 else 0.5


def _best_of_each_size(candidates: list[Candidate]) -> list[Candidate]:
    """Least entropy for each number of terms and cost of search."""
    best: dict[tuple[int, bool], Candidate] = {}
    for candidate in candidates:
        key = candidate.n_terms, candidate.searched > 0
        if key not in best or candidate.entropy < best[key].entropy - 1e-9:
            best[key] = candidate
    return list(best.values())
