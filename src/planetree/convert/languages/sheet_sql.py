"""A score sheet as one SQL query.

The points of each sheet are counted once, in a subquery; the tables follow as CASEs of totals,

    points = sum of points * FLOOR of (number less base) / step,

so every figure in the query is one of the printed sheet.
"""

from __future__ import annotations

from planetree.arrays import Floats
from planetree.convert.languages.sql_expressions import SqlExpressions, quoted
from planetree.convert.plan import plan_of
from planetree.parameters import check_argument, choice
from planetree.planes import Among, HalfSpace
from planetree.tree.plane.score_sheet import ALMOST, Question, ScoreSheet

__all__ = ["score_sheet_to_sql"]


def score_sheet_to_sql(sheet: ScoreSheet, table: str, *, dialect: str = "standard") -> str:
    """Say a score sheet as a query: all columns, points, probabilities and the class of each row.

    The points of sheet n are the column `points_n`, NULL where a value is missing; the others are
    `probability of <class>` and `prediction`.

    Parameters
    ----------
    sheet : ScoreSheet
    table : str
    dialect : {"standard", "sqlite", "duckdb", "postgresql"}
        As in `to_sql`. SQLite needs no mathematical functions for it.

    Examples
    --------
    >>> from planetree import PlaneTreeClassifier
    >>> from planetree.convert import score_sheet_to_sql
    >>> X, y = [[float(i)] for i in range(40)], ["no"] * 20 + ["yes"] * 20
    >>> sheet = PlaneTreeClassifier().fit(X, y).to_score_sheet()
    >>> print(score_sheet_to_sql(sheet, "rows").splitlines()[-1])
    FROM "rows") AS counted
    """
    check_argument("dialect", dialect, choice("standard", "sqlite", "duckdb", "postgresql"))
    said = _SheetSql(plan_of(sheet.model, None), None, dialect)
    counted = (f"{said.points(n, sheet)} AS points_{n + 1}" for n in range(len(sheet.sheets_)))
    inner = ",\n".join(["*", *counted])
    k = len(sheet.classes_)
    answers = [f"{said.table_of(sheet, 0, c)} AS {_name(sheet, c)}" for c in range(k)]
    answers.append(f'{said.table_of(sheet, 0, None)} AS "prediction"')
    outer = ",\n".join(["*", *answers])
    return f"SELECT {outer}\nFROM (SELECT {inner}\nFROM {quoted(table)}) AS counted"


def _name(sheet: ScoreSheet, code: int) -> str:
    return quoted(f"probability of {sheet.classes_[code]}")


class _SheetSql(SqlExpressions):
    """Questions and tables of sheets."""

    def points(self, number: int, sheet: ScoreSheet) -> str:
        """Total of a sheet, NULL where a value is missing."""
        questions = sheet.sheets_[number].questions
        columns = sorted({column for question in questions for column in question.columns})
        total = " + ".join(map(self._question, questions)) or "0"
        if not columns:
            return total
        return f"CASE WHEN {self.any(map(self.missing, columns))} THEN NULL ELSE {total} END"

    def _question(self, question: Question) -> str:
        """Points of a question, for a row that is known."""
        asked, points = question.asked, f"({question.points})"
        if isinstance(asked, Among | HalfSpace):
            return f"CASE WHEN {self.test(asked)} THEN {points} ELSE 0 END"
        above = f"({self.column(asked.column)} - {self.number(asked.base)})"
        steps = f"{above} / {self.number(asked.step)} + {self.number(ALMOST)}"
        full = f"CAST({steps} AS INTEGER)" if self.dialect == "sqlite" else f"FLOOR({steps})"
        has = f"{self.column(asked.column)} > {self.number(asked.base)}"
        return f"CASE WHEN {has} THEN {points} * {full} ELSE 0 END"

    def table_of(self, sheet: ScoreSheet, number: int, code: int | None) -> str:
        """What the table of a sheet says of a class, or which class is the answer."""
        here, name = sheet.sheets_[number], f"points_{number + 1}"
        cases = [f"WHEN {name} IS NULL THEN {self._said(sheet, here.if_missing, code)}"]
        for row in here.table():
            said = self._said(sheet, row.probabilities, code)
            if row.following >= 0:
                said = self.table_of(sheet, row.following, code)
            cases.append(f"WHEN {name} <= {row.last} THEN {said}")
        return "CASE " + "\n".join([*cases[:-1], f"ELSE {said} END"])

    def _said(self, sheet: ScoreSheet, probabilities: Floats, code: int | None) -> str:
        if code is not None:
            return self.number(probabilities[code])
        return self.literal(sheet.answers(probabilities[None, :]).tolist()[0])
