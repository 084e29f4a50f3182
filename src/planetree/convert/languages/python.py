"""A model as a Python module that needs nothing but Python."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from planetree.convert.languages.expressions import Case, SourceCode
from planetree.convert.plan import HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan, plan_of

__all__ = ["to_python"]


def to_python(model: Any, name: str = "predict", *, missing: str | None = None) -> str:
    """Say a fitted model as the source of a Python module without dependencies.

    The module holds `CLASSES` and the function `name`, which takes a row as a mapping from the
    names of columns to values and returns its class. Missing is None, NaN, or a category that
    training did not have. If the model is a tree, `<name>_shares` gives the share of each class.

    Parameters
    ----------
    model : fitted separator or tree
    name : str
        Name of the function.
    missing : {"majority"}, optional
        What a missing value does: by default as in the model, which divides the row among the
        branches, or raises where the model refuses; or to take the branch of most training rows.

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
    plan = plan_of(model, missing)
    return "\n".join(_Python(plan, name).module()) + "\n"


_RESERVED = {"CLASSES", "COSTS", "row", "shares", "costs", "cost", "total", "totals", "s", "c"}
_RESERVED |= set(dir(builtins))


class _Python(SourceCode):
    """Formulas and statements of Python."""

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan)
        self.name = name
        self.variables = _variables_of(plan, _RESERVED | {name, f"{name}_shares"})

    def module(self) -> list[str]:
        """Lines of the module."""
        lines = [
            f'"""{self.plan.fitted.owner} as plain Python, made by planetree '
            f'{version("planetree")}."""',
            "",
            f"CLASSES = {self.plan.labels!r}",
        ]
        if not self.plan.uniform:
            lines.append(f"COSTS = {self.plan.fitted.costs.tolist()!r}")
        for function in (self.predict(), self.predict_shares(), self.readers()):
            lines += ["", "", *function] if function else []
        return lines

    def predict(self) -> list[str]:
        """The function that gives the class."""
        said = "Class of a row: a mapping from the names of columns to values, None where missing."
        incomplete = []
        if self.plan.columns and self.plan.missing == "refuse":
            refusal = f"raise ValueError({self.plan.fitted.owner + ' needs every value.'!r})"
            incomplete = self.branching([(self.incomplete(), [refusal])])
        elif self.plan.columns and self.plan.missing == "fractions":
            incomplete = self.branching([(self.incomplete(), self.cheapest())])
        body = [f'"""{said}"""', *self.reads(), *incomplete, *self.questions()]
        return [f"def {self.name}(row):", *self.indented(body)]

    def cheapest(self) -> list[str]:
        """Statements that return the class by its share."""
        lines = [f"shares = {self.name}_shares(row)"]
        order = tuple(self.plan.fitted.order.tolist())
        if self.plan.uniform:
            return [*lines, f"return CLASSES[max({order!r}, key=shares.__getitem__)]"]
        return [
            *lines,
            "costs = [sum(s * c for s, c in zip(shares, cost)) for cost in zip(*COSTS)]",
            f"return CLASSES[min({order!r}, key=costs.__getitem__)]",
        ]

    def predict_shares(self) -> list[str]:
        """The function that gives the share of each class."""
        if not self.plan.fitted.missing:
            return []
        body = [
            '"""Share of each class, in the order of CLASSES."""',
            *self.reads(),
            "s0 = 1.0",
            *self.shares(),
            "totals = [",
            *(f"    {total}," for total in self.class_totals()),
            "]",
            "return [total / sum(totals) for total in totals]",
        ]
        return [f"def {self.name}_shares(row):", *self.indented(body)]

    def readers(self) -> list[str]:
        """The functions that read a value."""
        kinds = {self.plan.fitted.columns[j].categories is None for j in self.plan.columns}
        lines = []
        if True in kinds:
            stands_in = ""
            if self.plan.fitted.stand_in:
                stands_in = f" or {LOWEST_STAND_IN!r} <= value <= {HIGHEST_STAND_IN!r}"
            lines += [
                "def _number(value):",
                "    value = float('nan') if value is None or value == '' else float(value)",
                f"    return None if value != value{stands_in} else value",
            ]
        if False in kinds:
            lines += ["", ""] if lines else []
            lines += [
                "def _category(value, known):",
                "    return value if value in known else None",
            ]
        return lines

    def reads(self) -> list[str]:
        """Statements that read the columns that are asked for."""
        lines = []
        for j in self.plan.columns:
            column = self.plan.fitted.columns[j]
            value = f"row[{column.name!r}]"
            if column.categories is None:
                lines.append(f"{self.variables[j]} = _number({value})")
            else:
                lines.append(f"{self.variables[j]} = _category({value}, {column.categories!r})")
        return lines

    def missing(self, column: int) -> str:
        """Whether a column is missing."""
        return f"{self.variables[column]} is None"

    def present(self, column: int) -> str:
        """Whether a column is not missing."""
        return f"{self.variables[column]} is not None"

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        categories = self.plan.fitted.columns[column].categories
        assert categories is not None
        if len(codes) == 1:
            return f"{self.variables[column]} == {categories[codes[0]]!r}"
        return f"{self.variables[column]} in {tuple(categories[code] for code in codes)!r}"

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number, or times the truth of a category."""
        there = self.variables[column] if category < 0 else f"({self.among(column, (category,))})"
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
        ours = re.fullmatch(r"(s|column_)\d+", plain)
        variables[j] = plain if good and not ours and len(plain) <= 40 else f"column_{j}"
    return variables
