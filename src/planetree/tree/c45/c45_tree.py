"""C4.5 Release 8 (Quinlan 1993, 1996), decision by decision and to the bit.

A node of cases S is split by the column with the largest gain ratio among those whose gain is at
least the average. With the cases of known value divided into S_1 ... S_k, F the share of unknown,

    gain = (1 - F) (entropy(S) - sum |S_v|/|S| entropy(S_v))
    info = entropy of the division into S_1 ... S_k and the unknown;     gain ratio = gain / info.

The gain of a cut of numbers is charged log2(cuts tried)/|S| bits. A case of unknown value goes down
every branch, its weight divided as the known ones are. The tree is then pruned from the leaves up:
a leaf of N cases and e errors is charged N times an upper confidence limit of its error rate, and
a subtree gives way to a leaf, or to its largest branch, that is not charged 0.1 more.

- category columns have the values that they declare: one that no row has makes an empty branch;
- arithmetic="single" is Release 8: 32-bit floats, its rounding and its ties included;
- a row of weight k counts as k rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats
from planetree.certificate import Certificate
from planetree.clock import Clock, warn_of_time_limit
from planetree.parameters import choice, either, number, parameter
from planetree.table import (
    Column,
    all_or_nothing,
    column_ranges,
    read_class_weight,
    read_rows,
    read_training,
)
from planetree.tree.axis_splits import AxisSplits
from planetree.tree.c45.prepared_table import (
    CONFIDENCE,
    CORES,
    DEFAULT_CONFIDENCE,
    Growth,
    PreparedTable,
    choose_confidence,
)
from planetree.tree.classifier import TreeClassifier
from planetree.tree.graded_tree import laplace_tree
from planetree.tree.text import to_c45_text
from planetree.tree.tree import Tree

_STAND_IN = np.float32(-999)  # stored by Release 8 for a missing number, and so read as one
CRITERIA = ("gain_ratio", "gain")


@dataclass(eq=False, repr=False, kw_only=True)
class C45Classifier(TreeClassifier):
    """C4.5 Release 8: a tree that tests one column at a node, pruned by pessimistic estimates.

    Columns of text, pandas' Categorical and booleans are categories; all others are numbers. The
    values of a category column are those that it declares (the categories of a Categorical), or
    otherwise those that it holds, in sorted order; a declared value that no row has makes an empty
    branch, as in the original. Missing values are accepted everywhere.

    Parameters
    ----------
    confidence : float or "cv"
        Above 0 and at most 1; a smaller value prunes more. "cv" chooses among 0.05, 0.15, ..., 0.95
        by 10-fold cross-validation.
    min_cases : float
        Least weight that at least two branches of a test must have.
    criterion : {"gain_ratio", "gain"}
    subsets : bool
        Whether a branch may take several categories of a column instead of one.
    prune : bool
        Whether `tree_` is pruned.
    arithmetic : {"single", "double"}
        "single" is the 32-bit arithmetic of Release 8, bit for bit; like the original, it reads the
        number -999 as missing. "double" computes in 64 bits.
    class_weight : dict, "balanced" or None
        Factor for the weights of each class.
    smoothing : {"laplace", None}
        Probabilities of a leaf: the shares of its rows with one row of each class added, or without
        (None), as published. The class of rows without missing values does not change.
    time_limit : float, optional
        Seconds after which growing ends: nodes that are not divided yet stay leaves. Columns that
        are not read within half of that time count as missing everywhere.

    Attributes
    ----------
    tree_, unpruned_tree_ : Tree
        The tree that predicts, and the tree before it was pruned.
    ranges_ : ColumnRanges
        Smallest and largest numbers, deviations and shares of missing cells in training.
    confidence_ : float
        The confidence that `tree_` was pruned at.
    arithmetic_ : str
        The arithmetic of `fit`, which says whether -999 is read as missing.
    criterion_ : str
        The criterion of `fit`.
    smoothing_ : str or None
        The smoothing of `fit`.
    certificates_ : list of Certificate
        How each decision was found, in preorder.
    estimated_errors_ : float
        Training errors that pruning expects of `tree_`, or those observed if it is not pruned.
    status_ : {"complete", "time_limit"}
        Whether the time limit ended the growing, the pruning or the choice of the confidence.
    n_nodes_ : int
    features_used_ : array
        Numbers of the columns that `tree_` reads.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import C45Classifier
    >>> iris = load_iris(as_frame=True)
    >>> model = C45Classifier().fit(iris.data, iris.target_names[iris.target])
    >>> print(model.to_text())
    petal width (cm) <= 0.6 : setosa (50.0/1.4)
    petal width (cm) > 0.6 :
    |   petal width (cm) <= 1.7 :
    |   |   petal length (cm) <= 4.9 : versicolor (48.0/2.6)
    |   |   petal length (cm) > 4.9 :
    |   |   |   petal width (cm) <= 1.5 : virginica (3.0/1.1)
    |   |   |   petal width (cm) > 1.5 : versicolor (3.0/2.1)
    |   petal width (cm) > 1.7 : virginica (46.0/2.6)
    >>> model.prune_to(0.05).n_nodes_
    7
    """

    _training_rows = "_grown"

    confidence: float | str = parameter(0.25, either(CONFIDENCE, choice("cv")))
    min_cases: float = parameter(2, number(above=0))
    criterion: str = parameter("gain_ratio", choice(*CRITERIA))
    subsets: bool = False
    prune: bool = True
    arithmetic: str = parameter("single", choice(*CORES))
    class_weight: Any = None
    smoothing: str | None = parameter(None, choice("laplace", None))
    time_limit: float | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> C45Classifier:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        clock = Clock(self.time_limit)
        self._check_parameters()
        read = read_training(self, X, y, sample_weight, missing=True, min_classes=1)
        table, codes, weights, _ = read
        self.ranges_ = column_ranges(table, weights)
        factors = read_class_weight(self.class_weight, self.classes_, codes, weights)
        weights = weights * factors[codes]
        reading = Clock(None if clock.left is None else clock.left / 2)  # the tree gets the rest
        prepared = PreparedTable(
            table,
            codes,
            weights,
            n_classes=len(self.classes_),
            arithmetic=self.arithmetic,
            time_limit=reading.left,
        )
        late = ["columns that were not read yet count as missing"] if reading.is_over else []
        _warn_of_stand_ins(prepared.columns_with_stand_ins, table.columns)
        growth = Growth(self.min_cases, self.criterion, self.subsets)
        self._grown = prepared.grow(growth=growth, time_limit=clock.left)
        self.__dict__.pop("unpruned_tree_", None)
        late += [] if self._grown.is_complete else ["open nodes stay leaves"]
        confidence = float(DEFAULT_CONFIDENCE if self.confidence == "cv" else self.confidence)
        if self.confidence == "cv":
            try:
                confidence = choose_confidence(prepared, table.values, codes, growth, clock)
            except TimeoutError:
                late.append(f"the confidence is {DEFAULT_CONFIDENCE}")
        self.smoothing_: str | None = self.smoothing
        self.criterion_: str = self.criterion
        self.tree_: Tree = self._smoothed(self._finished(confidence, clock, late))
        self.confidence_: float = confidence
        self.arithmetic_: str = self.arithmetic
        self.status_ = "time_limit" if late else "complete"
        if late:
            warn_of_time_limit(", ".join(late))
        return self

    def _finished(self, confidence: float, clock: Clock, late: list[str]) -> Tree:
        """The tree that predicts; where time does not suffice to prune it, as it was grown."""
        if self.prune:
            try:
                return self._grown.prune(confidence, clock.left_to_finish)
            except TimeoutError:
                late.append("the tree is not pruned")
        return self._grown.tree()

    def _smoothed(self, tree: Tree) -> Tree:
        return tree if self.smoothing_ is None else laplace_tree(tree)

    @cached_property
    def unpruned_tree_(self) -> Tree:
        """The tree as grown, read when it is first asked for."""
        check_is_fitted(self, "tree_")
        return self._grown.tree()

    @all_or_nothing
    def prune_to(self, confidence: float) -> C45Classifier:
        """Prune the tree that `fit` grew at another confidence; it is not grown again.

        Parameters
        ----------
        confidence : float
            Above 0 and at most 1.
        """
        check_is_fitted(self, "tree_")
        if not hasattr(self, "_grown"):
            raise AttributeError(
                "A copy of a fitted C45Classifier has no training rows to prune with. Fit it again."
            )
        self.tree_ = self._smoothed(self._grown.prune(confidence))
        self.confidence_ = float(confidence)
        return self

    def to_text(self) -> str:  # type: ignore[override]
        """Tree in the form that users of C4.5 know, with names, weights and errors."""
        check_is_fitted(self, "tree_")
        return to_c45_text(self.tree_, self.columns_, self.classes_.tolist())

    @property
    def certificates_(self) -> list[Certificate]:
        """How each decision was found, in preorder."""
        check_is_fitted(self, "tree_")
        kind = f"largest {self.criterion_.replace('_', ' ')} of every cut (C4.5)"
        return [Certificate(kind)] * self.tree_.n_decisions

    @property
    def estimated_errors_(self) -> float:
        """Training errors that pruning expects, or those observed if the tree is not pruned."""
        return float(self.tree_.errors[0])

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "tree_")
        rows = read_rows(self, X, missing=True)
        if self.arithmetic_ == "double":
            return rows
        splits = self.tree_.splits
        assert isinstance(splits, AxisSplits)
        return without_stand_ins(rows, splits.number_columns)

    def __getstate__(self) -> dict[str, Any]:
        """A copy keeps both trees, not the training rows."""
        if hasattr(self, "_grown"):
            self.unpruned_tree_  # noqa: B018, which is read now
        return super().__getstate__()


def _warn_of_stand_ins(found: Sequence[int], columns: Sequence[Column]) -> None:
    """Warn that columns hold the number."""
    if not found:
        return
    names = ", ".join(repr(columns[j].name) for j in found[:5])
    warnings.warn(
        f"{len(found)} column(s) hold the number -999, which C4.5 Release 8 reads as missing: "
        f"{names}. With arithmetic='double' it is a number.",
        UserWarning,
        stacklevel=4,
    )


def without_stand_ins(values: Floats, number_columns: Iterable[int]) -> Floats:
    """Cells of some columns that round to -999 in 32 bits as missing.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.c45.c45_tree import without_stand_ins
    >>> without_stand_ins(np.array([[1.0], [-999.0]]), [0])
    array([[ 1.],
           [nan]])
    """
    cleared = values
    for j in number_columns:
        with np.errstate(over="ignore"):
            stands_in = values[:, j].astype(np.float32) == _STAND_IN
        if stands_in.any():
            cleared = values.copy() if cleared is values else cleared
            cleared[stands_in, j] = np.nan
    return cleared
