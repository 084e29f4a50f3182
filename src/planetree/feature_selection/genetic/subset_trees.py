"""The trees of a subset of features: one a fold, grown from the rows of the other folds.

`C45Subsets` grows those of C4.5 in the compiled core; `ClassifierSubsets` fits any other classifier
through joblib. Both measure accuracy as the mean over the folds of the share, by weight, of the
rows left out that are predicted right.

On a cluster that `planetree.distributed.using` names the table is sent once, then masks. Subsets
that a search begins with run all at once; later ones beside those that follow if no child is
admitted; and of other classifiers than C4.5 every fold.

- a subset of no features has the tree of one leaf;
- every training row is left out by one fold.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from numbers import Integral
from time import monotonic
from typing import Any
from uuid import uuid4

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import check_cv

from planetree.arrays import Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.distributed.shared_calls import cluster_calls
from planetree.feature_selection.genetic.genetic_search import Outcome
from planetree.feature_selection.ranking.subset_criteria import (
    fit_rows,
    refuse_fractions,
    run_within_time,
)
from planetree.table import Table, Training, read_class_weight
from planetree.table.partitions import deal_folds
from planetree.tree import C45Classifier, Growth, PreparedTable
from planetree.tree.c45.prepared_table import DEFAULT_CONFIDENCE, best_confidence
from planetree.tree.teaching import with_seed

# Seconds: a task costs 1 to 3 ms of the scheduler, and a subset that is not admitted ends a batch.
_WORTH_SENDING = 0.02


class C45Subsets:
    """The trees of C4.5, all pruned at one confidence, which may be chosen by cross-validation."""

    def __init__(
        self,
        tree: C45Classifier,
        training: Training,
        classes: NDArray[Any],
        folds: Indices,
        confidence: float | str,
        n_jobs: int | None,
        memory: float,
        clock: Clock = UNLIMITED,
    ) -> None:
        self._tree, self._training, self._classes = tree, training, classes
        self._clock = clock
        self.fell_back: bool = False  # whether there was no time to choose the confidence
        table, codes, weights, _ = training
        weights = weights * read_class_weight(tree.class_weight, classes, codes, weights)[codes]
        limit, n = clock.left, len(classes)
        self._prepared = PreparedTable(
            table, codes, weights, n_classes=n, arithmetic=tree.arithmetic, time_limit=limit
        )
        self._growth = Growth(tree.min_cases, tree.criterion, tree.subsets)
        self._n_jobs, self._memory, self._weights = effective_n_jobs(n_jobs), memory, weights
        self.confidence: float | None = self._choose(confidence, folds) if tree.prune else None
        self._seconds = 0.0  # of an evaluation in this process
        self._sent: Any = None
        self._set_folds(folds)

    def _set_folds(self, folds: Indices) -> None:
        self._given_folds, self._sent = folds, None
        self._fold_weights = np.bincount(folds, self._weights)
        self._validator = self._prepared.cross_validator(
            folds, [self.confidence], self._growth, n_jobs=self._n_jobs, memory=self._memory
        )

    def on_folds(self, folds: Indices) -> C45Subsets:
        """The same trees for other folds."""
        other = copy(self)
        other._set_folds(folds)
        return other

    def _choose(self, confidence: float | str, folds: Indices) -> float:
        """The confidence given, or the one whose trees of all features make the fewest errors.

        If that takes more than half of the time left, it is the one of Release 8.
        """
        if confidence != "cv":
            return float(confidence)
        left = self._clock.left
        half = None if left is None else left / 2
        try:
            return best_confidence(self._prepared, folds, self._growth, half)
        except TimeoutError:
            self.fell_back = True
            return DEFAULT_CONFIDENCE

    def evaluate(self, chosen: Mask) -> Outcome:
        """Accuracy and size of the pruned trees of a subset."""
        started = monotonic()
        errors, n_nodes = self._validator.run(np.flatnonzero(chosen), self._clock.left)
        self._seconds = monotonic() - started
        accuracy = 1.0 - (errors[:, 0] / self._fold_weights).mean()
        return Outcome(float(accuracy), float(n_nodes.mean()))

    @property
    def _calls(self) -> Any:
        """Calls on a cluster, to which the table is sent when they are first asked for."""
        if self._sent is None and self._clock.left is None:
            key = uuid4().hex  # of what workers prepare once
            rows = self._tree, self._training, self._classes, self._given_folds
            self._sent = cluster_calls(_outcome_of, (key, *rows, self.confidence))
        return self._sent

    @property
    def n_at_once(self) -> int:
        """As many as there are workers, if a tree takes longer than sending its subset there."""
        if self._calls is None:
            return 0
        n_workers = self._calls.n_workers
        return n_workers if n_workers > self._n_jobs and self._seconds > _WORTH_SENDING else 1

    def evaluate_all(self, subsets: list[Mask]) -> list[Outcome]:
        """Outcomes of many subsets, each by a worker of a cluster that has the table."""
        return [Outcome(*each) for each in self._calls.run(subsets)]

    def fit(self, chosen: Mask) -> C45Classifier:
        """The tree of all rows on a subset, pruned at the same confidence."""
        table, codes, weights, _ = self._training
        tree = clone(self._tree)
        if self.confidence is not None:
            tree.set_params(confidence=self.confidence)
        limits = {tree.time_limit, self._clock.left_to_finish} - {None}
        tree.set_params(time_limit=min(limits, default=None))
        tree.fit(table.of_columns(np.flatnonzero(chosen)), self._classes[codes], weights)
        return tree.set_params(time_limit=self._tree.time_limit)

    def close(self) -> None:
        """Give up workers."""
        self._validator.close()


class ClassifierSubsets:
    """Any other classifier, fitted through joblib, its size measured by a function."""

    confidence = None
    fell_back = False

    def __init__(
        self,
        tree: Any,
        training: Training,
        classes: NDArray[Any],
        folds: Indices,
        size: Callable[[Any], float] | None,
        n_jobs: int | None,
        seed: int,
        clock: Clock = UNLIMITED,
    ) -> None:
        self._clock = clock
        self._tree = with_seed(tree, seed)
        self._table, self._y = training.table, classes[training.codes]
        self._weights = None if (training.weights == 1).all() else training.weights
        refuse_fractions(tree, self._weights)
        self._folds = folds
        self._size = _count_nodes if size is None else size
        self._own = type(tree).__module__.startswith("planetree.")
        self._parallel = Parallel(n_jobs=n_jobs).__enter__()
        self._calls = cluster_calls(_fold_of, self._shared) if clock.left is None else None

    def evaluate(self, chosen: Mask) -> Outcome:
        """Accuracy and size of the classifiers of a subset."""
        if self._calls is not None:
            return self.evaluate_all([chosen])[0]
        X = self._columns(chosen)
        shared = X, self._y, self._weights
        outs = [self._folds == fold for fold in range(self._n_folds)]
        jobs = [delayed(_fit_fold)(self._model(chosen), *shared, out, self._size) for out in outs]
        results = run_within_time(jobs, self._parallel, self._clock)
        if len(results) < len(jobs):
            raise TimeoutError("Time is up.")
        accuracies, sizes = np.array(results).T
        return Outcome(float(accuracies.mean()), float(sizes.mean()))

    def evaluate_all(self, subsets: list[Mask]) -> list[Outcome]:
        """Outcomes of many subsets: every fold of each is a task of the cluster."""
        assert self._calls is not None
        n_folds = self._n_folds
        items = [(self._model(each), each, fold) for each in subsets for fold in range(n_folds)]
        found = np.array(self._calls.run(items)).reshape(len(subsets), n_folds, 2)
        return [Outcome(*each) for each in found.mean(axis=1).tolist()]

    @property
    def n_at_once(self) -> int:
        """So many that each worker has a fold."""
        return 0 if self._calls is None else -(-self._calls.n_workers // self._n_folds)

    @property
    def _n_folds(self) -> int:
        return int(self._folds.max()) + 1

    @property
    def _shared(self) -> tuple[Any, ...]:
        """What a task on a cluster needs beside its subset and its fold."""
        return self._table, self._y, self._weights, self._folds, self._size, self._own

    def on_folds(self, folds: Indices) -> ClassifierSubsets:
        """The same classifiers for other folds, by workers of their own."""
        other = copy(self)
        other._folds, other._parallel = folds, Parallel(self._parallel.n_jobs).__enter__()
        if self._calls is not None:
            other._calls = cluster_calls(_fold_of, other._shared)
        return other

    def fit(self, chosen: Mask) -> Any:
        """The classifier of all rows on a subset."""
        everyone = np.arange(len(self._y))
        return fit_rows(
            self._model(chosen), self._columns(chosen), self._y, self._weights, everyone
        )

    def close(self) -> None:
        """Give up workers."""
        self._parallel.__exit__(None, None, None)

    def _columns(self, chosen: Mask) -> Any:
        return _read_columns(self._table, chosen, self._own)

    def _model(self, chosen: Mask) -> Any:
        return clone(self._tree) if chosen.any() else DummyClassifier()


SubsetTrees = C45Subsets | ClassifierSubsets


def _read_columns(table: Table, chosen: Mask, own: bool) -> Any:
    """Own classifiers read the table, categories included; others its numbers and codes."""
    some = table.of_columns(np.flatnonzero(chosen))
    return some if own and chosen.any() else some.values


def _fold_of(shared: tuple[Any, ...], item: tuple[Any, Mask, int]) -> tuple[float, float]:
    """Accuracy and size of a classifier of some columns on a fold."""
    table, y, weights, folds, size, own = shared
    model, chosen, fold = item
    accuracy, found = _fit_fold(
        model, _read_columns(table, chosen, own), y, weights, folds == fold, size
    )
    return float(accuracy), float(found)


_prepared: dict[str, C45Subsets] = {}  # by a worker, for the search that it works for


def _outcome_of(shared: tuple[Any, ...], chosen: Mask) -> tuple[float, float]:
    """Accuracy and size of the trees of C4.5 of some columns."""
    key, tree, training, classes, folds, confidence = shared
    if key not in _prepared:
        _prepared.clear()
        given = DEFAULT_CONFIDENCE if confidence is None else confidence
        _prepared[key] = C45Subsets(tree, training, classes, folds, given, 1, 0.0)
    accuracy, size = _prepared[key].evaluate(chosen)
    return accuracy, size


class OutcomesAhead:
    """Outcomes of subsets, on a cluster with those of subsets that a search foresees.

    A subset that comes in the end is known already; one that does not has cost idle workers their
    time. What a search finds depends on the outcomes alone, so it is the same.

    Parameters
    ----------
    trees : SubsetTrees
    """

    def __init__(self, trees: SubsetTrees) -> None:
        self._trees = trees
        self._found: dict[bytes, Outcome] = {}
        self.foresee: Callable[[int], list[Mask]] = lambda n_new: []

    def __call__(self, chosen: Mask) -> Outcome:
        """Outcome of a subset."""
        n_at_once = self._trees.n_at_once
        if n_at_once == 0:
            return self._trees.evaluate(chosen)
        if chosen.tobytes() not in self._found:
            ahead = [each for each in self.foresee(n_at_once - 1) if (each != chosen).any()]
            asked = [chosen, *ahead]
            found = self._trees.evaluate_all(asked) if ahead else [self._trees.evaluate(chosen)]
            self._found.update(zip((each.tobytes() for each in asked), found, strict=True))
        return self._found[chosen.tobytes()]


def _count_nodes(model: Any) -> float:
    """Nodes of a fitted tree, of planetree or of scikit-learn.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from planetree.feature_selection.genetic.subset_trees import _count_nodes
    >>> _count_nodes(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    3
    """
    if isinstance(model, DummyClassifier):
        return 1
    for count in (getattr(model, "n_nodes_", None), getattr(model, "tree_", None)):
        found = getattr(count, "node_count", count)
        if isinstance(found, (int, np.integer)):
            return int(found)
    raise ValueError(
        f"{type(model).__name__} has no nodes to count. Pass size= to GeneticSelector: a function "
        "that returns the size of a fitted classifier."
    )


def _fit_fold(
    model: Any, X: Any, y: Any, weights: Any, out: Mask, size: Any
) -> tuple[float, float]:
    """Accuracy on the rows left out, and the size."""
    fit_rows(model, X, y, weights, np.flatnonzero(~out))
    right = model.predict(X.take(out) if isinstance(X, Table) else X[out]) == y[out]
    return np.average(right, weights=None if weights is None else weights[out]), size(model)


def read_folds(cv: Any, training: Training, classes: NDArray[Any]) -> Indices:
    """The fold of each training row: dealt out within classes for a number, else by a splitter.

    A splitter divides the rows as they were given to `fit`, those of weight 0 included.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from planetree.feature_selection.genetic.subset_trees import read_folds
    >>> from planetree.table import Table, Training
    >>> table = Table.read([[1.0], [2.0], [3.0], [4.0]])
    >>> training = Training(table, np.zeros(4, int), np.ones(4), np.ones(4, bool))
    >>> read_folds(KFold(2), training, np.array(["one class"]))
    array([0, 0, 1, 1])
    """
    values, codes = training.table.values, training.codes
    if isinstance(cv, Integral):
        folds = deal_folds(values, codes, int(cv))
        _warn_of_small_classes(classes, np.bincount(codes, training.weights), int(cv))
    else:
        folds = _split(cv, codes, training.counted)
    if folds.max(initial=0) == 0:
        raise ValueError(
            "GeneticSelector evaluates subsets by cross-validation, which needs two different "
            f"rows, but X has n_samples={len(codes)} of one kind."
        )
    return folds


def _split(cv: Any, codes: Indices, counted: Mask) -> Indices:
    """The fold of each counted row where a splitter makes them; each must be left out once."""
    rows, n_rows = np.flatnonzero(counted), len(counted)
    every, n_times = np.zeros((2, n_rows), dtype=np.intp)
    labels = np.zeros(n_rows, dtype=np.intp)
    labels[rows] = codes
    splits = check_cv(cv, labels, classifier=True).split(np.zeros((n_rows, 1)), labels)
    for fold, (_, out) in enumerate(splits):
        every[out] = fold
        n_times[out] += 1
    folds, n_times = np.unique(every[rows], return_inverse=True)[1], n_times[rows]
    if (n_times != 1).any():
        row = int((n_times != 1).argmax())
        raise ValueError(
            f"cv leaves row {rows[row]} out {n_times[row]} times. GeneticSelector needs folds that "
            "leave each row out once: give cv a number of folds, or for instance StratifiedKFold."
        )
    return folds.reshape(-1)


def _warn_of_small_classes(classes: NDArray[Any], counts: NDArray[Any], n_folds: int) -> None:
    """Warn of classes that some folds will not hold."""
    small = [f"{c} ({n:g})" for c, n in zip(classes, counts, strict=True) if n < n_folds]
    if small:
        warnings.warn(
            f"Classes with fewer rows than the {n_folds} folds of cv: {', '.join(small[:5])}. "
            "Accuracy on such classes is guesswork: lower cv, merge them with others, or drop "
            "their rows.",
            UserWarning,
            stacklevel=6,
        )
