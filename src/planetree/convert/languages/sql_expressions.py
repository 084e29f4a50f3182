"""Formulas, columns and labels as SQL; shares, probabilities and the cheapest class as steps.

Each step is computed from those before:

    x     scores of the planes of graded decisions; NULL where they are not known
    f     the part of its parent's share that each node gets on the row's way: the part of the
          training weight if the decision is not known; else 1 or 0
    u     signals of graded decisions
    g     the part of its parent's share that each node gets by the signals; where they are not
          known, as f
    p, h  probabilities of the classes: sums over the leaves of the products on the way there times
          the leaf's probabilities, by g and by f
    q, r  p mixed with h, and q with k, the class of the way alone, until that class is the
          cheapest (`planetree.grading.keep_class`): a and b are the costs that both expect, t the
          part that it takes

A step is computed once a row: naming it keeps those who read it from repeating it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from planetree.arrays import PRODUCT, factor_of
from planetree.convert.languages.expressions import Expressions
from planetree.convert.plan import (
    BEYOND,
    HIGHEST_STAND_IN,
    LOWEST_STAND_IN,
    Decision,
    Grading,
    Plan,
)
from planetree.grading import MARGIN
from planetree.table import OWN_CATEGORY

_MAX_COLUMNS = 1600  # of PostgreSQL's lists; SQLite has 2000


class SqlExpressions(Expressions):
    """Formulas of SQL."""

    AND, OR, NOT = " AND ", " OR ", "NOT "

    def __init__(self, plan: Plan, table: str | None, dialect: str) -> None:
        super().__init__(plan)
        self.table: str = "" if table is None else quoted(table) + "."
        self.dialect = dialect

    def column(self, j: int) -> str:
        """A number of the row; what fills its column where it is missing."""
        name, column = self.name(j), self.plan.fitted.columns[j]
        if column.fill is None or column.categories is not None:
            return name
        return f"CASE WHEN {self.missing(j)} THEN {self.number(column.fill)} ELSE {name} END"

    def name(self, j: int) -> str:
        """Name of a column, with its table if that is known."""
        name = self.plan.fitted.columns[j].name
        if not name and self.dialect != "sqlite":
            raise ValueError(
                f"A column has an empty name, which SQL ({self.dialect}) does not allow."
            )
        return self.table + quoted(name)

    def missing(self, column: int) -> str:
        """Whether a column is missing: NULL, or not a number."""
        name, categories = self.name(column), self.plan.fitted.columns[column].categories
        tests, numbers = [f"{name} IS NULL"], _are_numbers(categories or ())
        if self.dialect in ("duckdb", "postgresql") and numbers:
            tests.append(f"{name} = CAST('NaN' AS DOUBLE PRECISION)")
        if self.plan.fitted.stand_in and categories is None:
            bounds = f"{self.number(LOWEST_STAND_IN)} AND {self.number(HIGHEST_STAND_IN)}"
            tests.append(f"{name} BETWEEN {bounds}")
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests)})"

    def present(self, column: int) -> str:
        """Whether a column is not missing."""
        missing = self.missing(column)
        if missing.endswith(" IS NULL"):
            return missing.removesuffix("NULL") + "NOT NULL"
        return f"NOT {missing}"

    def new(self, column: int) -> str:
        """Whether a column that is not missing has a category that training did not have."""
        known = self.literals(column, range(len(self.plan.fitted.columns[column].categories or ())))
        return f"{self.name(column)} NOT IN ({', '.join(known)})"

    def literals(self, column: int, codes: Iterable[int]) -> list[str]:
        """Some categories of a column; its own category of gaps only where all are text."""
        labels = self.plan.fitted.columns[column].categories or ()
        texts = {isinstance(label, str) for label in labels if label != OWN_CATEGORY} <= {True}
        named = (labels[code] for code in codes)
        return [self.literal(label) for label in named if texts or label != OWN_CATEGORY]

    def extreme(self, which: str, values: Sequence[str]) -> str:
        """The least or the greatest of some values."""
        short = {"least": "MIN", "greatest": "MAX"}
        name = short[which] if self.dialect == "sqlite" else which.upper()
        return f"{name}({', '.join(values)})"

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        fill = self.plan.fitted.columns[column].fill
        known = self.literals(column, codes)
        listed = f"{self.name(column)} IN ({', '.join(known)})"
        if len(known) == 1:
            listed = f"{self.name(column)} = {known[0]}"
        if fill is None:
            return listed
        if fill not in codes:  # known to be false where the cell is missing
            return f"({self.present(column)} AND {listed})"
        return f"({self.missing(column)} OR {listed})" if known else self.missing(column)

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number or a product, or the weight where the category is there."""
        if category >= 0:
            there = self.among(column, (category,))
            return f"CASE WHEN {there} THEN {self.number(weight)} ELSE {self.number(0.0)} END"
        if category <= PRODUCT:  # a float comes first, so that whole numbers do not overflow
            factor = self.column(factor_of(category))
            return self.times(weight, f"({self.number(1.0)} * {self.column(column)} * {factor})")
        return self.times(weight, self.column(column))

    def number(self, value: float) -> str:
        """A floating-point literal: without an exponent it would be a decimal."""
        said = repr(float(value))
        return said if "e" in said else f"{said}e0"

    def literal(self, label: Any) -> str:
        """A label as text, a number or a boolean."""
        if isinstance(label, str):
            return quoted(label, "'")
        if isinstance(label, bool):  # SQLite's TRUE may be a column
            return str(label).upper() if self.dialect != "sqlite" else str(int(label))
        return str(label) if isinstance(label, int) else self.number(label)

    def questions(self, node: int, cases: list[str], answers: Sequence[Any]) -> str:
        """Cases of a node and those below it, after cases that come first."""
        while node in self.plan.decisions:
            *others, last = self.plan.asked(node)
            children = self.plan.children(node)
            for b in others:
                answer = self.questions(children[b], [], answers)
                cases.append(f"WHEN {self.condition(node, b)} THEN {answer}")
            node = children[last]
        answer = self.literal(answers[node])
        return "CASE " + "\n".join(cases) + f"\nELSE {answer} END" if cases else answer

    def way(self, answers: Sequence[Any], incomplete: str = "NULL") -> str:
        """What nodes answer at the end of a row's way, and what a row that has no single way is."""
        cases = []
        asks = self.plan.needs or self.plan.strays
        if asks and self.plan.missing != "majority":
            cases = [f"WHEN {self.incomplete()} THEN {incomplete}"]
        return self.questions(0, cases, answers)


