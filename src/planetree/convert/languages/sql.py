"""A model as one SQL expression, or a query.

A row that has every column the model reads is answered by nested CASEs. For one that does not, and
for probabilities, shares are computed step by step (`sql_shares`).
"""

from __future__ import annotations

from typing import Any

from planetree.convert.languages.sql_expressions import SqlExpressions, quoted
from planetree.convert.languages.sql_shares import ShareSteps
from planetree.convert.plan import plan_of

__all__ = ["to_sql"]

_DIALECTS = ("standard", "sqlite", "duckdb", "postgresql")


def to_sql(
    model: Any,
    table: str | None = None,
    *,
    dialect: str = "standard",
    missing: str | None = None,
    name: str = "prediction",
    probabilities: bool = False,
) -> str:
    """Say a fitted model as a SQL expression that gives the class of a row.

    Names of columns are quoted, and compared with categories as text, numbers or booleans. Missing
    is NULL, a category that training did not have and, where the dialect has it, NaN. A row that
    the model would refuse for a missing value gives NULL.

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
    if dialect not in _DIALECTS:
        raise ValueError(f"dialect must be one of {_DIALECTS}, but it is {dialect!r}.")
    sql = _Sql(plan_of(model, missing), table, dialect)
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


class _Sql(SqlExpressions):
    """Answers in SQL."""

    def prediction(self) -> str:
        """The class of a row."""
        if not self.plan.by_way:
            return self.by_shares()
        cases = []
        if self.plan.columns and self.plan.missing == "refuse":
            cases = [f"WHEN {self.incomplete()} THEN NULL"]
        elif self.plan.columns and self.plan.missing == "fractions":
            cases = [f"WHEN {self.incomplete()} THEN {self.by_shares()}"]
        labels = [self.plan.label(node) for node in range(len(self.plan.decisions))]
        return self.questions(0, cases, labels)

    def by_shares(self) -> str:
        """The class of least expected cost, for a row whose class is not that of one way."""
        steps = ShareSteps(self)
        return f"({steps.query(steps.divided(self.plan.by_way), [steps.label()])})"

    def with_probabilities(self, name: str) -> str:
        """The query that gives class and probabilities."""
        steps, k = ShareSteps(self), len(self.plan.labels)
        shares = [f"p{c}" for c in range(k)]
        if not self.plan.is_graded:  # C4.5's parts add up to 1 in 32 bits only
            shares = [f"{share} / ({' + '.join(shares)})" for share in shares]
        if self.plan.mixes:
            shares = [f"r{c}" for c in range(k)]
        titles = [f"probability of {label}" for label in self.plan.labels]
        pairs = zip(shares, titles, strict=True)
        found = [f"CAST({share} AS DOUBLE PRECISION) AS {quoted(title)}" for share, title in pairs]
        return steps.joined([f"{steps.label()} AS {quoted(name)}", *found])
