"""Decisions that a node could make: sparse planes and cuts, each with what it leaves and costs.

For two sides of the classes there are planes with one, two, ... terms (`plane_search`), the best
cut of each single column by entropy, and the best division of the categories of a column. Where
rows are many, planes are found on some of them, measured on all, and the one that is chosen is
found again on all (`settle`).

More than two classes are put on two sides in several ways (`class_sides`); two ways are kept.

A column of many categories has no terms of its own, so that its cost does not grow with them; it is
divided in the order of class shares, each drawn toward the share of all rows by its own weight, and
pays a bit for each category, which is more than a column that tells nothing can gain.

A column *tells by its gaps* if knowing where it is missing removes more entropy than a term costs.
Only such gaps have a branch of their own (`unknown`), the one that leaves the least entropy, and
count as one more category of a division; other rows with an unknown score take all branches by
share.

- the entropy left by a candidate always counts all classes;
- a threshold lies midway between the training scores beside it;
- of the candidates with the same number of terms only the one with the least entropy is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask, encode, midway
from planetree.clock import UNLIMITED, Clock
from planetree.planes import Categories, Planes, Split
from planetree.separators.sparse.feature_search import TimeIsUpError, coarse
from planetree.solvers import HingeSolution
from planetree.tree.category_order import MANY_VALUES, category_orders
from planetree.tree.constraints.monotonic_share import MonotonicShare
from planetree.tree.growth import divide, fill_missing
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate, best_of_each_size
from planetree.tree.plane.class_planes import class_planes, class_sides, settled_class_planes
from planetree.tree.plane.look_ahead import LEAST_GAIN, linear_value, promising_cuts
from planetree.tree.plane.plane_pairs import PlanePair, plane_pairs
from planetree.tree.plane.plane_search import PlaneSearch, Rows, some_rows

FEW_TERMS = 5  # up to 8 had the same error on 15 data sets
_KEPT_GROUPINGS = 2  # of the ways screened: more did not lower the error on 16 data sets
_LOOKED_AT, _LOOKED_AT_TERMS = 4000, 40  # rows and terms that look ahead: bounds of its time
_ROUNDING = 1e-9  # of the largest score: more than the order of adding up can move one


@dataclass(eq=False, kw_only=True)
class Searcher:
    """Finds the candidates of nodes of one training table.

    Parameters
    ----------
    columns, categories : arrays of shape (n_terms,)
        What each term reads, as in `Planes`.
    n_categories : array of shape (n_columns,)
        How many categories each column has; 0 for numbers.
    telling : boolean array of shape (n_columns,)
        Columns that tell by their gaps.
    divided : boolean array of shape (n_columns,)
        Columns of many categories, which have no terms, that may be divided.
    n_classes : int
    max_terms : int
        Most terms of a plane.
    term_price : float
        Nats that a term costs: planes of more than a few terms are sought while they pay.
    weight_price : float
        Nats that a further weight of a term costs, in the planes of other classes.
    monotonic : MonotonicShare
        Signs of terms: weights toward the side with the larger share may have no other.
    min_weight : float
        Least weight of a branch.
    clock : Clock
        When its time is up, a search raises `TimeIsUpError`.
    """

    columns: Indices
    categories: Indices
    n_categories: Indices
    telling: Mask
    divided: Mask
    n_classes: int
    max_terms: int
    term_price: float
    weight_price: float
    monotonic: MonotonicShare
    min_weight: float
    clock: Clock = UNLIMITED

    @property
    def few_terms(self) -> int:
        """Terms up to which planes are sought whether they pay or not."""
        return min(FEW_TERMS, self.max_terms)

    def within(self, columns: Mask) -> Searcher:
        """The same where, of the columns without terms, only some may be divided."""
        return replace(self, divided=self.divided & columns)

    def candidates(self, rows: Rows, allowed: Mask) -> list[Candidate]:
        """Best candidate for each number of terms and each kind, of the terms that are allowed."""
        self.watch_the_time()
        if not allowed.any():
            return best_of_each_size(list(self.divisions(rows, allowed)))
        filled = fill_missing(rows.E, rows.weights)
        cuts = list(self.cuts(rows, allowed))
        found = [*cuts, *self.divisions(rows, allowed)]
        self.watch_the_time()
        for sides in self.groupings(rows, filled, cuts, allowed):
            way = np.bincount(rows.codes[sides], minlength=self.n_classes) > 0
            planes = self.planes(rows, filled, sides, allowed, self.max_terms)
            found.extend(each._replace(way=way) for each in planes)
        return best_of_each_size(found)

    def class_planes(self, rows: Rows, allowed: Mask) -> list[Candidate]:
        """Decisions with a plane for each class; none where columns have signs."""
        self.watch_the_time()
        if self.monotonic.holds:
            return []
        return class_planes(self, rows, np.flatnonzero(allowed))

    def watch_the_time(self) -> None:
        """Raise `TimeIsUpError` when the time is up."""
        if self.clock.is_over:
            raise TimeIsUpError

    def pairs(self, rows: Rows, allowed: Mask, max_terms: int, searched: float) -> list[Candidate]:
        """Best pair of planes for each number of terms."""
        if self.monotonic.holds or not allowed.any():
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
        best = best_of_each_size(found)
        sided = [self._with_side(rows, each.split, each.split.branch(rows.X)) for each in best]
        both = zip(best, sided, strict=True)
        return [each._replace(split=split, entropy=left) for each, (split, left) in both]

    def _with_side(self, rows: Rows, split: Split, branch: Indices) -> tuple[Split, float]:
        """A decision with the best branch for its unknown rows, and the entropy that it leaves.

        It must divide the known ones too: a plane that only tells what is missing is a cut.
        """
        found = [(split, self.left_entropy(rows, branch))]
        unknown = branch < 0
        if self.telling.any() and unknown.any() and np.isfinite(found[0][1]):
            lost = np.isnan(rows.X[:, split.features]).any(axis=0)
            if self.telling[split.features[lost]].all():
                for side in (0, 1):
                    left = self.left_entropy(rows, np.where(unknown, side, branch))
                    found.append((replace(split, unknown=side), left))
        return min(found, key=lambda each: coarse(each[1]))

    def _pair(self, pair: PlanePair, searched: float) -> Candidate:
        columns, categories = self.columns[pair.terms], self.categories[pair.terms]
        planes = Planes(pair.weights, pair.offsets, pair.rule, columns, categories)
        return Candidate(planes, pair.entropy, planes.n_terms, searched)

    def cuts(self, rows: Rows, allowed: Mask, most: int = 1) -> Iterator[Candidate]:
        """Best cut of each term by entropy; of all of them the best one, or so many."""
        terms = np.flatnonzero(allowed)
        values, terms, sides = self._with_gaps(rows.E if allowed.all() else rows.E[:, terms], terms)
        thresholds, left = _core.best_cuts(
            np.ascontiguousarray(values),
            rows.codes.astype(np.int32),
            rows.weights,
            self.n_classes,
            self.min_weight,
            time_limit=self.clock.left,
        )
        left = np.where(self._cut_is_barred(rows, terms, thresholds), np.inf, left)
        for best in np.argsort(coarse(left), kind="stable")[:most].tolist():
            if not np.isfinite(left[best]):
                return
            up = -1.0 if self.monotonic.signs[terms[best]] < 0 else 1.0  # what raises is above
            plane = self._plane(np.array([up]), up * thresholds[best], terms[best : best + 1])
            plane = replace(plane, unknown=int(sides[best]))
            yield Candidate(plane, float(left[best]), 1, float(np.log(rows.weights.sum())))

    def _with_gaps(self, values: Floats, terms: Indices) -> tuple[Floats, Indices, Indices]:
        """Numbers whose gaps tell once more, with the gaps below all values, and above all.

        Beside the values and the terms stands the branch of the gaps. Those of categories are for
        divisions.
        """
        sides = np.full(len(terms), -1)
        telling = np.flatnonzero(self.telling[self.columns[terms]] & (self.categories[terms] == -1))
        lost = np.isnan(values[:, telling])
        some = telling[lost.any(axis=0) & ~lost.all(axis=0)]
        if not len(some):
            return values, terms, sides
        gaps = np.isnan(values[:, some])
        low, high = (
            np.nanmin(values[:, some], axis=0) - 1.0,
            np.nanmax(values[:, some], axis=0) + 1.0,
        )
        filled = [np.where(gaps, edge, values[:, some]) for edge in (low, high)]
        sides = np.repeat([-1, 0, 1], [len(terms), len(some), len(some)])
        return (
            np.hstack([values, *filled]),
            np.concatenate([terms, terms[some], terms[some]]),
            sides,
        )

    def cuts_ahead(self, rows: Rows, allowed: Mask) -> list[Candidate]:
        """Cuts that pay by the planes that they make possible (`look_ahead`), the best one."""
        if not allowed.any():
            return []
        filled = fill_missing(rows.E, rows.weights)
        for sides in self.groupings(rows, filled, [], allowed)[:1]:
            few, weights = some_rows(rows, _LOOKED_AT)
            weights = weights * (rows.weights.sum() / weights.sum())  # prices are for all rows
            terms = np.flatnonzero(allowed)
            search = self._search(filled[few][:, terms], sides[few], weights, terms)
            if search is None or len(search.terms) < 2:
                continue
            near = search.by_means[:_LOOKED_AT_TERMS]
            Z, sides, codes = search.normalized()[:, near], sides[few], rows.codes[few]
            value = partial(self._value, Z, sides, codes, weights)
            cuts = [
                (self.term_price + value(Z[:, cut.term] > cut.threshold), cut)
                for cut in promising_cuts(Z, sides, weights)
            ]
            everything = np.zeros(len(Z), dtype=bool)
            cost, cut = min(cuts, key=lambda each: coarse(each[0]), default=(np.inf, None))
            if cut is None or cost > value(everything) - LEAST_GAIN:
                continue
            term, searched = near[cut.term], float(np.log(rows.weights.sum()))
            offset = cut.threshold * search.scale[term] + search.center[term]
            plane = self._plane(np.array([1.0]), offset, search.terms[term : term + 1])
            split, left = self._with_side(rows, plane, plane.branch(rows.X))
            return [Candidate(split, left, 1, searched, ahead=cost)] if np.isfinite(left) else []
        return []

    def _value(self, Z: Floats, sides: Mask, codes: Indices, weights: Floats, above: Mask) -> float:
        """What the rows on the two sides of a cut cost at least, with a plane on each.

        A plane tells the sides of the classes apart, at best; the entropy of the classes within a
        side is left, so that what is found compares with the entropy of all classes.
        """
        total, terms = 0.0, np.arange(Z.shape[1])
        for part in (above, ~above):
            search, sets = self._search(Z[part], sides[part], weights[part], terms), []
            if search is not None:
                found = search.term_sets(self.few_terms, self.few_terms, forward_only=True)
                sets = [tuple(search.terms[list(each)].tolist()) for each in found]
            total += linear_value(Z[part], sides[part], weights[part], sets, self.term_price)
            for side in (part & sides, part & ~sides):
                within = np.bincount(codes[side], weights[side], self.n_classes)
                total += float(entropy(within.astype(np.float64)))
        return total

    def _cut_is_barred(self, rows: Rows, terms: Indices, thresholds: Floats) -> Mask:
        """Whether the class that a sign speaks for is rarer on the side where it should not be."""
        barred, signs = np.zeros(len(terms), dtype=bool), self.monotonic.signs
        for t in np.flatnonzero(signs[terms]):
            above = rows.E[:, terms[t]] > thresholds[t]
            change = self.monotonic.change(rows.codes, rows.weights, above)
            barred[t] = change * signs[terms[t]] < 0
        return barred

    def divisions(self, rows: Rows, allowed: Mask) -> Iterator[Candidate]:
        """Categories of a column on two branches, in order of the share of the commonest class."""
        for column in np.flatnonzero(self.n_categories > np.where(self.telling, 0, 2)):
            own = allowed[self.columns == column]
            if not (own.all() if len(own) else self.divided[column]):
                continue
            candidate = self._division(rows, int(column))
            if candidate is not None:
                yield candidate

    def _division(self, rows: Rows, column: int) -> Candidate | None:
        n, tells = int(self.n_categories[column]), bool(self.telling[column])
        codes = np.where(np.isnan(rows.X[:, column]), n, rows.X[:, column]).astype(np.intp)
        at = codes * self.n_classes + rows.codes
        table = np.bincount(at, rows.weights, (n + 1) * self.n_classes).astype(np.float64)
        table = table.reshape(n + 1, self.n_classes)
        gaps = np.zeros(self.n_classes) if tells else table[n]
        present = np.flatnonzero(table[: n + tells].sum(axis=1) > 0)
        if len(present) < (2 if n in present else 3):
            return None
        orders = [present[at] for at in category_orders(table[present], n > MANY_VALUES)]
        tried = [self._divided(table[order], gaps) for order in orders]
        best = int(coarse([left for left, _, _ in tried]).argmin())
        order, (left, cut, share) = orders[best], tried[best]
        if not np.isfinite(left):
            return None
        rest = int(share < 0.5) if tells else -1  # categories that no row has here
        branches = np.full(n + 1, rest)
        branches[order[: cut + 1]], branches[order[cut + 1 :]] = 0, 1
        searched = np.log(rows.weights.sum() * len(orders)) + (len(present) - 1) * np.log(2)
        split = Categories(column, branches[:n], int(branches[n]) if n in present else -1)
        in_order = n > MANY_VALUES or bool(np.count_nonzero(table.sum(axis=0)) > 2)
        return Candidate(split, left, 1, float(searched), in_order=in_order)

    def _divided(self, table: Floats, gaps: Floats) -> tuple[float, int, float]:
        """Entropy left by the best cut of categories in order, its place, the share below it."""
        below = table.cumsum(axis=0)
        share = (below[:-1].sum(axis=1) / below[-1].sum())[:, None]
        sides = below[:-1] + share * gaps, below[-1] - below[:-1] + (1 - share) * gaps
        heavy = np.all([side.sum(axis=1) >= self.min_weight for side in sides], axis=0)
        left = np.where(heavy, entropy(sides[0]) + entropy(np.maximum(sides[1], 0.0)), np.inf)
        cut = int(coarse(left).argmin())
        return float(left[cut]), cut, float(share[cut, 0])

    def left_entropy(self, rows: Rows, branch: Indices, n_branches: int = 2) -> float:
        """Entropy of the branches; infinite if one has too little weight."""
        total = 0.0
        for places, weights in divide(branch, rows.weights, n_branches):
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
        if self.monotonic.holds:  # the side with the larger share is above
            change = [self.monotonic.change(rows.codes, rows.weights, sides) for sides in ways]
            ways = [sides ^ (by < 0) for sides, by in zip(ways, change, strict=True)]
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
        terms = np.flatnonzero(allowed)
        cells = filled[few] if allowed.all() else filled[few][:, terms]
        search = self._search(cells, sides[few], weights, terms)
        if search is None:
            return
        draft_of = sides if len(search.program.classes) < len(sides) else None
        least = np.inf
        for chosen in search.term_sets(max_terms, self.few_terms, forward_only):
            candidate = self._candidate(rows, search, search.solve(chosen).solution, draft_of)
            search.pays = candidate is not None and candidate.n_terms <= max_terms
            if candidate is None or not search.pays:
                continue  # a plane that divides nothing is not worth more terms
            paid = candidate.entropy + self.term_price * candidate.n_terms
            search.pays, least = paid < least, min(paid, least)
            yield candidate

    def settle(self, rows: Rows, candidate: Candidate) -> Candidate:
        """The plane of all rows in the place of one that was found on some of them."""
        if candidate.draft is None:
            return candidate
        if isinstance(candidate.split, Planes) and candidate.split.rule == "argmax":
            return settled_class_planes(self, rows, candidate)
        sides, terms = candidate.draft
        found = self.plane_over(rows, sides.astype(bool), terms)
        if found is None:
            return candidate._replace(sampled=True)
        return found._replace(way=candidate.way)

    def plane_over(self, rows: Rows, sides: Mask, terms: Indices) -> Candidate | None:
        """Plane of some terms between two sides, by all rows; None if they tell nothing."""
        cells = encode(rows.X, self.columns[terms], self.categories[terms])
        search = self._search(fill_missing(cells, rows.weights), sides, rows.weights, terms)
        if search is None:
            return None
        return self._candidate(rows, search, search.solve(range(len(search.terms))).solution, None)

    def terms_of(self, planes: Planes) -> Indices:
        """The terms that a decision reads, by their number."""
        place = {key: t for t, key in enumerate(zip(self.columns, self.categories, strict=True))}
        return np.array([place[key] for key in zip(planes.columns, planes.categories, strict=True)])

    def _search(
        self, cells: Floats, sides: Mask, weights: Floats, terms: Indices
    ) -> PlaneSearch | None:
        """Programs between two sides over some terms, those that are not constant.

        `cells` has a column for each of them, with missing values filled in.
        """
        if not sides.any() or sides.all():
            return None
        center, scale = _core.column_moments(np.ascontiguousarray(cells), weights)
        some = np.flatnonzero(scale > 0)
        if not len(some):
            return None
        cells = cells if len(some) == len(terms) else cells[:, some]
        center, scale, terms = center[some], scale[some], terms[some]
        signs = self.monotonic.signs[terms]
        return PlaneSearch(cells, sides, weights, terms, center, scale, signs, self.clock)

    def _candidate(
        self, rows: Rows, search: PlaneSearch, solution: HingeSolution, draft_of: Mask | None
    ) -> Candidate | None:
        used = np.array(sorted(search.support(solution.weights)), dtype=np.intp)
        if not len(used):
            return None
        weights = np.zeros(len(search.terms))
        weights[used] = solution.weights[0, used] / search.scale[used]
        terms = search.terms[used]
        plane = self._plane(weights[used], solution.offsets[0] + weights @ search.center, terms)
        scores = encode(rows.X, self.columns[terms], self.categories[terms]) @ weights[used]
        known = ~np.isnan(scores)
        rounding = _ROUNDING * np.abs(scores[known]).max(initial=0.0)
        offset = midway(scores[known], plane.offsets[0], rounding)
        branch = np.where(known, scores > offset, -1)
        plane = self._plane(weights[used], offset, terms)
        split, left = self._with_side(rows, plane, branch)
        if not np.isfinite(left):
            return None
        draft = None if draft_of is None else (draft_of, terms)
        return Candidate(split, left, len(used), 0.0, (search.program, solution), draft, used)

    def _plane(self, weights: Floats, offset: float, terms: Indices) -> Planes:
        return Planes(
            weights[None, :],
            np.array([offset]),
            "slabs",
            self.columns[terms],
            self.categories[terms],
        )
