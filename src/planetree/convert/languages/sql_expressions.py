"""Formulas, columns and labels as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planetree.convert.languages.expressions import Expressions
from planetree.convert.plan import HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan

__all__ = ["SqlExpressions", "quoted"]


class SqlExpressions(Expressions):
    """Formulas of SQL."""

    AND, OR, NOT = " AND ", " OR ", "NOT "

    def __init__(self, plan: Plan, table: str | None, dialect: str) -> None:
        super().__init__(plan)
        self.table = "" if table is None else quoted(table) + "."
        self.dialect = dialect

    def column(self, j: int) -> str:
        """Name of a column, with its table if that is known."""
        return self.table + quoted(self.plan.fitted.columns[j].name)

    def missing(self, column: int) -> str:
        """Whether a column is missing: NULL, not a number, or no category of training."""
        name, categories = self.column(column), self.plan.fitted.columns[column].categories
        if categories is not None:
            known = ", ".join(map(self.literal, categories))
            return f"({name} IN ({known})) IS NOT TRUE"
        tests = [f"{name} IS NULL"]
        if self.dialect in ("duckdb", "postgresql"):
            tests.append(f"{name} = CAST('NaN' AS DOUBLE PRECISION)")
        if self.plan.fitted.stand_in:
            bounds = f"{self.number(LOWEST_STAND_IN)} AND {self.number(HIGHEST_STAND_IN)}"
            tests.append(f"{name} BETWEEN {bounds}")
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def present(self, column: int) -> str:
        """Whether a column is not missing."""
        missing = self.missing(column)
        if missing.endswith(" IS NULL"):
            return missing.removesuffix("NULL") + "NOT NULL"
        if missing.endswith(" IS NOT TRUE"):
            return missing.removesuffix("NOT TRUE") + "TRUE"
        return f"NOT {missing}"

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        categories = self.plan.fitted.columns[column].categories
        assert categories is not None
        known = [self.literal(categories[code]) for code in codes]
        if len(known) == 1:
            return f"{self.column(column)} = {known[0]}"
        return f"{self.column(column)} IN ({', '.join(known)})"

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number, or the weight where the category is there."""
        if category >= 0:
            there = self.among(column, (category,))
            return f"CASE WHEN {there} THEN {self.number(weight)} ELSE {self.number(0.0)} END"
        return self.times(weight, self.column(column))

    def number(self, value: float) -> str:
        """A floating-point literal: without an exponent it would be a decimal."""
        said = repr(float(value))
        return said if "e" in said else f"{said}e0"

    def literal(self, label: Any) -> str:
        """A label as text, a number or a boolean."""
        if isinstance(label, str):
            return quoted(label, "'")
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return str(label) if isinstance(label, int) else self.number(label)

    def questions(self, node: int, cases: list[str], answers: Sequence[Any]) -> str:
        """Cases of a node and those below it, after cases that come first."""
        while self.plan.decisions[node] is not None:
            *others, last = self.plan.asked(node)
            children = self.plan.children(node)
            for b in others:
                answer = self.questions(children[b], [], answers)
                cases.append(f"WHEN {self.condition(node, b)} THEN {answer}")
            node = children[last]
        answer = self.literal(answers[node])
        return "CASE " + "\n".join(cases) + f"\nELSE {answer} END" if cases else answer

    def code(self) -> str:
        """The number of the class at the end of a row's way; NULL where it has no single way."""
        cases = []
        if self.plan.columns and self.plan.missing != "majority":
            cases = [f"WHEN {self.incomplete()} THEN NULL"]
        return self.questions(0, cases, self.plan.fitted.codes.tolist())


def quoted(name: str, mark: str = '"') -> str:
    """A name, or text, between marks."""
    if "\0" in name:
        raise ValueError(f"SQL has no names nor text with a NUL character, as in {name!r}.")
    return mark + name.replace(mark, 2 * mark) + mark
