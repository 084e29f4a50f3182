"""The two doors of an estimator: what `fit` is given, and what `predict` is given.

A fit changes all of an estimator or nothing: not after an error, nor after an interrupt.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.parameters import listed
from planetree.progress import reading_display
from planetree.table.columns import Codes
from planetree.table.imputation import imputed
from planetree.table.labels import read_classes, read_weights
from planetree.table.sources import Source, as_labels, as_plain, fits_partitions
from planetree.table.table import (
    Table,
    build,
    check_cells,
    has_new_categories,
    match,
    rebuild,
    source_of,
)

_Method = TypeVar("_Method", bound=Callable[..., Any])

_CLASSES_FIRST = "Pass every class to the first call of partial_fit as classes=."


def all_or_nothing(method: _Method) -> _Method:
    """Make a method leave its estimator as it was whenever it raises, whatever it raises.

    The attributes are put back in one assignment, so that a second interrupt finds no half of them.
    While the method runs, passes over rows use as many threads as its estimator's `n_jobs` says.

    Examples
    --------
    >>> from planetree.table import all_or_nothing
    >>> class Account:
    ...     total = 1
    ...
    ...     @all_or_nothing
    ...     def double(self):
    ...         self.total *= 2
    ...         raise MemoryError
    >>> account = Account()
    >>> try:
    ...     account.double()
    ... except MemoryError:
    ...     print(account.total)
    1
    """

    @wraps(method)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            if method.__name__ == "fit":
                if fits_partitions(self, *args, **named):
                    with _threads(getattr(self, "n_jobs", None)), reading_display():
                        return self._fit_partitions(args[0] if args else named["X"])
                if len(args) + ("X" in named) == 1:
                    named = {"y": None} | named  # it says what is missing
            with _threads(getattr(self, "n_jobs", None)):
                return method(self, *args, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return cast(_Method, run)


@contextmanager
def _threads(n_jobs: int | None) -> Iterator[None]:
    """Let passes over rows use so many threads; None leaves them to whoever calls."""
    before = _core.use_threads(effective_n_jobs(n_jobs)) if n_jobs is not None else None
    try:
        yield
    finally:
        if before is not None:
            _core.use_threads(before)


def _forget(estimator: Any) -> None:
    """Delete what an earlier fit learned: the attributes whose names end in an underscore."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)


class Training(NamedTuple):
    """What `fit` learns from: the table, the class code of each row, and its weight.

    `counted` says which rows of X these are: those whose weight is not 0.
    """

    table: Table
    codes: Indices
    weights: Floats
    counted: Mask


def read_training(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    missing: bool = False,
    sparse: bool = False,
    impute: bool = False,
    min_classes: int = 2,
) -> Training:
    """Read what `fit` was given, and set what scikit-learn expects a fit to set.

    Sets `n_features_in_`, `columns_`, `classes_` and, where X names its columns by text,
    `feature_names_in_`. All else that an earlier fit learned is forgotten.

    Parameters
    ----------
    estimator : classifier
    X, y, sample_weight : as given to `fit`
        A row of weight 0 is left out.
    missing, sparse : bool
        Whether the estimator takes missing cells, and sparse arrays.
    impute : bool
        Whether missing cells are filled (`planetree.table.imputation`), now and in `read_rows`.
    min_classes : int
        The fewest classes that the estimator can learn from.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from planetree.table import read_training
    >>> model = DummyClassifier()
    >>> read_training(model, [[0.0], [1.0], [2.0]], ["no", "yes", "no"]).codes
    array([0, 1, 0])
    >>> model.classes_.tolist()
    ['no', 'yes']
    """
    owner = type(estimator).__name__
    source = source_of(X, owner, sparse)
    classes, n_rows = read_classes(as_labels(y, owner)), source.shape[0]
    _refuse_unequal(n_rows, len(classes.codes))
    weights = read_weights(as_plain(sample_weight), n_rows)
    counted = weights > 0
    keep = None if counted.all() else counted
    is_read = isinstance(X, Table) and not has_new_categories(X)  # those it has are declared
    if is_read and keep is None:
        check_cells(X, owner, missing or impute)
        table = Table(X.values, X.columns) if X.named else X
    else:
        table = build(source, owner, missing or impute, keep)
    if keep is not None:
        classes, weights = classes.of_rows(keep), weights[keep]
    if impute:
        table = imputed(table, weights)
    if len(classes.labels) < min_classes:
        raise ValueError(
            f"y holds {len(classes.labels)} class(es) in the rows that count: "
            f"{listed(classes.labels.tolist())}. {owner} needs at least {min_classes} classes."
        )
    _declare(estimator, source, table, classes.labels)
    return Training(table, classes.codes, weights, counted)


