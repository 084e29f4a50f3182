"""A decision in words: what is asked of a row, and what each answer is called.

    one plane          0.09 worst perimeter + 30 worst smoothness        <= 16.3 | > 16.3
    one number         petal width                                       <= 1.7 | > 1.7
    one category       color is red                                      no | yes
    parallel planes    2 a - b                                           <= 1 | 1 to 3 | > 3
    largest score      (1) 2 a + 0.5   (2) b - 1                         (1) largest | (2) largest
    an interval        2 a - b                                           outside 1 to 3 | 1 to 3
    two planes         a > 0.5   b > 1                                   not both | both
    exclusive or       a > 0.5   b > 1                                   one only | both or neither
    categories         color                                             red | blue or green

The terms that move the score most come first: by weight times the standard deviation of the term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from planetree.planes import Categories, Planes, Split
from planetree.table import Column

__all__ = ["Words", "decision_words", "faces_itself"]

Scales = Mapping[tuple[int, int], float]
SIDES = {"both": ("not all", "all"), "same_side": ("only some", "all or none")}


class Words(NamedTuple):
    """A decision in words.

    Parameters
    ----------
    lines : tuple of str
        What is asked, a term or a score a line.
    ways : tuple of str
        What each branch is called.
    conditions : tuple of str
        What holds of the rows of each branch; `scores` is to be said before.
    scores : tuple of str
        The numbered scores that the conditions are about, if they are about several.
    plane : int
        The plane whose sum the lines are.
    turned : bool
        Whether that sum is said with its signs turned.
    """

    lines: tuple[str, ...]
    ways: tuple[str, ...]
    conditions: tuple[str, ...]
    scores: tuple[str, ...] = ()
    plane: int = 0
    turned: bool = False


def decision_words(
    split: Split, columns: Sequence[Column], scales: Scales, digits: int = 4
) -> Words:
    """Say a decision.

    Parameters
    ----------
    split : Planes or Categories
    columns : sequence of Column
    scales : mapping
        Standard deviation of each term, by its column and category: the order of the terms.
    digits : int
        Significant digits of the numbers.

    Examples
    --------
    >>> from planetree.planes import Planes
    >>> from planetree.table import Column
    >>> from planetree.tree.words import decision_words
    >>> plane = Planes([[2.0, -0.5]], [1.25])
    >>> words = decision_words(plane, [Column("age"), Column("dose")], {})
    >>> words.lines, words.ways
    (('2 age', '- 0.5 dose'), ('≤ 1.25', '> 1.25'))
    >>> words.conditions[1]
    '2 age - 0.5 dose > 1.25'
    """
    if isinstance(split, Categories):
        return _category_words(split, columns[split.column])
    if split.rule == "slabs":
        return _slab_words(split, columns, scales, digits)
    if split.rule == "argmax":
        return _score_words(split, columns, scales, digits)
    if faces_itself(split):
        return _interval_words(split, columns, scales, digits)
    return _test_words(split, columns, scales, digits)


def faces_itself(split: Planes) -> bool:
    """Whether two planes have rows between them: both must hold, and their normals are opposed."""
    return split.rule == "both" and len(split.offsets) == 2 and not split.weights.sum(axis=0).any()


def _score_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    numbers = range(1, len(split.offsets) + 1)
    lines = tuple(
        f"({p}) {_sum(split, p - 1, columns, scales, digits)} {_signed(-at, digits)}"
        for p, at in zip(numbers, split.offsets, strict=True)
    )
    ways = tuple(f"({p}) largest" for p in numbers)
    return Words(lines, ways, tuple(f"score ({p}) is the largest" for p in numbers), lines)


def _test_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    """Whether all of several planes, or all or none, have a row above them."""
    planes = [
        Planes(weights[None], offset[None], "slabs", split.columns, split.categories)
        for weights, offset in zip(split.weights, split.offsets, strict=True)
    ]
    tests = [_slab_words(plane, columns, scales, digits).conditions[1] for plane in planes]
    ways = SIDES[split.rule]
    if len(tests) != 2:
        lines = tuple(f"({p}) {test}" for p, test in enumerate(tests, 1))
        conditions = tuple(f"{way} of its tests hold" for way in ways)
        return Words(lines, tuple(f"{way} hold" for way in ways), conditions, lines)
    one, other = tests
    if split.rule == "both":
        conditions = (f"not both {one} and {other}", f"{one} and {other}")
        return Words((one, other), ("not both", "both"), conditions)
    conditions = (f"one only of {one} and {other}", f"{one} and {other}, or neither")
    return Words((one, other), ("one only", "both or neither"), conditions)


def _interval_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    """Two planes that face each other, said from the one whose first term is added."""
    plane = int(_terms(split, 0, columns, scales, digits)[0].startswith("-"))
    low, high = split.offsets[plane], -split.offsets[1 - plane] + 0.0
    said = f"{low:.{digits}g} to {high:.{digits}g}"
    lines = tuple(_terms(split, plane, columns, scales, digits))
    inside = f"{low:.{digits}g} < {' '.join(lines)} < {high:.{digits}g}"
    return Words(lines, (f"outside {said}", said), (f"not {inside}", inside), plane=plane)


def _category_words(split: Categories, column: Column) -> Words:
    names = column.categories or ()
    ways = (
        " or ".join(str(names[code]) for code in np.flatnonzero(split.branches == branch))
        for branch in range(split.n_branches)
    )
    said = tuple(way or "(no category)" for way in ways)
    return Words((str(column.name),), said, tuple(f"{column.name} is {way}" for way in said))


def _slab_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    used = np.flatnonzero(split.weights[0])
    if len(used) == 1 and len(split.offsets) == 1:
        return _single_words(split, int(used[0]), columns, digits)
    if len(split.offsets) == 1 and _terms(split, 0, columns, scales, digits)[0].startswith("-"):
        return _turned_words(split, columns, scales, digits)
    at = [f"{offset:.{digits}g}" for offset in split.offsets]
    between = (f"{low} to {high}" for low, high in pairwise(at))
    ways = (f"≤ {at[0]}", *between, f"> {at[-1]}")
    lines = tuple(_terms(split, 0, columns, scales, digits))
    return Words(lines, ways, tuple(f"{' '.join(lines)} {way}" for way in ways))


def _turned_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    """A plane whose first term is subtracted, said from its other side."""
    turned = Planes(-split.weights, -split.offsets, "slabs", split.columns, split.categories)
    lines = tuple(_terms(turned, 0, columns, scales, digits))
    at = f"{turned.offsets[0] + 0.0:.{digits}g}"
    ways = (f"≥ {at}", f"< {at}")
    return Words(lines, ways, tuple(f"{' '.join(lines)} {way}" for way in ways), turned=True)


def _single_words(split: Planes, term: int, columns: Sequence[Column], digits: int) -> Words:
    """One term against a threshold; of a category, whether the row has it."""
    weight, offset = float(split.weights[0, term]), float(split.offsets[0])
    column, code = columns[split.columns[term]], int(split.categories[term])
    if code >= 0:
        category = (column.categories or ())[code]
        said = (("no", f"{column.name} is not {category}"), ("yes", f"{column.name} is {category}"))
        ways, conditions = zip(*(said if weight > 0 else said[::-1]), strict=True)
        return Words((said[1][1],), ways, conditions)
    at = f"{offset / weight + 0.0:.{max(digits, 6)}g}"
    ways = (f"≤ {at}", f"> {at}") if weight > 0 else (f"≥ {at}", f"< {at}")
    return Words((str(column.name),), ways, tuple(f"{column.name} {way}" for way in ways))


def _terms(
    split: Planes, plane: int, columns: Sequence[Column], scales: Scales, digits: int
) -> list[str]:
    """Weighted terms of a plane, the one that moves the score most first."""
    weights = split.weights[plane]
    keys = list(zip(split.columns.tolist(), split.categories.tolist(), strict=True))
    moved = np.abs(weights) * [scales.get(key, 1.0) for key in keys]
    order = [t for t in np.argsort(-moved, kind="stable").tolist() if weights[t] != 0]
    said = []
    for place, t in enumerate(order):
        sign = ("-" if place == 0 else "- ") if weights[t] < 0 else "+ " if place else ""
        size = "" if abs(weights[t]) == 1 else f"{abs(weights[t]):.{digits}g} "
        said.append(f"{sign}{size}{_name(columns, *keys[t])}")
    return said or ["0"]


def _sum(split: Planes, plane: int, columns: Sequence[Column], scales: Scales, digits: int) -> str:
    return " ".join(_terms(split, plane, columns, scales, digits))


def _name(columns: Sequence[Column], column: int, category: int) -> str:
    name, categories = columns[column].name, columns[column].categories
    return (
        str(name) if category < 0 or categories is None else f"[{name} is {categories[category]}]"
    )


def _signed(number: float, digits: int) -> str:
    return f"{'-' if number < 0 else '+'} {abs(number):.{digits}g}"
