"""A fitted classifier and the rows it is shown with: what every picture of it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Split
from planetree.table import Column, Table, read_labels, read_rows
from planetree.tree.c45.release_8 import without_stand_ins
from planetree.tree.classifier import TreeClassifier
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.text import term_scales
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
    fitted : FittedTree
        The same as a tree.
    rows : array of shape (n_rows, n_columns)
        As `predict` reads them.
    codes : array of shape (n_rows,)
        Code of the class of each row.
    maker : estimator
        What was fitted: the model, or the selector whose tree it is.
    """

    model: Any
    fitted: FittedTree
    rows: Floats
    codes: Indices
    maker: Any

    @property
    def table(self) -> Table:
        """The rows as the model can read them again."""
        return Table(self.rows, self.columns)

    @property
    def tree(self) -> Tree:
        """Its decisions."""
        return self.fitted.tree

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and categories of the columns."""
        return self.fitted.columns

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.fitted.classes.tolist()]

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
        counts = np.zeros((self.tree.n_nodes, len(self.classes)))
        for visit in filter(None, self.visits):
            counts[visit.node] = np.bincount(
                self.codes[visit.rows], visit.shares, minlength=counts.shape[1]
            )
        return counts

    @property
    def said(self) -> Sequence[Split | None]:
        """Decisions as they are said: with weights of few digits, where the model has them."""
        tree: Tree = getattr(self.model, "rounded_tree_", self.tree)
        return tree.splits

    @property
    def is_rounded(self) -> bool:
        """Whether decisions are said with other weights than they are made with."""
        return self.said is not self.tree.splits

    @cached_property
    def words(self) -> list[Words | None]:
        """Each decision in words, None at a leaf."""
        digits = 7 if self.is_rounded else 4
        return [
            None if split is None else decision_words(split, self.columns, self.scales, digits)
            for split in self.said
        ]

    @cached_property
    def scales(self) -> dict[tuple[int, int], float]:
        """Standard deviation of each term over the rows, by its column and category."""
        return term_scales(self.table, np.ones(len(self.rows)))


def show(model: Any, X: Any, y: Any) -> Shown:
    """Send rows through a fitted classifier.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes or by a tree
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.tree.inspection.rows_in_tree import show
    >>> X, y = [[0.0], [1.0], [3.0]], ["a", "a", "b"]
    >>> shown = show(RobustSeparator().fit(X, y), X, y)
    >>> shown.counts.tolist(), shown.words[0].lines
    ([[2.0, 1.0], [2.0, 0.0], [0.0, 1.0]], ('x0',))
    """
    maker = model
    if isinstance(getattr(model, "tree_", None), TreeClassifier):
        model, X = model.tree_, chosen_columns(model, X)
    fitted = fitted_tree(model)
    rows = read_rows(model, X, missing=fitted.missing)
    if fitted.stand_in:
        numbers = [j for j in fitted.tree.features if fitted.columns[j].categories is None]
        rows = without_stand_ins(rows, numbers)
    return Shown(model, fitted, rows, read_labels(model, y, len(rows)), maker)


def chosen_columns(selector: Any, X: Any) -> Table:
    """Rows as the tree of a selector reads them: with the columns that it was given."""
    place = {column.name: j for j, column in enumerate(selector.columns_)}
    columns = selector.tree_.columns_
    rows = read_rows(selector, X, missing=True)
    return Table(rows[:, [place[column.name] for column in columns]], columns)
