"""Planes, decisions, conditions, names and numbers in words: once, for everything that prints.

    one plane          0.09 worst perimeter + 30 worst smoothness        <= 16.3 | > 16.3
    one number         petal width                                       <= 1.7 | > 1.7
    one category       color is red                                      no | yes
    parallel planes    2 a - b                                           <= 1 | 1 to 3 | > 3
    largest score      (1) 2 a + 0.5   (2) b - 1                         (1) largest | (2) largest
    an interval        2 a - b                                           outside 1 to 3 | 1 to 3
    two planes         a > 0.5   b > 1                                   not both | both
    exclusive or       a > 0.5   b > 1                                   one only | both or neither
    categories         color                                             red | blue or green

A graded decision says where it is unsure: where a plane's share runs from 10% to 90%, which is
2.2 spreads to either side of its threshold.

The terms that move the score most come first: by weight times the standard deviation of the term.
A sum whose first term would be subtracted is said with its signs turned, and a column alone without
its weight. A category in a sum is `[color is red]`: 1 where the row has it, else 0. A product of
columns is `age * dose`, a square `age^2`.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import factor_of
from planetree.planes import (
    NEW,
    NO_CATEGORY,
    Among,
    Categories,
    HalfSpace,
    Pattern,
    Planes,
    Split,
    Test,
    influence,
)
from planetree.table import Column

_Scales = Mapping[tuple[int, int], float]

NEW_CATEGORY = "(new)"  # in the place of a category that training did not have
DIGITS = 4  # of weights: enough that the digits left out move a score by 0.05% of a term at most
_THRESHOLD_DIGITS = 7  # where a column stands alone, as in the texts of C4.5 (32 bits have 7)
_LARGE, _ALL_DIGITS = 1e7, 16  # from here on seven digits would hide whole numbers
_SIDES = {"both": ("not all", "all"), "same_side": ("only some", "all or none")}
_NINE_TO_ONE = math.log(9.0)  # spreads from a plane at which its share is 90%
_OPPOSITE = {">": "<=", "<": ">="}


def printable(value: Any) -> str:
    """A label or name in one line."""
    text = str(value)
    return text if text.isprintable() and text else repr(text)


def typeset(text: str) -> str:
    """Words for a page or a picture, where comparisons have the signs of print.

    Examples
    --------
    >>> from planetree.words import typeset
    >>> typeset("2 age <= 1.5")
    '2 age ≤ 1.5'
    """
    number = r"(?= -?(?:\d|inf)\S*?(?:$|,|\)| and | or | \())"
    return re.sub(rf"(?<!\S)([<>])={number}", lambda sign: "≤" if sign[1] == "<" else "≥", text)


def probability_text(probability: float) -> str:
    """A probability in percent, with digits enough that it is not 100% unless it is 1.

    Examples
    --------
    >>> from planetree.words import probability_text
    >>> [probability_text(p) for p in (0.5, 0.9964, 0.99997, 1.0)]
    ['50.0%', '99.6%', '99.997%', '100%']
    """
    rest = 100.0 * min(probability, 1.0 - probability)
    if rest <= 0:
        return f"{100.0 * probability:.0f}%"
    return f"{100.0 * probability:.{max(1, math.ceil(-math.log10(rest)))}f}%"


def unsure_within(split: Split) -> float:
    """How far from a plane a row is unsure, in units of the scores: its share is 10 to 90%."""
    return _NINE_TO_ONE * split.spread if isinstance(split, Planes) else 0.0


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
    unsure : str
        Where a graded decision is unsure.
    missing : str
        What may be missing of rows that take the first branch for that.
    """

    lines: tuple[str, ...]
    ways: tuple[str, ...]
    conditions: tuple[str, ...]
    scores: tuple[str, ...] = ()
    plane: int = 0
    turned: bool = False
    unsure: str = ""
    missing: str = ""

    @property
    def preface(self) -> list[str]:
        """Lines that say the scores, if the conditions are about several."""
        if not self.scores:
            return []
        return [f"scores{self._aside}", *(f"    {score}" for score in self.scores)]

    @property
    def openings(self) -> list[tuple[int, str]]:
        """Branches as they are told, and how each begins; of two the first is what is left."""
        aside = "" if self.scores else self._aside  # else the preface has said it
        if len(self.conditions) == 2:
            alone = self.missing == self.conditions[0]
            also = f" ({self.missing})" if alone else self.missing and f", also if {self.missing}"
            return [(1, f"if {self.conditions[1]}{aside}: "), (0, f"otherwise{also}: ")]
        return [(b, f"if {condition}{aside}: ") for b, condition in enumerate(self.conditions)]

    @property
    def _aside(self) -> str:
        return f" ({self.unsure})" if self.unsure else ""


