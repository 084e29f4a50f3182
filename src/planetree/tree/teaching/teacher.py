"""A teacher: a classifier that says how likely the classes of invented rows are.

A fitted teacher is asked with rows in the form in which `fit` was given X: an array, or a frame of
the same library whose columns keep their types. One that is not fitted is cloned, and fitted to the
training rows as numbers: in place of a column of categories an indicator of each, 0 where it is
missing; missing numbers stay where the teacher takes them, and are the mean of their column where
it does not. Seeds that are None are 0.

- an unfitted teacher sees canonical rows, so the order and the repetition of rows change nothing;
- a teacher that takes no weights sees a row of weight k as k rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from planetree.arrays import Floats, Indices, encode
from planetree.table import Canonical, Table, mixed_rows


class Teacher(NamedTuple):
    """A fitted classifier, and what it is asked with.

    Parameters
    ----------
    model : fitted classifier
    asked : function of canonical rows and an array of shape (n_rows, n_columns)
        From the canonical row that each cell is of, to rows as the model takes them.
    labels : array of shape (n_classes,)
        Classes in canonical order.
    """

    model: Any
    asked: Callable[[Canonical, Indices], Any]
    labels: NDArray[Any]

    def probabilities(self, rows: Canonical, cells: Indices) -> Floats:
        """How likely each class is for rows that are made of cells of canonical rows.

        Parameters
        ----------
        rows : Canonical
        cells : array of shape (n_rows, n_columns)
            The canonical row that each cell is of.
        """
        X, known = self.asked(rows, cells), self._places()
        found = np.zeros((len(cells), len(self.labels)))
        if hasattr(self.model, "predict_proba"):
            found[:, known] = self.model.predict_proba(X)
            return found
        place = {label: at for at, label in enumerate(self.labels.tolist())}
        said = np.asarray(self.model.predict(X)).tolist()
        found[np.arange(len(said)), [place[label] for label in said]] = 1.0
        return found

    def _places(self) -> list[int]:
        """Place of each class of the model in canonical order."""
        place = {label: at for at, label in enumerate(self.labels.tolist())}
        known = np.asarray(self.model.classes_).tolist()
        strange = [label for label in known if label not in place]
        if strange:
            raise ValueError(
                f"The teacher knows the class(es) {strange[:8]}, but y holds "
                f"{sorted(place, key=str)[:8]}. Fit both to the same labels."
            )
        return [place[label] for label in known]


def read_teacher(estimator: Any, X: Any, counted: Indices) -> _Ready:
    """A teacher that is ready for rows: itself if it is fitted, else to be fitted to them.

    Parameters
    ----------
    estimator : classifier
    X : as given to `fit`
    counted : array of int
        Rows of X that count.
    """
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return lambda rows, weights, labels: _fitted(estimator, rows, weights, labels)

    def asked(rows: Canonical, cells: Indices) -> Any:
        return _as_given(X, counted, rows, cells)

    return lambda rows, weights, labels: Teacher(estimator, asked, labels)


_Ready = Callable[[Canonical, Floats, NDArray[Any]], Teacher]


def _as_given(X: Any, counted: Indices, rows: Canonical, cells: Indices) -> Any:
    """From cells of canonical rows to rows like those of X."""
    places, first = np.unique(rows.which, return_index=True)
    row_of = np.zeros(len(rows.codes), dtype=np.intp)
    row_of[places[places >= 0]] = counted[first[places >= 0]]
    given = np.empty_like(cells)
    given[:, rows.columns] = row_of[cells]
    if isinstance(X, Table):
        return replace(X, values=X.values[given, np.arange(given.shape[1])])
    return mixed_rows(X, given)


def _fitted(estimator: Any, rows: Canonical, weights: Floats, labels: NDArray[Any]) -> Teacher:
    """A teacher that is fitted to canonical rows."""
    model = clone(estimator)
    names = model.get_params()
    seeds = [name for name in names if name.split("__")[-1] == "random_state"]
    model.set_params(**{name: 0 for name in seeds if names[name] is None})
    numbers = _numbers_of(rows, weights, keep_gaps=get_tags(model).input_tags.allow_nan)
    E, y = numbers(rows.table.values), labels[rows.codes]
    if has_fit_parameter(model, "sample_weight"):
        model.fit(E, y, sample_weight=weights)
    else:
        times = _whole(weights, type(model).__name__)
        model.fit(np.repeat(E, times, axis=0), np.repeat(y, times))

    def asked(rows: Canonical, cells: Indices) -> Floats:
        return numbers(rows.table.values[cells, np.arange(cells.shape[1])])

    return Teacher(model, asked, labels)


def _numbers_of(rows: Canonical, weights: Floats, keep_gaps: bool) -> Callable[[Floats], Floats]:
    """From cells to numbers: indicators of categories, gaps at the mean of the training rows."""
    terms, known = rows.table.terms(), ~np.isnan(rows.table.values)
    total = np.where(known, rows.table.values, 0.0) * weights[:, None]
    weight = (known * weights[:, None]).sum(axis=0)
    means = total.sum(axis=0) / np.where(weight > 0, weight, 1.0)
    instead = np.where(terms.categories >= 0, 0.0, np.nan if keep_gaps else means[terms.columns])

    def numbers(cells: Floats) -> Floats:
        E = encode(cells, terms.columns, terms.categories)
        return np.where(np.isnan(E), instead, E)

    return numbers


def _whole(weights: Floats, name: str) -> Indices:
    """Weights as numbers of rows."""
    times = np.rint(weights).astype(np.intp)
    if not np.allclose(times, weights, rtol=1e-9, atol=0.0):
        raise ValueError(
            f"The teacher {name} takes no sample_weight, and the weights of rows are no whole "
            "numbers. Use a teacher that takes weights, or fit it beforehand."
        )
    return times
