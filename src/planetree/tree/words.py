"""A decision in words: what is asked of a row, and what each answer is called.

    one plane          0.09 worst perimeter + 30 worst smoothness        <= 16.3 | > 16.3
    one number         petal width                                       <= 1.7 | > 1.7
    one category       color is red                                      no | yes
    parallel planes    2 a - b                                           <= 1 | 1 to 3 | > 3
    largest score      (1) 2 a + 0.5   (2) b - 1                         (1) is largest | (2) ...
    two planes         (1) a > 0.5   (2) b > 1                           not all | all
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

__all__ = ["Words", "decision_words"]

Scales = Mapping[tuple[int, int], float]
SIDES = {"both": ("not all hold", "all hold"), "same_side": ("only some hold", "all or none hold")}


class Words(NamedTuple):
    """What a decision asks, a term or a score a line, and what each of its branches is called."""

    lines: tuple[str, ...]
    ways: tuple[str, ...]


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
    >>> decision_words(plane, [Column("age"), Column("dose")], {})
    Words(lines=('2 age', '- 0.5 dose'), ways=('≤ 1.25', '> 1.25'))
    """
    if isinstance(split, Categories):
        return _category_words(split, columns[split.column])
    if split.rule == "slabs":
        return _slab_words(split, columns, scales, digits)
    sums = [" ".join(_terms(split, p, columns, scales, digits)) for p in range(len(split.offsets))]
    if split.rule == "argmax":
        lines = [
            f"({p}) {text} {_signed(-at, digits)}"
            for p, (text, at) in enumerate(zip(sums, split.offsets, strict=True), 1)
        ]
        return Words(tuple(lines), tuple(f"({p}) is largest" for p in range(1, len(sums) + 1)))
    lines = [
        f"({p}) {text} > {at:.{digits}g}"
        for p, (text, at) in enumerate(zip(sums, split.offsets, strict=True), 1)
    ]
    return Words(tuple(lines), SIDES[split.rule])


def _category_words(split: Categories, column: Column) -> Words:
    names = column.categories or ()
    ways = (
        " or ".join(str(names[code]) for code in np.flatnonzero(split.branches == branch))
        for branch in range(split.n_branches)
    )
    return Words((str(column.name),), tuple(way or "(no category)" for way in ways))


def _slab_words(split: Planes, columns: Sequence[Column], scales: Scales, digits: int) -> Words:
    used = np.flatnonzero(split.weights[0])
    if len(used) == 1 and len(split.offsets) == 1:
        return _single_words(split, int(used[0]), columns, digits)
    at = [f"{offset:.{digits}g}" for offset in split.offsets]
    between = (f"{low} to {high}" for low, high in pairwise(at))
    return Words(
        tuple(_terms(split, 0, columns, scales, digits)), (f"≤ {at[0]}", *between, f"> {at[-1]}")
    )


def _single_words(split: Planes, term: int, columns: Sequence[Column], digits: int) -> Words:
    """One term against a threshold; of a category, whether the row has it."""
    weight, offset = float(split.weights[0, term]), float(split.offsets[0])
    column, code = columns[split.columns[term]], int(split.categories[term])
    if code >= 0:
        asked = f"{column.name} is {(column.categories or ())[code]}"
        return Words((asked,), ("no", "yes") if weight > 0 else ("yes", "no"))
    at = f"{offset / weight + 0.0:.{max(digits, 6)}g}"
    return Words(
        (str(column.name),), (f"≤ {at}", f"> {at}") if weight > 0 else (f"≥ {at}", f"< {at}")
    )


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
        sign = "- " if weights[t] < 0 else "+ " if place else ""
        size = "" if abs(weights[t]) == 1 else f"{abs(weights[t]):.{digits}g} "
        said.append(f"{sign}{size}{_name(columns, *keys[t])}")
    return said or ["0"]


def _name(columns: Sequence[Column], column: int, category: int) -> str:
    name, categories = columns[column].name, columns[column].categories
    return (
        str(name) if category < 0 or categories is None else f"[{name} is {categories[category]}]"
    )


def _signed(number: float, digits: int) -> str:
    return f"{'-' if number < 0 else '+'} {abs(number):.{digits}g}"