class _Compared(NamedTuple):
    """A half-space as it is said: its terms, its sign, and the number it compares with.

    `at` is that number with all its digits, and `unit` what a score of 1 is in its units.
    """

    lines: tuple[str, ...]
    sign: str
    number: str
    turned: bool
    at: float
    unit: float

    def __str__(self) -> str:
        return f"{' '.join(self.lines)} {self.sign} {self.number}"


@dataclass(frozen=True, eq=False)
class Wording:
    """The names of columns, the order of terms and the digits with which things are said.

    Parameters
    ----------
    columns : sequence of Column
    scales : mapping
        Standard deviation of each term, by its column and category: the order of the terms.
    digits : int
        Significant digits of the numbers.

    Examples
    --------
    >>> from planetree.planes import Planes
    >>> from planetree.table import Column
    >>> from planetree.words import Wording
    >>> words = Wording([Column("age"), Column("dose")]).decision(Planes([[2.0, -0.5]], [1.25]))
    >>> words.lines, words.ways
    (('2 age', '- 0.5 dose'), ('<= 1.25', '> 1.25'))
    >>> words.conditions[1]
    '2 age - 0.5 dose > 1.25'
    """

    columns: Sequence[Column]
    scales: _Scales = field(default_factory=dict)
    digits: int = DIGITS

    def number(self, value: float, digits: int = 0) -> str:
        """A number in few digits."""
        return f"{value + 0.0:.{max(self.digits, digits)}g}"

    def name(self, column: int) -> str:
        """Name of a column."""
        return printable(self.columns[column].name)

    def categories(self, column: int, codes: Sequence[int]) -> str:
        """Names of some categories of a column."""
        names = self.columns[column].categories or ()
        said = [printable(names[code]) for code in codes if code >= 0]
        said += ["missing"] if NO_CATEGORY in codes else []
        said += ["new"] if NEW in codes else []
        return " or ".join(said) or "(no category)"

    def term(self, column: int, category: int) -> str:
        """A column, that it has a category, or a product of two columns."""
        factor = factor_of(category)
        if factor >= 0:
            name, other = self.name(column), self.name(factor)
            return f"{name}^2" if factor == column else f"{name} * {other}"
        if category < 0 or self.columns[column].categories is None:
            return self.name(column)
        return f"[{self.name(column)} is {self.categories(column, [category])}]"

    def terms(self, half: HalfSpace) -> tuple[str, ...]:
        """Weighted terms of a sum, the one that moves it most first."""
        scales = np.array([self.scales.get(key, 1.0) for key in half.terms])
        moved = influence(np.array(half.weights), scales)
        said = []
        for place, t in enumerate(np.argsort(-moved, kind="stable").tolist()):
            weight = half.weights[t]
            sign = ("-" if place == 0 else "- ") if weight < 0 else "+ " if place else ""
            size = "" if abs(weight) == 1 else f"{self.number(abs(weight))} "
            said.append(f"{sign}{size}{self.term(*half.terms[t])}")
        return tuple(said) or ("0",)

    def test(self, test: Test) -> str:
        """What must hold: a side of a plane, or a category among some."""
        if isinstance(test, Among):
            return self._membership(test)
        has = _has_category(test)
        if has is None:
            return str(self._compared(test))
        (column, category), sense = test.terms[0], "is" if has else "is not"
        return f"{self.name(column)} {sense} {self.categories(column, [category])}"

    def _membership(self, test: Among) -> str:
        """That a category is one of some; those that new ones belong to are said by the others."""
        codes = range(len(self.columns[test.column].categories or ()))
        others = [code for code in codes if code not in test.codes]
        if NEW in test.codes and NO_CATEGORY not in test.codes and others:
            return f"{self.name(test.column)} is not {self.categories(test.column, others)}"
        return f"{self.name(test.column)} is {self.categories(*test)}"

    def formula(self, patterns: Sequence[Pattern], or_missing: Sequence[int] = ()) -> str:
        """What holds, or that one of some columns is missing."""
        alternatives = [" and ".join(map(self.test, each)) for each in patterns]
        said = " or ".join(alternatives)
        if len(alternatives) > 1:
            said = "(" + " or ".join(f"({each})" for each in alternatives) + ")"
        return self._or_missing(said, or_missing) if or_missing else said

    def _or_missing(self, said: str, columns: Sequence[int]) -> str:
        """What holds, if anything, or that one of some columns is missing."""
        missing = " or ".join(map(self.name, columns)) + " is missing"
        apart = missing if len(columns) == 1 else f"({missing})"
        return f"{said} or {apart}" if said else missing

    def decision(self, split: Split) -> Words:
        """What is asked of a row, what each answer is called, and where it is unsure."""
        words = self._with_missing(split, self._decided(split))
        reach = unsure_within(split)
        if not isinstance(split, Planes) or not 0 < reach < math.inf:
            return words
        if split.rule == "argmax":
            reach_text = _between(reach, 2 * reach)[0]
            return words._replace(
                unsure=f"unsure where the two largest differ by less than {reach_text}"
            )
        return words._replace(unsure=self._zones(split, reach, words.plane))

    def _with_missing(self, split: Split, words: Words) -> Words:
        """The words of a decision that has a branch for rows with missing values."""
        if split.unknown < 0:
            return words
        columns = split.features.tolist()
        missing = self._or_missing("", columns)
        ways, conditions = list(words.ways), list(words.conditions)
        if isinstance(split, Categories) and split.unknown not in split.branches:
            ways[split.unknown], conditions[split.unknown] = "missing", missing
        else:
            ways[split.unknown] += " or missing"
            several = isinstance(split, Planes) and len(split.offsets) > 1
            said = conditions[split.unknown]
            conditions[split.unknown] = self._or_missing(f"({said})" if several else said, columns)
        missing = missing if split.unknown == 0 else ""
        return words._replace(ways=tuple(ways), conditions=tuple(conditions), missing=missing)

    def _zones(self, split: Planes, reach: float, plane: int) -> str:
        """Around which thresholds a decision is unsure, in the units in which it is said."""
        halves = [split.half_space(p) for p in range(len(split.offsets))]
        if faces_itself(split):  # both thresholds are said of one sum
            other = halves[1 - plane]
            turned = tuple(-w for w in other.weights)
            halves[1 - plane] = other._replace(weights=turned, offset=-other.offset)
        said = [self._compared(half) for half in halves if _has_category(half) is None]
        ends = [(each.at - reach * each.unit, each.at + reach * each.unit) for each in said]
        if len({each.lines for each in said}) == 1:
            ends = _joined(ends)
        zones = [" and ".join(_between(*pair)) for pair in ends]
        return "unsure between " + " and between ".join(zones) if zones else ""

    def _decided(self, split: Split) -> Words:
        if isinstance(split, Categories):
            sides = [split.side(branch) for branch in range(split.n_branches)]
            ways = tuple(self.categories(*side) for side in sides)
            return Words((self.name(split.column),), ways, tuple(map(self.test, sides)))
        if split.rule == "slabs":
            return self._slabs(split)
        if split.rule == "argmax":
            return self._scores(split)
        return self._interval(split) if faces_itself(split) else self._tests(split)

    def _compared(self, half: HalfSpace) -> _Compared:
        lines = self.terms(half)
        if len(half.terms) == 1:
            lines, (weight,) = (self.term(*half.terms[0]),), half.weights
            at, unit, turned = half.offset / weight, 1.0 / abs(weight), weight < 0
            number = self.number(at, _THRESHOLD_DIGITS if abs(at) < _LARGE else _ALL_DIGITS)
        else:
            turned = lines[0].startswith("-") and len(half.terms) > 0
            if turned:
                lines = self.terms(half._replace(weights=tuple(-w for w in half.weights)))
            at, unit = -half.offset if turned else half.offset, 1.0
            number = self.number(at)
        sign = "<" if turned else ">"
        return _Compared(lines, sign if half.above else _OPPOSITE[sign], number, turned, at, unit)

    def threshold(self, split: Planes, offset: float) -> str:
        """An offset of a single plane as the threshold that its words compare with."""
        return self._compared(split.half_space(0)._replace(offset=offset)).number

    def _slabs(self, split: Planes) -> Words:
        """Parallel planes, most often one."""
        halves = [split.half_space(p) for p in range(len(split.offsets))]
        has = _has_category(halves[0]) if len(halves) == 1 else None
        if has is not None:
            held = self.test(halves[0]._replace(above=False)), self.test(halves[0])
            return Words((held[has],), ("no", "yes") if has else ("yes", "no"), held)
        said = [self._compared(half) for half in halves]
        lines, sign, _, turned, *_ = said[0]
        at = [each.number for each in said]
        between = (f"{b} to {a}" if turned else f"{a} to {b}" for a, b in pairwise(at))
        ways = (f"{_OPPOSITE[sign]} {at[0]}", *between, f"{sign} {at[-1]}")
        conditions = tuple(f"{' '.join(lines)} {way}" for way in ways)
        return Words(lines, ways, conditions, turned=turned and len(halves[0].terms) > 1)

    def _scores(self, split: Planes) -> Words:
        numbers = range(1, len(split.offsets) + 1)
        lines = []
        for p, at in zip(numbers, (-split.offsets).tolist(), strict=True):
            total = " ".join(self.terms(split.half_space(p - 1)))
            said = f"{total} {'-' if at < 0 else '+'} {self.number(abs(at))}"
            lines.append(f"({p}) {said if split.weights[p - 1].any() else self.number(at + 0.0)}")
        ways = tuple(f"({p}) largest" for p in numbers)
        conditions = tuple(f"score ({p}) is the largest" for p in numbers)
        return Words(tuple(lines), ways, conditions, tuple(lines))

    def _tests(self, split: Planes) -> Words:
        """Whether all of several planes, or all or none, have a row above them."""
        tests = [self.test(split.half_space(p)) for p in range(len(split.offsets))]
        ways = _SIDES[split.rule]
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

    def _interval(self, split: Planes) -> Words:
        """Two planes that face each other, said from the one whose sum is not turned."""
        said = [self._compared(split.half_space(p)) for p in (0, 1)]
        plane = int(said[0].turned)
        lines, low, high = said[plane].lines, said[plane].number, said[1 - plane].number
        inside = f"{low} < {' '.join(lines)} < {high}"
        ways = (f"outside {low} to {high}", f"{low} to {high}")
        return Words(lines, ways, (f"not {inside}", inside), plane=plane)


