"""New rows against those of training, counted in the database: a query with a line for each check.

What `planetree.evaluation.model_check` counts, of the columns that the model reads:

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

from planetree.convert.languages.sql import DIALECT
from planetree.convert.languages.sql_expressions import SqlExpressions, quoted
from planetree.convert.plan import plan_of
from planetree.parameters import check_argument
from planetree.planes import NEW, Among
from planetree.table import ColumnRanges


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
    check_argument("dialect", dialect, DIALECT)
    ranges = getattr(model, "ranges_", None)
    if ranges is None:
        raise ValueError(
            f"This {type(model).__name__} keeps no ranges of its training columns. Fit a tree with "
            "this version, and export that."
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