class SqlShares(SqlExpressions):
    """Steps as common table expressions, each a list of columns, that compute what a row shares."""

    def __init__(self, plan: Plan, table: str | None, dialect: str) -> None:
        super().__init__(plan, table, dialect)
        self.one: str = self.number(1.0)
        self.zero: str = self.number(0.0)
        self.classes: range = range(len(plan.labels))

    def by_code(self, values: Iterable[str]) -> str:
        """The value of the class whose number is `code`."""
        return f"CASE code {' '.join(f'WHEN {c} THEN {v}' for c, v in enumerate(values))} END"

    def label(self) -> str:
        """The label of the class."""
        return self.by_code(map(self.literal, self.plan.labels))

    def query(self, steps: list[list[str]], answers: list[str], first: str = "") -> str:
        """A query of one row after another: steps, and what the last one is asked for."""
        kept = "AS" if self.dialect == "standard" else "AS MATERIALIZED"
        steps, tables = [step for step in steps if step], []
        if max(map(len, steps)) > _MAX_COLUMNS:
            raise ValueError(
                f"The tree has {self.plan.fitted.tree.n_nodes} nodes, too many to divide rows in "
                "SQL. Pass missing='majority'."
            )
        for number, step in enumerate(steps):
            source = f"\nFROM step{number - 1}" if number else first
            columns = ",\n".join(step if not number else ["*", *step])
            tables.append(f"step{number} {kept} (SELECT {columns}{source})")
        joined = ",\n".join(tables)
        return f"WITH {joined}\nSELECT {', '.join(answers)}\nFROM step{len(steps) - 1}"

    def joined(self, answers: list[str]) -> str:
        """The query that adds answers to the columns of a table."""
        steps, table = self.probabilities(), self.table
        if self.dialect != "sqlite":
            answered = self.query(steps, answers)
            return (
                f"SELECT {table}*, answers.*\nFROM {table[:-1]}\n"
                f"CROSS JOIN LATERAL ({answered}) AS answers"
            )
        steps[0].insert(0, f"{table}_rowid_ AS number")  # has no LATERAL
        answered = self.query(steps, [f"{table}*", *answers], f"\nFROM {table[:-1]}")
        return f"{answered} AS answers\nJOIN {table[:-1]} ON {table}_rowid_ = answers.number"

    def probabilities(self) -> list[list[str]]:
        """Steps to the code of the class and what its probabilities are made of."""
        steps = self.divided(by_way=False)
        if self.plan.by_way:
            steps[0].append(f"{self.way(self.plan.fitted.codes.tolist())} AS way_code")
            code = "way_code"
            if self.plan.divides:
                code = f"COALESCE(way_code, {self.cheapest('h' if self.plan.mixes else 'p')})"
            steps[-1] = [f"{code} AS code"]
        if self.plan.mixes:
            way = self.shares("h", graded=False)
            return [*steps[:-2], [*steps[-2], *way], steps[-1], *self.mixed()]
        return steps

    def divided(self, by_way: bool) -> list[list[str]]:
        """Steps to the shares of the classes, and to the cheapest."""
        graded, p = not by_way and self.plan.is_graded, "h" if by_way else "p"
        steps = [self.parts(graded), *(self.signals() if graded else [])]
        return [*steps, self.shares(p, graded), [f"{self.cheapest(p)} AS code"]]

    def parts(self, graded: bool) -> list[str]:
        """What is read of a row: scores of graded decisions, and parts by the way."""
        found = [f"{self.one} AS whole"]
        for node, decision in self.plan.decisions.items():
            if graded and decision.grading is not None:
                found += self.scores(node, decision, decision.grading)
            if not graded or decision.grading is None or self.plan.mixes:
                pairs = zip(self.plan.children(node), self.factors(node, decision), strict=False)
                found += [f"{factor} AS f{child}" for child, factor in pairs]
        return found

    def scores(self, node: int, decision: Decision, grading: Grading) -> list[str]:
        """Scores of a graded decision, NULL where they are not known."""
        case, end = "", ""
        if decision.needs:
            case, end = f"CASE WHEN {self.unknown(decision)} THEN NULL ELSE", " END"
        scores = (
            f"CAST({case} {s}{end} AS DOUBLE PRECISION)" for s in map(self.score, grading.scores)
        )
        return _named(f"x{node}_", scores)

    def signals(self) -> list[list[str]]:
        """Steps from scores to signals, and to the parts of graded decisions."""
        steps: list[list[str]] = [[], [], [], []]
        joined, odds, signals, parts = steps
        for node, grading in self.plan.gradings.items():
            x, e = ([f"{name}{node}_{i}" for i in range(len(grading.scores))] for name in "xe")
            if grading.kind == "softmax":
                joined.append(f"{self.extreme('greatest', x)} AS m{node}")
                odds += _named(f"e{node}_", (self.odds(s, f"m{node}", grading.spread) for s in x))
                found = [f"{each} / ({' + '.join(e)})" for each in e]
            else:
                depths = self.depths(grading.kind, x)
                if grading.kind != "sigmoid":
                    joined.append(f"{depths[0]} AS d{node}")
                    depths = [f"d{node}"]
                found = [self.sigmoid(depth, grading.spread) for depth in depths]
            signals += _named(f"u{node}_", found)
            names = [f"u{node}_{i}" for i in range(len(found))]
            for b, child in enumerate(self.plan.children(node)):
                share = self.share(grading.branches[b], names)
                if self.plan.missing != "refuse":
                    share = f"COALESCE({share}, {self.number(self.plan.parts(node)[b])})"
                parts.append(f"{share} AS g{child}")
        return steps

    def sigmoid(self, score: str, spread: float) -> str:
        """Sigmoid of a score in units of its spread."""
        beyond = self.number(BEYOND * spread)
        inside = f"{self.one} / ({self.one} + EXP(-{score} / {self.number(spread)}))"
        return (
            f"CASE WHEN {score} > {beyond} THEN {self.one} WHEN {score} < -{beyond} "
            f"THEN {self.zero} ELSE {inside} END"
        )

    def odds(self, score: str, most: str, spread: float) -> str:
        """Odds of a score against the largest."""
        half, two = self.number(BEYOND * spread / 2), self.number(2.0)
        return (
            f"CASE WHEN {most} / {two} - {score} / {two} > {half} THEN {self.zero} "
            f"ELSE EXP(({score} - {most}) / {self.number(spread)}) END"
        )

    def shares(self, p: str, graded: bool) -> list[str]:
        """Probability of each class: the sum of its shares over the leaves."""
        ways = {0: "whole * "}
        for node in self.plan.decisions:
            part = "g" if graded and node in self.plan.gradings else "f"
            for child in self.plan.children(node):
                ways[child] = f"{ways[node] if node else ''}{part}{child} * "
        shares, leaves = self.plan.probabilities, self.plan.leaves
        assert shares is not None
        totals = (
            [f"{ways[n]}{self.number(shares[n, c])}" for n in leaves if shares[n, c] > 0]
            for c in self.classes
        )
        return _named(p, map(self.total, totals))

    def mixed(self) -> list[list[str]]:
        """Steps that mix p with h until the class of the way is the cheapest."""
        certain = (f"CASE code WHEN {c} THEN {self.one} ELSE {self.zero} END" for c in self.classes)
        toward_way = self.toward("p", "h", 0.0, "q")
        return [_named("k", certain), *toward_way, *self.toward("q", "k", MARGIN, "r")]

    def toward(self, p: str, other: str, margin: float, found: str) -> list[list[str]]:
        """Steps that mix p with other probabilities by the part that it takes."""
        costs, own = [], []
        for name, shares in ((f"{found}_a", p), (f"{found}_b", other)):
            costs += _named(name, self.expected_costs(shares))
            own.append(f"{self.by_code(f'{name}{c}' for c in self.classes)} AS {name}")
        needs = _named(f"{found}_n", (self.need(c, margin, found) for c in self.classes))
        most = self.extreme("greatest", [f"{found}_n{c}" for c in self.classes])
        part = f"{self.extreme('least', [most, self.one])} AS {found}_t"
        mixed = (
            f"({self.one} - {found}_t) * {p}{c} + {found}_t * {other}{c}" for c in self.classes
        )
        return [costs, own, needs, [part], _named(found, mixed)]

    def need(self, c: int, margin: float, found: str) -> str:
        """What part it takes that a class is not as cheap as that of the way."""
        margins = margin * self.plan.fitted.costs[:, c]
        wanted = self.by_code(map(self.number, margins)) if margins.any() else self.zero
        dearer = f"({found}_a{c} - {found}_a)"
        room = f"({found}_b{c} - {found}_b)"
        return (
            f"CASE WHEN {wanted} > {dearer} AND {room} > {dearer} "
            f"THEN ({wanted} - {dearer}) / ({room} - {dearer}) ELSE {self.zero} END"
        )

    def factors(self, node: int, decision: Decision) -> list[str]:
        """The part that each branch of a decision gets of a row, by its way."""
        found = []
        for formula, part in zip(decision.branches, self.plan.parts(node), strict=False):
            cases = []
            if decision.needs or decision.strays:
                cases.append(f"WHEN {self.unknown(decision)} THEN {self.number(part)}")
            if formula:
                cases.append(f"WHEN {self.formula(formula)} THEN {self.one}")
            found.append(f"CASE {' '.join(cases)} ELSE {self.zero} END")
        return found

    def cheapest(self, p: str) -> str:
        """Number of the class with the largest share, or the least cost; the first in order."""
        order, scores = self.plan.fitted.order.tolist(), self.expected_costs(p)
        cases = []
        for place, c in enumerate(order[:-1], start=1):
            least = self.all(f"{scores[c]} <= {scores[d]}" for d in order[place:])
            cases.append(f"WHEN {least} THEN {c}")
        return f"CASE {' '.join(cases)} ELSE {order[-1]} END" if cases else str(order[-1])

    def expected_costs(self, p: str) -> list[str]:
        """Expected cost of each answer; where all mistakes cost the same, less than that by 1."""
        costs = self.plan.fitted.costs
        if self.plan.uniform:
            return [f"-{p}{c}" for c in self.classes]
        return [
            self.total([f"{p}{i} * {self.number(costs[i, c])}" for i in self.classes if i != c])
            for c in self.classes
        ]


def _are_numbers(categories: Sequence[Any]) -> bool:
    """Whether no category is text or a truth value, but for that of gaps."""
    known = [each for each in categories if each != OWN_CATEGORY] or categories
    return not any(isinstance(each, (str, bool)) for each in known)


def _named(name: str, values: Iterable[str]) -> list[str]:
    """Columns with a name and a number each."""
    return [f"{value} AS {name}{i}" for i, value in enumerate(values)]


def quoted(name: str, mark: str = '"') -> str:
    """A name, or text, between marks."""
    if "\0" in name:
        raise ValueError(f"SQL names and text cannot contain a NUL character: {name!r}.")
    return mark + name.replace(mark, 2 * mark) + mark
