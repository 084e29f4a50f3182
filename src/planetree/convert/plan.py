"""What every export is made from: the tree of a model as formulas, and what missing values do.

The formula of a branch is a list of alternatives, and an alternative a list of tests that all hold
(`planetree.planes`): of a row that is known, the formula of exactly one branch holds.

fractions   a row takes every branch of a decision that it does not answer, in part: as the model
majority    it takes the branch with the most training weight
refuse      the model gives no answer for such a row, nor does the export

A column that has something to fill its gaps (`Column.fill`) is never missing: every export reads it
so.

A row does not answer a decision if it lacks a value that it needs, or, in a division of categories,
if it has one that training did not have. Planes take that one as none of theirs.

A graded decision has *signals* besides, numbers from 0 to 1 that it makes of its scores, and the
share of a branch is a sum over alternatives of products of signals, or of what they lack of 1:

    sigmoid     a signal a score: sigmoid(score / spread)
    softmax     a signal a score: softmax(scores / spread)
    both        one signal for all scores: sigmoid(min(scores) / spread)
    same_side   one signal: sigmoid(max(min(scores), -max(scores)) / spread)

The last two are how a single separator of two planes grades its `decision_function`. A sigmoid
beyond `BEYOND` spreads is 0 or 1 in an export: no exponent overflows, no product underflows, and no
probability moves by 1e-17.

way         the class is that of the row's way, by tests; probabilities, where there are such, are
            mixed with those of the way if the model does (`grading.keep_class`)
shares      the class is the cheapest by the probabilities
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats
from planetree.parameters import check_argument, choice, number, optional
from planetree.planes import (
    NEW,
    NO_CATEGORY,
    Among,
    Categories,
    HalfSpace,
    Pattern,
    Planes,
    Split,
    Test,
)
from planetree.tree import FittedTree, fitted_tree

Formula = tuple[Pattern, ...]
Signs = tuple[tuple[int, bool], ...]

BEYOND = 40.0  # spreads at which a sigmoid is 4e-18

# The numbers that round to -999 in 32 bits.
LOWEST_STAND_IN, HIGHEST_STAND_IN = -999.0 - 2.0**-15, -999.0 + 2.0**-15


class Numbering(dict[Any, int]):
    """Numbers for things in the order in which they are first asked for."""

    def __missing__(self, key: Any) -> int:
        self[key] = len(self)
        return self[key]

    def of(self, keys: Iterable[Any]) -> list[int]:
        """Numbers of some things."""
        return [self[key] for key in keys]


def side_of(test: Test, planes: Numbering) -> tuple[int, bool]:
    """Number of the plane of a test, and whether the row must be above it.

    A category among some is above a plane over their indicators.
    """
    if isinstance(test, Among):
        terms = tuple((test.column, code) for code in test.codes)
        test = HalfSpace(terms, (1.0,) * len(terms), 0.5, True)
    return planes[test.terms, test.weights, test.offset], test.above


def sides_above(planes: Numbering) -> list[HalfSpace]:
    """The sides above numbered planes."""
    return [HalfSpace(terms, weights, offset, True) for terms, weights, offset in planes]


def plane_matrix(planes: Sequence[HalfSpace], inputs: Numbering) -> tuple[Floats, Floats]:
    """Weights of planes (a row each) over numbered inputs, which their terms are, and offsets."""
    weights = np.zeros((len(planes), len(inputs)))
    for p, plane in enumerate(planes):
        np.add.at(weights[p], inputs.of(plane.terms), plane.weights)
    return weights, np.array([plane.offset for plane in planes], dtype=np.float64)


class Grading(NamedTuple):
    """How a graded decision makes signals of scores, and shares of signals.

    Parameters
    ----------
    kind : {"sigmoid", "softmax", "both", "same_side"}
    scores : tuple of HalfSpace
        The planes that scores are distances from.
    spread : float
    branches : tuple
        For each branch its alternatives: numbers of signals, and whether each counts as it is.
    """

    kind: str
    scores: tuple[HalfSpace, ...]
    spread: float
    branches: tuple[tuple[Signs, ...], ...]


class Decision(NamedTuple):
    """What a decision reads and needs of a row, and the formula of each branch.

    Parameters
    ----------
    columns : tuple of int
        The columns that it reads.
    branches : tuple
        Formulas.
    needs : tuple of int
        The columns that must not be missing.
    strays : tuple of Among
        The categories that belong to no branch, those that training did not have among them.
    grading : Grading, optional
        None where the decision is hard.
    """

    columns: tuple[int, ...]
    branches: tuple[Formula, ...]
    needs: tuple[int, ...] = ()
    strays: tuple[Among, ...] = ()
    grading: Grading | None = None


def _decision_of(split: Split, fitted: FittedTree) -> Decision:
    """Say a split as formulas."""
    columns = tuple(split.features.tolist())
    if isinstance(split, Categories):
        return _division_of(split)
    formulas = tuple(split.side(branch).patterns() for branch in range(split.n_branches))
    grading = _grading_of(split) if split.spread > 0 else None
    refused = () if fitted.missing else columns
    new = (Among(j, (NEW,)) for j in refused if fitted.columns[j].categories is not None)
    needs = tuple(j for j in columns if fitted.columns[j].fill is None)
    return Decision(columns, formulas, needs, tuple(new), grading)


def _division_of(split: Categories) -> Decision:
    """Say a division of categories as formulas; those that training did not have are strays."""
    sides = [split.side(branch) for branch in range(split.n_branches)]
    if split.unknown >= 0:
        codes = (*sides[split.unknown].codes, NO_CATEGORY)
        sides[split.unknown] = Among(split.column, codes)
    strays = Among(split.column, (*split.side(-1).codes, NEW))
    needs = (split.column,) if split.unknown < 0 else ()
    formulas = tuple(side.patterns() for side in sides)
    return Decision((split.column,), formulas, needs, (strays,))


def _grading_of(planes: Planes) -> Grading:
    """Say the shares of graded planes as sums of products of signals."""
    scores = [planes.half_space(p) for p in range(len(planes.offsets))]
    numbers = range(len(scores))
    if planes.rule == "argmax":
        winners = tuple((((p, True),),) for p in numbers)
        return Grading("softmax", tuple(scores), planes.spread, winners)
    branches: tuple[tuple[Signs, ...], ...]
    reached: list[Signs] = [tuple((q, True) for q in range(p)) for p in (*numbers, len(scores))]
    # Above all before and not above p.
    stopped: list[Signs] = [(*reached[p], (p, False)) for p in numbers]
    if planes.rule == "slabs":
        if not np.all(planes.weights == planes.weights[0]):
            raise ValueError("Graded slabs are exported only where their planes are parallel.")
        scores.sort(key=lambda half: half.offset)
        branches = (*((signs,) for signs in stopped), (reached[-1],))
    elif planes.rule == "both":
        branches = (tuple(stopped), (reached[-1],))
    else:
        signs = list(product((False, True), repeat=len(scores)))
        alternatives: list[Signs] = [tuple(enumerate(each)) for each in signs]
        branches = (tuple(alternatives[1:-1]), (alternatives[-1], alternatives[0]))
    return Grading("sigmoid", tuple(scores), planes.spread, branches)


class _Asking(NamedTuple):
    """Which rows are for a person: those whose answer is unsure, and those out of range.

    Parameters
    ----------
    limit : float
        The largest expected error of an answer.
    ranges : dict
        Least and largest number of training, by column.
    """

    limit: float
    ranges: dict[int, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Plan:
    """A fitted tree, the decision of each node but leaves, and the rule for missing values."""

    fitted: FittedTree
    decisions: dict[int, Decision]
    missing: str
    probabilities: Floats | None
    """Probabilities of each node as a leaf; None where the model tells none."""
    asking: _Asking | None = None
    """When the export answers 'ask a person'; None where it always answers."""

    @cached_property
    def leaves(self) -> list[int]:
        """The nodes that have no decision."""
        return [node for node in range(self.fitted.tree.n_nodes) if node not in self.decisions]

    @cached_property
    def gradings(self) -> dict[int, Grading]:
        """The nodes whose decision is graded, and how."""
        return {n: each.grading for n, each in self.decisions.items() if each.grading is not None}

    @property
    def is_graded(self) -> bool:
        """Whether some decision is graded."""
        return bool(self.gradings)

    @cached_property
    def mixes(self) -> bool:
        """Whether probabilities are mixed with those of the way, to keep its class."""
        return self.is_graded and self.fitted.keeps_class

    @cached_property
    def by_way(self) -> bool:
        """Whether the class is that of the way, and not of the probabilities."""
        return not self.is_graded or self.fitted.keeps_class or self.missing == "refuse"

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that some decision reads."""
        return tuple(sorted({j for each in self.decisions.values() for j in each.columns}))

    @cached_property
    def needs(self) -> tuple[int, ...]:
        """The columns that must not be missing for some decision."""
        return tuple(sorted({j for each in self.decisions.values() for j in each.needs}))

    @property
    def refuses(self) -> bool:
        """Whether a row that lacks a value has no answer."""
        return self.missing == "refuse" and bool(self.needs or self.strays)

    @property
    def divides(self) -> bool:
        """Whether a row that lacks a value takes several branches in part."""
        return self.missing == "fractions" and bool(self.columns)

    @cached_property
    def strays(self) -> tuple[Among, ...]:
        """By column, the categories that belong to no branch of some decision."""
        found: dict[int, set[int]] = {}
        for each in self.decisions.values():
            for strays in each.strays:
                found.setdefault(strays.column, set()).update(strays.codes)
        return tuple(Among(column, tuple(sorted(codes))) for column, codes in found.items())

    @cached_property
    def labels(self) -> list[Any]:
        """Labels of the classes as Python values."""
        return self.fitted.classes.tolist()

    @cached_property
    def uniform(self) -> bool:
        """Whether all errors cost the same, so that the class with the largest share wins."""
        costs = self.fitted.costs
        return bool(np.array_equal(costs, 1.0 - np.eye(len(costs))))

    @cached_property
    def sizes(self) -> list[int]:
        """How many nodes each node has at or below it."""
        tree = self.fitted.tree
        sizes = [1] * tree.n_nodes
        for node in reversed(range(tree.n_nodes)):
            sizes[node] += sum(sizes[child] for child in tree.children_of(node).tolist())
        return sizes

    def refuse_strays(self, why: str) -> None:
        """Raise where a category belongs to no branch, so that its rows take all in part."""
        for strays in self.strays:
            column = self.fitted.columns[strays.column]
            names = [(column.categories or ())[code] for code in strays.codes if code >= 0]
            if names:
                raise ValueError(
                    f"A test of column {column.name!r} sends the categories {names} down every "
                    f"branch in part, {why}"
                )

    def label(self, node: int) -> Any:
        """Label that a leaf answers with."""
        return self.labels[self.fitted.codes[node]]

    def children(self, node: int) -> list[int]:
        """Children of a node in the order of its branches."""
        return self.fitted.tree.children_of(node).tolist()

    def heaviest(self, node: int) -> int:
        """Branch of a node with the most training weight, the first of equals."""
        return int(np.argmax(self.fitted.tree.parts(node)))

    def parts(self, node: int) -> Floats:
        """Part of a row that cannot answer the decision of a node, for each branch."""
        parts = self.fitted.tree.parts(node)
        if self.missing == "fractions":
            return parts
        return np.eye(len(parts))[self.heaviest(node)] if self.missing == "majority" else 0 * parts

    def asked(self, node: int) -> list[int]:
        """Branches of a node in the order in which to ask: the largest subtree last, unasked.

        A branch that no known row takes is left out. Where missing values take the heaviest branch,
        that one is first, unless it is last.
        """
        children = self.children(node)
        taken = [b for b, formula in enumerate(self.decisions[node].branches) if formula]
        last = max(taken, key=lambda b: (self.sizes[children[b]], -b))
        heaviest = self.heaviest(node)
        others = sorted((b for b in taken if b != last), key=lambda b: b != heaviest)
        if self.missing == "majority" and heaviest not in taken:
            others.insert(0, heaviest)
        return [*others, last]


