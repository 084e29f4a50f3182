"""A model as a Python module that needs nothing but Python."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence
from typing import Any

from planetree import __version__
from planetree.arrays import PRODUCT, factor_of
from planetree.convert.languages.expressions import Case, SourceCode
from planetree.convert.plan import BEYOND, HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan, plan_of
from planetree.grading import MARGIN
from planetree.tree.inspection.abstention import ASK


def to_python(
    model: Any, name: str = "predict", *, missing: str | None = None, ask: float | None = None
) -> str:
    """Say a fitted model as the source of a Python module without dependencies.

    The module holds `CLASSES` and the function `name`, which takes a row as a mapping from the
    names of columns to values and returns its class. Missing is None, NaN, or empty text; a
    category that training did not have is as in the model. If the model has `predict_proba`,
    `<name>_shares` gives the probability of each class.

    Parameters
    ----------
    model : fitted separator or tree
    name : str
        Name of the function.
    missing : {"majority"}, optional
        What a missing value does: by default as in the model, which divides the row among the
        branches, or raises where the model refuses; or to take the branch of most training rows.
    ask : float, optional
        Also define `<name>_or_ask`, which gives 'ask a person' where the expected error of an
        answer exceeds this limit or a number is out of the training range, as `predict_or_ask`
        does. It takes a tree.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.convert import to_python
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> source = to_python(C45Classifier().fit(X, y))
    >>> print(source[source.index("    x0 ="):source.index("def predict_shares")].rstrip())
        x0 = _number(row['x0'])
        if x0 is None:
            shares = predict_shares(row)
            return CLASSES[max((0, 1), key=shares.__getitem__)]
        if x0 > 1.0:
            return 'b'
        return 'a'
    >>> module = {}
    >>> exec(source, module)
    >>> module["predict"]({"x0": 2.5}), module["predict_shares"]({"x0": None})
    ('b', [0.5, 0.5])
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name in _RESERVED:
        raise ValueError(f"name must be a name that Python allows, but it is {name!r}.")
    plan = plan_of(model, missing, ask)
    return "\n".join(_Python(plan, name).module()) + "\n"


_RESERVED = {"CLASSES", "COSTS", "exp", "row", "shares", "costs", "cost", "total", "totals"}
_RESERVED |= {"_graded", "_way", "_kept", "_sigmoid", "_softmax", "_number", "_category"}
_RESERVED |= set(dir(builtins))
_PIECES = {"number": "_number", "code": "_category", "sigmoid": "_sigmoid", "softmax": "_softmax"}
_PIECES |= {"kept": "_kept"}


