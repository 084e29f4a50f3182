"""The readable tree: the smallest tree of sparse planes that is as accurate as anything readable.

Grown best first (`plane_growth`): the leaf whose best decision removes the most entropy is split
next. Among the candidates of a node (`candidates`) the one with the least

    entropy left + size * terms * (ln(all terms) + ln(rows) / 2) + cost of search

wins, in nats; where none pays, two planes in one decision are tried (`plane_pairs`). The grown tree
is pruned by the same prices, then each decision is sought again with the rest of the tree known
(`alternation`). Several trees are grown so, rounded and graded, and one is kept (`tree_choice`); a
teacher adds trees of rows that it labeled (`teaching`). Of a large table some rows, drawn by their
content, grow the tree, and all finish it.

- who follows the printed tree by hand gets the class that `predict` gives, unless grading is
  "soft": weights, thresholds and classes of the leaves are those that are printed;
- no randomness and no inner cross-validation: the same rows in any order give the same tree;
- a whole weight is that many rows;
- a row with a missing value that a decision needs takes both branches by share, or, where such
  values tell the class, the branch that the decision has for them.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices, encode
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.parameters import (
    check_argument,
    check_parameters,
    choice,
    classifier,
    count,
    either,
    number,
    optional,
    parameter,
)
from planetree.separators.problem import term_scales, without_overflow
from planetree.statistics import ShareBounds
from planetree.table import (
    Canonical,
    ColumnRanges,
    Terms,
    all_or_nothing,
    canonical_order,
    column_ranges,
    product_terms,
    read_class_weight,
    read_costs,
    read_training,
)
from planetree.tree.category_order import MANY_VALUES
from planetree.tree.classifier import TreeClassifier, least_cost
from planetree.tree.constraints.column_rules import column_rules
from planetree.tree.constraints.monotonic_share import read_monotonic_share
from planetree.tree.constraints.required_columns import UnreadColumnsError
from planetree.tree.graded_tree import LabeledRows
from planetree.tree.impurity import telling_gaps
from planetree.tree.partitioned.plane_tree_parts import FitsPartitions
from planetree.tree.plane.candidate import Pricing
from planetree.tree.plane.candidates import Searcher
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode
from planetree.tree.plane.plane_search import Rows, distinct_terms, sampled_rows
from planetree.tree.plane.tree_choice import (
    ChosenTree,
    FinishedTree,
    Finisher,
    cheapest_path,
    choose_tree,
    found_on_all_rows,
)
from planetree.tree.score_sheet.score_sheet import ScoreSheet
from planetree.tree.score_sheet.sheet_search import SheetRows, score_sheet
from planetree.tree.teaching import Pupil, Teacher, fidelity, lessons, read_teacher

# Prices of a term. On 15 data sets 0.5, 0.75 and 1 had errors of 14.12% with 10.8 terms, 13.20%
# with 8.1 and 14.06% with 7.1. The others are twice and half the best.
_SIZES = {"smallest": 1.5, "balanced": 0.75, "accurate": 0.375}
_MAX_SPLITS, _MAX_DEPTH = 40, 10  # bounds of time: what decisions cost closes most of them
_LEAVES_OF_CLASS = 4  # letter, 2 of 5 folds: with 2 31.3% of 134 terms, with 4 28.4% of 180
_MAX_TERMS = 20  # of one decision: twenty is what adding up by hand can bear
_MIN_WEIGHT = 2.0  # of a leaf: as C4.5's default
_GROWING = 0.75  # of the time limit: grading the tree and its path takes about as much again


class _Choice(NamedTuple):
    """Trees of some rows with the one that is kept, what grew them, and their teacher."""

    trees: ChosenTree
    grower: PlaneGrower
    teacher: Teacher | None


@dataclass(eq=False, repr=False, kw_only=True)
class PlaneTreeClassifier(FitsPartitions, TreeClassifier):
    """The readable tree: few decisions, few features in each, no accuracy lost.

    Parameters
    ----------
    max_splits : int, optional
        Maximum number of decisions; by default 40, or enough for four leaves per class.
    max_features_per_split : int, optional
        Maximum number of terms in one decision; by default five, or up to twenty if they pay for
        the whole tree.
    max_features_total : int, optional
        Maximum number of columns that all decisions together may read.
    size : {"smallest", "balanced", "accurate"} or float
        What a term must be worth: a number, higher for smaller trees; the words stand for 1.5, 0.75
        and 0.375.
    class_weight : dict, "balanced" or None
        As in scikit-learn.
    costs : array of shape (n_classes, n_classes), optional
        Cost of predicting one class (column) for a row of another (row).
    monotonic_cst : array of shape (n_columns,) or dict, optional
        1 if a higher value may only raise the share of `classes_[1]`, -1 if it may only lower it.
        For more classes, pairs such as ``{"age": (1, ["mild", "severe"])}``: a sign, and the
        classes whose share it applies to, the same for all columns.
    required_features, excluded_features : sequences of column names or numbers, optional
        Columns that some decision must read, and columns that no decision may read.
    feature_groups : sequence of sequences of column names or numbers, optional
        The tree reads all columns of a group, or none.
    feature_costs : array of shape (n_columns,) or dict, optional
        Cost of measuring a column, as a multiple of the price of a term, in addition to the term
        itself; a path from the root to a leaf pays for a column once. By default nothing.
    max_depth : int, optional
        Maximum number of decisions on the path to a leaf; by default 10.
    grading : {"leaf", "soft"} or None
        How probabilities are made. "leaf": probabilities are graded by the distance from the
        planes, and the class is that of the leaf that the printed decisions lead to. "soft": the
        class is the one with the largest graded probability (the least expected cost), which is a
        little more accurate. None: a row takes one branch, and its probabilities are the class
        shares of its leaf.
    n_jobs : int, optional
        Threads that grow trees side by side and pass over many rows, as in scikit-learn; the tree
        is the same for any number.
    time_limit : float, optional
        Seconds after which growing ends with the tree found so far and a `TimeLimitWarning`:
        nodes that were not split yet are leaves.
    teacher : classifier, optional
        A scikit-learn classifier that the tree should also agree with. A fitted one gets rows like
        those of X; in a cross-validation, which clones estimators, it must be a `FrozenEstimator`.
        One that is not fitted is fitted to X first, as numbers: indicators of categories, and means
        instead of missing values if it does not take them.
    size_price : float, optional
        Deprecated: use `size`.
    products : None, "squares", "all" or list of pairs of columns
        Products of columns to add as terms, as in `RobustSeparator`; not with rules for columns.

    Attributes
    ----------
    tree_ : Tree
        What predicts: graded, with rounded weights, unless `grading` is None.
    rounded_tree_ : Tree
        The same with weights of the fewest digits that send every training row the same way; of
        graded trees `tree_` itself.
    ranges_ : ColumnRanges
        Smallest and largest numbers, deviations and shares of missing cells in training.
    grading_ : {"leaf", "soft"} or None
    path_ : list of PathStep
        Trees from the root leaf up, each the cheapest at some price of all that were grown. Where
        they grew from a sample, their entropies and prices are those of the sample, and so are
        the counts of their nodes if `grading` is None; else these count all rows.
    certificates_ : list of Certificate
        How each decision was found, in preorder; bounds are true in exact arithmetic. Objective
        and gap are those of the plane that predicts; `moved` says where grading moved a threshold.
    fidelity_ : float or None
        How often the tree gives its teacher's class on held-out rows: a tree and a teacher fitted
        to two thirds of the rows classify the other third. (A teacher that was fitted before may
        have seen all rows.) NaN if no third has a tree; None without a teacher.
    costs_ : array of shape (n_classes, n_classes)
        The costs that `predict` minimizes: `costs`, or 1 for every mistake.
    n_terms_, n_leaves_, n_features_used_, n_reads_, n_bytes_gathered_ : int
        The last two, for a fit to `Partitions`: passes over all rows, and bytes gathered.
    features_used_ : array of int
    status_ : {"complete", "time_limit"}
        Whether growing finished.
    class_order_ : array of shape (n_classes,)
        Class codes in the order that breaks ties between classes: the heaviest first.
    classes_, columns_, n_features_in_, feature_names_in_
        As in every estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import PlaneTreeClassifier
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = PlaneTreeClassifier(size="smallest").fit(data.data, data.target_names[data.target])
    >>> model.n_terms_, model.n_leaves_
    (3, 2)
    """

    _digits = 7  # of weights in words: those of `rounded_tree_` have no more, but for a few

    max_splits: int | None = parameter(None, optional(count(0)))
    max_features_per_split: int | None = parameter(None, optional(count(1)))
    max_features_total: int | None = parameter(None, optional(count(1)))
    size: str | float = parameter("balanced", either(choice(*_SIZES), number(0)))
    class_weight: Any = None
    costs: Any = None
    monotonic_cst: Any = None
    required_features: Any = None
    excluded_features: Any = None
    feature_groups: Any = None
    feature_costs: Any = None
    max_depth: int | None = parameter(None, optional(count(0)))
    grading: str | None = parameter("leaf", optional(choice("leaf", "soft")))
    n_jobs: int | None = None
    time_limit: float | None = None
    teacher: Any = parameter(None, optional(classifier()))
    size_price: float | None = None
    products: Any = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> PlaneTreeClassifier:
        """Grow, prune and improve the tree.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns), or Partitions
        y : array of shape (n_rows,); not for Partitions, which hold their classes and weights
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        price, clock = self._price(), Clock(self.time_limit, _GROWING)
        table, codes, weights, counted = read_training(self, X, y, sample_weight, missing=True)
        self.ranges_: ColumnRanges = column_ranges(table, weights)
        self.costs_: Floats = read_costs(self.costs, self.classes_)
        rows = canonical_order(table, codes, weights, n_classes=len(self.classes_))
        del table, codes, weights  # of many rows there is no room for two tables
        self.class_order_: Indices = rows.order
        self.grading_: str | None = self.grading
        places = np.flatnonzero(counted)
        ready = None if self.teacher is None else read_teacher(self.teacher, X, places)
        few = sampled_rows(rows)
        choice = self._choice(few, price, clock, ready)
        if len(few.codes) < len(rows.codes):
            every = rows.of_columns(choice.trees.read)
            del rows  # nor for cells that no decision reads
            given = choice.trees, choice.grower, every, self._balanced(every), self._finisher
            choice = choice._replace(trees=found_on_all_rows(*given))
        self._set_tree(few, choice, clock)
        self.fidelity_ = None if ready is None else self._fidelity(few, price, clock, ready)
        self._end_growing(clock, "nodes that were not split yet are leaves")
        return self

    def _set_tree(self, few: Canonical, choice: _Choice, clock: Clock) -> None:
        """Set what is fitted of the tree that was chosen."""
        grower, is_graded = choice.grower, self.grading is not None
        kept, finisher, found, grown_by, *_ = choice.trees
        terms = Terms(grower.searcher.columns, grower.searcher.categories)
        self._scales = term_scales(few, few.weights, grower.rows.E, terms)
        self.path_ = cheapest_path(found, grown_by, is_graded, finisher.labeled)
        self.tree_ = kept.graded if is_graded else kept.found
        self.rounded_tree_ = kept.graded if is_graded else kept.rounded
        self.certificates_ = finisher.certificates(kept, is_graded, clock)
        read = np.union1d(self.tree_.features, self.path_[-1].tree.features)
        rows, weights = finisher.rows, finisher.labeled.weights
        self._sheet_rows = SheetRows.kept(rows, weights, read, read_monotonic_share(self))

    def _choice(self, rows: Canonical, price: float, clock: Clock, ready: Any) -> _Choice:
        """Trees of some rows, some of them taught, and the one that is kept."""
        grower, teachers = self._grower(rows, price, clock), []

        def taught() -> Iterator[Canonical]:
            teachers.append(ready(rows, grower.weights, self.classes_[rows.order]))
            yield from lessons(rows, grower.weights, teachers[0])

        given: Iterator[Canonical] = iter(()) if ready is None else taught()
        trees = choose_tree(grower, rows, self._finisher, taught=given, n_jobs=self.n_jobs)
        return _Choice(trees, grower, teachers[0] if teachers else None)

    def _fidelity(self, rows: Canonical, price: float, clock: Clock, ready: Any) -> float:
        """How often trees and their teachers agree on rows that are held out."""

        def taught(some: Canonical) -> Pupil | None:
            try:
                choice = None if clock.is_over else self._choice(some, price, clock, ready)
            except UnreadColumnsError:
                return None
            if choice is None or choice.teacher is None or clock.is_over:
                return None
            return Pupil(lambda held: self._answers(choice.trees.kept, held), choice.teacher)

        return fidelity(rows, taught)

    def _answers(self, kept: FinishedTree, rows: Canonical) -> Indices:
        """Class that a tree of other rows gives to each row, by its place in canonical order."""
        labeled = LabeledRows.of(rows, rows.weights, self.costs_, np.arange(len(rows.columns)))
        tree = kept.found if self.grading is None else kept.graded
        if self.grading == "soft":
            said = least_cost(tree.distribution(labeled.X), self.costs_, rows.order)
        else:
            said = tree.predicted[tree.apply(labeled.X)]
        return np.argsort(rows.order)[said]

    def _finisher(self, rows: Canonical, weights: Floats, read: Indices) -> Finisher:
        labeled = LabeledRows.of(rows, weights, self.costs_, read)
        return Finisher(rows, labeled, lambda nodes: self._bounds(nodes, rows.order))

    def _grower(self, rows: Canonical, price: float, clock: Clock) -> PlaneGrower:
        table, order = rows.table, rows.order
        n_categories = np.array([len(c.categories or ()) for c in table.columns], dtype=np.intp)
        is_many, monotonic = n_categories > MANY_VALUES, read_monotonic_share(self).in_order(rows)
        products = product_terms(self.products, self.columns_).renumbered(np.argsort(rows.columns))
        terms = table.terms().without(is_many).joined(without_overflow(products, table))
        E = np.ascontiguousarray(encode(table.values, terms.columns, terms.categories))
        weights, rules = self._balanced(rows), column_rules(self, rows)
        usable = distinct_terms(E, terms.columns, rules.required)
        usable &= ~np.isin(terms.columns, list(rules.excluded))
        divided = is_many & ~np.isin(np.arange(len(is_many)), list(rules.excluded))
        unit = max(np.log(max(1, usable.sum() + divided.sum())) + np.log(weights.sum()) / 2, 1e-3)
        least = price * unit + (len(order) - 1) / 2
        telling = telling_gaps(table.values, rows.codes, weights, least) & (monotonic.signs == 0)
        telling[list(rules.excluded)] = False
        searcher = Searcher(
            columns=terms.columns,
            categories=terms.categories,
            n_categories=n_categories,
            telling=telling,
            divided=divided,
            n_classes=len(order),
            max_terms=self.max_features_per_split or _MAX_TERMS,
            term_price=price * unit,
            weight_price=price * float(np.log(weights.sum())) / 2,
            monotonic=monotonic._replace(signs=monotonic.signs[terms.columns]),
            min_weight=_MIN_WEIGHT,
            clock=clock,
        )
        total, splits = self.max_features_total, max(_MAX_SPLITS, _LEAVES_OF_CLASS * len(order) - 1)
        return PlaneGrower(
            table=table,
            codes=rows.codes,
            weights=weights,
            costs=self.costs_[np.ix_(order, order)],
            clock=clock,
            rows=Rows(E, table.values, rows.codes, weights, rows.draws),
            searcher=searcher,
            pricing=Pricing(unit, price, rules.costs if rules.costs.any() else None),
            max_terms=searcher.max_terms,
            max_splits=splits if self.max_splits is None else self.max_splits,
            max_depth=_MAX_DEPTH if self.max_depth is None else self.max_depth,
            max_columns=len(table.columns) if total is None else total,
            usable=usable | telling[terms.columns],
            rules=rules,
        )

    def _bounds(self, nodes: list[PlaneNode], order: Indices) -> ShareBounds | None:
        """Least and largest share of the signed classes in each node of a monotonic tree."""
        own = read_monotonic_share(self)
        ends = np.array([own.given_ends(node.low, node.high, order) for node in nodes])
        return own.bounds(ends, graded=self.grading == "soft")

    def select(self, n_terms: int) -> PlaneTreeClassifier:
        """Another member of `path_`: the largest tree with at most so many terms.

        Its `certificates_` prove nothing: figures are kept for the tree of `fit` alone.

        Parameters
        ----------
        n_terms : int
        """
        check_is_fitted(self, "tree_")
        fitting = [step for step in self.path_ if step.n_terms <= n_terms]
        if not fitting:
            raise ValueError(f"n_terms must not be negative, but it is {n_terms!r}.")
        other = copy.copy(self)
        other.tree_ = other.rounded_tree_ = max(fitting, key=lambda step: step.n_terms).tree
        unproved = Certificate("a tree of the path, whose proof is not kept")
        other.certificates_ = [unproved] * other.tree_.n_decisions
        other.fidelity_ = None if self.fidelity_ is None else float("nan")
        for name in ("edits_", "locked_", "validation_"):  # of another tree
            other.__dict__.pop(name, None)
        return other

    def round_weights(self) -> PlaneTreeClassifier:
        """The same classifier with the weights of `rounded_tree_`."""
        check_is_fitted(self, "tree_")
        other = copy.copy(self)
        other.tree_ = self.rounded_tree_
        return other

    def to_score_sheet(self, max_points: int = 5, *, time_limit: float | None = 10.0) -> ScoreSheet:
        """Whole points in the place of weights, and a table from their total to probabilities.

        No other steps of the grid in `sheet_search`, and no other points up to `max_points`, are
        better: `certificates_` of the sheet prove it, or tell what `time_limit` seconds left open.
        """
        check_is_fitted(self, "tree_")
        most = int(self.tree_.n_branches.max())
        if most > 2:
            raise ValueError(
                f"A score sheet needs decisions with two branches, but one has a plane for each of "
                f"{most} classes. Choose another tree of path_: model.select(n_terms=...)."
            )
        return score_sheet(self, max_points, time_limit)

    def _price(self) -> float:
        """What a term must be worth, once all parameters are in order."""
        check_parameters(self)
        if self.size_price is None:
            return float(_SIZES[self.size] if isinstance(self.size, str) else self.size)
        check_argument("size_price", self.size_price, number(0), type(self).__name__)
        warnings.warn(
            f"size_price is deprecated; version 0.3 removes it. Use size={self.size_price!r}.",
            FutureWarning,
            stacklevel=4,
        )
        return float(self.size_price)

    def _balanced(self, rows: Canonical) -> Floats:
        """Weights times those of the classes, their sum kept."""
        labels, codes, weights = self.classes_[rows.order], rows.codes, rows.weights
        weighted = weights * read_class_weight(self.class_weight, labels, codes, weights)[codes]
        return weighted * (weights.sum() / weighted.sum())