def plan_of(model: Any, missing: str | None = None, ask: float | None = None) -> Plan:
    """Read a model, and settle what missing values do.

    Parameters
    ----------
    model : fitted separator or tree
    missing : {"majority"}, optional
        By default as the model does.
    ask : float, optional
        The largest expected error of an answer, as `max_expected_error` of `predict_or_ask`.
    """
    fitted = fitted_tree(model)
    check_argument("missing", missing, optional(choice("majority")))
    if missing == "majority" and not fitted.missing:
        raise ValueError(
            f"missing='majority' needs a model that takes missing values, but {fitted.owner} does "
            "not. Leave missing=None."
        )
    _refuse_odd_labels(fitted)
    splits = enumerate(fitted.tree.splits)
    decisions = {node: _decision_of(split, fitted) for node, split in splits if split is not None}
    probabilities: Floats | None = fitted.tree.leaf_distributions
    if not hasattr(model, "predict_proba"):
        probabilities = None
    elif not fitted.missing and decisions and decisions[0].grading is None:
        decisions[0], probabilities = _graded_pair(model, fitted, decisions[0])
    missing = missing or ("fractions" if fitted.missing else "refuse")
    plan = Plan(fitted, decisions, missing, probabilities)
    return plan if ask is None else replace(plan, asking=_asking_of(model, plan, ask))


