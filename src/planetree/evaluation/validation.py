"""Errors and probabilities on rows that were not learned from.

Rows are dealt into ten folds within classes; each fold is predicted by a model of the other nine.
Of large tables only some folds are predicted: what is left out by a few percent of a million rows
is known well enough.

Figures are of all predicted rows at once.

How much a column counts in a fitted model is one number: a selector's own weight or power where it
has them; else, for planes, the sum over the planes of |weight| times the standard deviation of the
term, so that units do not matter; else 1 for a column that is used.

A readable tree has an error in every size of its path. Each fold is fitted once: the tree of at
most n terms is a member of the path of its own fit (`PlaneTreeClassifier.select`), so the whole
curve costs as much as one cross-validation. The tree that `fit` keeps need not be on the path; its
figures are those of `validate`.
"""

from __future__ import annotations

import copy
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.distributed.shared_calls import cluster_calls
from planetree.evaluation.figure_words import plural
from planetree.evaluation.figures import Figures, figures_of
from planetree.evaluation.reading import TrainingTable
from planetree.exceptions import TimeLimitError
from planetree.table import Table, fingerprint, read_rows
from planetree.tree import fitted_tree
from planetree.tree.importances import column_movements
from planetree.words import wording_of

_N_FOLDS = 10  # as the papers have it
_ROWS_IN_ALL = 500_000  # rows learned from over all folds: a minute of the default method
_OWN = ("scores_", "weights_")  # where a selector keeps its weights of the columns
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
    """A method on rows that it did not learn from.

    Parameters
    ----------
    figures : Figures
        Of all rows that were predicted.
    fold_errors : array
        Share of the weight of the rows in each fold.
    seconds : float
        For all fits.
    size : Size
        Average over the folds.
    probabilities : array of shape (n_rows, n_classes), optional
        What the models give rows that they did not learn from, classes in order; NaN in rows that
        were not predicted. None of models without probabilities.
    rows, answers : array, optional
        The rows that were predicted, and their predicted classes.
    """

    figures: Figures
    fold_errors: Floats
    seconds: float
    size: Size
    probabilities: Floats | None = None
    rows: Indices | None = None
    answers: NDArray[Any] | None = None