def read_batch(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    first: bool,
    classes: Any = None,
    impute: bool = False,
) -> Training:
    """Read what a call of `partial_fit` was given; the first one declares columns and classes.

    Parameters
    ----------
    estimator : classifier
    X, y, sample_weight : as given to `partial_fit`
    first : bool
        Whether this is the first call.
    classes : array, optional
        Every class that any call will hold; by default those of the first y.
    impute : bool
        As for `read_training`; what fills missing cells is learned from the first call.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from planetree.table import read_batch
    >>> model = DummyClassifier()
    >>> read_batch(model, [[0.0], [1.0]], ["b", "b"], first=True, classes=["a", "b"]).codes
    array([1, 1])
    >>> read_batch(model, [[2.0]], ["a"], first=False).codes
    array([0])
    """
    labels = None if classes is None else read_classes(as_labels(classes, "partial_fit")).labels
    if first:
        if labels is not None and len(labels) < 2:
            raise ValueError(f"classes holds {len(labels)} class(es), but at least 2 are needed.")
        fewest = 2 if labels is None else 1
        read = read_training(
            estimator, X, y, sample_weight, sparse=True, impute=impute, min_classes=fewest
        )
        found = estimator.classes_
        if labels is not None:
            estimator.classes_ = labels
        places = codes_among(found, estimator.classes_, _CLASSES_FIRST)
        return read._replace(codes=places[read.codes])
    if labels is not None and not np.array_equal(labels, estimator.classes_):
        raise ValueError(
            f"classes is {listed(labels.tolist())}, but the first call of partial_fit declared "
            f"{listed(estimator.classes_.tolist())}."
        )
    table = Table(read_rows(estimator, X, sparse=True), estimator.columns_)
    codes = read_labels(estimator, y, len(table.values), _CLASSES_FIRST)
    weights = read_weights(as_plain(sample_weight), len(codes))
    keep = weights > 0
    return Training(table.take(keep), codes[keep], weights[keep], keep)


def read_labels(estimator: Any, y: Any, n_rows: int, remedy: str = "") -> Indices:
    """Read labels of rows as codes of the classes of a fitted classifier.

    Parameters
    ----------
    estimator : fitted classifier
    y : array of shape (n_rows,)
    n_rows : int
        How many there must be.
    remedy : str
        What to do about a label that is none of the classes.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from planetree.table import read_labels, read_training
    >>> model = DummyClassifier()
    >>> _ = read_training(model, [[0.0], [1.0]], ["no", "yes"])
    >>> read_labels(model, ["yes", "yes"], 2)
    array([1, 1])
    """
    found = read_classes(as_labels(y, type(estimator).__name__))
    _refuse_unequal(n_rows, len(found.codes))
    return codes_among(found.labels, estimator.classes_, remedy)[found.codes]


def codes_among(labels: NDArray[Any], classes: NDArray[Any], remedy: str = "") -> Indices:
    """Position of each label among the classes."""
    place = {label: code for code, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise ValueError(
            f"y holds {listed(unknown)}, which is not among the classes {listed(place)}. {remedy}"
        )
    return np.array([place[label] for label in labels.tolist()], dtype=np.intp)


def _refuse_unequal(n_rows: int, n_labels: int) -> None:
    """Raise unless there is one label a row."""
    if n_labels != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {n_rows} rows, but y has {n_labels} labels."
        )


def _declare(estimator: Any, source: Source, table: Table, labels: NDArray[Any]) -> None:
    """Set on an estimator what it learned about its columns and classes, and that alone."""
    _forget(estimator)
    estimator.n_features_in_ = len(table.columns)
    estimator.columns_ = table.columns
    estimator.classes_ = labels
    if source.named:
        estimator.feature_names_in_ = np.array(source.names, dtype=object)


