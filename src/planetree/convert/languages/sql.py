"""A model as one SQL expression, or a query; score sheets and checks of new rows as queries.

A row that has every column the model reads is answered by nested CASEs. For one that does not, and
for probabilities, shares are computed step by step (`sql_expressions`).

The points of each score sheet are counted once, in a subquery; the tables follow as CASEs of
totals,

    points = sum of points * FLOOR of (number less base) / step,

so every figure in the query is one of the printed sheet.

New rows are compared with those of training in the database, by a query with a line for each check.
It counts what `planetree.evaluation.model_check` counts, of the columns that the model reads:

    out of range      numbers below the least or above the largest of training
    missing           cells
    new category      cells with a category that training did not have
    leaf              rows whose way ends there; a row that takes several ways counts in none

Each line has the number of rows, their share of all, and that share in training. The table is read
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats
from planetree.convert.languages.sql_expressions import SqlExpressions, SqlShares, quoted
from planetree.convert.plan import plan_of
from planetree.parameters import check_argument, choice
from planetree.planes import NEW, Among, HalfSpace
from planetree.table import ColumnRanges
from planetree.tree.inspection.abstention import ASK
from planetree.tree.score_sheet.score_sheet import ALMOST, Question, ScoreSheet

_DIALECT = choice("standard", "sqlite", "duckdb", "postgresql")


def to_sql(
    model: Any,
    table: str | None = None,
    *,
    dialect: str = "standard",
    missing: str | None = None,
    name: str = "prediction",
    probabilities: bool = False,
    ask: float | None = None,
) -> str:
    """Say a fitted model as a SQL expression that gives the class of a row.

    Names of columns are quoted, and compared with categories as text, numbers or booleans. Missing
    is NULL and, where the dialect has it, NaN; a category that training did not have is as in the
    model. A row that the model would refuse for a missing value or such a category gives NULL.

    Parameters
    ----------
    model : fitted separator or tree
    table : str, optional
        Give the whole query `SELECT *, ... AS "prediction" FROM "table"` with columns of this
        table; by default only the expression.
    dialect : {"standard", "sqlite", "duckdb", "postgresql"}
        "duckdb" and "postgresql" also read NaN as missing, which the others do not have.
    missing : {"majority"}, optional
        What a missing value does: by default as in the model, which divides the row among the
        branches or refuses; or to take the branch of most training rows.
    name : str
        Name of the column of answers, where a table is given.
    probabilities : bool
        Whether the query also gives the probability of each class, as "probability of <class>". It
        needs a table; in SQLite one with row numbers, as tables have and views do not.
    ask : float, optional
        The largest expected error of an answer: the others are 'ask a person', as in
        `predict_or_ask`, and labels are text. It takes a tree.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import to_sql
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> print(to_sql(RobustSeparator().fit(X, y)))
    CASE WHEN "x0" IS NULL THEN NULL
    WHEN 2.0000000020000006e0 * "x0" > 3.000000003000001e0 THEN 'b'
    ELSE 'a' END
    """
    check_argument("dialect", dialect, _DIALECT)
    sql = _Sql(plan_of(model, missing, ask), table, dialect)
    if probabilities:
        if table is None:
            raise ValueError("probabilities=True gives a query, so it needs a table.")
        if sql.plan.probabilities is None:
            raise ValueError(
                f"{sql.plan.fitted.owner} has no predict_proba. Leave probabilities=False."
            )
        return sql.with_probabilities(name)
    if table is None:
        return sql.prediction()
    return f"SELECT *, {sql.prediction()} AS {quoted(name)}\nFROM {quoted(table)}"


class _Sql(SqlShares):
    """Answers in SQL."""

    def prediction(self) -> str:
        """The class of a row, or that it is for a person."""
        if self.plan.asking is not None:
            return self.or_ask(f"({self.query(self.probabilities(), [self.sure_label()])})")
        if not self.plan.by_way:
            return self.by_shares()
        labels = [self.plan.labels[code] for code in self.plan.fitted.codes]
        return self.way(labels, self.by_shares() if self.plan.divides else "NULL")

    def by_shares(self) -> str:
        """The class of least expected cost, for a row whose class is not that of one way."""
        return f"({self.query(self.divided(self.plan.by_way), [self.label()])})"

    def with_probabilities(self, name: str) -> str:
        """The query that gives class and probabilities."""
        shares, label = self.class_shares(), self.label()
        if self.plan.asking is not None:
            label = self.or_ask(self.sure_label())
        titles = [quoted(f"probability of {label}") for label in self.plan.labels]
        pairs = zip(shares, titles, strict=True)
        found = [f"CAST({share} AS DOUBLE PRECISION) AS {title}" for share, title in pairs]
        return self.joined([f"{label} AS {quoted(name)}", *found])

    def class_shares(self) -> list[str]:
        """Probability of each class, from the last step."""
        shares = [f"{'r' if self.plan.mixes else 'p'}{c}" for c in self.classes]
        if self.plan.is_graded:
            return shares
        return [f"{share} / ({' + '.join(shares)})" for share in shares]  # 1 in 32 bits only

    def sure_label(self) -> str:
        """The label as text, or that a person is to be asked where it is unsure."""
        assert self.plan.asking is not None
        label = self.by_code(self.literal(str(each)) for each in self.plan.labels)
        unsure = f"{self.one} - {self.by_code(self.class_shares())}"
        limit = self.number(self.plan.asking.limit)
        return f"CASE WHEN {unsure} > {limit} THEN {self.literal(ASK)} ELSE {label} END"

    def or_ask(self, answer: str) -> str:
        """An answer, or that a person is to be asked where a number is out of range."""
        outside = self.outside()
        return (
            f"CASE WHEN {outside} THEN {self.literal(ASK)} ELSE {answer} END" if outside else answer
        )


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
    check_argument("dialect", dialect, _DIALECT)
    said = _SheetSql(plan_of(sheet.model, None), None, dialect)
    counted = (f"{said.points(n, sheet)} AS points_{n + 1}" for n in range(len(sheet.sheets_)))
    inner = ",\n".join(["*", *counted])
    names = [quoted(f"probability of {label}") for label in sheet.classes_]
    answers = [f"{said.table_of(sheet, 0, c)} AS {name}" for c, name in enumerate(names)]
    answers.append(f'{said.table_of(sheet, 0, None)} AS "prediction"')
    outer = ",\n".join(["*", *answers])
    return f"SELECT {outer}\nFROM (SELECT {inner}\nFROM {quoted(table)}) AS counted"


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
        said = self._end(sheet, here.if_missing, here.after_missing, code)
        cases = [f"WHEN {name} IS NULL THEN {said}"]
        for row in here.table():
            said = self._end(sheet, row.probabilities, row.following, code)
            cases.append(f"WHEN {name} <= {row.last} THEN {said}")
        return "CASE " + "\n".join([*cases[:-1], f"ELSE {said} END"])

    def _end(self, sheet: ScoreSheet, probabilities: Floats, after: int, code: int | None) -> str:
        """What the sheet to go on with says, or these probabilities."""
        if after >= 0:
            return self.table_of(sheet, after, code)
        if code is not None:
            return self.number(probabilities[code])
        return self.literal(sheet.answers(probabilities[None, :]).tolist()[0])


class _Check(NamedTuple):
    """What is counted: of a column or a leaf, which rows, and their share in training."""

    of: str
    check: str
    rows: str
    before: float


def to_check_sql(model: Any, table: str, *, dialect: str = "standard") -> str:
    """Say a query that compares the rows of a table with those that a tree was trained on.

    Its columns are `of` (a column or a leaf), `check`, `rows`, `share` and `share_in_training`; its
    first line counts all rows.

    Parameters
    ----------
    model : fitted tree that has `ranges_`
    table : str
    dialect : {"standard", "sqlite", "duckdb", "postgresql"}
        As for `to_sql`.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.convert import to_check_sql
    >>> model = C45Classifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> print(to_check_sql(model, "rows").splitlines()[0])
    WITH counted AS (SELECT COUNT(*) AS n,
    """
    check_argument("dialect", dialect, _DIALECT)
    ranges = getattr(model, "ranges_", None)
    if ranges is None:
        raise ValueError(
            f"This {type(model).__name__} has no ranges of its training columns. Fit a tree with "
            "this version, and export it."
        )
    sql = _CheckSql(plan_of(model), table, dialect)
    return sql.query(list(sql.checks(ranges)), quoted(table))


class _CheckSql(SqlExpressions):
    """Counts in SQL."""

    def checks(self, ranges: ColumnRanges) -> Iterator[_Check]:
        """What is counted, column by column and leaf by leaf."""
        for j in self.plan.columns:
            column, before = self.plan.fitted.columns[j], float(ranges.missing[j])
            low, high = ranges.low[j], ranges.high[j]
            if np.isfinite(low):
                name = self.name(j)
                ends = f"{name} < {self.number(low)} OR {name} > {self.number(high)}"
                outside = f"({self.present(j)} AND ({ends}))"
                yield _Check(column.name, "out of range", outside, 0.0)
            if column.categories is not None:
                new = f"({self.present(j)} AND {self.test(Among(j, (NEW,)))})"
                yield _Check(column.name, "new category", new, 0.0)
            yield _Check(column.name, "missing", self.missing(j), before)
        tree, leaf = self.plan.fitted.tree, f"({self.way(range(self.plan.fitted.tree.n_nodes))})"
        for node in self.plan.leaves:
            share = float(tree.weights[node] / tree.weights[0])
            label = f"leaf {node}: {self.plan.label(node)}"
            yield _Check(label, "leaf", f"{leaf} = {node}", share)

    def query(self, checks: list[_Check], table: str) -> str:
        """One pass over the table, then a line for each check."""
        sums = [
            f"SUM(CASE WHEN {check.rows} THEN 1 ELSE 0 END) AS c{i}"
            for i, check in enumerate(checks, 1)
        ]
        counted = ",\n".join(["COUNT(*) AS n", *sums])
        lines = [self.line("all rows", "rows", "n", 1.0)]
        lines += [self.line(c.of, c.check, f"c{i}", c.before) for i, c in enumerate(checks, 1)]
        every = "\nUNION ALL ".join(lines)
        return f"WITH counted AS (SELECT {counted}\nFROM {table})\n{every}"

    def line(self, of: str, check: str, count: str, before: float) -> str:
        """A line of the answer."""
        texts = f'{self.literal(of)} AS "of", {self.literal(check)} AS "check"'
        share = f"CAST({count} AS DOUBLE PRECISION) / NULLIF(n, 0)"
        return (
            f'SELECT {texts}, COALESCE({count}, 0) AS "rows", {share} AS "share", '
            f'{self.number(before)} AS "share_in_training" FROM counted'
        )
