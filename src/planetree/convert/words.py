"""Formulas in words: names, the user's units, and numbers of a few digits.

2 worst radius + 30 worst smoothness > 37
color is red or blue
"""

from __future__ import annotations

from typing import Any, NamedTuple

from planetree.convert.formulas import Comparison, Formula, Test
from planetree.table import Column
from planetree.tree import Among

__all__ = ["Words", "shown"]


def shown(value: Any) -> str:
    """A label or name in one line."""
    text = str(value)
    return text if text.isprintable() and text else repr(text)


class Words(NamedTuple):
    """Formulas over some columns, with numbers of so many significant digits.

    Examples
    --------
    >>> from planetree.convert.formulas import decision_of
    >>> from planetree.convert.words import Words
    >>> from planetree.planes import Planes
    >>> from planetree.table import Column
    >>> decision = decision_of(Planes([[2.0, -1.0]], [3.0]))
    >>> Words((Column("length"), Column("width")), 3).formula(decision.branches[1])
    '2 length - width > 3'
    """

    columns: tuple[Column, ...]
    digits: int

    def formula(self, formula: Formula, or_missing: bool = False) -> str:
        """What holds, or that something it needs is missing."""
        alternatives = [" and ".join(map(self.test, each)) for each in formula]
        said = " or ".join(alternatives)
        if len(alternatives) > 1:
            said = "(" + " or ".join(f"({each})" for each in alternatives) + ")"
        return f"{said} or missing" if or_missing else said

    def test(self, test: Test) -> str:
        """One test."""
        if isinstance(test, Among):
            column = self.columns[test.column]
            assert column.categories is not None
            names = [shown(column.categories[code]) for code in test.codes]
            return f"{shown(column.name)} is {' or '.join(names)}"
        if len(test.terms) == 1 and test.weights[0] == -1.0:
            sign = "<" if test.above else ">="
            return f"{self.term(*test.terms[0])} {sign} {self.number(0.0 - test.offset)}"
        return f"{self.total(test)} {'>' if test.above else '<='} {self.number(test.offset)}"

    def total(self, test: Comparison) -> str:
        """A sum of weighted terms."""
        text = ""
        for term, weight in zip(test.terms, test.weights, strict=True):
            sign = (" - " if weight < 0 else " + ") if text else ("-" if weight < 0 else "")
            size = "" if abs(weight) == 1.0 else f"{self.number(abs(weight))} "
            text += f"{sign}{size}{self.term(*term)}"
        return text or "0"

    def term(self, column: int, category: int) -> str:
        """A column, or that it has a category."""
        name, categories = self.columns[column].name, self.columns[column].categories
        if category < 0 or categories is None:
            return shown(name)
        return f"[{shown(name)} is {shown(categories[category])}]"

    def number(self, value: float) -> str:
        """A number in few digits."""
        return f"{value:.{self.digits}g}"
