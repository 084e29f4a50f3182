"""A model as an ONNX graph of matrices in float64, missing values included.

With T the terms of the rows (numbers, and an indicator of each category; 0 where missing), M their
missing marks, and one column an item in each of

    signals  T W > offsets                   the planes; of a graded decision, sigmoids or softmax
    holds    products of signals, or of what they lack of 1        alternatives
    takes    min(holds G, 1)                 branches: G adds up the alternatives
    unknown  M U + T S > 1/2                 decisions that are not known, or have strays

where T also has indicators of a category that is missing, and of one that training did not have,

each node but the root has the factor

    part of its branch, where its decision is unknown; else what it takes

and its share is its parent's times its factor. The shares of the leaves times their distributions
are the shares of the classes. Where a graded tree keeps the class of the way, this is done twice,
by all signals and by those of hard planes alone, and the first are mixed with the second
(`planetree.grading.keep_class`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetree.arrays import factor_of
from planetree.convert.plan import (
    HIGHEST_STAND_IN,
    LOWEST_STAND_IN,
    Grading,
    Numbering,
    Plan,
    plan_of,
    plane_matrix,
    side_of,
    sides_above,
)
from planetree.grading import MARGIN
from planetree.planes import NEW, NO_CATEGORY, HalfSpace, Planes
from planetree.table import OWN_CATEGORY
from planetree.tree.classifier import comparable
from planetree.tree.inspection.abstention import ASK

_OPSET, _IR_VERSION = 19, 9  # text is compared since 19
_OURS = "planetree/"  # how names inside the graph begin
_OUTPUTS = ("label", "label_or_ask", "probabilities")
_LARGEST = 1e308  # score: what lies beyond is infinite, and has no differences


def to_onnx(model: Any, *, missing: str | None = None, ask: float | None = None) -> Any:
    """Say a fitted model as an ONNX model, in float64.

    If every column holds numbers, the input is one matrix `X` of shape (n_rows, n_columns); else
    there is one input of shape (n_rows, 1) for each column that is read, by the column's name (by
    "input " and its name if that is empty, or an output's): text for text, numbers for numbers and
    booleans. Missing is NaN, and in text the empty one, or "?" where that is a category; a category
    that training did not have is as in the model.

    The output `label` is the class of each row; where the model would refuse a row for a missing
    value, it is the empty text, or the least int64. Models with `predict_proba` also give
    `probabilities`, NaN where they would refuse a row.

    Parameters
    ----------
    model : fitted separator or tree
    missing : {"majority"}, optional
        What a missing value does: by default as in the model, which divides the row among the
        branches or refuses; or to take the branch of most training rows.
    ask : float, optional
        Also give the output `label_or_ask`: the class as text, or 'ask a person' where the expected
        error of an answer exceeds this limit or a number is out of the training range, as
        `predict_or_ask` does. It takes a tree.

    Returns
    -------
    onnx.ModelProto

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.convert import to_onnx
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> graph = to_onnx(RobustSeparator().fit(X, y)).graph
    >>> [each.name for each in graph.input], [each.name for each in graph.output]
    (['X'], ['label', 'probabilities'])
    """
    try:
        import onnx  # optional
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'planetree[onnx]'.") from error
    return _Graph(plan_of(model, missing, ask), onnx).model()


class _Graph:
    """Nodes, constants and inputs of a graph that grows."""

    def __init__(self, plan: Plan, onnx: Any) -> None:
        self.plan, self.onnx = plan, onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.columns = plan.columns or (0,)
        self.terms = Numbering()
        self.of_columns: dict[int, str] = {}
        self.cells: dict[int, str] = {}

    def model(self) -> Any:
        """The whole model, checked."""
        helper = self.onnx.helper
        outputs = self.outputs(*self.read())
        graph = helper.make_graph(
            self.nodes, "planetree", self.inputs, outputs, initializer=self.constants
        )
        opset = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(
            graph, producer_name="planetree", opset_imports=opset, ir_version=_IR_VERSION
        )
        self.onnx.checker.check_model(model, full_check=True)
        return model

    def call(self, operator: str, *inputs: Any, name: str | None = None, **attributes: Any) -> str:
        """Add a node, and give the name of what it makes; inputs are names, or constants."""
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        name = name or f"{_OURS}{operator}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, names, [name], **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant of numbers, whole numbers or text, and give its name."""
        name, array = f"{_OURS}constant_{len(self.constants)}", np.asarray(value)
        kind = {"i": np.int64, "U": object, "O": object}.get(array.dtype.kind, np.float64)
        self.constants.append(self.onnx.numpy_helper.from_array(array.astype(kind), name))
        return name

    def value_info(self, name: str, kind: int, *shape: int) -> Any:
        """What an input or output is: name, type and shape."""
        return self.onnx.helper.make_tensor_value_info(name, kind, ["n_rows", *shape])

    def as_float(self, name: str) -> str:
        """Truth values as 0 and 1."""
        return self.call("Cast", name, to=self.onnx.TensorProto.DOUBLE)

    def ones(self, matrix: str) -> str:
        """A column of ones, as many as a matrix has rows, NaN where it begins with NaN."""
        first = self.call("Gather", matrix, [0], axis=1)
        return self.call("Add", self.call("Mul", first, 0.0), 1.0)

    def scores(self, terms: str, planes: Sequence[HalfSpace]) -> str:
        """Scores of planes: terms times weights less offsets."""
        weights, offsets = plane_matrix(planes, self.terms)
        return self.call("Sub", self.call("MatMul", terms, weights.T), offsets)

    def read(self) -> tuple[str, str]:
        """Terms of the rows, 0 where missing, and the missing marks of the columns."""
        fitted, double = self.plan.fitted.columns, self.onnx.TensorProto.DOUBLE
        numbers = all(column.categories is None for column in fitted)
        if numbers:
            self.inputs.append(self.value_info("X", double, len(fitted)))
        terms, marks = [], []
        for j in self.columns:
            if numbers:
                cells = self.call("Gather", "X", [j], axis=1)
            else:
                kind = self.onnx.TensorProto.STRING if _has_text(fitted[j].categories) else double
                cells = _input_name(fitted[j].name)
                self.inputs.append(self.value_info(cells, kind, 1))
            of_column, mark = self.read_column(j, cells)
            self.of_columns[j], self.cells[j] = of_column, cells
            terms.append(of_column)
            marks.append(mark)
        terms += [self.product(*each) for each in self.products_read()]
        return self.call("Concat", *terms, axis=1), self.call("Concat", *marks, axis=1)

    def read_column(self, j: int, cells: str) -> tuple[str, str]:
        """Terms of a column, and where it is missing."""
        categories, fill = self.plan.fitted.columns[j].categories, self.plan.fitted.columns[j].fill
        if categories is None:
            self.terms.of([(j, -1)])
            missing = self.call("IsNaN", cells)
            if self.plan.fitted.stand_in:
                low = self.call("GreaterOrEqual", cells, LOWEST_STAND_IN)
                high = self.call("LessOrEqual", cells, HIGHEST_STAND_IN)
                missing = self.call("Or", missing, self.call("And", low, high))
            return self.call("Where", missing, fill or 0.0, cells), self.as_float(missing)
        self.terms.of((j, code) for code in (*range(len(categories)), NO_CATEGORY, NEW))
        kind = str if _has_text(categories) else float
        labels = [np.nan if kind is float and c == OWN_CATEGORY else kind(c) for c in categories]
        there = self.as_float(self.call("Equal", cells, labels))
        some = self.call("MatMul", there, np.ones((len(categories), 1)))
        if kind is str:
            none = self.call("Equal", cells, [_missing_text(categories)])
        else:
            none = self.call("IsNaN", cells)
        lacks = self.call("Sub", 1.0, some)
        missing = self.call("Mul", self.as_float(none), lacks)
        new = self.call("Sub", lacks, missing)
        if fill is not None:
            own = np.eye(len(categories))[[int(fill)]]
            there = self.call("Add", there, self.call("MatMul", missing, own))
        return self.call("Concat", there, missing, new, axis=1), missing

    def products_read(self) -> list[tuple[int, int]]:
        """Products of columns that some decision reads, as terms."""
        splits = [split for split in self.plan.fitted.tree.splits if isinstance(split, Planes)]
        found = {
            term for split in splits for p in range(len(split.offsets))
            for term in split.half_space(p).terms
        }  # fmt: skip
        return sorted(term for term in found if factor_of(term[1]) >= 0)

    def product(self, column: int, code: int) -> str:
        """A product of two columns, 0 where one is missing."""
        self.terms.of([(column, code)])
        return self.call("Mul", self.of_columns[column], self.of_columns[factor_of(code)])

    def class_shares(self, terms: str, marks: str, graded: bool) -> str:
        """Share of each class in each row, which sum to 1; NaN where a row is refused."""
        tree = self.plan.fitted.tree
        levels, order, level = [self.ones(terms)], [0], [0]
        factors = self.factors(terms, marks, graded) if tree.n_nodes > 1 else ""
        while below := [
            (child, at) for at, n in enumerate(level) for child in self.plan.children(n)
        ]:
            level = [child for child, _ in below]
            shares = self.call("Gather", levels[-1], [at for _, at in below], axis=1)
            factor = self.call("Gather", factors, [child - 1 for child in level], axis=1)
            levels.append(self.call("Mul", shares, factor))
            order += level
        said = self.plan.probabilities
        if said is None:
            said = np.eye(len(self.plan.labels))[self.plan.fitted.codes]
        leaves = np.where(tree.n_branches[:, None] == 0, said, 0.0)
        shares = self.call("MatMul", self.call("Concat", *levels, axis=1), leaves[order])
        return self.call("Div", shares, self.total(shares))

    def total(self, matrix: str) -> str:
        """Sum of each row, as a column."""
        return self.call("ReduceSum", matrix, [1], keepdims=1)

    def factors(self, terms: str, marks: str, graded: bool) -> str:
        """Part of its parent's share that each node but the root gets."""
        takes, unknown = self.takes(terms, graded), self.unknown(terms, marks)
        n = self.plan.fitted.tree.n_nodes - 1
        parts, parents = np.zeros(n), np.zeros(n, dtype=np.intp)
        for i, node in enumerate(self.plan.decisions):
            children = np.array(self.plan.children(node)) - 1
            parts[children], parents[children] = self.plan.parts(node), i
        gone = self.call("Greater", self.call("Gather", unknown, parents, axis=1), 0.5)
        return self.call("Where", gone, parts[None], takes)

    def takes(self, terms: str, graded: bool) -> str:
        """Which part of a row that is known takes the branch to each node but the root."""
        planes, made, joins = Numbering(), [], []
        alternatives: list[list[tuple[Any, bool]]] = []
        for node, decision in self.plan.decisions.items():
            grading = decision.grading if graded else None
            if grading is None:
                branches: Any = [
                    [[side_of(test, planes) for test in each] for each in formula]
                    for formula in decision.branches
                ]
            else:
                branches = [
                    [[((node, i), up) for i, up in signs] for signs in each]
                    for each in grading.branches
                ]
                made.append((node, *self.signals(terms, grading)))
            for child, branch in zip(self.plan.children(node), branches, strict=False):
                alternatives += branch
                joins += [child - 1] * len(branch)
        summed = np.zeros((len(joins), self.plan.fitted.tree.n_nodes - 1))
        summed[np.arange(len(joins)), joins] = 1.0
        total = self.call("MatMul", self.products(terms, planes, made, alternatives), summed)
        return self.call("Min", total, 1.0)  # a row may meet several by signs

    def products(
        self,
        terms: str,
        planes: Numbering,
        made: list[tuple[int, str, int]],
        alternatives: list[list[tuple[Any, bool]]],
    ) -> str:
        """Products of signals, or of what they lack of 1: one for each alternative."""
        numbers, names = Numbering(), []
        if planes:
            above = self.scores(terms, sides_above(planes))
            names.append(self.as_float(self.call("Greater", above, 0.0)))
            numbers.of(planes.values())
        for node, name, n_signals in made:
            names.append(name)
            numbers.of((node, i) for i in range(n_signals))
        signals = self.call("Concat", *names, axis=1)
        lacks = self.call("Sub", 1.0, signals)
        n, longest = len(numbers), max(map(len, alternatives))
        factors = np.full((len(alternatives), longest), 2 * n)  # 1 where there is no other
        for a, signs in enumerate(alternatives):
            factors[a, : len(signs)] = [numbers[key] + (0 if up else n) for key, up in signs]
        both = self.call("Concat", signals, lacks, self.ones(signals), axis=1)
        gathered = self.call("Gather", both, factors, axis=1)
        return self.call("ReduceProd", gathered, [2], keepdims=0)

    def signals(self, terms: str, grading: Grading) -> tuple[str, int]:
        """Signals of a graded decision, and how many there are."""
        scores = self.call("Clip", self.scores(terms, grading.scores), -_LARGEST, _LARGEST)
        n = len(grading.scores)
        if grading.kind == "softmax":
            most = self.call("ReduceMax", scores, [1], keepdims=1)
            steps = self.call("Div", self.call("Sub", scores, most), grading.spread)
            return self.call("Softmax", steps, axis=1), n
        if grading.kind != "sigmoid":
            n, depth = 1, self.call("ReduceMin", scores, [1], keepdims=1)
            most = self.call("ReduceMax", scores, [1], keepdims=1)
            same_side = grading.kind == "same_side"
            scores = self.call("Max", depth, self.call("Neg", most)) if same_side else depth
        return self.call("Sigmoid", self.call("Div", scores, grading.spread)), n

    def unknown(self, terms: str, marks: str) -> str:
        """Whether a row cannot answer each decision."""
        needed = np.zeros((len(self.columns), len(self.plan.decisions)))
        strays = np.zeros((len(self.terms), len(self.plan.decisions)))
        for i, decision in enumerate(self.plan.decisions.values()):
            needed[[self.columns.index(j) for j in decision.needs], i] = 1.0
            for column, codes in decision.strays:
                strays[self.terms.of((column, code) for code in codes), i] = 1.0
        lacking = self.call("MatMul", marks, needed)
        if strays.any():
            lacking = self.call("Add", lacking, self.call("MatMul", terms, strays))
        return lacking

    def outputs(self, terms: str, marks: str) -> list[Any]:
        """Label by least expected cost, and probabilities."""
        way = self.class_shares(terms, marks, graded=not self.plan.by_way)
        code = self.cheapest(way)
        found = [self.label(code, way)]
        if self.plan.probabilities is not None:
            shares = way
            if self.plan.is_graded and self.plan.by_way:
                shares = self.class_shares(terms, marks, graded=True)
            if self.plan.mixes:
                shares = self.kept(shares, way, code)
            self.call("Identity", shares, name="probabilities")
            double, k = self.onnx.TensorProto.DOUBLE, len(self.plan.labels)
            found.append(self.value_info("probabilities", double, k))
            if self.plan.asking is not None:
                found.append(self.label_or_ask(code, shares))
        return found

    def cheapest(self, shares: str) -> str:
        """Code of the class of least expected cost, the first in order of equals."""
        order = self.plan.fitted.order
        costs = self.call("MatMul", shares, comparable(self.plan.fitted.costs)[:, order])
        return self.call("Gather", order, self.call("ArgMin", costs, axis=1, keepdims=0), axis=0)

    def label(self, code: str, shares: str) -> Any:
        """The output of labels; where shares are not known, the row is refused."""
        texts, kinds = _has_text(self.plan.labels), self.onnx.TensorProto
        labels = [str(label) if texts else int(label) for label in self.plan.labels]
        if self.plan.missing == "refuse":
            code = self.call("Where", self.refused(shares), len(labels), code)
            labels.append("" if texts else int(np.iinfo(np.int64).min))
        self.call("Gather", labels, code, name="label")
        return self.value_info("label", kinds.STRING if texts else kinds.INT64)

    def label_or_ask(self, code: str, shares: str) -> Any:
        """The output of labels as text, 'ask a person' where a row is unsure or out of range."""
        assert self.plan.asking is not None
        lacks = self.call("Sub", 1.0, self.total(self.call("Mul", shares, self.one_hot(code))))
        asked = self.call("Greater", lacks, self.plan.asking.limit)
        for j, (low, high) in self.plan.asking.ranges.items():
            below = self.call("Less", self.cells[j], low)
            above = self.call("Greater", self.cells[j], high)
            asked = self.call("Or", asked, self.call("Or", below, above))
        labels = [*map(str, self.plan.labels), "", ASK]
        if self.plan.missing == "refuse":
            code = self.call("Where", self.refused(shares), len(labels) - 2, code)
        code = self.call("Where", self.call("Squeeze", asked, [1]), len(labels) - 1, code)
        self.call("Gather", labels, code, name="label_or_ask")
        return self.value_info("label_or_ask", self.onnx.TensorProto.STRING)

    def refused(self, shares: str) -> str:
        """Where shares are not known."""
        return self.call("IsNaN", self.call("Squeeze", self.total(shares), [1]))

    def one_hot(self, code: str) -> str:
        """1 in the place of each row's class, 0 elsewhere."""
        column = self.call("Unsqueeze", code, [1])
        return self.as_float(self.call("Equal", column, np.arange(len(self.plan.labels))[None]))

    def kept(self, p: str, h: str, code: str) -> str:
        """Probabilities mixed with those of the way until its class is the cheapest."""
        own = self.one_hot(code)
        mistakes = self.call("Gather", self.plan.fitted.costs, code, axis=0)
        p = self.toward(p, h, own, self.call("Mul", mistakes, 0.0))
        return self.toward(p, own, own, self.call("Mul", mistakes, MARGIN))

    def toward(self, p: str, other: str, own: str, margin: str) -> str:
        """Probabilities mixed with others until each answer is dearer by its margin."""
        dearer, room = self.dearer(p, own), self.dearer(other, own)
        lacking, gained = self.call("Sub", margin, dearer), self.call("Sub", room, dearer)
        lacks, gains = self.call("Greater", lacking, 0.0), self.call("Greater", gained, 0.0)
        some = self.call("And", lacks, gains)
        parts = self.call("Div", lacking, self.call("Where", some, gained, 1.0))
        needed = self.call("Where", some, parts, 0.0)
        part = self.call("Min", self.call("ReduceMax", needed, [1], keepdims=1), 1.0)
        rest = self.call("Mul", self.call("Sub", 1.0, part), p)
        return self.call("Add", rest, self.call("Mul", part, other))

    def dearer(self, shares: str, own: str) -> str:
        """How much more each answer is expected to cost than the class of the way."""
        costs = self.call("MatMul", shares, self.plan.fitted.costs)
        return self.call("Sub", costs, self.total(self.call("Mul", costs, own)))


def _has_text(labels: Sequence[Any] | None) -> bool:
    """Whether some label is text, that of gaps in numbers or booleans apart."""
    known = [label for label in labels or () if label != OWN_CATEGORY] or labels or ()
    return any(isinstance(label, str) for label in known)


def _missing_text(categories: Sequence[Any]) -> str:
    """The text of a missing category: the empty one, or the fewest "?" that are no category."""
    known, text = {str(each) for each in categories}, ""
    while text in known:
        text += "?"
    return text


def _input_name(name: str) -> str:
    """Name of a column, unless the graph has that name for something else."""
    return f"input {name}" if name in ("", *_OUTPUTS) or name.startswith(_OURS) else name
