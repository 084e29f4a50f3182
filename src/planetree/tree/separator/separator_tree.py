"""Trees of planes (MSMT, MSMT-MC): a few decisions by linear programming, then pruned.

Bennett (1993), chapters 4 and 5. A separator splits all rows, then the leaf that holds most
information, and so on (`separator_growth.py`); the tree is pruned from its leaves up
(`pruning.py`). Any separator can make the decisions: one with two branches for two classes, one
with up to k for k.

A leaf predicts the class with the least expected cost, which without costs is the most frequent.
Probabilities are graded by the distance from the planes (`graded_tree`), which stay as they are.

- every decision is proved as its separator proves it: `certificates_`;
- a row of weight k counts as k rows, and the order of rows does not matter;
- the tree is the same for any `n_jobs`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Mask
from planetree.certificate import Certificate
from planetree.clock import UNLIMITED, Clock
from planetree.parameters import check_argument, choice, count, number, optional, parameter
from planetree.separators import RobustSeparator, SparseSeparator
from planetree.separators.base import asked_products, names_classes, names_columns
from planetree.separators.problem import term_scales, terms_with_products
from planetree.table import (
    all_or_nothing,
    canonical,
    column_ranges,
    read_class_weight,
    read_costs,
    read_training,
)
from planetree.table.partitions import deal_folds
from planetree.tree.c45.prepared_table import CONFIDENCE
from planetree.tree.classifier import TreeClassifier, least_cost
from planetree.tree.graded_tree import LabeledRows, graded_tree
from planetree.tree.growth import freeze
from planetree.tree.partitioned.separator_tree_parts import FitsSeparatorPartitions
from planetree.tree.pruning import (
    cut,
    kept_decisions,
    link_strengths,
    pessimistic,
    strengths_to_try,
    within_standard_error,
)
from planetree.tree.separator.separator_growth import (
    SeparatorGrower,
    SplitRules,
    certificates,
    check_separator,
    takes_many_classes,
)
from planetree.tree.tree import Tree

_PRUNING = choice("pessimistic", "standard_error", "cost_complexity", None)


@dataclass(eq=False, repr=False)
class SeparatorTreeClassifier(FitsSeparatorPartitions, TreeClassifier):
    """Tree of planes (MSMT, MSMT-MC): the most impure leaf is split by a separator, then pruned.

    Accepts numbers, categories (as indicators) and missing values. A row without a value that a
    decision needs goes down every branch, with its weight divided like that of the other rows.

    Parameters
    ----------
    separator : separator, optional
        Makes a decision from the rows of a leaf; by default `RobustSeparator()`. If a leaf has more
        classes, a separator for two, such as `BilinearSeparator`, separates each class from the
        rest, and the decision that gains most information is used.
    max_splits : int
        Maximum number of decisions.
    min_samples_split : float, optional
        Weight that a leaf must have to be split. By default 4 for each term of the decision, and 4
        more: twice as many rows as planes can divide at will. The root may always be split.
    min_impurity : float
        A leaf is split only if it has more than this information, in bits per row.
    pruning : {"pessimistic", "standard_error", "cost_complexity", None}
        C4.5's estimate of errors; Quinlan's rule of 1987, which the thesis cites and which keeps a
        subtree only if it saves more than one standard error; the weakest links with 10-fold
        cross-validation; or none.
    confidence : float
        For pessimistic pruning, above 0 and at most 1; a smaller value prunes more.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class. It changes leaves and pruning, but not a separator
        that charges each class its mean, such as RobustSeparator by default.
    costs : array of shape (n_classes, n_classes), optional
        Cost of predicting one class (column) for a row of another (row), in the order of
        `classes_`. Leaves predict the class with the least expected cost, pruning counts costs, and
        separators with a parameter `costs` get them, unless they separate one class from the rest.
    max_features_total : int, optional
        Maximum number of columns that all decisions together may read; `separator` must be a
        SparseSeparator. Columns that the tree already reads are free for further decisions.
    n_jobs : int, optional
        Number of leaves, or folds, that are fitted at a time.
    time_limit : float, optional
        Seconds after which growing ends with the tree found so far and a `TimeLimitWarning`:
        leaves that were not split yet stay.

    Attributes
    ----------
    tree_, unpruned_tree_ : Tree
        The tree that predicts, and the tree before it was pruned.
    ranges_ : ColumnRanges
        Smallest and largest numbers, deviations and shares of missing cells in training.
    grading_ : {"leaf"}
        Probabilities are graded by the distance from the planes; the class is that of the leaf.
    certificates_ : list of Certificate
        How the separator found and proved each decision of `tree_`, in preorder.
    features_used_ : array
        Numbers of the columns that `tree_` reads.
    n_features_used_, n_terms_, n_leaves_ : int
        Counts for `tree_`; a term is one mention of a column or category in a decision.
    costs_ : array of shape (n_classes, n_classes)
    status_ : {"complete", "time_limit"}
        Whether growing finished.
    class_order_ : array of shape (n_classes,)
        Class codes in the order that breaks ties between classes: the heaviest first, unless
        parameters of the separator give classes by number.
    multi_class_ : bool
        Whether `separator` takes more than two classes at once.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.
    n_reads_, n_bytes_gathered_ : int
        For a fit to `Partitions`: how often all rows were read, and how many bytes were gathered.

    Examples
    --------
    >>> from planetree import SeparatorTreeClassifier
    >>> corners = [[0, 0], [1, 1], [0, 1], [1, 0]] * 5
    >>> model = SeparatorTreeClassifier().fit(corners, ["same", "same", "differ", "differ"] * 5)
    >>> model.n_leaves_
    3
    >>> model.predict([[0.1, 0.2], [0.9, 0.1]]).tolist()
    ['same', 'differ']
    """

    _training_rows = "_grower"

    separator: Any = None
    _: KW_ONLY
    max_splits: int = parameter(10, count(0))
    min_samples_split: float | None = parameter(None, optional(number(0)))
    min_impurity: float = parameter(0.1, number(0))
    pruning: str | None = parameter("pessimistic", _PRUNING)
    confidence: float = parameter(0.25, CONFIDENCE)
    class_weight: Any = None
    costs: Any = None
    max_features_total: int | None = parameter(None, optional(count(1)))
    n_jobs: int | None = None
    time_limit: float | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SeparatorTreeClassifier:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns), or Partitions
        y : array of shape (n_rows,)
            Not for `Partitions`, which hold their classes and weights.
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        read = read_training(self, X, y, sample_weight, missing=True, min_classes=1)
        table, codes, weights, _ = read
        self.ranges_ = column_ranges(table, weights)
        separator, n_classes = self._separator(), len(self.classes_)
        self.multi_class_: bool = takes_many_classes(separator)
        self.costs_: Floats = read_costs(self.costs, self.classes_)
        rows = canonical(
            table,
            codes,
            weights,
            n_classes=n_classes,
            keep_classes=names_classes(separator),
            keep_columns=names_columns(separator),
        )
        order = self.class_order_ = rows.order
        factors = read_class_weight(
            self.class_weight, self.classes_[order], rows.codes, rows.weights
        )
        self._grower = SeparatorGrower(
            table=rows.table,
            codes=rows.codes,
            weights=rows.weights * factors[rows.codes],
            costs=self.costs_[np.ix_(order, order)],
            clock=clock,
            rules=self._rules(),
        )
        terms = terms_with_products(rows.table, asked_products(separator))
        self._scales = term_scales(rows, self._grower.weights, terms=terms)
        root = self._grower.grow(np.arange(len(rows.codes)), self.n_jobs)
        self._certificates = certificates(root)
        hard = freeze(root).of_table(rows)
        labeled = LabeledRows.of(rows, self._grower.weights, self.costs_, hard.features)
        self.grading_: str | None = "leaf"
        self.unpruned_tree_: Tree = graded_tree(
            hard, labeled, moved=False, time_limit=clock.left_to_finish
        )
        self._strength: float | None = None
        self.prune(self.pruning, self.confidence)
        self._grower = replace(self._grower, clock=UNLIMITED)
        self._end_growing(clock, "leaves that were not split yet stay")
        return self

    @all_or_nothing
    def prune(
        self, pruning: str | None = "pessimistic", confidence: float = 0.25
    ) -> SeparatorTreeClassifier:
        """Prune the tree that `fit` grew in another way; it is not grown again.

        Parameters
        ----------
        pruning : {"pessimistic", "standard_error", "cost_complexity", None}
        confidence : float
            Of pessimistic pruning.
        """
        check_is_fitted(self, "unpruned_tree_")
        check_argument("pruning", pruning, _PRUNING, type(self).__name__)
        if pruning is None:
            self.tree_: Tree = self.unpruned_tree_
        elif pruning == "pessimistic":
            check_argument("confidence", confidence, CONFIDENCE, type(self).__name__)
            self.tree_ = pessimistic(self.unpruned_tree_, float(confidence), self.costs_)
        elif pruning == "standard_error":
            self.tree_ = within_standard_error(self.unpruned_tree_, self.costs_)
        else:
            strengths = link_strengths(self.unpruned_tree_, self.costs_)
            self.tree_ = cut(self.unpruned_tree_, strengths <= self._best_strength(strengths))
        kept = kept_decisions(self.tree_, self.unpruned_tree_)
        self.certificates_: list[Certificate] = [self._certificates[place] for place in kept]
        return self

    def _separator(self) -> Any:
        """Separator that is copied for each leaf; a SparseSeparator has one of its own inside."""
        separator = RobustSeparator() if self.separator is None else clone(self.separator)
        if isinstance(separator, SparseSeparator) and separator.separator is None:
            separator.set_params(separator=RobustSeparator())
        return separator

    def _rules(self) -> SplitRules:
        separator = self._separator()
        takes_costs = any(name.split("__")[-1] == "costs" for name in separator.get_params())
        return SplitRules(
            separator,
            self.max_splits,
            self.min_samples_split,
            self.min_impurity,
            self.max_features_total,
            charge_costs=takes_costs and self.costs is not None,
        )

    def _best_strength(self, strengths: Floats) -> float:
        """Strength with the least cost in cross-validation, the largest of equals."""
        if self._strength is None:
            if not hasattr(self, "_grower"):
                raise AttributeError(
                    "A copy of a fitted SeparatorTreeClassifier has no training rows to "
                    "cross-validate with. Fit it again with pruning='cost_complexity'."
                )
            if self._grower.clock.is_over:
                return 0.0
            tried = strengths_to_try(strengths)
            self._strength = _cross_validated_strength(self._grower, tried, self.n_jobs)
        return self._strength

    def _check_parameters(self) -> None:
        super()._check_parameters()
        separator = self._separator()
        check_separator(self, separator)
        if self.max_features_total is not None and not isinstance(separator, SparseSeparator):
            raise ValueError(
                "max_features_total needs a separator that chooses features: pass "
                f"separator=SparseSeparator() instead of {self.separator!r}."
            )


def _cross_validated_strength(
    grower: SeparatorGrower, strengths: Floats, n_jobs: int | None
) -> float:
    """Of some strengths, the largest whose trees cost least on the rows left out."""
    folds = deal_folds(grower.table.values, grower.codes)
    if folds.max(initial=0) == 0 or len(strengths) == 1:
        return float(strengths[-1])
    calls = (
        delayed(_costs_of_fold)(replace(grower), folds == fold, strengths)
        for fold in range(folds.max() + 1)
    )
    total = np.sum(Parallel(n_jobs=n_jobs, prefer="threads")(calls), axis=0)
    return float(strengths[np.flatnonzero(total <= total.min() * (1 + 1e-12))[-1]])


def _costs_of_fold(grower: SeparatorGrower, held_out: Mask, strengths: Floats) -> Floats:
    """Cost of the rows held out under the trees of the others, pruned at some strengths."""
    tree = freeze(grower.grow(np.flatnonzero(~held_out)))
    links = link_strengths(tree, grower.costs)
    tests, codes = grower.table.values[held_out], grower.codes[held_out]
    found = []
    for strength in strengths:
        shares = cut(tree, links <= strength).distribution(tests)
        predicted = least_cost(shares, grower.costs)
        found.append(grower.weights[held_out] @ grower.costs[codes, predicted])
    return np.array(found)
