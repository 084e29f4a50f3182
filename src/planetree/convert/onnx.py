"""A model as an ONNX graph of matrices in float64, missing values included.

With T the terms of the rows (numbers, and an indicator of each category; 0 where missing), M their
missing marks, and one column an item in each of

    signals  T W > offsets                   the planes; of a graded decision, sigmoids or softmax
    holds    products of signals, or of what they lack of 1        alternatives
    takes    min(holds G, 1)                 branches: G adds up the alternatives
    unknown  M U + T S > 1/2                 decisions that are not known, or have strays

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

from planetree.arrays import Floats
from planetree.convert.plan import (
    HIGHEST_STAND_IN,
    LOWEST_STAND_IN,
    Grading,
    Numbering,
    Plan,
    plan_of,
    side_of,
    sides_above,
)
from planetree.grading import MARGIN
from planetree.planes import HalfSpace
from planetree.tree.classifier import comparable

__all__ = ["to_onnx"]

_OPSET, _IR_VERSION = 19, 9  # text is compared since 19
_OURS = "planetree/"  # how names inside the graph begin
_OUTPUTS = ("label", "probabilities")
_LARGEST = 1e308  # score: what lies beyond is infinite, and has no differences


def to_onnx(model: Any, *, missing: str | None = None) -> Any:
    """Say a fitted model as an ONNX model, in float64.

    If every column holds numbers, the input is one matrix `X` of shape (n_rows, n_columns); else
    there is one input of shape (n_rows, 1) for each column that is read, by the column's name (by
    "input " and its name if that is empty, or an output's): text for text, numbers for numbers and
    booleans. NaN is missing, and so is a category that training did not have.

    The output `label` is the class of each row; where the model would refuse a row for a missing
    value, it is the empty text, or the least int64. Models with `predict_proba` also give
    `probabilities`, NaN where they would refuse a row.

    Parameters
    ----------
    model : fitted separator or tree
    missing : {"majority"}, optional
        What a missing value does: by default as in the model, which divides the row among the
        branches or refuses; or to take the branch of most training rows.

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
    return _Graph(plan_of(model, missing), onnx).model()