def _asking_of(model: Any, plan: Plan, ask: float) -> _Asking:
    check_argument("ask", ask, number(0, 1))
    if not hasattr(model, "predict_or_ask") or not hasattr(model, "ranges_"):
        raise ValueError(
            f"ask needs a tree with predict_or_ask and the ranges of its training columns, but "
            f"this {plan.fitted.owner} has none. Leave ask=None, or fit a tree."
        )
    ends = {j: (float(model.ranges_.low[j]), float(model.ranges_.high[j])) for j in plan.columns}
    return _Asking(float(ask), {j: pair for j, pair in ends.items() if pair[0] <= pair[1]})


def _graded_pair(separator: Any, fitted: FittedTree, decision: Decision) -> tuple[Decision, Floats]:
    """The decision of a separator of two planes with its curve, and probabilities of the leaves."""
    planes, curve = separator.planes_, separator.curve_
    scores = tuple(planes.half_space(p) for p in range(len(planes.offsets)))
    grading = Grading(planes.rule, scores, curve.spread, ((((0, False),),), (((0, True),),)))
    probabilities = curve.leaves(len(fitted.classes))[fitted.codes]
    return decision._replace(grading=grading), probabilities


def _refuse_odd_labels(fitted: FittedTree) -> None:
    """Raise unless labels and categories are text, numbers or booleans, which every target has."""
    named: dict[str, list[Any]] = {"y": fitted.classes.tolist()}
    named |= {repr(column.name): list(column.categories or ()) for column in fitted.columns}
    for name, labels in named.items():
        odd = [each for each in labels if not isinstance(each, (str, bool, int, float))]
        if odd:
            raise ValueError(
                f"{name} holds {odd[0]!r}, of type {type(odd[0]).__name__}, which exports "
                "cannot express. Make such labels text before you fit."
            )