def fingerprint(table: Table, labels: Any) -> str:
    """SHA-256 of columns, cells and labels: any change of one, or of the order of rows, shows.

    Examples
    --------
    >>> from planetree.table import Table, fingerprint
    >>> one, other = Table.read([[1.0], [2.0]]), Table.read([[1], [2]])
    >>> fingerprint(one, ["a", "b"]) == fingerprint(other, ["a", "b"])
    True
    """
    names = [[str(c.name), [str(v) for v in c.categories or ()]] for c in table.columns]
    classes, codes = np.unique(np.asarray(labels), return_inverse=True)
    found = hashlib.sha256(json.dumps([names, list(map(str, classes.tolist()))]).encode())
    cells = np.where(np.isnan(table.values), np.nan, table.values + 0.0)
    found.update(np.ascontiguousarray(cells).astype("<f8").tobytes())
    found.update(codes.astype("<i8").tobytes())
    return found.hexdigest()


def lacking_columns(estimator: Any, X: Any) -> list[int]:
    """Columns of a fitted estimator that X does not have, none of which it reads.

    Examples
    --------
    >>> import pandas as pd
    >>> from planetree import C45Classifier
    >>> from planetree.table import lacking_columns
    >>> X = pd.DataFrame({"a": [0, 1, 2, 3], "b": [5, 5, 5, 5]})
    >>> lacking_columns(C45Classifier().fit(X, [0, 0, 1, 1]), X[["a"]])
    [1]
    """
    places = _places(estimator, source_of(X, type(estimator).__name__, sparse=False))
    return [j for j, place in enumerate(places) if place < 0]


def _places(estimator: Any, source: Source) -> list[int]:
    """Where the columns of a fitted estimator stand in a source; -1 where one is not there."""
    named, read = hasattr(estimator, "feature_names_in_"), columns_read(estimator)
    owner = type(estimator).__name__
    return match(source, estimator.columns_, owner, by_name=named, read=read)


def new_categories(estimator: Any, X: Any) -> dict[str, dict[Any, int]]:
    """Categories of X that a fitted estimator does not know, and how many rows have each.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from planetree.table import new_categories, read_training
    >>> model = DummyClassifier()
    >>> _ = read_training(model, [["a"], ["b"]], [0, 1])
    >>> new_categories(model, [["b"], ["c"], ["c"]])
    {'x0': {'c': 2}}
    """
    source = source_of(X, type(estimator).__name__, sparse=False)
    found = {}
    for place, column in zip(_places(estimator, source), estimator.columns_, strict=True):
        is_there = place >= 0 and column.categories is not None
        content = source.column(place) if is_there else None
        if isinstance(content, Codes):
            counts = np.bincount(content.codes[content.codes >= 0], minlength=len(content.labels))
            new = {
                label: int(n)
                for label, n in zip(content.labels, counts, strict=True)
                if n and label not in column.categories
            }
            if new:
                found[column.name] = new
    return found


def columns_read(estimator: Any) -> list[int]:
    """Columns that a fitted estimator reads; all of them where it does not say.

    Examples
    --------
    >>> from planetree import C45Classifier
    >>> from planetree.table import columns_read
    >>> columns_read(C45Classifier().fit([[0, 5], [1, 5], [2, 5], [3, 5]], [0, 0, 1, 1]))
    [0]
    """
    for name in ("features_used_", "features_"):
        if hasattr(estimator, name):
            return [int(j) for j in getattr(estimator, name)]
    return list(range(len(estimator.columns_)))


def read_rows(estimator: Any, X: Any, *, missing: bool = False, sparse: bool = False) -> Floats:
    """Read what `predict` was given as the matrix that a fitted estimator expects.

    The columns of a frame are matched by name, in whatever order they come; those of an array by
    position. A frame for an array, or an array for a frame, is matched by position with a warning.
    A frame may lack columns that the estimator never reads: they are filled with 0.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from planetree.table import read_rows, read_training
    >>> model = DummyClassifier()
    >>> _ = read_training(model, [["a"], ["b"]], [0, 1])
    >>> read_rows(model, [["b"], ["b"], ["a"]])
    array([[1.],
           [1.],
           [0.]])
    """
    check_is_fitted(estimator, "columns_")
    owner = type(estimator).__name__
    source = source_of(X, owner, sparse)
    fitted_with_names = hasattr(estimator, "feature_names_in_")
    if not isinstance(X, Table) and source.named != fitted_with_names:
        has, was = ("has", "without") if source.named else ("does not have valid", "with")
        warnings.warn(
            f"X {has} feature names, but {owner} was fitted {was} feature names",
            UserWarning,
            stacklevel=3,
        )
    order = _places(estimator, source)
    return rebuild(source, estimator.columns_, order, owner, missing).values
