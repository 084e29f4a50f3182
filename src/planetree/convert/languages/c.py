"""A model as C99 that needs nothing but a compiler.

A row is an array of doubles, one a column of training: a number, or the code of a category. NaN is
missing; a code that no category has, like the -1 of `<name>_category`, is a category that training
did not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from planetree import __version__
from planetree.arrays import PRODUCT, factor_of
from planetree.convert.languages.expressions import Case, SourceCode
from planetree.convert.plan import BEYOND, HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan, plan_of
from planetree.grading import MARGIN

_LONGEST_TEXT = 4095  # letters of a literal that every compiler of C99 takes
_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while main row shares bool true false class new delete this
"""


def to_c(
    model: Any, name: str = "predict", *, missing: str | None = None, ask: float | None = None
) -> str:
    """Say a fitted model as C99 without dependencies.

    The source defines

    - `int <name>(const double *row)`: the code of the class of a row, -1 where the model would
      refuse the row for a missing value;
    - `const char *const <name>_classes[]`: the names of the classes;
    - `int <name>_category(int column, const char *text)`: the code of a category, -1 for none;
    - for a model with `predict_proba`, `void <name>_shares(const double *row, double *shares)`: the
      probability of each class, NaN where the model would refuse the row.

    Parameters
    ----------
    model : fitted separator or tree
    name : str
        Name of the function, and the beginning of the other names.
    missing : {"majority"}, optional
        What a missing value (NaN) does: by default as in the model, which divides the row among
        the branches or refuses; or to take the branch of most training rows.
    ask : float, optional
        Also define `<name>_or_ask`, which gives -2 where the expected error of an answer exceeds
        this limit or a number is out of the training range, as `predict_or_ask` does. It takes a
        tree.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import to_c
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> source = to_c(RobustSeparator().fit(X, y))
    >>> print(source[source.index("int predict(const"):].strip())
    int predict(const double *row) {
        const double x0 = row[0]; /* "x0" */
        if (isnan(x0)) {
            return -1;
        }
        if (2.0000000020000006 * x0 > 3.000000003000001) {
            return 1;
        }
        return 0;
    }
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) or name in _KEYWORDS.split():
        raise ValueError(f"name must be a name that C allows, but it is {name!r}.")
    return "\n".join(_C(plan_of(model, missing, ask), name).source()) + "\n"


class _C(SourceCode):
    """Formulas and statements of C."""

    AND, OR, NOT = " && ", " || ", "!"

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan, name)
        self.long_texts: list[str] = []

    def source(self) -> list[str]:
        """Lines of the source."""
        classes = ", ".join(self.text(str(label)) for label in self.plan.labels)
        category = self.category()
        n_columns = len(self.plan.fitted.columns)
        lines = [
            f"/* {self.plan.fitted.owner} as plain C, made by planetree {__version__}.",
            "   A row is an array of doubles; NaN is missing:",
            *(f"   row[{j}]  {self.column_comment(j)}" for j in range(n_columns)),
            "*/",
            "#include <math.h>",
            "#include <string.h>",
            "",
            *self.long_texts,
            f"const int {self.name}_n_columns = {n_columns};",
            f"const int {self.name}_n_classes = {len(self.plan.labels)};",
            f"const char *const {self.name}_classes[] = {{{classes}}};",
        ]
        graders = [] if self.plan.probabilities is None else self.predict_shares()
        predict = self.function(f"int {self.name}(const double *row)", self.class_body())
        for part in (category, self.readers(), *graders, predict, self.predict_or_ask()):
            lines += ["", *part] if part else []
        return lines

    def text(self, value: str) -> str:
        """A string literal, or the name of an array where C99 promises none that long."""
        data = value.encode("utf-8", "surrogatepass")
        if len(data) <= _LONGEST_TEXT:
            return _text(value)
        name = f"{self.name}_text_{len(self.long_texts)}"
        numbers = ", ".join(str(byte - 256 * (byte > 127)) for byte in (*data, 0))
        self.long_texts.append(f"static const char {name}[] = {{{numbers}}};")
        return name

    def function(self, head: str, body: list[str]) -> list[str]:
        """A function."""
        return [f"{head} {{", *self.indented(body), "}"]

    def column_comment(self, j: int) -> str:
        """Name of a column and the codes of its categories, safe inside a comment."""
        column = self.plan.fitted.columns[j]
        codes = [f"{code} = {_quoted(str(c))}" for code, c in enumerate(column.categories or ())]
        return ", ".join([_quoted(column.name), *codes])

    def category(self) -> list[str]:
        """The function that gives the code of a category."""
        cases = []
        for j, column in enumerate(self.plan.fitted.columns):
            for code, category in enumerate(column.categories or ()):
                same = f"column == {j} && strcmp(text, {self.text(str(category))}) == 0"
                cases += self.branching([(same, [f"return {code};"])])
        unused = [] if cases else ["(void)column;", "(void)text;"]
        body = [*unused, *cases, "return -1;"]
        return self.function(f"int {self.name}_category(int column, const char *text)", body)

    def readers(self) -> list[str]:
        """The functions that make NaN of what counts as missing, and those that grade scores."""
        pieces = self.pieces() - (set() if self.plan.fitted.stand_in else {"number"})
        order = ("number", "code", "sigmoid", "softmax")
        return [line for piece in order if piece in pieces for line in self.c_piece(piece)]

    def c_piece(self, name: str, **more: str) -> list[str]:
        """A function of `pieces.c`, with `more` of its words."""
        rows = [", ".join(map(self.number, row)) for row in self.plan.fitted.costs]
        words = {
            "NAME": self.name,
            "LOWEST": repr(LOWEST_STAND_IN),
            "HIGHEST": repr(HIGHEST_STAND_IN),
            "BEYOND": repr(BEYOND),
            "MARGIN": repr(MARGIN),
            "N_CLASSES": str(len(self.plan.labels)),
            "COSTS": f"{{{', '.join(f'{{{row}}}' for row in rows)}}}",
        }
        return self.piece("pieces.c", f"NAME_{name}(", words | more)

    def refusal(self, shares: bool) -> list[str]:
        """The code -1, or shares that are not numbers."""
        nothing = [f"shares[{c}] = NAN;" for c in range(len(self.plan.labels))]
        return [*nothing, "return;"] if shares else ["return -1;"]

    def cheapest(self, function: str) -> list[str]:
        """Return the class of least expected cost by the shares that a function gives."""
        return [
            f"double shares[{len(self.plan.labels)}];",
            f"{self.name}_{function}(row, shares);",
            f"return {self.name}_cheapest(shares);",
        ]

    def predict_shares(self) -> list[list[str]]:
        """The functions that give the probability of each class, and the cheapest of them."""
        last: list[list[str]] = []
        if self.plan.divides or not self.plan.by_way or self.plan.mixes:
            last = [self.cheapest_function()]
        row = "(const double *row, double *shares)"
        if not self.plan.mixes:
            shares = self.shares_body(graded=True)
            return [self.function(f"void {self.name}_shares{row}", shares), *last]
        parts = [
            self.function(f"static void {self.name}_{part}{row}", self.shares_body(graded))
            for part, graded in (("way", False), ("graded", True))
        ]
        return [*parts, *last, self.c_piece("toward"), self.c_piece("shares")]

    def predict_or_ask(self) -> list[str]:
        """The function that leaves rows to a person, with the code -2."""
        if self.plan.asking is None:
            return []
        ask, outside = ["return -2;"], self.outside()
        unsure = f"code >= 0 && 1.0 - shares[code] > {self.number(self.plan.asking.limit)}"
        body = [
            *self.reads(self.plan.asking.ranges),
            f"const int code = {self.name}(row);",
            f"double shares[{len(self.plan.labels)}];",
            *(self.branching([(outside, ask)]) if outside else []),
            f"{self.name}_shares(row, shares);",
            *self.branching([(unsure, ask)]),
            "return code;",
        ]
        return self.function(f"int {self.name}_or_ask(const double *row)", body)

    def cheapest_function(self) -> list[str]:
        """The function that gives the class of least expected cost by the shares of the classes."""
        costs, k = self.plan.fitted.costs, len(self.plan.labels)
        rows = [
            self.total([f"shares[{i}] * {self.number(costs[i, c])}" for i in range(k) if i != c])
            for c in range(k)
        ]
        if self.plan.uniform:
            rows = [f"-shares[{c}]" for c in range(k)]
        order = ", ".join(map(str, self.plan.fitted.order))
        return self.c_piece("cheapest", EXPECTED=", ".join(rows), ORDER=order)

    def totals(self) -> list[str]:
        """Fill the array of shares."""
        shares = [f"shares[{c}]" for c in range(len(self.plan.labels))]
        return [
            *map(self.assign, shares, self.class_totals()),
            self.define("total", " + ".join(shares)),
            *(f"{share} /= total;" for share in shares),
        ]

    def sigmoid(self, score: str, spread: str) -> str:
        """Sigmoid of a score in units of its spread."""
        return f"{self.name}_sigmoid({score}, {spread})"

    def softmax(self, node: int, scores: list[str], spread: str) -> tuple[list[str], list[str]]:
        """Statements that make the softmax of scores in their place."""
        n = len(scores)
        made = [
            f"double u{node}[{n}] = {{{', '.join(scores)}}};",
            f"{self.name}_softmax(u{node}, {n}, {spread});",
        ]
        return made, [f"u{node}[{i}]" for i in range(n)]

    def extreme(self, which: str, values: Sequence[str]) -> str:
        """The least or the greatest of some values, two by two."""
        first, *others = values
        if not others:
            return f"({first})"
        return f"{'fmin' if which == 'least' else 'fmax'}({first}, {self.extreme(which, others)})"

    def reads(self, columns: Iterable[int] | None = None) -> list[str]:
        """Statements that read some columns, or all that are asked for."""
        chosen, known = list(self.plan.columns if columns is None else columns), self.plan.fitted
        unused = [] if self.plan.columns else ["(void)row;"]
        reads = [f"const double x{j} = {self.value(j)};" for j in chosen]
        names = [f" /* {_quoted(known.columns[j].name)} */" for j in chosen]
        return [*unused, *(read + name for read, name in zip(reads, names, strict=True))]

    def value(self, j: int) -> str:
        """A column of the row, NaN where it counts as missing."""
        column, cell = self.plan.fitted.columns[j], f"row[{j}]"
        if column.fill is not None:
            cell = f"isnan({cell}) ? {self.number(column.fill)} : {cell}"
        if column.categories is not None:
            return f"{self.name}_code({cell}, {len(column.categories)})"
        return f"{self.name}_number({cell})" if self.plan.fitted.stand_in else cell

    def missing(self, column: int) -> str:
        """Whether a column is missing."""
        return f"isnan(x{column})"

    def new(self, column: int) -> str:
        """Whether a column has a category that training did not have."""
        return f"x{column} == -1"

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        same = " || ".join(f"x{column} == {code}" for code in codes)
        return same if len(codes) == 1 else f"({same})"

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number, times a product, or times the truth of a category."""
        value = f"x{column}" if category < 0 else f"(x{column} == {category})"
        if category <= PRODUCT:
            value = f"(x{column} * x{factor_of(category)})"
        return self.times(weight, value)

    def branching(self, cases: Sequence[Case], otherwise: list[str] | None = None) -> list[str]:
        """If, else if and else."""
        lines = []
        for i, (condition, body) in enumerate(cases):
            lines += [f"{'} else if' if i else 'if'} ({condition}) {{", *self.indented(body)]
        if otherwise is not None:
            lines += ["} else {", *self.indented(otherwise)]
        return [*lines, "}"]

    def assign(self, name: str, value: str) -> str:
        """Give a variable a value."""
        return f"{name} = {value};"

    def define(self, name: str, value: str) -> str:
        """Make a variable that keeps its value."""
        return f"const double {name} = {value};"

    def declare(self, names: list[str]) -> str:
        """Make variables that are 0."""
        return f"double {', '.join(f'{name} = 0.0' for name in names)};"

    def answer(self, node: int) -> str:
        """Return the code of a class."""
        return f"return {self.plan.fitted.codes[node]};"


def _text(value: str) -> str:
    r"""A string literal of C in ASCII: every other byte of UTF-8 in octal, and no trigraph.

    Examples
    --------
    >>> from planetree.convert.languages.c import _text
    >>> print(_text('a "ß"'))
    "a \042\303\237\042"
    """
    data = value.encode("utf-8", "surrogatepass")
    plain = {byte for byte in range(32, 127)} - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in data) + '"'


def _quoted(value: str) -> str:
    """A string literal for inside a comment, which it neither ends nor begins."""
    return _text(value).replace("/", "\\057")
