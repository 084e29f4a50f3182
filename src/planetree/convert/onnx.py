"""A model as an ONNX graph of matrices in float64, missing values included.

With T the terms of the rows (numbers, and an indicator of each category; 0 where missing), M their
missing marks, and one column an item in each of

    above    T W > offsets                            the planes
    holds    above A > how many must be above - 1/2   alternatives: A is 1 for above, -1 for not
    takes    holds G > 1/2                            branches: G joins the alternatives
    unknown  M U + T S > 1/2                          decisions that are not known, or have strays

each node but the root has the factor

    part of its branch, where its decision is unknown; else 1 where it is taken, 0 where not

and its share is its parent's times its factor. The shares of the leaves times their distributions
are the shares of the classes, which times the costs decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats
from planetree.convert.network import Numbering, as_half_space
from planetree.convert.plan import HIGHEST_STAND_IN, LOWEST_STAND_IN, Plan, plan_of
from planetree.planes import Among, Test
from planetree.tree.classifier import comparable

__all__ = ["to_onnx"]

_OPSET, _IR_VERSION = 19, 9  # text is compared since 19
_OURS = "planetree/"  # how names inside the graph begin
_OUTPUTS = ("label", "probabilities")


def to_onnx(model: Any, *, missing: str | None = None) -> Any:
    """Say a fitted model as an ONNX model, in float64.

    If every column holds numbers, the input is one matrix `X` of shape (n_rows, n_columns); else
    there is one input of shape (n_rows, 1) for each column that is read, by the column's name (by
    "input " and its name if that is empty, or an output's): text for text, numbers for numbers and
    booleans. NaN is missing, and so is a category that training did not have.

    The output `label` is the class of each row; where the model would refuse a row for a missing
    value, it is the empty text, or the least int64. Trees also give `probabilities`.

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
    (['X'], ['label'])
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
        outputs = self.outputs(self.class_shares(*self.read()))
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

    def some(self, matrix: str, weights: Floats, threshold: Any = 0.5) -> str:
        """Where rows times weights exceed a threshold, as 0 and 1."""
        product = self.call("MatMul", matrix, self.constant(weights))
        return self.as_float(self.call("Greater", product, self.constant(threshold)))

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

    def class_shares(self, terms: str, marks: str) -> str:
        """Share of each class in each row; all are 0 where a row is refused."""
        tree = self.plan.fitted.tree
        first = self.call("Gather", terms, self.constant([0], np.int64), axis=1)
        whole = self.call("Mul", first, self.constant(0.0))
        levels = [self.call("Add", whole, self.constant(1.0))]
        order, level = [0], [0]
        factors = self.factors(terms, marks) if tree.n_nodes > 1 else ""
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
        leaves = np.where(tree.n_branches[:, None] == 0, tree.leaf_distributions, 0.0)
        return self.call(
            "MatMul", self.call("Concat", *levels, axis=1), self.constant(leaves[order])
        )

    def factors(self, terms: str, marks: str) -> str:
        """Part of its parent's share that each node but the root gets."""
        takes, unknown = self.takes(terms), self.unknown(terms, marks)
        parents = np.repeat(
            np.arange(self.plan.fitted.tree.n_nodes), self.plan.fitted.tree.n_branches
        )
        parent = np.empty(len(parents), dtype=np.intp)
        parent[self.plan.fitted.tree.children - 1] = parents
        inner = {node: i for i, node in enumerate(self.inner)}
        of_parent = self.constant([inner[node] for node in parent.tolist()], np.int64)
        gone = self.call("Gather", unknown, of_parent, axis=1)
        gone = self.call("Greater", gone, self.constant(0.5))
        return self.call("Where", gone, self.constant(self.parts()[None]), takes)

    @property
    def inner(self) -> list[int]:
        """The nodes that have a decision."""
        return [node for node, decision in enumerate(self.plan.decisions) if decision is not None]

    def parts(self) -> Floats:
        """Part of an unknown row that each node but the root gets."""
        parts = np.zeros(self.plan.fitted.tree.n_nodes - 1)
        for node in self.inner:
            children = np.array(self.plan.children(node))
            if self.plan.missing == "majority":
                parts[children[self.plan.heaviest(node)] - 1] = 1.0
            elif self.plan.missing == "fractions":
                parts[children - 1] = self.plan.fitted.tree.parts(node)
        return parts

    def takes(self, terms: str) -> str:
        """Whether a row that is known takes the branch to each node but the root."""
        planes, alternatives = Numbering(), []
        joins: list[int] = []
        for node in self.inner:
            decision = self.plan.decisions[node]
            assert decision is not None
            for child, formula in zip(self.plan.children(node), decision.branches, strict=False):
                alternatives += [[_side_of(test, planes) for test in each] for each in formula]
                joins += [child - 1] * len(formula)
        weights = np.zeros((len(self.terms), len(planes)))
        for (used, factors, _), p in planes.items():
            for term, weight in zip(used, factors, strict=True):
                weights[self.terms[term], p] += weight
        above = self.some(terms, weights, [offset for _, _, offset in planes])
        needs = np.zeros((len(planes), len(alternatives)))
        for a, sides in enumerate(alternatives):
            for plane, is_above in sides:
                needs[plane, a] = 1.0 if is_above else -1.0
        holds = self.some(above, needs, np.maximum(needs, 0.0).sum(axis=0) - 0.5)
        joined = np.zeros((len(alternatives), self.plan.fitted.tree.n_nodes - 1))
        joined[np.arange(len(joins)), joins] = 1.0
        return self.some(holds, joined)

    def unknown(self, terms: str, marks: str) -> str:
        """Whether a row cannot answer each decision."""
        needed = np.zeros((len(self.columns), len(self.inner)))
        strays = np.zeros((len(self.terms), len(self.inner)))
        for i, node in enumerate(self.inner):
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

    def outputs(self, shares: str) -> list[Any]:
        """Label by least expected cost, and shares that sum to 1."""
        k, labels = len(self.plan.labels), self.plan.labels
        order = self.plan.fitted.order
        compared = comparable(self.plan.fitted.costs)[:, order]
        costs = self.call("MatMul", shares, self.constant(compared))
        place = self.call("ArgMin", costs, axis=1, keepdims=0)
        code = self.call("Gather", self.constant(order, np.int64), place, axis=0)
        texts = any(isinstance(label, str) for label in labels)
        total = self.call("ReduceSum", shares, self.constant([1], np.int64), keepdims=1)
        if self.plan.missing == "refuse":
            flat = self.call("Squeeze", total, self.constant([1], np.int64))
            known = self.call("Greater", flat, self.constant(0.5))
            code = self.call("Where", known, code, self.constant(k, np.int64))
            labels = [*labels, "" if texts else np.iinfo(np.int64).min]
        table = (
            self.constant([*map(str, labels)], object) if texts else self.constant(labels, np.int64)
        )
        self.call("Gather", table, code, name="label")
        kind = self.onnx.TensorProto.STRING if texts else self.onnx.TensorProto.INT64
        found = [self.value_info("label", kind)]
        if self.plan.fitted.missing:
            self.call("Div", shares, total, name="probabilities")
            found.append(self.value_info("probabilities", self.onnx.TensorProto.DOUBLE, k))
        return found


def _input_name(name: str) -> str:
    """Name of a column, unless the graph has that name for something else."""
    return f"input {name}" if name in ("", *_OUTPUTS) or name.startswith(_OURS) else name


def _side_of(test: Test, planes: Numbering) -> tuple[int, bool]:
    """Number of the plane of a test, and whether the row must be above it."""
    if isinstance(test, Among):
        test = as_half_space(test)
    return planes[test.terms, test.weights, test.offset], test.above