class _Graph:
    """Nodes, constants and inputs of a graph that grows."""

    def __init__(self, plan: Plan, onnx: Any) -> None:
        self.plan, self.onnx = plan, onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.columns = plan.columns or (0,)
        self.terms = Numbering()

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

    def call(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Add a node, and give the name of what it makes."""
        name = name or f"{_OURS}{operator}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        """Add a constant, and give its name."""
        name = f"{_OURS}constant_{len(self.constants)}"
        array = np.asarray(value, dtype=dtype)
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def table(self, labels: Any, texts: bool, dtype: Any) -> str:
        """Labels as a constant: text, or numbers of a dtype."""
        return self.constant([*map(str, labels)], object) if texts else self.constant(labels, dtype)

    def value_info(self, name: str, kind: int, *shape: Any) -> Any:
        """What an input or output is: name, type and shape."""
        return self.onnx.helper.make_tensor_value_info(name, kind, ["n_rows", *shape])

    def as_float(self, name: str) -> str:
        """Truth values as 0 and 1."""
        return self.call("Cast", name, to=self.onnx.TensorProto.DOUBLE)

    def scores(self, terms: str, planes: Sequence[HalfSpace]) -> str:
        """Scores of planes: terms times weights less offsets."""
        weights = np.zeros((len(self.terms), len(planes)))
        for p, plane in enumerate(planes):
            for term, weight in zip(plane.terms, plane.weights, strict=True):
                weights[self.terms[term], p] += weight
        product = self.call("MatMul", terms, self.constant(weights))
        return self.call("Sub", product, self.constant([plane.offset for plane in planes]))

    def read(self) -> tuple[str, str]:
        """Terms of the rows, 0 where missing, and the missing marks of the columns."""
        fitted, double = self.plan.fitted.columns, self.onnx.TensorProto.DOUBLE
        numbers = all(column.categories is None for column in fitted)
        if numbers:
            self.inputs.append(self.value_info("X", double, len(fitted)))
        terms, marks = [], []
        for j in self.columns:
            if numbers:
                cells = self.call("Gather", "X", self.constant([j], np.int64), axis=1)
            else:
                texts = any(isinstance(each, str) for each in fitted[j].categories or ())
                kind = self.onnx.TensorProto.STRING if texts else double
                cells = _input_name(fitted[j].name)
                self.inputs.append(self.value_info(cells, kind, 1))
            of_column, mark = self.read_column(j, cells)
            terms.append(of_column)
            marks.append(mark)
        return self.call("Concat", *terms, axis=1), self.call("Concat", *marks, axis=1)

    def read_column(self, j: int, cells: str) -> tuple[str, str]:
        """Terms of a column, and where it is missing."""
        categories = self.plan.fitted.columns[j].categories
        if categories is None:
            self.terms[j, -1]
            missing = self.call("IsNaN", cells)
            if self.plan.fitted.stand_in:
                low = self.call("GreaterOrEqual", cells, self.constant(LOWEST_STAND_IN))
                high = self.call("LessOrEqual", cells, self.constant(HIGHEST_STAND_IN))
                missing = self.call("Or", missing, self.call("And", low, high))
            filled = self.call("Where", missing, self.constant(0.0), cells)
            return filled, self.as_float(missing)
        for code in range(len(categories)):
            self.terms[j, code]
        texts = any(isinstance(each, str) for each in categories)
        known = self.table(categories, texts, np.float64)
        there = self.as_float(self.call("Equal", cells, known))
        some = self.call("MatMul", there, self.constant(np.ones((len(categories), 1))))
        return there, self.call("Sub", self.constant(1.0), some)

    def class_shares(self, terms: str, marks: str, graded: bool) -> str:
        """Share of each class in each row, which sum to 1; NaN where a row is refused."""
        tree = self.plan.fitted.tree
        first = self.call("Gather", terms, self.constant([0], np.int64), axis=1)
        whole = self.call("Mul", first, self.constant(0.0))
        levels = [self.call("Add", whole, self.constant(1.0))]
        order, level = [0], [0]
        factors = self.factors(terms, marks, graded) if tree.n_nodes > 1 else ""
        while below := [
            (child, at) for at, n in enumerate(level) for child in self.plan.children(n)
        ]:
            level = [child for child, _ in below]
            parents = self.constant([at for _, at in below], np.int64)
            columns = self.constant([child - 1 for child in level], np.int64)
            shares = self.call("Gather", levels[-1], parents, axis=1)
            factor = self.call("Gather", factors, columns, axis=1)
            levels.append(self.call("Mul", shares, factor))
            order += level
        said = self.plan.probabilities
        if said is None:
            said = np.eye(len(self.plan.labels))[self.plan.fitted.codes]
        leaves = np.where(tree.n_branches[:, None] == 0, said, 0.0)
        shares = self.call(
            "MatMul", self.call("Concat", *levels, axis=1), self.constant(leaves[order])
        )
        return self.call("Div", shares, self.total(shares))

    def total(self, matrix: str) -> str:
        """Sum of each row, as a column."""
        return self.call("ReduceSum", matrix, self.constant([1], np.int64), keepdims=1)

    def factors(self, terms: str, marks: str, graded: bool) -> str:
        """Part of its parent's share that each node but the root gets."""
        takes, unknown = self.takes(terms, graded), self.unknown(terms, marks)
        parents = np.repeat(
            np.arange(self.plan.fitted.tree.n_nodes), self.plan.fitted.tree.n_branches
        )
        parent = np.empty(len(parents), dtype=np.intp)
        parent[self.plan.fitted.tree.children - 1] = parents
        inner = {node: i for i, node in enumerate(self.plan.inner)}
        of_parent = self.constant([inner[node] for node in parent.tolist()], np.int64)
        gone = self.call("Gather", unknown, of_parent, axis=1)
        gone = self.call("Greater", gone, self.constant(0.5))
        return self.call("Where", gone, self.constant(self.parts()[None]), takes)

    def parts(self) -> Floats:
        """Part of an unknown row that each node but the root gets."""
        parts = np.zeros(self.plan.fitted.tree.n_nodes - 1)
        for node in self.plan.inner:
            parts[np.array(self.plan.children(node)) - 1] = self.plan.parts(node)
        return parts

    def takes(self, terms: str, graded: bool) -> str:
        """Which part of a row that is known takes the branch to each node but the root."""
        planes, made, joins = Numbering(), [], []
        alternatives: list[list[tuple[Any, bool]]] = []
        for node in self.plan.inner:
            decision = self.plan.decisions[node]
            assert decision is not None
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
        return self.joined(self.products(terms, planes, made, alternatives), joins)

    def joined(self, holds: str, joins: list[int]) -> str:
        """Sum of the alternatives of each node but the root."""
        summed = np.zeros((len(joins), self.plan.fitted.tree.n_nodes - 1))
        summed[np.arange(len(joins)), joins] = 1.0
        total = self.call("MatMul", holds, self.constant(summed))
        return self.call("Min", total, self.constant(1.0))  # a row may meet several by signs

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
            names.append(self.as_float(self.call("Greater", above, self.constant(0.0))))
            for plane in planes.values():
                numbers[plane]
        for node, name, n_signals in made:
            names.append(name)
            for i in range(n_signals):
                numbers[node, i]
        signals = self.call("Concat", *names, axis=1)
        lacks = self.call("Sub", self.constant(1.0), signals)
        n, longest = len(numbers), max(map(len, alternatives))
        factors = np.full((len(alternatives), longest), 2 * n)  # 1 where there is no other
        for a, signs in enumerate(alternatives):
            factors[a, : len(signs)] = [numbers[key] + (0 if up else n) for key, up in signs]
        first = self.call("Gather", signals, self.constant([0], np.int64), axis=1)
        one = self.call("Add", self.call("Mul", first, self.constant(0.0)), self.constant(1.0))
        both = self.call("Concat", signals, lacks, one, axis=1)
        gathered = self.call("Gather", both, self.constant(factors, np.int64), axis=1)
        return self.call("ReduceProd", gathered, self.constant([2], np.int64), keepdims=0)

    def signals(self, terms: str, grading: Grading) -> tuple[str, int]:
        """Signals of a graded decision, and how many there are."""
        scores = self.scores(terms, grading.scores)
        limits = self.constant(-_LARGEST), self.constant(_LARGEST)
        scores = self.call("Clip", scores, *limits)
        axes, spread = self.constant([1], np.int64), self.constant(grading.spread)
        if grading.kind == "softmax":
            most = self.call("ReduceMax", scores, axes, keepdims=1)
            steps = self.call("Div", self.call("Sub", scores, most), spread)
            return self.call("Softmax", steps, axis=1), len(grading.scores)
        if grading.kind == "sigmoid":
            return self.call("Sigmoid", self.call("Div", scores, spread)), len(grading.scores)
        depth = self.call("ReduceMin", scores, axes, keepdims=1)
        if grading.kind == "same_side":
            most = self.call("ReduceMax", scores, axes, keepdims=1)
            depth = self.call("Max", depth, self.call("Neg", most))
        return self.call("Sigmoid", self.call("Div", depth, spread)), 1

    def unknown(self, terms: str, marks: str) -> str:
        """Whether a row cannot answer each decision."""
        needed = np.zeros((len(self.columns), len(self.plan.inner)))
        strays = np.zeros((len(self.terms), len(self.plan.inner)))
        for i, node in enumerate(self.plan.inner):
            decision = self.plan.decisions[node]
            assert decision is not None
            needed[[self.columns.index(j) for j in decision.columns], i] = 1.0
            if decision.strays is not None:
                column, codes = decision.strays
                strays[[self.terms[column, code] for code in codes], i] = 1.0
        lacking = self.call("MatMul", marks, self.constant(needed))
        if strays.any():
            stray = self.call("MatMul", terms, self.constant(strays))
            lacking = self.call("Add", lacking, stray)
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
        return found

    def cheapest(self, shares: str) -> str:
        """Code of the class of least expected cost, the first in order of equals."""
        order = self.plan.fitted.order
        compared = comparable(self.plan.fitted.costs)[:, order]
        costs = self.call("MatMul", shares, self.constant(compared))
        place = self.call("ArgMin", costs, axis=1, keepdims=0)
        return self.call("Gather", self.constant(order, np.int64), place, axis=0)

    def label(self, code: str, shares: str) -> Any:
        """The output of labels; where shares are not known, the row is refused."""
        labels = self.plan.labels
        texts = any(isinstance(label, str) for label in labels)
        if self.plan.missing == "refuse":
            flat = self.call("Squeeze", self.total(shares), self.constant([1], np.int64))
            refused = self.call("IsNaN", flat)
            code = self.call("Where", refused, self.constant(len(labels), np.int64), code)
            labels = [*labels, "" if texts else np.iinfo(np.int64).min]
        self.call("Gather", self.table(labels, texts, np.int64), code, name="label")
        kind = self.onnx.TensorProto.STRING if texts else self.onnx.TensorProto.INT64
        return self.value_info("label", kind)

    def kept(self, p: str, h: str, code: str) -> str:
        """Probabilities mixed with those of the way until its class is the cheapest."""
        column = self.call("Unsqueeze", code, self.constant([1], np.int64))
        classes = self.constant(np.arange(len(self.plan.labels))[None], np.int64)
        own = self.as_float(self.call("Equal", column, classes))
        mistakes = self.call("Gather", self.constant(self.plan.fitted.costs), code, axis=0)
        p = self.toward(p, h, own, self.call("Mul", mistakes, self.constant(0.0)))
        return self.toward(p, own, own, self.call("Mul", mistakes, self.constant(MARGIN)))

    def toward(self, p: str, other: str, own: str, margin: str) -> str:
        """Probabilities mixed with others until each answer is dearer by its margin."""
        dearer, room = self.dearer(p, own), self.dearer(other, own)
        lacking, gained = self.call("Sub", margin, dearer), self.call("Sub", room, dearer)
        zero, one = self.constant(0.0), self.constant(1.0)
        some = self.call(
            "And", self.call("Greater", lacking, zero), self.call("Greater", gained, zero)
        )
        parts = self.call("Div", lacking, self.call("Where", some, gained, one))
        needed = self.call("Where", some, parts, zero)
        part = self.call("ReduceMax", needed, self.constant([1], np.int64), keepdims=1)
        part = self.call("Min", part, one)
        rest = self.call("Mul", self.call("Sub", one, part), p)
        return self.call("Add", rest, self.call("Mul", part, other))

    def dearer(self, shares: str, own: str) -> str:
        """How much more each answer is expected to cost than the class of the way."""
        costs = self.call("MatMul", shares, self.constant(self.plan.fitted.costs))
        return self.call("Sub", costs, self.total(self.call("Mul", costs, own)))


def _input_name(name: str) -> str:
    """Name of a column, unless the graph has that name for something else."""
    return f"input {name}" if name in ("", *_OUTPUTS) or name.startswith(_OURS) else name
