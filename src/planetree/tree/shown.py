"""A fitted classifier and the rows it is shown with: what every picture of it is drawn from.

A separator is a tree of one decision. It keeps no count of its training rows, so its nodes have the
counts of the rows shown; a tree has those of its training rows as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from planetree.planes import Planes
from planetree.table import Column, Table, read_costs, read_labels
from planetree.tree.sentences import term_scales
from planetree.tree.tree import Tree, Visit
from planetree.tree.words import Words, decision_words

__all__ = ["Shown", "show"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Shown:
    """A classifier as a tree, and rows on their way through it.

    Parameters
    ----------
    model : fitted classifier
    tree : Tree
    answers : array of shape (n_nodes,)
        Code of the class that each node gives as a leaf.
    rows : array of shape (n_rows, n_columns)
        As `predict` reads them.
    codes : array of shape (n_rows,)
        Code of the class of each row.
    """

    model: Any
    tree: Tree
    answers: Indices
    rows: Floats
    codes: Indices

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and categories of the columns."""
        columns: tuple[Column, ...] = self.model.columns_
        return columns

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.model.classes_.tolist()]

    @property
    def gives_shares(self) -> bool:
        """Whether the model answers with a share of each class."""
        return hasattr(self.model, "predict_proba")

    @cached_property
    def visits(self) -> list[Visit | None]:
        """Rows that reach each node, with their shares; None where none does."""
        found: list[Visit | None] = [None] * self.tree.n_nodes
        for visit in self.tree.visits(self.rows):
            found[visit.node] = visit
        return found

    @cached_property
    def counts(self) -> Floats:
        """Rows of each class (a column) at each node, parts of rows included."""
        counts = np.zeros((self.tree.n_nodes, len(self.model.classes_)))
        for visit in filter(None, self.visits):
            counts[visit.node] = np.bincount(
                self.codes[visit.rows], visit.shares, minlength=counts.shape[1]
            )
        return counts

    @cached_property
    def words(self) -> list[Words | None]:
        """Each decision in words, None at a leaf."""
        tree = getattr(self.model, "rounded_tree_", self.tree)
        digits = 4 if tree is self.tree else 7
        scales = term_scales(Table(self.rows, self.columns), np.ones(len(self.rows)))
        return [
            None if split is None else decision_words(split, self.columns, scales, digits)
            for split in tree.splits
        ]


def show(model: Any, X: Any, y: Any) -> Shown:
    """Send rows through a fitted classifier.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.tree.shown import show
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    >>> shown = show(RobustSeparator().fit(X, y), X, y)
    >>> shown.counts.tolist(), shown.words[0].lines
    ([[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]], ('x0',))
    """
    refuse_without_planes(model)
    rows = model._read(X)
    codes = read_labels(model, y, len(rows))
    if not len(rows):
        raise ValueError("X has no rows, so there is nothing to show.")
    if hasattr(model, "tree_"):
        return Shown(model, model.tree_, leaf_answers(model), rows, codes)
    tree = single_decision(model, rows, codes)
    return Shown(model, tree, tree.predicted, rows, codes)


def refuse_without_planes(model: Any) -> None:
    """Raise unless a model is fitted and is a tree or planes."""
    check_is_fitted(model)
    if not hasattr(model, "columns_") or not (hasattr(model, "tree_") or hasattr(model, "planes_")):
        raise TypeError(
            f"{type(model).__name__} is no tree of decisions by planes, so it cannot be drawn. "
            "Pass a fitted tree or separator of planetree, or a selector that classifies by planes."
        )


def leaf_answers(model: Any) -> Indices:
    """Class of each node of a tree: the least expected cost, or the one it says itself."""
    tree: Tree = model.tree_
    if not hasattr(model, "predict_proba"):
        return tree.predicted
    costs = read_costs(getattr(model, "costs", None), model.classes_)
    return (tree.leaf_distributions @ costs).argmin(axis=1)


def single_decision(model: Any, rows: Floats, codes: Indices) -> Tree:
    """Planes as a tree whose counts are those of some rows."""
    planes: Planes = model.planes_
    k, n_classes = planes.n_branches, len(model.classes_)
    branch = planes.branch(rows)
    counts = [np.bincount(codes[branch == b], minlength=n_classes) for b in range(k)]
    weights = np.array([np.bincount(codes, minlength=n_classes), *counts], dtype=np.float64)
    labels: Sequence[int] = getattr(model, "branch_codes_", range(k))
    return Tree(
        [planes, *[None] * k],
        np.array([k, *[0] * k]),
        np.arange(1, k + 1),
        weights,
        np.array([weights[0].argmax(), *labels]),
        weights.sum(axis=1),
    )
