"""Where a classifier gives each answer: regions between planes, as half-spaces.

A row with no missing value goes one way, and the conditions on it are a region in which the answer
is one: an intersection of half-spaces of numbers and of indicators of categories. "The category is
one of some" is a half-space too: their indicators sum to more than 1/2.

A row with missing values goes several ways at once wherever a decision is not known, with the parts
of the training weight there. A region of such rows is a choice of one way below each branch that
is open, and its answer is that of the mean of their leaves. The same holds of a category that a
decision sends nowhere.

- every row with some cells missing lies in a region of that pattern, and gets its answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.planes import Among, Categories, HalfSpace, Pattern, Split, Test
from planetree.tree.classifier import least_cost
from planetree.tree.inspection.fitted_tree import FittedTree

_MOST_REGIONS = 20_000  # rows with missing values may lie in more; each is a program

_Sides = tuple[tuple[int, bool], ...]


class RegionsError(ValueError):
    """A row with missing cells may lie in too many regions to look at each."""


class Regions(NamedTuple):
    """Regions of rows that miss the same cells.

    Parameters
    ----------
    sides : list of tuples of pairs
        For each region its half-spaces by number, and whether it lies above them.
    codes : array of shape (n_regions,)
        Code of the class that each region gets.
    shares : array of shape (n_regions, n_classes)
        What the leaves at the end of the ways give each class.
    """

    sides: list[_Sides]
    codes: Indices
    shares: Floats


@dataclass(frozen=True, eq=False)
class HalfSpaces:
    """Different half-spaces of a tree: weighted terms that exceed an offset, or do not.

    Parameters
    ----------
    numbers : array of shape (n_half_spaces, n_columns)
        Weight of each number column.
    categories : dict of arrays of shape (n_half_spaces, n_categories)
        Weight of each category of each column of categories that is read.
    offsets : array of shape (n_half_spaces,)
    """

    numbers: Floats
    categories: dict[int, Floats]
    offsets: Floats

    @cached_property
    def number_columns(self) -> Mask:
        """Whether each column is read as a number."""
        return np.asarray(self.numbers.any(axis=0))

    @cached_property
    def single_columns(self) -> Indices:
        """The number column of a half-space that reads it alone with weight 1 or -1, else -1."""
        alone = (np.count_nonzero(self.numbers, axis=1) == 1) & (
            np.abs(self.numbers).sum(axis=1) == 1
        )
        for weights in self.categories.values():
            alone &= ~weights.any(axis=1)
        return np.where(alone, np.abs(self.numbers).argmax(axis=1), -1)

    def scores(self, cells: Floats) -> Floats:
        """How far a row exceeds each offset; what it misses counts as 0."""
        total = self.numbers @ np.where(np.isnan(cells), 0.0, cells) - self.offsets
        for j, weights in self.categories.items():
            if cells[j] >= 0:  # neither missing nor new
                total += weights[:, int(cells[j])]
        return total

    def sizes(self, reach: Floats) -> Floats:
        """The size of the sums, of numbers up to `reach`: what rounding is a share of."""
        total = np.abs(self.offsets) + np.abs(self.numbers) @ reach
        for weights in self.categories.values():
            total += np.abs(weights).max(axis=1)
        return total

    def are_exact(self, whole: Mask) -> Mask:
        """Whether sums of cells come out without rounding: of one number, or of whole ones."""
        read = self.numbers != 0
        exact = (self.numbers == np.rint(self.numbers)).all(axis=1) & ~(read & ~whole).any(axis=1)
        exact &= self.offsets == np.rint(self.offsets)
        for weights in self.categories.values():
            exact &= (weights == np.rint(weights)).all(axis=1)
        return exact | (self.single_columns >= 0)


class _LostCells(NamedTuple):
    """Columns whose cells are missing, and those whose categories training did not have."""

    missing: frozenset[int]
    new: frozenset[int]

    def answers(self, split: Split) -> bool:
        """Whether a division of categories has a branch for its missing cell."""
        is_division = isinstance(split, Categories) and split.unknown >= 0
        return is_division and not self.missing.isdisjoint(split.features.tolist())

    def opens(self, split: Split) -> bool:
        """Whether a decision is not known."""
        lost = self.missing | self.new if isinstance(split, Categories) else self.missing
        return not lost.isdisjoint(split.features.tolist())


@dataclass(eq=False)
class AnswerRegions:
    """Regions of a fitted classifier, found once for each pattern of missing cells.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.tree import fitted_tree
    >>> from planetree.tree.inspection.answer_regions import AnswerRegions
    >>> model = C45Classifier(min_cases=1).fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> regions = AnswerRegions(fitted_tree(model))
    >>> regions.of(frozenset()).sides, regions.of(frozenset()).codes
    ([((0, False),), ((0, True),)], array([0, 1]))
    """

    fitted: FittedTree
    _numbers: dict[HalfSpace, int] = field(default_factory=dict)
    _known: dict[Any, Regions] = field(default_factory=dict)

    def of(self, missing: frozenset[int], new: frozenset[int] = frozenset()) -> Regions:
        """Regions of rows that miss the cells of some columns, or have new categories in some."""
        key = missing, new
        if key not in self._known:
            read = set(self.fitted.tree.features.tolist())
            lost = _LostCells(missing & read, new & read)
            found = list(self._below(0, lost))
            self._check(len(found), lost)
            shares = np.array([shares for _, shares, _ in found])
            codes = np.array([leaf for _, _, leaf in found])
            if self.fitted.missing:
                codes = least_cost(shares, self.fitted.costs, self.fitted.order)
            else:
                codes = self.fitted.codes[codes]
            self._known[key] = Regions([sides for sides, _, _ in found], codes, shares)
        return self._known[key]

    @property
    def half_spaces(self) -> HalfSpaces:
        """The half-spaces of the regions found so far, by their numbers."""
        columns, found = self.fitted.columns, list(self._numbers)
        numbers = np.zeros((len(found), len(columns)))
        categories: dict[int, Floats] = {}
        for i, half in enumerate(found):
            for (j, code), weight in zip(half.terms, half.weights, strict=True):
                if code < 0:
                    numbers[i, j] += weight
                else:
                    shape = len(found), len(columns[j].categories or ())
                    categories.setdefault(j, np.zeros(shape))[i, code] += weight
        return HalfSpaces(numbers, categories, np.array([half.offset for half in found]))

    def _below(self, node: int, lost: _LostCells) -> Iterator[tuple[_Sides, Floats, int]]:
        """Sides, shares of the classes and a leaf of each region below a node."""
        tree = self.fitted.tree
        split = tree.splits[node]
        if split is None:
            yield (), tree.leaf_distributions[node], node
            return
        children = tree.children_of(node).tolist()
        if lost.answers(split):
            yield from self._below(children[split.unknown], lost)
            return
        if lost.opens(split):
            yield from self._open(node, lost)
            return
        for branch, child in enumerate(children):
            for pattern in split.side(branch).patterns():
                yield from self._with(pattern, self._below(child, lost))
        for pattern in _nowhere(split):
            yield from self._with(pattern, self._open(node, lost))

    def _open(self, node: int, lost: _LostCells) -> Iterator[tuple[_Sides, Floats, int]]:
        """Regions of rows that take every branch of a node."""
        tree = self.fitted.tree
        parts, children = tree.parts(node), tree.children_of(node)
        taken = [(part, child) for part, child in zip(parts, children, strict=True) if part > 0]
        choices = [list(self._below(int(child), lost)) for _, child in taken]
        self._check(int(np.prod([len(each) for each in choices], dtype=float)), lost)
        for chosen in product(*choices):
            sides = tuple(side for each, _, _ in chosen for side in each)
            shares = sum(
                (part * s for (part, _), (_, s, _) in zip(taken, chosen, strict=True)),
                np.zeros(tree.class_weights.shape[1]),
            )
            yield sides, shares, chosen[0][2]

    def _with(
        self, pattern: Pattern, below: Iterator[tuple[_Sides, Floats, int]]
    ) -> Iterator[tuple[_Sides, Floats, int]]:
        sides = tuple(self.side(test) for test in pattern)
        for more, shares, leaf in below:
            yield (*sides, *more), shares, leaf

    def side(self, test: Test) -> tuple[int, bool]:
        """Number of a half-space, and whether the test asks for the side above it."""
        if isinstance(test, Among):
            terms = tuple((test.column, code) for code in test.codes)
            test = HalfSpace(terms, (1.0,) * len(terms), 0.5, True)
        number = self._numbers.setdefault(test._replace(above=True), len(self._numbers))
        return number, test.above

    def _check(self, n_regions: int, lost: _LostCells) -> None:
        if n_regions > _MOST_REGIONS:
            columns = sorted(lost.missing | lost.new)
            names = ", ".join(repr(self.fitted.columns[j].name) for j in columns)
            raise RegionsError(
                f"A row lies in one of {n_regions:,} regions of {self.fitted.owner}, more than "
                f"{_MOST_REGIONS:,}: fill in its missing cells ({names}), or fit a smaller tree."
            )


def _nowhere(split: Split) -> tuple[Pattern, ...]:
    """The categories that a decision sends nowhere, as a pattern; none where it has no such."""
    if not isinstance(split, Categories):
        return ()
    return Among(split.column, tuple(np.flatnonzero(split.branches < 0).tolist())).patterns()
