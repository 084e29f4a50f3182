"""Any fitted classifier as a tree: what plots, reports and exports read.

A separator alone is a tree of one decision, whose leaves hold no training weight. A selector that
predicts by a tree of the columns it selects is that tree, with the numbers of all columns.

- on a row with no missing value the answer of the model is `classes[codes[leaf]]`, with `leaf`
  the one leaf of `tree` at the end of its way, unless decisions are graded and it does not keep
  the class of the way;
- otherwise, as on rows with missing values, it is the class c with the least `p @ costs[:, c]`, of
  equals the first in `order`, with p = `tree.distribution(row, graded=not keeps_class)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.planes import Planes, Split
from planetree.separators.probability_curve import ProbabilityCurve
from planetree.table import Column, read_costs, read_rows
from planetree.tree.axis_splits import AxisSplits
from planetree.tree.c45.c45_tree import C45Classifier, without_stand_ins
from planetree.tree.classifier import TreeClassifier, least_cost
from planetree.tree.tree import Tree
from planetree.words import Wording, Words, wording_of


@dataclass(frozen=True, eq=False)
class FittedTree:
    """What a fitted classifier is made of, whichever it is.

    Parameters
    ----------
    owner : str
        Name of the model's class, for messages.
    tree : Tree
    codes : array of shape (n_nodes,)
        Class code that each node answers with.
    columns : tuple of Column
    classes : array
        Labels.
    costs : array of shape (n_classes, n_classes)
        Cost of predicting one class (column) for a row of another (row).
    order : array of shape (n_classes,)
        Class codes in the order in which ties between classes are decided.
    keeps_class : bool
        Whether probabilities are mixed with those of a row's way until its class is the cheapest
        (`grading.keep_class`).
    missing : bool
        Whether the model takes missing values, as fractions over the branches.
    stand_in : bool
        Whether a number that rounds to -999 in 32 bits counts as missing.
    printed_splits : sequence of Planes, Categories or None
        The decision of each node as it is printed: with weights of few digits, if there are such.
    wording : Wording
        How everything that prints says them.
    certificates : list of Certificate
        How each decision was found, in preorder.
    """

    owner: str
    tree: Tree
    codes: Indices
    columns: tuple[Column, ...]
    classes: NDArray[Any]
    costs: Floats
    order: Indices
    keeps_class: bool
    missing: bool
    stand_in: bool
    printed_splits: Sequence[Split | None]
    wording: Wording
    certificates: list[Certificate]

    @property
    def is_rounded(self) -> bool:
        """Whether decisions are said with other weights than they are made with."""
        return self.printed_splits is not self.tree.splits

    def read(self, model: Any, X: Any) -> Floats:
        """Rows as the model reads them, with no number in the place of a missing one."""
        rows = read_rows(model, X, missing=self.missing)
        if not self.stand_in:
            return rows
        numbers = [j for j in self.tree.features if self.columns[j].categories is None]
        return without_stand_ins(rows, numbers)

    def answers(self, X: Floats) -> Indices:
        """Class code that the model gives each row."""
        if not self.missing:
            return self.codes[self.tree.apply(X)]
        shares = self.tree.distribution(X, graded=not self.keeps_class)
        return least_cost(shares, self.costs, self.order)

    @cached_property
    def words(self) -> list[Words | None]:
        """Each decision in words, None at a leaf."""
        return [
            None if split is None else self.wording.decision(split) for split in self.printed_splits
        ]


def fitted_tree(model: Any) -> FittedTree:
    """Read a fitted classifier as a tree.

    Parameters
    ----------
    model : fitted separator or tree

    Examples
    --------
    >>> import numpy as np
    >>> from planetree import RobustSeparator
    >>> from planetree.tree import fitted_tree
    >>> model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> fitted = fitted_tree(model)
    >>> (leaf,) = fitted.tree.apply(np.array([[2.5]]))
    >>> fitted.tree.n_leaves, fitted.classes[fitted.codes[leaf]].item()
    (2, 'b')
    """
    check_is_fitted(model)
    if isinstance(inner := getattr(model, "estimator_", None), TreeClassifier):
        return _of_all_columns(fitted_tree(inner), model)
    tree, planes = getattr(model, "tree_", None), getattr(model, "planes_", None)
    if tree is not None:
        is_plain = not isinstance(model, TreeClassifier)
        costs = getattr(model, "costs_", read_costs(None, model.classes_))
        order = np.arange(len(model.classes_)) if is_plain else model._class_order()
        codes = tree.predicted if is_plain else least_cost(tree.leaf_distributions, costs, order)
    elif planes is not None:
        codes = np.asarray(getattr(model, "branch_codes_", np.arange(planes.n_branches)))
        costs, order = read_costs(None, model.classes_), np.arange(len(model.classes_))
        tree = _single_decision(planes, codes, len(model.classes_), getattr(model, "curve_", None))
        codes = tree.predicted
    else:
        raise TypeError(
            f"{type(model).__name__} is neither a tree nor planes: there is nothing to read as a "
            "tree. Fit a separator or a tree, for instance on the columns that it selects."
        )
    is_graded = getattr(model, "grading_", None) is not None  # what is said is what predicts
    return FittedTree(
        owner=type(model).__name__,
        tree=tree,
        codes=codes,
        columns=tuple(model.columns_),
        classes=model.classes_,
        costs=costs,
        order=order,
        keeps_class=isinstance(model, TreeClassifier) and model._keeps_class(),
        missing=isinstance(model, TreeClassifier),
        stand_in=isinstance(model, C45Classifier) and model.arithmetic_ == "single",
        printed_splits=tree.splits if is_graded else getattr(model, "rounded_tree_", tree).splits,
        wording=wording_of(model),
        certificates=model.certificates_ if planes is None else [model.certificate_],
    )


def _of_all_columns(inner: FittedTree, selector: Any) -> FittedTree:
    """The tree of a selector, with the numbers of all columns."""
    chosen = np.flatnonzero(selector.support_)
    tree = _renumbered(inner.tree, chosen)
    scales = {(int(chosen[j]), c): scale for (j, c), scale in inner.wording.scales.items()}
    return replace(
        inner,
        owner=type(selector).__name__,
        tree=tree,
        columns=selector.columns_,
        printed_splits=_renumbered(replace(inner.tree, splits=inner.printed_splits), chosen).splits
        if inner.is_rounded
        else tree.splits,
        wording=replace(inner.wording, columns=selector.columns_, scales=scales),
    )


def _renumbered(tree: Tree, columns: Indices) -> Tree:
    """The same tree, whose column j is called `columns[j]`."""
    splits = tree.splits
    if isinstance(splits, AxisSplits):
        numbers = np.where(splits.columns < 0, -1, columns[splits.columns])
        return replace(tree, splits=replace(splits, columns=numbers))
    found = [None if split is None else split.renumbered(columns) for split in splits]
    return replace(tree, splits=found)


def _single_decision(
    planes: Planes, codes: Indices, n_classes: int, curve: ProbabilityCurve | None
) -> Tree:
    """Tree of one decision, graded where one plane or the largest score decides."""
    k, leaves = planes.n_branches, None
    if curve is not None and planes.rule in ("slabs", "argmax"):
        planes = replace(planes, spread=curve.spread)
        leaves = np.vstack([np.full(n_classes, 1.0 / n_classes), curve.leaves(n_classes)[codes]])
    return Tree(
        [planes, *[None] * k],
        np.array([k, *[0] * k]),
        np.arange(1, k + 1),
        np.zeros((k + 1, n_classes)),
        np.append(0, codes),
        np.zeros(k + 1),
        leaf_probabilities=leaves,
    )