def faces_itself(split: Planes) -> bool:
    """Whether two planes have room between them: both must hold, and their normals are opposed."""
    opposed = len(split.offsets) == 2 and not split.weights.sum(axis=0).any()
    return split.rule == "both" and opposed and bool(split.offsets.sum() < 0)


def _joined(ends: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intervals in order, those that overlap as one."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(ends):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def _between(low: float, high: float) -> tuple[str, str]:
    """Two numbers with two digits of what lies between them."""
    step = _first_digit(high - low) - 1 if high > low else 0
    said = []
    for end in (low, high):
        largest = _first_digit(abs(end)) if end else step
        few = float(f"{end:.{min(max(largest - step, 0), 16)}e}")
        said.append(f"{few + 0.0:.15g}")
    return said[0], said[1]


def _first_digit(number: float) -> int:
    """Power of ten of the first digit of a number above 0; infinite ones count as the largest."""
    return math.floor(math.log10(min(number, sys.float_info.max)))


def _has_category(half: HalfSpace) -> bool | None:
    """Whether a side is that of the rows with a category, or without; None if it is neither."""
    if len(half.terms) != 1 or half.terms[0][1] < 0:
        return None
    there, elsewhere = half.weights[0] > half.offset, half.offset < 0.0
    return None if there == elsewhere else there == half.above


def wording_of(model: Any, digits: int | None = None) -> Wording:
    """How everything that prints says a fitted model: by its names, scales and digits."""
    scales: _Scales = getattr(model, "_scales", {})
    planes = getattr(model, "planes_", None)
    if isinstance(planes, Planes):
        keys = zip(planes.columns.tolist(), planes.categories.tolist(), strict=True)
        scales = dict(zip(keys, model.scale_.tolist(), strict=True))
    digits = getattr(model, "_digits", DIGITS) if digits is None else digits
    return Wording(model.columns_, scales, digits)
