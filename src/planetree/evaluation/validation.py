"""Errors and probabilities on rows that were not learned from.

Rows are dealt into ten folds within classes; each fold is predicted by a model of the other nine.
Of large tables only some folds are predicted: what is left out by a few percent of a million rows
is known well enough.

AUC and log loss are scikit-learn's, over all predicted rows at once: for more than two classes, the
AUC is the mean over the classes of each against the others.
"""

from __future__ import annotations

import copy
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.evaluation.reading import TrainingTable
from planetree.exceptions import TimeLimitError
from planetree.statistics import wilson_interval
from planetree.tree import fitted_tree

__all__ = [
    "Size",
    "Validation",
    "ValidationFolds",
    "fit_in_time",
    "limited",
    "majority_error",
    "size_of",
    "stratified_folds",
    "validate",
]

_N_FOLDS = 10  # as the papers have it
_ROWS_IN_ALL = 500_000  # rows learned from over all folds: a minute of the default method
_GRACE = 5.0  # seconds more for a fit with a time limit of its own


class ValidationFolds(NamedTuple):
    """Fold of each row, and the folds that are predicted."""

    of_rows: Indices
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
    probabilities : array of shape (n_rows, n_classes), optional
        What the models give rows that they did not learn from, classes in order; NaN in rows that
        were not predicted. None of models without probabilities.
    auc, log_loss : float, optional
        Of these; None where scikit-learn defines none.
    """

    error: float
    interval: tuple[float, float]
    fold_errors: Floats
    n_rows: int
    seconds: float
    size: Size
    probabilities: Floats | None = None
    auc: float | None = None
    log_loss: float | None = None


def stratified_folds(labels: NDArray[Any], n_folds: int | None, seed: int) -> ValidationFolds:
    """ValidationFolds within classes; all of them, or as many as a large table allows."""
    from sklearn.model_selection import StratifiedKFold

    counts = np.unique(labels, return_counts=True)[1]
    k = max(2, min(n_folds or _N_FOLDS, int(counts.max())))
    splitter = StratifiedKFold(k, shuffle=True, random_state=seed)
    of_rows = np.zeros(len(labels), dtype=np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds
        for fold, (_, test) in enumerate(splitter.split(labels, labels)):
            of_rows[test] = fold
    n_used = k if n_folds else max(1, min(k, _ROWS_IN_ALL // len(labels)))
    return ValidationFolds(of_rows, tuple(range(n_used)))


def validate(
    estimator: Any,
    data: TrainingTable,
    folds: ValidationFolds,
    *,
    jobs: int = 1,
    until: float = float("inf"),
    tick: Callable[[], None] = lambda: None,
) -> Validation:
    """Predict folds by models of the others; with one done, stop when time is over.

    Parameters
    ----------
    estimator : classifier
    data : TrainingTable
    folds : ValidationFolds
    jobs : int
        ValidationFolds at the same time.
    until : float
        Time of `time.monotonic` after which no fold is begun.
    tick : callable
        Told of each fold that is done.
    """
    done = []
    for outcome in _outcomes(estimator, data, folds, jobs):
        done.append(outcome)
        tick()
        if time.monotonic() > until:
            break
    wrong = np.concatenate([each[0] for each in done])
    rows = np.concatenate([each[1] for each in done])
    w = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    error = float(w @ wrong / w.sum())
    probabilities = _all_probabilities(data, done)
    return Validation(
        error,
        wilson_interval(error, float(w.sum() ** 2 / (w @ w))),
        np.array([float(np.mean(each[0])) for each in done]),
        len(rows),
        sum(each[2] for each in done),
        Size(*map(_average, zip(*(each[3] for each in done), strict=True))),
        probabilities,
        *_worth(data, probabilities),
    )


_Outcome = tuple[Mask, Indices, float, Size, Floats | None]


def _all_probabilities(data: TrainingTable, done: list[_Outcome]) -> Floats | None:
    """Probabilities of all rows, NaN where no fold has predicted them."""
    found: Floats | None = None
    for _, rows, _, _, shares in done:
        if shares is None:
            return None
        if found is None:
            found = np.full((len(data.labels), shares.shape[1]), np.nan)
        found[rows] = shares
    return found


def _worth(data: TrainingTable, shares: Floats | None) -> tuple[float | None, float | None]:
    """AUC and log loss of the rows that have probabilities, as scikit-learn defines them."""
    from sklearn.metrics import log_loss, roc_auc_score

    if shares is None:
        return None, None
    known, classes = ~np.isnan(shares[:, 0]), np.unique(data.labels)
    y, p = data.labels[known], shares[known]
    w = None if data.weights is None else data.weights[known]
    loss = float(log_loss(y, p, labels=classes, sample_weight=w))
    if len(np.unique(y)) < len(classes) or len(classes) < 2:
        return None, loss
    if len(classes) == 2:
        return float(roc_auc_score(y == classes[1], p[:, 1], sample_weight=w)), loss
    auc = roc_auc_score(y, p, multi_class="ovr", labels=classes, sample_weight=w)
    return float(auc), loss


def _outcomes(
    estimator: Any, data: TrainingTable, folds: ValidationFolds, jobs: int
) -> Iterable[_Outcome]:
    """What each fold gives, one after the other as they are done."""
    from joblib import Parallel, delayed

    if jobs == 1:
        return (_one_fold(estimator, data, folds, fold) for fold in folds.used)
    work = (delayed(_one_fold)(estimator, data, folds, fold) for fold in folds.used)
    found: Iterable[_Outcome] = Parallel(n_jobs=jobs, return_as="generator")(work)
    return found


def _one_fold(estimator: Any, data: TrainingTable, folds: ValidationFolds, fold: int) -> _Outcome:
    """Of a fold which rows are wrong, their numbers, seconds to fit, size, and probabilities."""
    from sklearn.base import clone

    train, test = folds.of_rows != fold, np.flatnonzero(folds.of_rows == fold)
    w = None if data.weights is None else data.weights[train]
    model, start = clone(estimator), time.perf_counter()
    model = _as_printed(model.fit(data.table.take(train), data.labels[train], sample_weight=w))
    seconds = time.perf_counter() - start
    rows = data.table.take(test)
    wrong = model.predict(rows) != data.labels[test]
    shares = _probabilities(model, rows, np.unique(data.labels))
    return np.asarray(wrong), test, seconds, size_of(model), shares


def _probabilities(model: Any, rows: Any, classes: NDArray[Any]) -> Floats | None:
    """Probability of each class, 0 for one that the model has not seen."""
    if not hasattr(model, "predict_proba"):
        return None
    found, shares = model.predict_proba(rows), np.zeros((rows.values.shape[0], len(classes)))
    shares[:, np.searchsorted(classes, model.classes_)] = found
    return shares


def fit_in_time(estimator: Any, data: TrainingTable, time_limit: float | None) -> Any:
    """Fit to all rows, and give the model that is printed.

    Of a selector that keeps a fitted tree, that is the tree on the columns that it selects.
    """
    with limited(estimator, time_limit):
        model = estimator.fit(data.table, data.labels, sample_weight=data.weights)
        inner = getattr(model, "estimator_", None)
        if inner is None or not len(inner.columns_):
            return _as_printed(model)
        tree = copy.copy(inner)
        if data.table.named:
            names = [column.name for column in tree.columns_]
            tree.feature_names_in_ = np.array(names, dtype=object)
        return tree


@contextmanager
def limited(estimator: Any, seconds: float | None) -> Iterator[None]:
    """Stop a fit when the seconds are over; one with a limit of its own gets twice as long.

    It stops by a signal, which only the main thread of a process hears; elsewhere only the
    estimator's own limit holds.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TimeLimitError(
            f"Stopped at the time limit of {seconds:g} seconds. Allow more, take fewer rows or "
            "columns, or a faster method such as c45."
        )

    own = "time_limit" in estimator.get_params(deep=False)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 2 * seconds + _GRACE if own else seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _as_printed(model: Any) -> Any:
    """The model whose weights are those that its text has: what is read is what predicts."""
    return model.round_weights() if hasattr(model, "round_weights") else model


def size_of(model: Any) -> Size:
    """Size of a fitted model."""
    if hasattr(type(model), "size"):  # of a peer
        return Size(*model.size())
    if hasattr(model, "estimator_"):
        return size_of(model.estimator_)
    try:
        tree = fitted_tree(model).tree
    except TypeError:
        return Size(None, None, int(model.get_support().sum()), None)
    return Size(tree.n_nodes - tree.n_leaves, tree.n_leaves, len(tree.features), tree.n_terms)


def _average(values: Iterable[Any]) -> float | None:
    """Mean of numbers; None if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def majority_error(data: TrainingTable) -> tuple[str, float]:
    """The class with the most weight, and the error of always saying it."""
    names, codes = np.unique(data.labels, return_inverse=True)
    totals = np.bincount(codes, data.weights)
    return str(names[totals.argmax()]), float(1 - totals.max() / totals.sum())
