"""What all trees share once they are fitted: they answer by `tree_`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.clock import Clock, warn_of_time_limit
from planetree.grading import keep_class
from planetree.separators.base import ShownInWords
from planetree.table import (
    Column,
    ColumnRanges,
    Table,
    read_rows,
)
from planetree.tree.importances import column_importances
from planetree.tree.text import to_sentences
from planetree.tree.tree import Tree
from planetree.words import wording_of

if TYPE_CHECKING:
    from planetree.distributed import Partitions
    from planetree.tree.inspection.explanations import Explanations


class TreeClassifier(ClassifierMixin, ShownInWords):
    """Shares, leaves and ways of rows in a classifier whose `fit` sets `tree_`."""

    tree_: Tree
    classes_: NDArray[Any]
    columns_: tuple[Column, ...]
    ranges_: ColumnRanges

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one with the least expected cost, of equals the first in order.

        Costs are expected of the leaf at the end of the row's way, as who follows the printed tree
        by hand does; with `grading="soft"`, of the probabilities. Without costs it is the class
        with the largest probability. The order is that of `class_order_` where the tree has one,
        else that of `classes_`.
        """
        rows = self._read(X)  # raises unless there is a tree
        shares = self.tree_.distribution(rows, graded=not self._keeps_class())
        return self.classes_[least_cost(shares, self._mistake_costs(), self._class_order())]

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class: the mean of the leaves that each row reaches, by its shares.

        A row reaches leaves by its distance from graded planes, and by the training weight where
        it has no value. Without costs the predicted class has the largest probability: of a tree
        that is graded by its leaves, by a margin of 1e-9; otherwise, of classes that tie, the first
        in the order of ties has one unit in the last place more. With costs the predicted class
        may be another, as it is the cheapest, not the likeliest.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        rows = self._read(X)
        costs, order = self._mistake_costs(), self._class_order()
        if self._keeps_class():
            both = self.tree_.distributions(rows)
            shares, way = both / both.sum(axis=2, keepdims=True)
            return keep_class(shares, way, least_cost(way, costs, order), costs)
        shares = self.tree_.distribution(rows)
        shares = shares / shares.sum(axis=1, keepdims=True)
        first = order[shares[:, order].argmax(axis=1)]
        tied = np.flatnonzero(shares.argmax(axis=1) != first)
        shares[tied, first[tied]] = np.nextafter(shares[tied, first[tied]], 1.0)
        return shares

    def apply(self, X: Any) -> Indices:
        """Leaf at the end of each row's way; of several, the one with the largest share."""
        rows = self._read(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Indicator of the nodes on the way of each row, with whatever share.

        Returns
        -------
        sparse matrix of shape (n_rows, n_nodes)
        """
        rows = self._read(X)
        return self.tree_.decision_path(rows)

    def predict_or_ask(self, X: Any, max_expected_error: float = 0.1) -> NDArray[Any]:
        """Class of each row, or 'ask a person' where the model should not answer alone.

        A row is for a person where its probability of being classified wrongly exceeds the limit,
        or where a number that the tree reads is outside the range of the training rows. A category
        that training did not have is taken as in `predict`.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        max_expected_error : float
            The largest expected error of an answer: 1 minus the probability of its class.

        Returns
        -------
        array of shape (n_rows,), of labels and of the text 'ask a person'

        Examples
        --------
        >>> from planetree import PlaneTreeClassifier
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = PlaneTreeClassifier().fit(X, y)
        >>> model.predict_or_ask(X[[0, 73]])
        array([0, 'ask a person'], dtype=object)
        """
        from planetree.tree.inspection.abstention import ASK, is_for_a_person

        rows = self._read(X)
        table = Table(rows, self.columns_)
        answers = self.predict(table)
        asked = is_for_a_person(self, rows, self.predict_proba(table), answers, max_expected_error)
        found = answers.astype(object)
        found[asked] = ASK
        return found

    def explain(self, X: Any) -> Explanations:
        """Why rows get their classes, and what would change that.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        Explanations
            `model.explain(X)[0]` is about the first row; `.counterfactuals()` finds the cheapest
            changes that change the class, `.robustness()` how far the numbers may move before it
            changes.
        """
        from planetree.tree.inspection.explanations import Explanations

        return Explanations(self, X)

    def recount(self, partitions: Partitions) -> Self:
        """The same tree with the rows of a table in parts counted in its nodes, by one read.

        Decisions stay as they are, and so do their certificates, which are about the rows that
        they were found on. Weights of nodes, classes and probabilities of leaves become those of
        all rows; the probabilities of graded leaves take three reads more. Rows count as they
        are: weights of classes do not enter, and `monotonic_cst` need not hold any more.

        Parameters
        ----------
        partitions : Partitions
            With the columns of the model, and its classes.

        Returns
        -------
        A copy; the model itself stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> from planetree import C45Classifier
        >>> from planetree.distributed import open_partitions, sample
        >>> X = np.arange(1000.0)[:, None]
        >>> parts = open_partitions([(X[:700], X[:700, 0] > 400), (X[700:], X[700:, 0] > 400)])
        >>> model = C45Classifier().fit(*sample(parts, 100))
        >>> model.tree_.weights[0], model.recount(parts).tree_.weights[0]
        (np.float64(100.0), np.float64(1000.0))
        """
        from planetree.tree.partitioned.recounting import recounted_model

        check_is_fitted(self, "tree_")
        return recounted_model(self, partitions)

    def to_text(self, digits: int | None = None, *, graded: bool = True) -> str:
        """Tree in sentences, with names, and the weights and errors of its training rows.

        Parameters
        ----------
        digits : int, optional
            Significant digits of the numbers; four by default, or where weights were rounded to
            few digits, all of these.
        graded : bool
            Whether to say where decisions are unsure, and how probable the classes of leaves are.
        """
        check_is_fitted(self, "tree_")
        said = getattr(self, "rounded_tree_", self.tree_)
        return to_sentences(said, self.classes_.tolist(), wording_of(self, digits), graded)

    def get_depth(self) -> int:
        """How many decisions the longest way to a leaf has."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has, empty ones included."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def n_nodes_(self) -> int:
        """How many nodes the tree has, leaves included."""
        return self.tree_.n_nodes

    @property
    def n_leaves_(self) -> int:
        """How many leaves the tree has, empty ones included."""
        return self.tree_.n_leaves

    @property
    def n_terms_(self) -> int:
        """How many terms all decisions read together."""
        return self.tree_.n_terms

    @property
    def features_used_(self) -> Indices:
        """Numbers of the columns that the tree reads."""
        return self.tree_.features

    @property
    def n_features_used_(self) -> int:
        """How many columns the tree reads."""
        return len(self.tree_.features)

    @property
    def feature_names_used_(self) -> list[str]:
        """Names of the columns that the tree reads, in the order of the table."""
        return [self.columns_[j].name for j in self.tree_.features.tolist()]

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the entropy that the decisions remove from the training rows.

        The columns of a plane share what it removes as they move its scores. The shares add up
        to 1, or are all 0 in a tree without a decision.
        """
        scales = getattr(self, "_scales", {})
        return column_importances(self.tree_, len(self.columns_), scales)

    def _end_growing(self, clock: Clock, instead: str) -> None:
        """Say whether the time limit ended the growing, and what was done instead."""
        self.status_ = "time_limit" if clock.is_over else "complete"
        if clock.is_over:
            warn_of_time_limit(instead, stacklevel=5)

    def _class_order(self) -> Indices:
        """Class codes in the order in which ties are decided; models of old files have none."""
        order: Indices = getattr(self, "class_order_", np.arange(len(self.classes_)))
        return order

    def _mistake_costs(self) -> Floats:
        """What it costs to take one class for another: 1 where the tree has no costs."""
        costs: Floats = getattr(self, "costs_", 1.0 - np.eye(len(self.classes_)))
        return costs

    def _keeps_class(self) -> bool:
        """Whether the class of a row is that of its way, though its probabilities are graded."""
        return getattr(self, "grading_", None) == "leaf"

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "tree_")
        return read_rows(self, X, missing=True)

    def __sklearn_tags__(self) -> Tags:
        """Say that missing values are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def least_cost(shares: Floats, costs: Floats, order: Indices | None = None) -> Indices:
    """Code of the class with the least expected cost in each row, the first in order of equals.

    This is the rule for ties of growing trees, of their answers and of all exports.

    Parameters
    ----------
    shares : array of shape (n_rows, n_classes)
        Or weights of the classes.
    costs : array of shape (n_classes, n_classes)
        Cost of predicting one class (column) for a row of another (row).
    order : array of shape (n_classes,), optional
        Codes of the classes; by default as they are numbered.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.classifier import least_cost
    >>> least_cost(np.array([[0.5, 0.5]]), 1.0 - np.eye(2), np.array([1, 0]))
    array([1])
    """
    expected = shares @ comparable(costs)
    if order is None:
        return expected.argmin(axis=1)
    return order[expected[:, order].argmin(axis=1)]


def comparable(costs: Floats) -> Floats:
    """Costs by which to compare classes: where every mistake costs 1, minus a row's own share.

    The sums of the other shares, taken in different orders, would round equal shares apart.
    """
    return -np.eye(len(costs)) if np.array_equal(costs, 1.0 - np.eye(len(costs))) else costs
