"""Any fitted classifier as a tree: what plots, reports and exports read.

A separator alone is a tree of one decision, whose leaves hold no training weight. A selector that
predicts by a tree of the columns it selects is that tree, with the numbers of all columns.

- on a row with no missing value the answer of the model is `classes[codes[leaf]]`, with `leaf`
  the one leaf of `tree` that the row reaches;
- on a row with missing values, where the model takes them, it is the class c with the least
  `distribution(row) @ costs[:, c]`, of equals the first in `order`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from planetree.planes import Planes, Split
from planetree.table import Column, read_costs
from planetree.tree.axis_splits import AxisSplits
from planetree.tree.c45.c45_tree import C45Classifier
from planetree.tree.classifier import TreeClassifier, least_cost
from planetree.tree.tree import Tree

__all__ = ["FittedTree", "fitted_tree"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


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
        What it costs to take a row of one class (row) for another (column).
    order : array of shape (n_classes,)
        Class codes in the order in which ties between classes are decided.
    missing : bool
        Whether the model takes missing values, as fractions over the branches.
    stand_in : bool
        Whether a number that rounds to -999 in 32 bits counts as missing.
    """

    owner: str
    tree: Tree
    codes: Indices
    columns: tuple[Column, ...]
    classes: NDArray[Any]
    costs: Floats
    order: Indices
    missing: bool
    stand_in: bool


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
    tree, planes = getattr(model, "tree_", None), getattr(model, "planes_", None)
    if isinstance(tree, TreeClassifier):
        inner, columns = fitted_tree(tree), np.flatnonzero(model.support_)
        whole = renumbered(inner.tree, columns)
        return replace(inner, owner=type(model).__name__, tree=whole, columns=model.columns_)
    order = np.arange(len(model.classes_))
    if isinstance(tree, Tree):
        is_plain = not isinstance(model, TreeClassifier)
        costs = getattr(model, "costs_", read_costs(None, model.classes_))
        order = order if is_plain else model._class_order()
        codes = tree.predicted if is_plain else least_cost(tree.leaf_distributions, costs, order)
    elif isinstance(planes, Planes):
        codes = np.asarray(getattr(model, "branch_codes_", np.arange(planes.n_branches)))
        costs = read_costs(None, model.classes_)
        tree, codes = single_decision(planes, codes, len(model.classes_))
    else:
        raise TypeError(
            f"{type(model).__name__} is neither a tree nor planes: there is nothing to read as a "
            "tree. Fit a separator or a tree, for instance on the columns that it selects."
        )
    return FittedTree(
        owner=type(model).__name__,
        tree=tree,
        codes=codes,
        columns=tuple(model.columns_),
        classes=model.classes_,
        costs=costs,
        order=order,
        missing=isinstance(model, TreeClassifier),
        stand_in=isinstance(model, C45Classifier) and model.arithmetic_ == "single",
    )


def renumbered(tree: Tree, columns: Indices) -> Tree:
    """The same tree, whose column j is called `columns[j]`."""
    splits = tree.splits
    if isinstance(splits, AxisSplits):
        numbers = np.where(splits.columns < 0, -1, columns[splits.columns])
        return replace(tree, splits=replace(splits, columns=numbers))
    found: list[Split | None] = []
    for split in splits:
        if isinstance(split, Planes):
            found.append(replace(split, columns=columns[split.columns]))
        elif split is not None:
            found.append(replace(split, column=int(columns[split.column])))
        else:
            found.append(None)
    return replace(tree, splits=found)


def single_decision(planes: Planes, codes: Indices, n_classes: int) -> tuple[Tree, Indices]:
    """Tree of one decision, and the class code of each of its nodes."""
    k = planes.n_branches
    codes = np.append(0, codes)
    tree = Tree(
        [planes, *[None] * k],
        np.array([k, *[0] * k]),
        np.arange(1, k + 1),
        np.zeros((k + 1, n_classes)),
        codes,
        np.zeros(k + 1),
    )
    return tree, codes
