"""A model as C99 that needs nothing but a compiler.

A row is an array of doubles, one a column of training: a number, or the code of a category. NaN is
missing, and so is a code that no category has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from planetree.convert.languages.expressions import Case, SourceCode
from planetree.convert.plan import (
    BEYOND,
    HIGHEST_STAND_IN,
    LOWEST_STAND_IN,
    Grading,
    Plan,
    plan_of,
)
from planetree.grading import MARGIN

__all__ = ["to_c"]

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while main row shares bool true false class new delete this
"""

_SIGMOID = """
static double {name}_sigmoid(double score, double spread) {{
    if (fabs(score) > {beyond} * spread) {{
        return score > 0;
    }}
    return 1.0 / (1.0 + exp(-score / spread));
}}
"""

_SOFTMAX = """
static void {name}_softmax(double *scores, int n, double spread) {{
    double most = -1e308, total = 0.0;
    for (int i = 0; i < n; i++) {{
        scores[i] = fmin(fmax(scores[i], -1e308), 1e308);
        most = fmax(most, scores[i]);
    }}
    for (int i = 0; i < n; i++) {{
        scores[i] = exp((scores[i] - most) / spread);
        total += scores[i];
    }}
    for (int i = 0; i < n; i++) {{
        scores[i] /= total;
    }}
}}
"""

# The formula of planetree.grading.keep_class, which tests hold it to.
_KEPT = """
static void {name}_toward(double *p, const double *other, int best, double margin) {{
    static const double mistakes[@k][@k] = {{@costs}};
    double of_p[@k] = {{0}}, of_other[@k] = {{0}}, part = 0.0;
    for (int i = 0; i < @k; i++) {{
        for (int c = 0; c < @k; c++) {{
            of_p[c] += p[i] * mistakes[i][c];
            of_other[c] += other[i] * mistakes[i][c];
        }}
    }}
    for (int c = 0; c < @k; c++) {{
        const double dearer = of_p[c] - of_p[best], room = of_other[c] - of_other[best];
        const double wanting = margin * mistakes[best][c] - dearer;
        if (wanting > 0 && room > dearer) {{
            part = fmax(part, fmin(wanting / (room - dearer), 1.0));
        }}
    }}
    for (int c = 0; c < @k; c++) {{
        p[c] = (1.0 - part) * p[c] + part * other[c];
    }}
}}

void {name}_shares(const double *row, double *shares) {{
    double way[@k], certain[@k] = {{0}};
    {name}_graded(row, shares);
    {name}_way(row, way);
    const int best = {name}_cheapest(way);
    certain[best] = 1.0;
    {name}_toward(shares, way, best, 0.0);
    {name}_toward(shares, certain, best, {margin});
}}
"""


def to_c(model: Any, name: str = "predict", *, missing: str | None = None) -> str:
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
    return "\n".join(_C(plan_of(model, missing), name).source()) + "\n"


