"""A model as one SQL expression.

A row that has every column the model reads is answered by nested CASEs. For one that does not, a
subquery without a table computes, for each node but the root, the part of its parent's share that
it gets,

    f_n = the part of the training weight, if the decision is not known; else 1 or 0,

then the share of each class c as the sum over the leaves of the product of the f_n on the way there
times the leaf's share of c, and compares these.
"""

from __future__ import annotations

from typing import Any

from planetree.convert.languages.expressions import Expressions
from planetree.convert.plan import HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan, plan_of

__all__ = ["SqlExpressions", "quoted", "to_sql"]

_DIALECTS = ("standard", "sqlite", "duckdb", "postgresql")
_MAX_COLUMNS = 1600  # of PostgreSQL's lists; SQLite has 2000


def to_sql(
    model: Any,
    table: str | None = None,
    *,
    dialect: str = "standard",
    missing: str | None = None,
    name: str = "prediction",
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
    sql = SqlExpressions(plan_of(model, missing), table, dialect)
    if table is None:
        return sql.prediction()
    return f"SELECT *, {sql.prediction()} AS {quoted(name)}\nFROM {quoted(table)}"


class SqlExpressions(Expressions):
    """Formulas of SQL, for a table if its name is known."""

    AND, OR, NOT = " AND ", " OR ", "NOT "

    def __init__(self, plan: Plan, table: str | None, dialect: str) -> None:
        super().__init__(plan)
        self.table = "" if table is None else quoted(table) + "."
        self.dialect = dialect

    def prediction(self) -> str:
        """The class of a row."""
        cases = []
        if self.plan.columns and self.plan.missing == "refuse":
            cases = [f"WHEN {self.incomplete()} THEN NULL"]
        elif self.plan.columns and self.plan.missing == "fractions":
            cases = [f"WHEN {self.incomplete()} THEN {self.by_shares()}"]
        return self.questions(0, cases)

    def questions(self, node: int, cases: list[str]) -> str:
        """Cases of a node and those below it, after cases that come first."""
        while self.plan.decisions[node] is not None:
            *others, last = self.plan.asked(node)
            children = self.plan.children(node)
            for b in others:
                answer = self.questions(children[b], [])
                cases.append(f"WHEN {self.condition(node, b)} THEN {answer}")
            node = children[last]
        if not cases:
            return self.literal(self.plan.label(node))
        return "CASE " + "\n".join(cases) + f"\nELSE {self.literal(self.plan.label(node))} END"

    def by_shares(self) -> str:
        """The class of least expected cost for a row that takes several branches."""
        factors, ways = self.factors()
        if len(factors) > _MAX_COLUMNS:
            raise ValueError(
                f"The tree has {len(factors) + 1} nodes, too many to divide rows with missing "
                "values in SQL. Pass missing='majority'."
            )
        parts = ",\n".join(f"{text} AS f{node}" for node, text in factors.items())
        shares = ",\n".join(f"{total} AS p{c}" for c, total in enumerate(self.totals(ways)))
        return (
            f"(SELECT {self.cheapest()}\nFROM (SELECT {shares}\nFROM (SELECT {parts}) AS parts) "
            "AS shares)"
        )

    def factors(self) -> tuple[dict[int, str], dict[int, str]]:
        """For each node, the part it gets of its parent's share, and the product on its way."""
        factors: dict[int, str] = {}
        ways = {0: ""}
        for node, decision in enumerate(self.plan.decisions):
            if decision is None:
                continue
            parts = self.plan.fitted.tree.parts(node).tolist()
            for b, child in enumerate(self.plan.children(node)):
                formula = decision.branches[b] if b < len(decision.branches) else ()
                cases = []
                if decision.columns:
                    unknown = self.unknown(decision)
                    cases.append(f"WHEN {unknown} THEN {self.number(parts[b])}")
                if formula:
                    cases.append(f"WHEN {self.formula(formula)} THEN {self.number(1.0)}")
                factors[child] = f"CASE {' '.join(cases)} ELSE {self.number(0.0)} END"
                ways[child] = f"{ways[node]} * f{child}" if ways[node] else f"f{child}"
        return factors, ways

    def totals(self, ways: dict[int, str]) -> list[str]:
        """For each class, the sum of its shares over the leaves."""
        shares = self.plan.fitted.tree.leaf_distributions
        leaves = [node for node, decision in enumerate(self.plan.decisions) if decision is None]
        return [
            self.total([f"{ways[n]} * {self.number(shares[n, c])}" for n in leaves if shares[n, c]])
            for c in range(shares.shape[1])
        ]

    def cheapest(self) -> str:
        """The class with the largest share, or the least expected cost; the first in order."""
        k, order = len(self.plan.labels), self.plan.fitted.order.tolist()
        scores = [f"-p{c}" for c in range(k)] if self.plan.uniform else self.expected_costs()
        cases = []
        for place, c in enumerate(order[:-1], start=1):
            least = self.all(f"{scores[c]} <= {scores[d]}" for d in order[place:])
            cases.append(f"WHEN {least} THEN {self.literal(self.plan.labels[c])}")
        last = self.literal(self.plan.labels[order[-1]])
        return f"CASE {' '.join(cases)} ELSE {last} END" if cases else last

    def expected_costs(self) -> list[str]:
        """Expected cost of each answer."""
        costs = self.plan.fitted.costs
        k = len(costs)
        return [
            self.total([f"p{i} * {self.number(costs[i, c])}" for i in range(k) if i != c])
            for c in range(k)
        ]

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


def quoted(name: str, mark: str = '"') -> str:
    """A name, or text, between marks."""
    if "\0" in name:
        raise ValueError(f"SQL has no names nor text with a NUL character, as in {name!r}.")
    return mark + name.replace(mark, 2 * mark) + mark
