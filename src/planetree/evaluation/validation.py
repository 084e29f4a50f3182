"""Errors on rows that were not learned from.

Rows are dealt into ten folds within classes; each fold is predicted by a model of the other nine.
Of large tables only some folds are predicted: what is left out by a few percent of a million rows
is known well enough.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.statistics import wilson_interval

__all__ = [
    "Folds",
    "Size",
    "Validation",
    "as_printed",
    "deal_folds",
    "majority_error",
    "size_of",
    "validate",
]

N_FOLDS = 10
ROWS_IN_ALL = 500_000  # rows learned from over all folds, where there are so many


class Folds(NamedTuple):
    """Fold of each row, and the folds that are predicted."""

    of_rows: NDArray[np.intp]
    used: tuple[int, ...]

    @property
    def test_share(self) -> float:
        """Test rows per training row."""
        k = int(self.of_rows.max()) + 1
        return 1.0 / (k - 1)


class Size(NamedTuple):
    """How many decisions, leaves, columns and terms a model has; None for what it does not have."""

    decisions: float | None
    leaves: float | None
    columns: float | None
    terms: float | None


class Validation(NamedTuple):
    """Errors of a method on rows that it did not learn from.

    Parameters
    ----------
    error : float
        Share of the weight of the predicted rows.
    interval : pair of floats
        Wilson's, of 95 %.
    fold_errors : array
        Share in each fold.
    n_rows : int
        Rows predicted.
    seconds : float
        For all fits.
    size : Size
        Average over the folds.
    """

    error: float
    interval: tuple[float, float]
    fold_errors: NDArray[np.float64]
    n_rows: int
    seconds: float
    size: Size


def deal_folds(labels: NDArray[Any], n_folds: int | None, seed: int) -> Folds:
    """Folds within classes; all of them, or as many as a large table allows."""
    from sklearn.model_selection import StratifiedKFold

    counts = np.unique(labels, return_counts=True)[1]
    k = max(2, min(n_folds or N_FOLDS, int(counts.max())))
    splitter = StratifiedKFold(k, shuffle=True, random_state=seed)
    of_rows = np.zeros(len(labels), dtype=np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds
        for fold, (_, test) in enumerate(splitter.split(labels, labels)):
            of_rows[test] = fold
    n_used = k if n_folds else max(1, min(k, ROWS_IN_ALL // len(labels)))
    return Folds(of_rows, tuple(range(n_used)))


def validate(
    estimator: Any,
    table: Any,
    labels: NDArray[Any],
    weights: NDArray[np.float64] | None,
    folds: Folds,
    *,
    jobs: int = 1,
    until: float = float("inf"),
    tick: Callable[[], None] = lambda: None,
) -> Validation:
    """Predict folds by models of the others; with one done, stop when time is over.

    Parameters
    ----------
    estimator : classifier
    table : Table
    labels, weights : arrays of shape (n_rows,)
    folds : Folds
    jobs : int
        Folds at the same time.
    until : float
        Time of `time.monotonic` after which no fold is begun.
    tick : callable
        Told of each fold that is done.
    """
    done = []
    for outcome in outcomes(estimator, table, labels, weights, folds, jobs):
        done.append(outcome)
        tick()
        if time.monotonic() > until:
            break
    wrong = np.concatenate([each[0] for each in done])
    rows = np.concatenate([each[1] for each in done])
    w = np.ones(len(rows)) if weights is None else weights[rows]
    error = float(w @ wrong / w.sum())
    return Validation(
        error,
        wilson_interval(error, float(w.sum() ** 2 / (w @ w))),
        np.array([float(np.mean(each[0])) for each in done]),
        len(rows),
        sum(each[2] for each in done),
        Size(*map(average, zip(*(each[3] for each in done), strict=True))),
    )


Outcome = tuple[NDArray[np.bool_], NDArray[np.intp], float, Size]


def outcomes(
    estimator: Any, table: Any, labels: Any, weights: Any, folds: Folds, jobs: int
) -> Iterable[Outcome]:
    """What each fold gives, one after the other as they are done."""
    from joblib import Parallel, delayed

    if jobs == 1:
        return (one_fold(estimator, table, labels, weights, folds, f) for f in folds.used)
    work = (delayed(one_fold)(estimator, table, labels, weights, folds, f) for f in folds.used)
    found: Iterable[Outcome] = Parallel(n_jobs=jobs, return_as="generator")(work)
    return found


def one_fold(
    estimator: Any, table: Any, labels: Any, weights: Any, folds: Folds, fold: int
) -> Outcome:
    """Which rows of a fold are predicted wrongly, their numbers, seconds to fit, and the size."""
    from sklearn.base import clone

    train, test = folds.of_rows != fold, np.flatnonzero(folds.of_rows == fold)
    w = None if weights is None else weights[train]
    start = time.perf_counter()
    model = as_printed(clone(estimator).fit(table.take(train), labels[train], sample_weight=w))
    seconds = time.perf_counter() - start
    wrong = model.predict(table.take(test)) != labels[test]
    return np.asarray(wrong), test, seconds, size_of(model)


def as_printed(model: Any) -> Any:
    """The model whose weights are those that its text has: what is read is what predicts."""
    return model.round_weights() if hasattr(model, "round_weights") else model


def size_of(model: Any) -> Size:
    """Size of a fitted model."""
    from planetree.tree import fitted_tree

    if hasattr(type(model), "size"):  # of a peer
        return Size(*model.size())
    inner = getattr(model, "tree_", None)
    if hasattr(inner, "fit"):  # a selector that keeps a fitted tree
        return size_of(inner)
    try:
        tree = fitted_tree(model).tree
    except TypeError:
        return Size(None, None, int(model.get_support().sum()), None)
    return Size(tree.n_nodes - tree.n_leaves, tree.n_leaves, len(tree.features), tree.n_terms)


def average(values: Iterable[Any]) -> float | None:
    """Mean of numbers; None if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def majority_error(labels: NDArray[Any], weights: NDArray[np.float64] | None) -> tuple[str, float]:
    """The class with the most weight, and the error of always saying it."""
    names, codes = np.unique(labels, return_inverse=True)
    totals = np.bincount(codes, weights)
    return str(names[totals.argmax()]), float(1 - totals.max() / totals.sum())