class _C(SourceCode):
    """Formulas and statements of C."""

    AND, OR, NOT = " && ", " || ", "!"

    def __init__(self, plan: Plan, name: str) -> None:
        super().__init__(plan)
        self.name = name

    def source(self) -> list[str]:
        """Lines of the source."""
        classes = ", ".join(_text(str(label)) for label in self.plan.labels)
        lines = [
            f"/* {self.plan.fitted.owner} as plain C, made by planetree {version('planetree')}.",
            "   A row is an array of doubles; NaN is missing:",
            *(f"   row[{j}]  {self.column_comment(j)}" for j in range(self.n_columns)),
            "*/",
            "#include <math.h>",
            "#include <string.h>",
            "",
            f"const int {self.name}_n_columns = {self.n_columns};",
            f"const int {self.name}_n_classes = {len(self.plan.labels)};",
            f"const char *const {self.name}_classes[] = {{{classes}}};",
        ]
        graders = [] if self.plan.probabilities is None else self.predict_shares()
        for part in (self.category(), self.readers(), *graders, self.predict()):
            lines += ["", *part] if part else []
        return lines

    @property
    def n_columns(self) -> int:
        """How many doubles a row has."""
        return len(self.plan.fitted.columns)

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
                same = f"column == {j} && strcmp(text, {_text(str(category))}) == 0"
                cases += self.branching([(same, [f"return {code};"])])
        unused = [] if cases else ["(void)column;", "(void)text;"]
        body = [*unused, *cases, "return -1;"]
        head = f"int {self.name}_category(int column, const char *text) {{"
        return [head, *self.indented(body), "}"]

    def readers(self) -> list[str]:
        """The functions that make NaN of what counts as missing, and those that grade scores."""
        kinds = {self.plan.fitted.columns[j].categories is None for j in self.plan.columns}
        lines = []
        if True in kinds and self.plan.fitted.stand_in:
            stands_in = f"{LOWEST_STAND_IN!r} <= value && value <= {HIGHEST_STAND_IN!r}"
            lines += [
                f"static double {self.name}_number(double value) {{",
                f"    return {stands_in} ? NAN : value;",
                "}",
            ]
        if False in kinds:
            lines += [
                f"static double {self.name}_code(double value, int n_codes) {{",
                "    return value >= 0 && value < n_codes ? value : NAN;",
                "}",
            ]
        graded = {d.grading.kind == "softmax" for d in self.plan.decisions if d and d.grading}
        for needed, source in ((False, _SIGMOID), (True, _SOFTMAX)):
            if needed in graded:
                lines += source.format(name=self.name, beyond=BEYOND).strip().split("\n")
        return lines

    def predict(self) -> list[str]:
        """The function that gives the code of the class."""
        head = f"int {self.name}(const double *row) {{"
        if not self.plan.by_way:
            return [head, *self.indented(self.cheapest("shares")), "}"]
        incomplete = []
        if self.plan.columns and self.plan.missing == "refuse":
            incomplete = self.branching([(self.incomplete(), ["return -1;"])])
        elif self.plan.columns and self.plan.missing == "fractions":
            way = "way" if self.plan.mixes else "shares"
            incomplete = self.branching([(self.incomplete(), self.cheapest(way))])
        body = [*self.reads(), *incomplete, *self.questions()]
        return [head, *self.indented(body), "}"]

    def cheapest(self, shares: str) -> list[str]:
        """Statements that return the class of least expected cost by the shares of a function."""
        return [
            f"double shares[{len(self.plan.labels)}];",
            f"{self.name}_{shares}(row, shares);",
            f"return {self.name}_cheapest(shares);",
        ]

    def predict_shares(self) -> list[list[str]]:
        """The functions that give the probability of each class, and the cheapest of them."""
        last: list[list[str]] = []
        divided = self.plan.missing == "fractions" and self.plan.columns
        if divided or not self.plan.by_way or self.plan.mixes:
            last = [self.cheapest_function()]
        if not self.plan.mixes:
            return [self.shares_function("shares", graded=True), *last]
        k, kept = len(self.plan.labels), _KEPT.format(name=self.name, margin=MARGIN)
        rows = [", ".join(map(self.number, row)) for row in self.plan.fitted.costs]
        costs = ", ".join(f"{{{row}}}" for row in rows)
        kept = kept.replace("@k", str(k)).replace("@costs", costs)
        way, graded = (self.shares_function(name, name == "graded") for name in ("way", "graded"))
        return [way, graded, *last, kept.strip().split("\n")]

    def cheapest_function(self) -> list[str]:
        """The function that gives the class of least expected cost by the shares of the classes."""
        costs, k = self.plan.fitted.costs, len(self.plan.labels)
        rows = [
            self.total([f"shares[{i}] * {self.number(costs[i, c])}" for i in range(k) if i != c])
            for c in range(k)
        ]
        if self.plan.uniform:
            rows = [f"-shares[{c}]" for c in range(k)]
        return [
            f"static int {self.name}_cheapest(const double *shares) {{",
            f"    const double costs[{k}] = {{{', '.join(rows)}}};",
            f"    const int order[{k}] = {{{', '.join(map(str, self.plan.fitted.order))}}};",
            "    int best = order[0];",
            f"    for (int c = 1; c < {k}; c++) {{",
            "        if (costs[order[c]] < costs[best]) {",
            "            best = order[c];",
            "        }",
            "    }",
            "    return best;",
            "}",
        ]

    def shares_function(self, name: str, graded: bool) -> list[str]:
        """A function that sums the probabilities of the leaves by the shares of a row."""
        totals = self.class_totals()
        k, refused = len(totals), []
        if self.plan.missing == "refuse" and self.plan.columns:
            nothing = [f"shares[{c}] = NAN;" for c in range(k)]
            refused = self.branching([(self.incomplete(), [*nothing, "return;"])])
        body = [
            *self.reads(),
            *refused,
            "const double s0 = 1.0;",
            *self.shares(graded),
            *(f"shares[{c}] = {total};" for c, total in enumerate(totals)),
            f"const double total = {' + '.join(f'shares[{c}]' for c in range(k))};",
            *(f"shares[{c}] /= total;" for c in range(k)),
        ]
        scope = "" if name == "shares" else "static "
        head = f"{scope}void {self.name}_{name}(const double *row, double *shares) {{"
        return [head, *self.indented(body), "}"]

    def signals(self, node: int, grading: Grading) -> tuple[list[str], list[str]]:
        """Statements that make the signals of a graded decision."""
        scores, spread = [self.score(half) for half in grading.scores], self.number(grading.spread)
        n = len(scores)
        if grading.kind == "softmax":
            made = [
                f"double u{node}[{n}] = {{{', '.join(scores)}}};",
                f"{self.name}_softmax(u{node}, {n}, {spread});",
            ]
            return made, [f"u{node}[{i}]" for i in range(n)]
        names = [f"u{node}_{i}" for i in range(n)]
        if grading.kind != "sigmoid":
            least, most = self.nested("fmin", scores), self.nested("fmax", scores)
            depth = least if grading.kind == "both" else f"fmax({least}, -{most})"
            names, scores = [f"u{node}"], [depth]
        pairs = zip(names, scores, strict=True)
        made = [f"const double {u} = {self.name}_sigmoid({x}, {spread});" for u, x in pairs]
        return made, names

    def nested(self, function: str, values: list[str]) -> str:
        """A function of two values, of many."""
        first, *others = values
        return f"{function}({first}, {self.nested(function, others)})" if others else f"({first})"

    def reads(self) -> list[str]:
        """Statements that read the columns that are asked for."""
        columns = self.plan.fitted.columns
        unused = [] if self.plan.columns else ["(void)row;"]
        reads = [f"const double x{j} = {self.value(j)};" for j in self.plan.columns]
        names = [f" /* {_quoted(columns[j].name)} */" for j in self.plan.columns]
        return [*unused, *(read + name for read, name in zip(reads, names, strict=True))]

    def value(self, j: int) -> str:
        """A column of the row, NaN where it counts as missing."""
        categories = self.plan.fitted.columns[j].categories
        if categories is not None:
            return f"{self.name}_code(row[{j}], {len(categories)})"
        return f"{self.name}_number(row[{j}])" if self.plan.fitted.stand_in else f"row[{j}]"

    def missing(self, column: int) -> str:
        """Whether a column is missing."""
        return f"isnan(x{column})"

    def among(self, column: int, codes: tuple[int, ...]) -> str:
        """Whether a column has one of some categories."""
        same = " || ".join(f"x{column} == {code}" for code in codes)
        return same if len(codes) == 1 else f"({same})"

    def term(self, column: int, category: int, weight: float) -> str:
        """A weight times a number, or times the truth of a category."""
        value = f"x{column}" if category < 0 else f"(x{column} == {category})"
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