class _Python(SourceCode):
    """Formulas and statements of Python."""

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan, name)
        self.functions = {"shares": f"{name}_shares", "way": "_way", "graded": "_graded"}
        taken = _RESERVED | {name, f"{name}_shares", f"{name}_or_ask"}
        self.variables = _variables_of(plan, taken)

    def module(self) -> list[str]:
        """Lines of the module."""
        said = "Class of a row: a mapping from the names of columns to values, None where missing."
        functions = [
            self.function(self.name, said, self.class_body()),
            *self.predict_shares(),
            *self.predict_or_ask(),
            *self.piece_functions(),
        ]
        lines = [
            f'"""{self.plan.fitted.owner} as plain Python, made by planetree {__version__}."""',
            "",
            *(["from math import exp", ""] if self.plan.is_graded else []),
            f"CLASSES = {self.plan.labels!r}",
        ]
        if not self.plan.uniform or self.plan.mixes:
            lines.append(f"COSTS = {self.plan.fitted.costs.tolist()!r}")
        for function in functions:
            lines += ["", "", *function]
        return lines

    def function(self, name: str, said: str, body: list[str]) -> list[str]:
        """A function of a row."""
        return [f"def {name}(row):", *self.indented([f'"""{said}"""', *body])]

    def refusal(self, shares: bool) -> list[str]:
        """An error."""
        return [f"raise ValueError({self.plan.fitted.owner + ' needs every value.'!r})"]

    def cheapest(self, function: str) -> list[str]:
        """Return the class by the shares that a function gives."""
        shares = f"shares = {self.functions[function]}(row)"
        return [shares, f"return CLASSES[{self.cheapest_code()}]"]

    def cheapest_code(self) -> str:
        """The number of the class of least expected cost by `shares`."""
        order = tuple(self.plan.fitted.order.tolist())
        if self.plan.uniform:
            return f"max({order!r}, key=shares.__getitem__)"
        cost = "sum(s * c[i] for s, c in zip(shares, COSTS))"
        return f"min({order!r}, key=lambda i: {cost})"

    def predict_shares(self) -> list[list[str]]:
        """The functions that give the probability of each class."""
        if self.plan.probabilities is None:
            return []
        name, said = self.functions["shares"], "Probability of each class, in the order of CLASSES."
        if not self.plan.mixes:
            return [self.function(name, said, self.shares_body(graded=True))]
        way, kept = "shares = _way(row)", f"_kept(_graded(row), shares, {self.cheapest_code()})"
        by_distance = "Probabilities by distance from the planes."
        by_way = "Probabilities of the leaf on the row's way."
        return [
            self.function(name, said, [way, f"return {kept}"]),
            self.function("_graded", by_distance, self.shares_body(graded=True)),
            self.function("_way", by_way, self.shares_body(graded=False)),
        ]

    def predict_or_ask(self) -> list[list[str]]:
        """The function that leaves rows to a person."""
        if self.plan.asking is None:
            return []
        said = f"Class of a row, or {ASK!r} where it is unsure or out of the training range."
        chance = f"{self.name}_shares(row)[CLASSES.index({self.name}(row))]"
        unsure = f"1.0 - {chance} > {self.plan.asking.limit!r}"
        ask = [f"return {ASK!r}"]
        outside = self.outside()
        body = self.reads(self.plan.asking.ranges)
        body += self.branching([(outside, ask)]) if outside else []
        body += [*self.branching([(unsure, ask)]), f"return {self.name}(row)"]
        return [self.function(f"{self.name}_or_ask", said, body)]

    def totals(self) -> list[str]:
        """Return a list."""
        lines = [f"    {total}," for total in self.class_totals()]
        return ["totals = [", *lines, "]", "return [total / sum(totals) for total in totals]"]

    def sigmoid(self, score: str, spread: str) -> str:
        """Sigmoid of a score in units of its spread."""
        return f"_sigmoid({score}, {spread})"

    def softmax(self, node: int, scores: list[str], spread: str) -> tuple[list[str], list[str]]:
        """Statement that makes the softmax of scores."""
        names = [f"u{node}_{i}" for i in range(len(scores))]
        return [f"{', '.join(names)} = _softmax([{', '.join(scores)}], {spread})"], names

    def piece_functions(self) -> list[list[str]]:
        """The functions that read a value, grade a score or keep the class, as needed."""
        stands_in, pieces = "", self.pieces() | ({"kept"} if self.plan.mixes else set())
        if self.plan.fitted.stand_in:
            stands_in = f" or {LOWEST_STAND_IN!r} <= value <= {HIGHEST_STAND_IN!r}"
        words = {"STANDS_IN": stands_in, "BEYOND": repr(BEYOND), "MARGIN": repr(MARGIN)}
        needed = [name for piece, name in _PIECES.items() if piece in pieces]
        return [self.piece("pieces.txt", f"def {name}(", words) for name in needed]

    def reads(self, columns: Iterable[int] | None = None) -> list[str]:
        """Statements that read some columns, or all that are asked for."""
        lines = []
        for j in self.plan.columns if columns is None else columns:
            column = self.plan.fitted.columns[j]
            value = f"row[{column.name!r}]"
            if column.categories is None:
                lines.append(f"{self.variables[j]} = _number({value})")
            else:
                lines.append(f"{self.variables[j]} = _category({value}, {column.categories!r})")
            lines += self.filled(j)
        return lines

    def filled(self, j: int) -> list[str]:
        """Statements that fill a missing value of a column."""
        column = self.plan.fitted.columns[j]
        if column.fill is None:
            return []
        fill = column.categories[int(column.fill)] if column.categories else column.fill
        return self.branching([(self.missing(j), [self.assign(self.variables[j], repr(fill))])])

    def missing(self, column: int) -> str:
        """Whether a column is missing."""
        return f"{self.variables[column]} is None"

    def present(self, column: int) -> str:
        """Whether a column is not missing."""
        return f"{self.variables[column]} is not None"

    def extreme(self, which: str, values: Sequence[str]) -> str:
        """The least or the greatest of some values."""
        return f"{'min' if which == 'least' else 'max'}({', '.join(values)})"

    def new(self, column: int) -> str:
        """Whether a column has a category that training did not have."""
        return f"{self.variables[column]} is ..."

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        categories = self.plan.fitted.columns[column].categories
        assert categories is not None
        if len(codes) == 1:
            return f"{self.variables[column]} == {categories[codes[0]]!r}"
        return f"{self.variables[column]} in {tuple(categories[code] for code in codes)!r}"

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number, times a product, or times the truth of a category."""
        there = self.variables[column] if category < 0 else f"({self.among(column, (category,))})"
        if category <= PRODUCT:
            there = f"({there} * {self.variables[factor_of(category)]})"
        return self.times(weight, there)

    def branching(self, cases: Sequence[Case], otherwise: list[str] | None = None) -> list[str]:
        """If, elif and else."""
        lines = []
        for i, (condition, body) in enumerate(cases):
            lines += [f"{'elif' if i else 'if'} {condition}:", *self.indented(body)]
        return lines if otherwise is None else [*lines, "else:", *self.indented(otherwise)]

    def assign(self, name: str, value: str) -> str:
        """Give a variable a value."""
        return f"{name} = {value}"

    def declare(self, names: list[str]) -> str:
        """Make variables that are 0."""
        return f"{' = '.join(names)} = 0.0"

    def answer(self, node: int) -> str:
        """Return a label."""
        return f"return {self.plan.label(node)!r}"


def _variables_of(plan: Plan, taken: set[str]) -> dict[int, str]:
    """A variable for each column that is read, like its name where Python allows."""
    variables: dict[int, str] = {}
    for j in plan.columns:
        plain = re.sub(r"\W+", "_", plan.fitted.columns[j].name, flags=re.ASCII).strip("_").lower()
        used = taken | set(variables.values())
        good = plain.isidentifier() and not keyword.iskeyword(plain) and plain not in used
        ours = re.fullmatch(r"(s|column_)\d+|u\d+(_\d+)?", plain)
        variables[j] = plain if good and not ours and len(plain) <= 40 else f"column_{j}"
    return variables
