"""A tree that says what each feature is worth: grown one split at a time by its holdout error.

Of the rows some are held out. The tree grows from the others, each time by the split that lowers
the error on the rows held out most (`holdout_growth.py`), and the decrease is credited to the
feature that the split reads. What a feature has been credited with in the end is its discriminant
power. Gracia, Pla, Ferri & Garcia (1995), section 4; with planes instead of cuts, as their section
6 proposes, a decrease is shared among the features of the planes by their standardized weights:

    share of feature j  =  s_j |w_j| / sum_i s_i |w_i|,     s_j the standard deviation at the node

summed over the terms of a feature and over the planes; of planes of which the largest wins, w is
taken against the mean of all of them, since only differences matter.

- powers sum to the error of the root minus that of `tree_`, both on the rows held out;
- a feature that the tree does not read has power 0;
- a row of weight k counts as k rows, and the order of rows does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from planetree.arrays import Floats, Indices, Mask
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.parameters import choice, count, parameter
from planetree.planes import Categories, Split
from planetree.separators.base import names_classes, names_columns
from planetree.separators.problem import term_scales
from planetree.table import (
    Canonical,
    Table,
    all_or_nothing,
    canonical,
    column_ranges,
    read_training,
)
from planetree.table.partitions import Division, check_holdout, draw_holdout, is_drawn, read_holdout
from planetree.tree.classifier import TreeClassifier
from planetree.tree.graded_tree import LabeledRows, graded_tree
from planetree.tree.growth import Node, fill_missing, freeze
from planetree.tree.holdout.holdout_growth import HoldoutGrower, Succession
from planetree.tree.impurity import IMPURITIES
from planetree.tree.separator.leaf_separation import column_influence
from planetree.tree.separator.separator_growth import check_separator, takes_many_classes
from planetree.tree.tree import Tree


@dataclass(eq=False, repr=False, kw_only=True)
class HoldoutTreeClassifier(TreeClassifier):
    """Tree of the discriminant-power paper: each split lowers the error on rows held out most.

    Accepts numbers, categories and missing values.

    Parameters
    ----------
    criterion : {"gini", "entropy"}
        Impurity by which the best split of a node is chosen.
    holdout : float, array, or tuple of two arrays
        Held-out rows: a share (below 1) or a number (1 or more), drawn from each class alike; or
        their row numbers or a mask; or a pair, the rows to grow from and the held-out rows.
    patience : int
        How many splits in a row may fail to lower the least error before growth ends. Splits after
        the least error are cut back.
    ties : {"continue", "stop"}
        Whether a split that does not change the error fails. By default growth continues, as in the
        paper, because such a split may make better ones possible; splits at the end that lowered
        nothing are cut back.
    separator : separator, optional
        Makes a decision from the rows of a node, for example `SparseSeparator()`; by default, each
        decision reads one column.
    random_state : int, RandomState or None
        Seed of the division.
    time_limit : float, optional
        Seconds after which growing ends with the tree found so far and a `TimeLimitWarning`:
        nodes that were not split yet are leaves.

    Attributes
    ----------
    tree_ : Tree
        Its weights are those of the rows that it was grown from.
    certificates_ : list of Certificate
        How each decision was found, in preorder.
    discriminant_power_ : array of shape (n_features,)
        The decrease of the holdout error credited to each feature.
    errors_ : array of shape (n_splits + 1,)
        Holdout errors of the growing tree, from the root alone to `tree_`.
    root_gains_ : array of shape (n_features,)
        Impurity that the best split of each column alone would remove at the root, on L1.
    holdout_indices_ : array of int
        Rows of X that were held out.
    status_ : {"complete", "time_limit"}
        Whether growing finished.
    class_order_ : array of shape (n_classes,)
        Class codes in the order that breaks ties between classes: the heaviest first, unless
        parameters of the separator give classes by number.
    ranges_ : ColumnRanges
        Smallest and largest numbers, deviations and shares of missing cells in training.
    grading_ : {"leaf"} or None
        With a separator, probabilities are graded by the distance from the planes; the class is
        that of the leaf.
    multi_class_ : bool
        Whether `separator` takes more than two classes.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import HoldoutTreeClassifier
    >>> iris = load_iris(as_frame=True)
    >>> model = HoldoutTreeClassifier().fit(iris.data, iris.target_names[iris.target])
    >>> print(model.to_text())
    if petal length (cm) > 2.35:
        if petal width (cm) > 1.75: virginica (30 rows)
        otherwise: versicolor (40 rows, 5 wrong)
    otherwise: setosa (35 rows)
    >>> model.discriminant_power_.round(3)
    array([0.   , 0.   , 0.333, 0.311])
    """

    criterion: str = parameter("gini", choice(*IMPURITIES))
    holdout: Any = 0.3
    patience: int = parameter(0, count(0))
    ties: str = parameter("continue", choice("continue", "stop"))
    separator: Any = None
    random_state: Any = 0
    time_limit: float | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HoldoutTreeClassifier:
        """Divide the rows and grow the tree.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        read = read_training(self, X, y, sample_weight, missing=True, min_classes=1)
        table, codes, weights, counted = read
        self.ranges_ = column_ranges(table, weights)
        self.multi_class_: bool = self.separator is None or takes_many_classes(self.separator)
        separator, k = None if self.separator is None else clone(self.separator), len(self.classes_)
        parts = None if is_drawn(self.holdout) else read_holdout(self.holdout, counted)
        rows = canonical(
            table,
            codes,
            weights,
            n_classes=k,
            keep_classes=separator is not None and names_classes(separator),
            keep_columns=separator is not None and names_columns(separator),
            parts=None if parts is None else parts.numbers(len(codes)),
        )
        grower = HoldoutGrower(
            table=rows.table,
            codes=rows.codes,
            weights=rows.weights,
            costs=1.0 - np.eye(k),
            clock=clock,
            division=self._divide(rows, parts),
            criterion=self.criterion,
            separator=separator,
        )
        grown = grower.grow(self.patience, self.ties == "stop").cut_back()
        self.class_order_: Indices = rows.order
        self.tree_: Tree = freeze(grown.root).of_table(rows)
        self.grading_ = None if separator is None else "leaf"
        if separator is not None:
            labeled = LabeledRows.of(rows, rows.weights, grower.costs, self.tree_.features)
            self.tree_ = graded_tree(
                self.tree_, labeled, moved=False, time_limit=clock.left_to_finish
            )
        self.certificates_: list[Certificate] = [self._certificate()] * self.tree_.n_decisions
        self._set_held_out(rows, grower, grown, counted)
        self._scales = term_scales(rows, rows.weights)
        self._end_growing(clock, "nodes that were not split yet are leaves")
        return self

    def _set_held_out(
        self, rows: Canonical, grower: HoldoutGrower, grown: Succession, counted: Mask
    ) -> None:
        """Set what the rows that are held out tell of the tree and of the columns."""
        self.errors_: Floats = grown.errors
        self.discriminant_power_: NDArray[Any] = rows.given_columns(_powers(grown, rows.table))
        self.holdout_indices_: Indices = np.flatnonzero(counted)[
            np.isin(rows.which, grower.division.held)
        ]
        self.root_gains_: NDArray[Any] = rows.given_columns(grower.root_gains())

    def _certificate(self) -> Certificate:
        """How each decision was found."""
        if self.separator is not None:
            return Certificate(f"planes of {type(self.separator).__name__}")
        return Certificate(f"best cut of every column, by {self.criterion}", status="optimal")

    def _divide(self, rows: Canonical, parts: Division | None) -> Division:
        if parts is not None:
            return parts.of_groups(rows.which)
        return draw_holdout(
            self.holdout, rows.table.values, rows.codes, rows.weights, self.random_state
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_holdout(self.holdout)
        if self.separator is not None:
            check_separator(self, self.separator)


def _powers(grown: Succession, table: Table) -> Floats:
    """Decreases of the error, credited to the features of the splits."""
    found = np.zeros(len(table.columns))
    for node, decrease in zip(grown.splits, -np.diff(grown.errors), strict=True):
        assert node.split is not None
        found += decrease * _credit(node.split, node, table)
    return found


def _credit(split: Split, node: Node, table: Table) -> Floats:
    """Share of each feature in a split of a node's rows."""
    if isinstance(split, Categories) or len(split.features) == 1:
        return np.bincount(split.features, minlength=len(table.columns)).astype(np.float64)
    if split.rule == "argmax":
        split = replace(split, weights=split.weights - split.weights.mean(axis=0))
    filled = fill_missing(table.values[node.rows], node.weights, table.columns)
    size = column_influence(split, filled, node.weights)
    return size / size.sum()
