"""Formulas as the text of a language that has sums, comparisons and truth values.

A tree is statements: nested questions where one way is known, shares where a row takes several.

Questions return as soon as the class is known. The largest subtree of each decision comes last and
is not indented, so n leaves are indented log2(n) deep at most. Shares are the sums of
`planetree.tree.Tree`, one variable a node, in the same order and so with the same rounding.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from planetree.convert.plan import Decision, Formula, Grading, Plan, Signs
from planetree.planes import NEW, NO_CATEGORY, Among, HalfSpace, Test

_LONGEST = 50  # terms of a sum in one row; longer ones are nested, for the sake of shallow parsers
Case = tuple[str, list[str]]


class Expressions(ABC):
    """How a language says the formulas of a plan; a subclass says the smallest pieces."""

    AND, OR, NOT = " and ", " or ", "not "

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @abstractmethod
    def missing(self, column: int) -> str:
        """Whether a column is missing, as a truth value that is always known."""

    def present(self, column: int) -> str:
        """Whether a column is not missing."""
        return f"{self.NOT}({self.missing(column)})"

    @abstractmethod
    def new(self, column: int) -> str:
        """Whether a column that is not missing has a category that training did not have."""

    @abstractmethod
    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories of training."""

    def belongs(self, test: Among) -> str:
        """Whether a column has one of some categories, new ones and none at all included."""
        column, codes = test.column, tuple(code for code in test.codes if code >= 0)
        said = [self.missing(column)] if NO_CATEGORY in test.codes else []
        said += [self.among(column, codes)] if codes else []
        said += [self.new(column)] if NEW in test.codes else []
        return said[0] if len(said) == 1 else f"({self.any(said)})"

    @abstractmethod
    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a term."""

    @abstractmethod
    def extreme(self, which: str, values: Sequence[str]) -> str:
        """The `least` or the `greatest` of some values."""

    def depths(self, kind: str, scores: list[str]) -> list[str]:
        """What a graded decision takes sigmoids of: its scores, or one number made of them."""
        if kind == "sigmoid":
            return scores
        least = self.extreme("least", scores)
        if kind == "both":
            return [least]
        return [self.extreme("greatest", [least, f"-{self.extreme('greatest', scores)}"])]

    def number(self, value: float) -> str:
        """A floating-point number, with the digits that give it back bit for bit."""
        return repr(float(value))

    def times(self, weight: float, value: str) -> str:
        """A weight times a value."""
        if abs(weight) == 1.0:
            return value if weight > 0 else f"-{value}"
        return f"{self.number(weight)} * {value}"

    def total(self, terms: list[str]) -> str:
        """Sum of some terms, of the first ones first."""
        if not terms:
            return self.number(0.0)
        if len(terms) <= _LONGEST:
            signed = [f" - {term[1:]}" if term[0] == "-" else f" + {term}" for term in terms[1:]]
            return terms[0] + "".join(signed)
        middle = len(terms) // 2
        return f"({self.total(terms[:middle])}) + ({self.total(terms[middle:])})"

    def comparison(self, test: HalfSpace) -> str:
        """Whether a weighted sum exceeds its offset, or not; of one category, if it is there."""
        if len(test.terms) == 1 and test.terms[0][1] >= 0:
            (column, category), there = test.terms[0], test.weights[0] > test.offset
            if there != (test.offset < 0.0):
                held = self.among(column, (category,))
                return held if there == test.above else f"{self.NOT}({held})"
        return f"{self.weighted(test)} {'>' if test.above else '<='} {self.number(test.offset)}"

    def weighted(self, half: HalfSpace) -> str:
        """The weighted sum of a plane."""
        weighted = zip(half.terms, half.weights, strict=True)
        return self.total([self.term(*term, weight) for term, weight in weighted])

    def score(self, half: HalfSpace) -> str:
        """How far a row that is known is above a plane."""
        if half.offset == 0:
            return self.weighted(half)
        sign = "-" if half.offset > 0 else "+"
        return f"{self.weighted(half)} {sign} {self.number(abs(half.offset))}"

    def share(self, alternatives: Sequence[Signs], names: Sequence[str]) -> str:
        """Sum of products of signals, or of what they lack of 1."""
        one = self.number(1.0)
        products = [
            " * ".join(names[i] if up else f"({one} - {names[i]})" for i, up in signs)
            for signs in alternatives
        ]
        return self.total(products)

    def test(self, test: Test) -> str:
        """Whether a test holds for a row that is known."""
        return self.belongs(test) if isinstance(test, Among) else self.comparison(test)

    def formula(self, formula: Formula) -> str:
        """Whether a formula holds for a row that is known."""
        alternatives = [self.all(map(self.test, each)) for each in formula]
        if len(alternatives) == 1:
            return alternatives[0]
        return self.any(f"({each})" for each in alternatives)

    def all(self, conditions: Iterable[str]) -> str:
        """Whether all conditions hold."""
        return self.AND.join(conditions)

    def any(self, conditions: Iterable[str]) -> str:
        """Whether some condition holds."""
        return self.OR.join(conditions)

    def unknown(self, decision: Decision) -> str:
        """Whether a row cannot answer a decision."""
        return self.any([*map(self.missing, decision.needs), *map(self.test, decision.strays)])

    def known(self, decision: Decision) -> str:
        """Whether a row can answer a decision."""
        strays = [f"{self.NOT}({self.test(each)})" for each in decision.strays]
        return self.all([*map(self.present, decision.needs), *strays])

    def incomplete(self) -> str:
        """Whether a row lacks anything that some decision asks for."""
        return self.any([*map(self.missing, self.plan.needs), *map(self.test, self.plan.strays)])

    def outside(self) -> str:
        """Whether a number that is not missing lies outside the range of training; or nothing."""
        ranges = {} if self.plan.asking is None else self.plan.asking.ranges
        said = []
        for column, (low, high) in ranges.items():
            value = self.term(column, -1, 1.0)
            ends = f"{value} < {self.number(low)}{self.OR}{value} > {self.number(high)}"
            said.append(f"({self.present(column)}{self.AND}({ends}))")
        return self.any(said)

    def condition(self, node: int, branch: int) -> str:
        """Whether a row takes a branch, missing values included where they take a branch."""
        decision = self.plan.decisions[node]
        formula = decision.branches[branch]
        held = self.formula(formula) if formula else ""
        if self.plan.missing != "majority" or not decision.columns:
            return held
        enclosed = held if len(formula) == 1 and len(formula[0]) == 1 else f"({held})"
        if self.plan.heaviest(node) == branch:
            unknown = self.unknown(decision)
            return self.any([unknown, enclosed]) if held else unknown
        if self.plan.heaviest(node) == self.plan.asked(node)[-1]:
            return self.all([self.known(decision), enclosed])
        return held


class SourceCode(Expressions):
    """How a language of statements says a plan; a subclass says the smallest pieces.

    Three functions give shares: `shares` the probabilities of a row; where these are mixed, `way`
    those at the end of its way and `graded` those by distance from the planes.
    """

    INDENT = "    "

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan)
        self.name = name

    @abstractmethod
    def reads(self, columns: Iterable[int] | None = None) -> list[str]:
        """Read some columns, or all that are asked for."""

    @abstractmethod
    def refusal(self, shares: bool) -> list[str]:
        """Answer, with a class or with shares, for a row that the model refuses."""

    @abstractmethod
    def cheapest(self, function: str) -> list[str]:
        """Return the class of least expected cost by the shares that a function gives."""

    @abstractmethod
    def sigmoid(self, score: str, spread: str) -> str:
        """Sigmoid of a score in units of its spread."""

    @abstractmethod
    def softmax(self, node: int, scores: list[str], spread: str) -> tuple[list[str], list[str]]:
        """Statements that make the softmax of the scores of a node, and its names."""

    @abstractmethod
    def totals(self) -> list[str]:
        """Answer with the sum of each class, divided by all."""

    def define(self, name: str, value: str) -> str:
        """Make a variable that keeps its value."""
        return self.assign(name, value)

    @abstractmethod
    def branching(self, cases: Sequence[Case], otherwise: list[str] | None = None) -> list[str]:
        """Do what stands with the first case that holds."""

    @abstractmethod
    def assign(self, name: str, value: str) -> str:
        """Give a variable a value."""

    @abstractmethod
    def declare(self, names: list[str]) -> str:
        """Make variables that are 0."""

    @abstractmethod
    def answer(self, node: int) -> str:
        """Return what a leaf says."""

    def indented(self, lines: Sequence[str]) -> list[str]:
        """Lines one step further to the right."""
        return [self.INDENT + line for line in lines]

    def questions(self, node: int = 0) -> list[str]:
        """Statements that return the class of a row."""
        lines: list[str] = []
        while node in self.plan.decisions:
            *others, last = self.plan.asked(node)
            children = self.plan.children(node)
            for b in others:
                lines += self.branching([(self.condition(node, b), self.questions(children[b]))])
            node = children[last]
        return [*lines, self.answer(node)]

    def piece(self, file: str, head: str, words: Mapping[str, str]) -> list[str]:
        """A function of a file of this folder, by its head, with its words in capitals replaced."""
        source = files("planetree.convert").joinpath("languages", file).read_text("utf-8")
        found = next(each for each in source.split("\n\n") if head in each)
        return re.sub("|".join(words), lambda word: words[word[0]], found.strip()).split("\n")

    def pieces(self) -> set[str]:
        """The small functions that reading rows and grading scores takes."""
        columns = [self.plan.fitted.columns[j] for j in self.plan.columns]
        readers = {"number" if each.categories is None else "code" for each in columns}
        kinds = {grading.kind for grading in self.plan.gradings.values()}
        return readers | {"softmax" if kind == "softmax" else "sigmoid" for kind in kinds}

    def class_body(self) -> list[str]:
        """Statements that return the class of a row."""
        if not self.plan.by_way:
            return self.cheapest("shares")
        first = []
        if self.plan.refuses:
            first = self.branching([(self.incomplete(), self.refusal(shares=False))])
        elif self.plan.divides:
            way = self.cheapest("way" if self.plan.mixes else "shares")
            first = self.branching([(self.incomplete(), way)])
        return [*self.reads(), *first, *self.questions()]

    def shares_body(self, graded: bool) -> list[str]:
        """Statements that sum the probabilities of the leaves by the shares of a row."""
        first = []
        if self.plan.refuses:
            first = self.branching([(self.incomplete(), self.refusal(shares=True))])
        whole = self.define("s0", self.number(1.0))
        return [*self.reads(), *first, whole, *self.shares(graded), *self.totals()]

    def signals(self, node: int, grading: Grading) -> tuple[list[str], list[str]]:
        """Statements that make the signals of a graded decision, and their names."""
        scores, spread = [*map(self.score, grading.scores)], self.number(grading.spread)
        if grading.kind == "softmax":
            return self.softmax(node, scores, spread)
        depths = self.depths(grading.kind, scores)
        names = [f"u{node}_{i}" for i in range(len(depths))]
        made = [self.sigmoid(depth, spread) for depth in depths]
        return [self.define(*pair) for pair in zip(names, made, strict=True)], names

    def shares(self, graded: bool) -> list[str]:
        """Statements that give each node n but the root, as `s<n>`, the share of the row in it.

        Parameters
        ----------
        graded : bool
            Whether graded decisions give shares; if not, by the way of the row.
        """
        lines = []
        for node, decision in self.plan.decisions.items():
            children, parts = self.plan.children(node), self.plan.parts(node).tolist()
            pairs = list(zip(children, parts, strict=True))
            lines.append(self.declare([f"s{child}" for child in children]))
            split = [self.assign(f"s{c}", f"s{node} * {self.number(p)}") for c, p in pairs if p]
            asks = decision.needs or decision.strays
            cases = [(self.unknown(decision), split)] if asks and split else []
            if graded and decision.grading is not None:
                otherwise = self.graded_shares(node, decision.grading)
            else:
                *asked, (_, otherwise) = self.whole_shares(node, decision)
                cases += asked
            lines += self.branching(cases, otherwise) if cases else otherwise
        return lines

    def whole_shares(self, node: int, decision: Decision) -> list[Case]:
        """For each branch that is taken, when, and the statement that gives it the whole row."""
        children = self.plan.children(node)
        return [
            (self.formula(formula), [self.assign(f"s{children[b]}", f"s{node}")])
            for b, formula in enumerate(decision.branches)
            if formula
        ]

    def graded_shares(self, node: int, grading: Grading) -> list[str]:
        """Statements that divide a row among the branches of a graded decision."""
        lines, names = self.signals(node, grading)
        for child, alternatives in zip(self.plan.children(node), grading.branches, strict=True):
            share = self.share(alternatives, names)
            enclosed = share if len(alternatives) == 1 else f"({share})"
            lines.append(self.assign(f"s{child}", f"s{node} * {enclosed}"))
        return lines

    def class_totals(self) -> list[str]:
        """For each class, the sum of its shares over the leaves."""
        shares = self.plan.probabilities
        assert shares is not None
        return [
            self.total(
                [f"s{n} * {self.number(q)}" for n in self.plan.leaves if (q := shares[n, c]) > 0]
            )
            for c in range(shares.shape[1])
        ]
