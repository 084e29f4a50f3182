"""Shares, probabilities and the cheapest class of a row as common table expressions of SQL.

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

from planetree.convert.languages.sql_expressions import SqlExpressions
from planetree.convert.plan import BEYOND, Decision, Grading
from planetree.grading import MARGIN

__all__ = ["ShareSteps"]

_MAX_COLUMNS = 1600  # of PostgreSQL's lists; SQLite has 2000


class ShareSteps:
    """Common table expressions, each a list of columns, that compute what a row shares."""

    def __init__(self, sql: SqlExpressions) -> None:
        self.sql, self.plan = sql, sql.plan
        self.one, self.zero = sql.number(1.0), sql.number(0.0)
        self.greatest, self.least = ("GREATEST", "LEAST")
        if sql.dialect == "sqlite":
            self.greatest, self.least = "MAX", "MIN"

    def label(self) -> str:
        """The label of the class whose number is `code`."""
        labels = map(self.sql.literal, self.plan.labels)
        return f"CASE code {' '.join(f'WHEN {c} THEN {said}' for c, said in enumerate(labels))} END"

    def query(self, steps: list[list[str]], answers: list[str], first: str = "") -> str:
        """A query of one row after another: steps, and what the last one is asked for."""
        kept = "AS" if self.sql.dialect == "standard" else "AS MATERIALIZED"
        steps, tables = [step for step in steps if step], []
        if max(map(len, steps)) > _MAX_COLUMNS:
            raise ValueError(
                f"The tree has {len(self.plan.decisions)} nodes, too many to divide rows in SQL. "
                "Pass missing='majority'."
            )
        for number, step in enumerate(steps):
            source = f"\nFROM step{number - 1}" if number else first
            columns = ",\n".join(step if not number else ["*", *step])
            tables.append(f"step{number} {kept} (SELECT {columns}{source})")
        joined = ",\n".join(tables)
        return f"WITH {joined}\nSELECT {', '.join(answers)}\nFROM step{len(steps) - 1}"

    def joined(self, answers: list[str]) -> str:
        """The query that adds answers to the columns of a table."""
        steps, table = self.probabilities(), self.sql.table
        if self.sql.dialect != "sqlite":
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
            steps[0].append(f"{self.sql.code()} AS way_code")
            steps[-1] = [f"{self.way_code()} AS code"]
        if self.plan.mixes:
            way = self.shares("h", graded=False)
            return [*steps[:-2], [*steps[-2], *way], steps[-1], *self.mixed()]
        return steps

    def way_code(self) -> str:
        """The number of the class, by the way or the shares."""
        if self.plan.missing != "fractions" or not self.plan.columns:
            return "way_code"
        return f"COALESCE(way_code, {self.cheapest('h' if self.plan.mixes else 'p')})"

    def divided(self, by_way: bool) -> list[list[str]]:
        """Steps to the shares of the classes, and to the cheapest."""
        graded = not by_way and self.plan.is_graded
        rows, steps = self.parts(graded), self.signals() if graded else []
        p = "h" if by_way else "p"
        code = [f"{self.cheapest(p)} AS code"]
        return [rows, *steps, self.shares(p, graded), code]

    def parts(self, graded: bool) -> list[str]:
        """What is read of a row: scores of graded decisions, and parts by the way."""
        found = [f"{self.one} AS whole"]
        for node in self.plan.inner:
            decision = self.plan.decisions[node]
            assert decision is not None
            if graded and decision.grading is not None:
                found += self.scores(node, decision)
            if not graded or decision.grading is None or self.plan.mixes:
                factors = self.factors(node, decision)
                pairs = zip(self.plan.children(node), factors, strict=False)
                found += [f"{factor} AS f{child}" for child, factor in pairs]
        return found

    def scores(self, node: int, decision: Decision) -> list[str]:
        """Scores of a graded decision, NULL where they are not known."""
        assert decision.grading is not None
        cases = f"CASE WHEN {self.sql.unknown(decision)} THEN NULL ELSE" if decision.columns else ""
        end = " END" if decision.columns else ""
        scores = map(self.sql.score, decision.grading.scores)
        return [
            f"CAST({cases} {score}{end} AS DOUBLE PRECISION) AS x{node}_{i}"
            for i, score in enumerate(scores)
        ]

    def signals(self) -> list[list[str]]:
        """Steps from scores to signals, and to the parts of graded decisions."""
        joined: list[str] = []
        odds: list[str] = []
        signals: list[str] = []
        parts: list[str] = []
        for node in self.plan.inner:
            decision = self.plan.decisions[node]
            assert decision is not None
            if (grading := decision.grading) is None:
                continue
            n = len(grading.scores)
            x, u = ([f"{name}{node}_{i}" for i in range(n)] for name in "xu")
            most, least = f"{self.greatest}({', '.join(x)})", f"{self.least}({', '.join(x)})"
            if grading.kind == "softmax":
                joined.append(f"{most} AS m{node}")
                odds += [
                    f"{self.odds(each, f'm{node}', grading.spread)} AS e{node}_{i}"
                    for i, each in enumerate(x)
                ]
                total = " + ".join(f"e{node}_{i}" for i in range(n))
                signals += [f"e{node}_{i} / ({total}) AS {u[i]}" for i in range(n)]
            elif grading.kind == "sigmoid":
                signals += [
                    f"{self.sigmoid(a, grading.spread)} AS {b}" for a, b in zip(x, u, strict=True)
                ]
            else:
                depth = least if grading.kind == "both" else f"{self.greatest}({least}, -{most})"
                joined.append(f"{depth} AS d{node}")
                signals.append(f"{self.sigmoid(f'd{node}', grading.spread)} AS {u[0]}")
            parts += self.graded_parts(node, grading, u)
        return [joined, odds, signals, parts]

    def graded_parts(self, node: int, grading: Grading, names: list[str]) -> list[str]:
        """The part that each branch of a graded decision gets."""
        found = []
        for b, child in enumerate(self.plan.children(node)):
            share = self.sql.share(grading.branches[b], names)
            if self.plan.missing != "refuse":
                share = f"COALESCE({share}, {self.sql.number(self.plan.parts(node)[b])})"
            found.append(f"{share} AS g{child}")
        return found

    def sigmoid(self, score: str, spread: float) -> str:
        """Sigmoid of a score in units of its spread."""
        beyond = self.sql.number(BEYOND * spread)
        inside = f"{self.one} / ({self.one} + EXP(-{score} / {self.sql.number(spread)}))"
        return (
            f"CASE WHEN {score} > {beyond} THEN {self.one} WHEN {score} < -{beyond} "
            f"THEN {self.zero} ELSE {inside} END"
        )

    def odds(self, score: str, most: str, spread: float) -> str:
        """Odds of a score against the largest."""
        half, two = self.sql.number(BEYOND * spread / 2), self.sql.number(2.0)
        return (
            f"CASE WHEN {most} / {two} - {score} / {two} > {half} THEN {self.zero} "
            f"ELSE EXP(({score} - {most}) / {self.sql.number(spread)}) END"
        )

    def shares(self, p: str, graded: bool) -> list[str]:
        """Probability of each class."""
        ways = {0: "whole * "}
        for node in self.plan.inner:
            decision = self.plan.decisions[node]
            assert decision is not None
            part = "g" if graded and decision.grading is not None else "f"
            for child in self.plan.children(node):
                before = ways[node] if node else ""
                ways[child] = f"{before}{part}{child} * "
        return [f"{total} AS {p}{c}" for c, total in enumerate(self.totals(ways))]

    def mixed(self) -> list[list[str]]:
        """Steps that mix p with h until the class of the way is the cheapest."""
        certain = [
            f"CASE code WHEN {c} THEN {self.one} ELSE {self.zero} END AS k{c}"
            for c in range(len(self.plan.labels))
        ]
        toward_way, toward_class = (
            self.toward("p", "h", 0.0, "q"),
            self.toward("q", "k", MARGIN, "r"),
        )
        return [certain, *toward_way, *toward_class]

    def toward(self, p: str, other: str, margin: float, found: str) -> list[list[str]]:
        """Steps that mix p with other probabilities by the part that it takes."""
        classes = range(len(self.plan.labels))
        costs = [
            f"{cost} AS {found}_{name}{c}"
            for name, shares in (("a", p), ("b", other))
            for c, cost in enumerate(self.expected_costs(shares))
        ]
        own = [
            f"CASE code {' '.join(f'WHEN {c} THEN {found}_{name}{c}' for c in classes)} END "
            f"AS {found}_{name}"
            for name in "ab"
        ]
        needs = [f"{self.need(c, margin, found)} AS {found}_n{c}" for c in classes]
        most = f"{self.greatest}({', '.join(f'{found}_n{c}' for c in classes)})"
        part = f"{self.least}({most}, {self.one}) AS {found}_t"
        mixed = [
            f"({self.one} - {found}_t) * {p}{c} + {found}_t * {other}{c} AS {found}{c}"
            for c in classes
        ]
        return [costs, own, needs, [part], mixed]

    def need(self, c: int, margin: float, found: str) -> str:
        """What part it takes that a class is not as cheap as that of the way."""
        margins = margin * self.plan.fitted.costs[:, c]
        cases = " ".join(f"WHEN {i} THEN {self.sql.number(m)}" for i, m in enumerate(margins))
        wanted = f"CASE code {cases} END" if margins.any() else self.zero
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
            if decision.columns:
                cases.append(f"WHEN {self.sql.unknown(decision)} THEN {self.sql.number(part)}")
            if formula:
                cases.append(f"WHEN {self.sql.formula(formula)} THEN {self.sql.number(1.0)}")
            found.append(f"CASE {' '.join(cases)} ELSE {self.sql.number(0.0)} END")
        return found

    def totals(self, ways: dict[int, str]) -> list[str]:
        """For each class, the sum of its shares over the leaves."""
        shares, leaves = self.plan.probabilities, self.plan.leaves
        assert shares is not None
        return [
            self.sql.total(
                [f"{ways[n]}{self.sql.number(shares[n, c])}" for n in leaves if shares[n, c] > 0]
            )
            for c in range(shares.shape[1])
        ]

    def cheapest(self, p: str) -> str:
        """Number of the class with the largest share, or the least cost; the first in order."""
        order, scores = self.plan.fitted.order.tolist(), self.expected_costs(p)
        cases = []
        for place, c in enumerate(order[:-1], start=1):
            least = self.sql.all(f"{scores[c]} <= {scores[d]}" for d in order[place:])
            cases.append(f"WHEN {least} THEN {c}")
        return f"CASE {' '.join(cases)} ELSE {order[-1]} END" if cases else str(order[-1])

    def expected_costs(self, p: str) -> list[str]:
        """Expected cost of each answer; where all mistakes cost the same, less than that by 1."""
        costs = self.plan.fitted.costs
        k = len(costs)
        if self.plan.uniform:
            return [f"-{p}{c}" for c in range(k)]
        return [
            self.sql.total([f"{p}{i} * {self.sql.number(costs[i, c])}" for i in range(k) if i != c])
            for c in range(k)
        ]
