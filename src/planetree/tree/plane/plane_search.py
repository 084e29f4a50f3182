"""Sparse planes between two sides of a node's rows.

For two sides of the classes, s_i = 1 or -1, planes come from

    min   sum_i (2 / W) max(0, 1 - s_i (w.x_i - gamma)) + price |w|

over the node's rows, normalized there, W their weight; every row is charged alike. Planes with one,
two, ... terms are found by steps forward, each term chosen by what the multipliers say it would
gain; others by the program over all terms at several prices, the highest first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.separators.sparse.feature_search import Choice, TimeIsUpError, coarse
from planetree.separators.sparse.linear_search import LinearSearch
from planetree.solvers import HingeProgram, HingeSolution
from planetree.table import Canonical, RowOrder

# Of the programs over all terms; without them errors on 15 data sets was 13.36%, not 13.20.
_PRICES = (0.2, 0.1, 0.05, 0.02)
PLANE_PRICE = _PRICES[-1]  # of the programs over few terms: tuned with the others on the same sets
_TREE_ROWS = 20_000  # that a tree is grown from; its planes are found again on all
_SEARCH_ROWS = 800  # enough to choose among planes by; the one chosen sees all rows
_SEARCH_TERMS = 40  # that the programs over all terms see, those along which the sides differ most
_PROBE = 64  # rows by which most columns differ


class Rows(NamedTuple):
    """Rows of a node: their terms and columns as they stand, classes, weights and draws."""

    E: Floats
    X: Floats
    codes: Indices
    weights: Floats
    draws: Floats

    def of(self, rows: Indices | Mask, weights: Floats) -> Rows:
        """Some of the rows, with other weights."""
        X = self.X[rows]
        E = X if self.E is self.X else self.E[rows]
        return Rows(E, X, self.codes[rows], weights, self.draws[rows])


def some_rows(rows: Rows, most: int = _SEARCH_ROWS) -> tuple[Indices | slice, Floats]:
    """Rows enough to search on, drawn by their weight, and what each of them weighs.

    Priority sampling (Duffield, Lund & Thorup 2007): the rows with the highest weight / draw. With
    t the highest of the others, each stands for max(weight, t), so that on average all sums of
    weights are those of all rows; given are multiples of t.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.plane_search import Rows, some_rows
    >>> E, draws = np.zeros((2000, 1)), np.linspace(0.1, 0.9, 2000)
    >>> weights = np.where(np.arange(2000) == 1999, 100.0, 1.0)
    >>> chosen, weighs = some_rows(Rows(E, E, np.zeros(2000, int), weights, draws))
    >>> len(chosen), chosen[-1].item(), weighs[0].item(), weighs[-1].item() > 40
    (800, 1999, 1.0, True)
    """
    if len(rows.weights) <= 1.5 * most:
        return slice(None), rows.weights
    priority = -rows.weights / rows.draws
    by_priority = np.argpartition(priority, most)
    chosen = np.sort(by_priority[:most])
    return chosen, np.maximum(1.0, rows.weights[chosen] / -priority[by_priority[most]])


def sampled_rows(rows: Canonical | RowOrder) -> Canonical:
    """Rows of a large table that a tree is grown from, drawn by weight; all where they are few.

    Of a class so rare that no row of it is drawn, all rows are taken.
    """
    X = rows.table.values
    chosen, weights = some_rows(Rows(X, X, rows.codes, rows.weights, rows.draws), _TREE_ROWS)
    if isinstance(chosen, slice):
        return rows.whole()
    missed = np.flatnonzero(~np.isin(rows.codes, rows.codes[chosen]))
    if len(missed):
        unit = np.delete(rows.weights / rows.draws, chosen).max()  # of the weights that are given
        weights = np.concatenate([weights, rows.weights[missed] / unit])
        chosen = np.concatenate([chosen, missed])
        weights, chosen = weights[chosen.argsort()], np.sort(chosen)
    return rows.part(chosen)._replace(weights=weights)


class _TimedProgram(HingeProgram):
    """A program that stops the search when the time is up."""

    def __init__(self, *arguments: Any, clock: Clock, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.clock = clock

    def solve(
        self,
        price: Floats | float = 0.0,
        start: HingeSolution | None = None,
        time_limit: float | None = None,
        duals: bool = False,
        **options: Any,
    ) -> HingeSolution:
        """Find the best planes; raise `TimeIsUpError` where there is no time to."""
        left = self.clock.left
        if left == 0.0:
            raise TimeIsUpError
        solution = super().solve(price, start, left or time_limit, duals, **options)
        if solution.status == "time_limit":
            raise TimeIsUpError
        return solution


class PlaneSearch(LinearSearch):
    """Programs between two sides of a node's rows, each term a feature of its own."""

    def __init__(
        self,
        cells: Floats,
        sides: Mask | Indices,
        weights: Floats,
        terms: Indices,
        center: Floats,
        scale: Floats,
        signs: Floats,
        clock: Clock = UNLIMITED,
    ) -> None:
        program = _TimedProgram(
            cells,
            sides.astype(np.int32),
            weights,
            np.full(int(sides.max()) + 1, 2.0 / weights.sum()),
            center=center,
            scale=scale,
            name="program of a node",
            clock=clock,
        )
        barred = program.prohibitive if signs.any() else np.zeros(len(terms))
        price = np.where(signs < 0, barred, 0.0) + PLANE_PRICE
        below = np.where(signs > 0, barred, 0.0) + PLANE_PRICE
        owners, costs = np.arange(len(terms)), np.ones(len(terms))
        super().__init__(owners, costs, UNLIMITED, program, price, below)
        self.terms = terms
        self.center = center
        self.scale = scale
        self.pays = True  # whether the last plane was worth its terms, for who takes them

    @cached_property
    def by_means(self) -> Indices:
        """Terms in order of how far apart the means of the sides are."""
        program, Z = self.program, self.normalized()
        above = program.classes == 1
        apart = np.abs(
            np.average(Z[above], axis=0, weights=program.weights[above])
            - np.average(Z[~above], axis=0, weights=program.weights[~above])
        )
        return np.argsort(-coarse(apart), kind="stable")

    def normalized(self) -> Floats:
        """Terms less their mean, by their deviation."""
        return np.asarray((self.program.X - self.center) / self.scale)

    def first(self) -> Choice | None:
        """Best plane of one term among those along which the means of the sides differ most."""
        tried = [self.solve((int(j),)) for j in self.by_means[:3]]
        return min(tried, key=lambda each: coarse(each.solution.objective), default=None)

    def term_sets(
        self, max_terms: int, few_terms: int, forward_only: bool
    ) -> Iterator[tuple[int, ...]]:
        """Sets of at most so many terms whose planes are worth a look; above few while they pay."""
        choice = self.first()
        while choice is not None:
            yield choice.features
            most = max_terms if self.pays else min(few_terms, max_terms)
            done = choice.solution.error <= 1e-9 or len(choice.features) >= most
            grown = choice if done else self.forward(choice)
            choice = None if grown is choice else grown
        if not forward_only:
            yield from self._priced_sets(max_terms)

    def _priced_sets(self, max_terms: int) -> Iterator[tuple[int, ...]]:
        """Terms that the program over all of them keeps, while they are not too many."""
        start: HingeSolution | None = None
        for price in _PRICES:
            start = self.over_all_terms(price, start)
            support = tuple(sorted(self.support(start.weights)))
            if len(support) > max_terms:
                return
            if support:
                yield support

    def over_all_terms(self, price: float, start: HingeSolution | None) -> HingeSolution:
        """Planes of the program over all terms, or many of them, at a price."""
        more = price - PLANE_PRICE
        many = len(self.by_means) > _SEARCH_TERMS
        terms = np.sort(self.by_means[:_SEARCH_TERMS]) if many else None
        return self.program.solve(self.price + more, start, below=self.below + more, features=terms)


def distinct_terms(E: Floats, columns: Indices, required: frozenset[int]) -> Mask:
    """Which terms tell rows apart, each once: not the constant ones, nor copies of others.

    Of copies the one that is required stays.
    """
    usable: Mask = np.fmin.reduce(E, axis=0) < np.fmax.reduce(E, axis=0)
    alike: dict[bytes, list[int]] = {}  # terms that begin alike
    for j in np.flatnonzero(usable).tolist():
        before = alike.setdefault((E[:_PROBE, j] + 0.0).tobytes(), [])
        is_copy = any(np.array_equal(E[:, j], E[:, i], equal_nan=True) for i in before)
        usable[j] = not is_copy or int(columns[j]) in required
        before.append(j)
    return usable


def digest(*arrays: NDArray[np.generic]) -> bytes:
    """Short name of what arrays hold."""
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.digest()