def stratified_folds(labels: NDArray[Any], n_folds: int | None, seed: int) -> ValidationFolds:
    """ValidationFolds within classes; all of them, or as many as a large table allows."""
    from sklearn.model_selection import StratifiedKFold

    counts = np.unique(labels, return_counts=True)[1]
    if counts.max() < 2:
        raise ValueError("No class has two rows, so none can be held out.")
    k = max(2, min(n_folds or _N_FOLDS, int(counts.max())))
    splitter = StratifiedKFold(k, shuffle=True, random_state=seed)
    of_rows = np.zeros(len(labels), dtype=np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds
        for fold, (_, test) in enumerate(splitter.split(labels, labels)):
            of_rows[test] = fold
    n_used = k if n_folds else max(1, min(k, _ROWS_IN_ALL // len(labels)))
    return ValidationFolds(of_rows, tuple(range(n_used)))


def validate(estimator: Any, data: TrainingTable, folds: ValidationFolds, **how: Any) -> Validation:
    """Predict folds by models of the others; with one done, stop when time is over.

    Parameters
    ----------
    estimator : classifier
    data : TrainingTable
    folds : ValidationFolds
    **how
        `jobs`, `until` and `tick`, as in `validate_sizes`.
    """
    return validate_sizes(estimator, data, folds, [None], **how)[0]


def _gathered(data: TrainingTable, done: list[_Outcome]) -> Validation:
    """Figures of all folds at once."""
    rows = np.concatenate([each.rows for each in done])
    answers = np.concatenate([each.answers for each in done])
    probabilities = _all_probabilities(data, done)
    figures = figures_of(
        data.labels[rows],
        answers,
        np.unique(data.labels),
        None if probabilities is None else probabilities[rows],
        None if data.weights is None else data.weights[rows],
    )
    return Validation(
        figures,
        np.array([weighted_error(data, each.rows, each.answers) for each in done]),
        sum(each.seconds for each in done),
        Size(*map(_average, zip(*(each.size for each in done), strict=True))),
        probabilities,
        rows,
        answers,
    )


def weighted_error(data: TrainingTable, rows: Indices, answers: NDArray[Any]) -> float:
    """Share of the weight of some rows whose answers are wrong; 0 if they weigh nothing."""
    w = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    return float(w @ (answers != data.labels[rows]) / (w.sum() or 1.0))


class _Outcome(NamedTuple):
    """Of a fold the numbers of its rows, answers, seconds to fit, size and probabilities."""

    rows: Indices
    answers: NDArray[Any]
    seconds: float
    size: Size
    shares: Floats | None


def _all_probabilities(data: TrainingTable, done: list[_Outcome]) -> Floats | None:
    """Probabilities of all rows, NaN where no fold has predicted them."""
    found: Floats | None = None
    for each in done:
        if each.shares is None:
            return None
        if found is None:
            found = np.full((len(data.labels), each.shares.shape[1]), np.nan)
        found[each.rows] = each.shares
    return found


def _outcomes(
    estimator: Any,
    data: TrainingTable,
    folds: ValidationFolds,
    sizes: Sequence[int | None],
    jobs: int,
) -> Iterable[list[_Outcome]]:
    """What each fold gives, one after the other as they are done."""
    from joblib import Parallel, delayed

    shared = estimator, data, folds, sizes
    calls = cluster_calls(_one_fold, shared)
    if calls is not None:
        return calls.run(list(folds.used))
    if jobs == 1:
        return (_one_fold(shared, fold) for fold in folds.used)
    work = (delayed(_one_fold)(shared, fold) for fold in folds.used)
    found: Iterable[list[_Outcome]] = Parallel(n_jobs=jobs, return_as="generator")(work)
    return found


def _one_fold(
    shared: tuple[Any, TrainingTable, ValidationFolds, Sequence[int | None]], fold: int
) -> list[_Outcome]:
    """What a model of the other folds makes of a fold, in each size."""
    from sklearn.base import clone

    estimator, data, folds, sizes = shared
    train, test = folds.of_rows != fold, np.flatnonzero(folds.of_rows == fold)
    w = None if data.weights is None else data.weights[train]
    model, start = clone(estimator), time.perf_counter()
    model = _as_printed(model.fit(data.table.take(train), data.labels[train], sample_weight=w))
    seconds = time.perf_counter() - start
    rows, classes = data.table.take(test), np.unique(data.labels)
    return [
        _Outcome(
            test, each.predict(rows), seconds, size_of(each), class_shares(each, rows, classes)
        )
        for each in (of_size(model, n_terms) for n_terms in sizes)
    ]


def class_shares(model: Any, rows: Any, classes: NDArray[Any]) -> Floats | None:
    """Probability of each class, 0 for one that the model has not seen."""
    if not hasattr(model, "predict_proba"):
        return None
    found = model.predict_proba(rows)
    shares = np.zeros((len(found), len(classes)))
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
            f"Stopped at the time limit of {seconds:g} seconds. Allow more time, or use fewer rows "
            "or columns, or a faster method such as c45."
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
    if hasattr(model, "fitted_size"):  # of a peer
        return Size(*model.fitted_size())
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


def majority_error(data: TrainingTable, unseen: NDArray[Any] | None = None) -> tuple[str, float]:
    """The class with the most weight, and the error of always saying it, to unseen rows if any."""
    names, codes = np.unique(data.labels, return_inverse=True)
    totals = np.bincount(codes, data.weights)
    label = names[totals.argmax()]
    wrong = 1 - totals.max() / totals.sum() if unseen is None else np.mean(unseen != label)
    return str(label), float(wrong)


def how_validated(found: Validation) -> str:
    """How rows were kept unseen, in words."""
    return f"{plural(len(found.fold_errors), 'fold')} of cross-validation"


def validation_record(
    model: Any, rows: TrainingTable, figures: Figures, how: str, majority: tuple[str, float]
) -> dict[str, Any]:
    """What a model keeps of its figures on rows that it has not seen."""
    chosen = rows.table.select([column.name for column in model.columns_])
    table = Table(read_rows(model, chosen, missing=True), model.columns_)  # gaps filled or not
    return {
        **figures.to_data(),
        "how": how,
        "majority_class": majority[0],
        "majority_error": majority[1],
        "training_rows": fingerprint(table, rows.labels),
    }


def scores_of(model: Any) -> Floats:
    """Weight of each column in a fitted model.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.evaluation.validation import scores_of
    >>> model = RobustSeparator().fit([[0, 5], [1, 5], [2, 5], [3, 5]], [0, 0, 1, 1])
    >>> (scores_of(model) > 0).tolist()
    [True, False]
    """
    n_columns = len(model.columns_)
    for name in _OWN:
        own = getattr(model, name, None)
        if own is not None and np.shape(own) == (n_columns,):
            return np.asarray(own, dtype=np.float64)
    if not hasattr(model, "tree_") and not hasattr(model, "planes_"):
        return support_of(model).astype(np.float64)
    splits = model.tree_.splits if hasattr(model, "tree_") else [model.planes_]
    scales = wording_of(model).scales
    return sum((column_movements(s, n_columns, scales) for s in splits), np.zeros(n_columns))


def column_order(model: Any) -> list[int]:
    """Columns in the order of the model's own ranks, or of their weights."""
    key = model.ranking_ if hasattr(model, "ranking_") else -scores_of(model)
    order: list[int] = np.argsort(key, kind="stable").tolist()
    return order


def support_of(model: Any) -> Mask:
    """Which columns a fitted model selects, or reads."""
    if hasattr(model, "get_support"):
        return np.asarray(model.get_support())
    used = model.features_ if hasattr(model, "features_") else fitted_tree(model).tree.features
    support = np.zeros(len(model.columns_), dtype=bool)
    support[used] = True
    return support


def path_sizes(model: Any) -> list[int]:
    """Numbers of terms of the trees of a path, smallest first."""
    return sorted({step.n_terms for step in model.path_})


def of_size(model: Any, n_terms: int | None) -> Any:
    """The tree of a path with at most so many terms; None is the tree that was kept.

    Examples
    --------
    >>> from planetree import PlaneTreeClassifier
    >>> from planetree.evaluation.validation import of_size
    >>> X = [[float(i)] for i in range(40)]
    >>> model = PlaneTreeClassifier().fit(X, [0] * 20 + [1] * 20)
    >>> of_size(model, 0).n_leaves_, of_size(model, None).n_leaves_
    (1, 2)
    """
    return model if n_terms is None else model.select(n_terms)


def validate_sizes(
    estimator: Any,
    data: TrainingTable,
    folds: ValidationFolds,
    sizes: Sequence[int | None],
    *,
    jobs: int = 1,
    until: float = float("inf"),
    tick: Callable[[], None] = lambda: None,
) -> list[Validation]:
    """What each size is worth on folds that were left out; None is the tree that `fit` keeps.

    Parameters
    ----------
    estimator : PlaneTreeClassifier
    data : TrainingTable
    folds : ValidationFolds
    sizes : sequence of int or None
        Most terms of each tree.
    jobs : int
        Folds at the same time.
    until : float
        Time of `time.monotonic` after which no fold is begun.
    tick : callable
        Told of each fold that is done.
    """
    done = []
    for outcomes in _outcomes(estimator, data, folds, sizes, jobs):
        done.append(outcomes)
        tick()
        if time.monotonic() > until:
            break
    return [_gathered(data, list(of_folds)) for of_folds in zip(*done, strict=True)]
