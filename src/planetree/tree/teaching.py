"""A classifier that teaches a tree: it says how likely the classes of invented rows are.

A fitted teacher is asked with rows in the form in which `fit` was given X: an array, or a frame of
the same library whose columns keep their types. One that is not fitted is cloned, and fitted to the
training rows as numbers: in place of a column of categories an indicator of each, 0 where it is
missing; missing numbers stay where the teacher takes them, and are the mean of their column where
it does not. Seeds that are None are 0.

- an unfitted teacher sees canonical rows, so the order and the repetition of rows change nothing;
- a teacher that takes no weights sees a row of weight k as k rows.

A lesson is the real rows with invented ones beside them. A *smeared* row is a real one of which
each cell, with probability 1/4, is that of another row. Cells move whole, so categories stay valid
and missing cells stay missing. The class of such a row is the teacher's, and its weight the
teacher's margin: the probability of the first class less that of the second. Rows with next to no
margin are dropped; all others together weigh as much as the real rows, which keep their classes.

- rows are smeared by a seed that the content of the real rows fixes: the same rows in any order,
  and weights in the place of repetition, give the same lesson;
- fidelity is counted on rows that neither the tree nor a teacher fitted with it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from planetree.tree.plane.plane_search import digest


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
    model = with_seed(estimator, 0)
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


def with_seed(estimator: Any, seed: int) -> Any:
    """A copy whose random states are set where they were not, so that equal fits are equal."""
    copy = clone(estimator)
    given = {n: v for n, v in copy.get_params().items() if n.split("__")[-1] == "random_state"}
    return copy.set_params(**{name: seed for name, value in given.items() if value is None})


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
            f"The teacher {name} takes no sample_weight, and the row weights are not whole "
            "numbers. Use a teacher that takes weights, or fit it beforehand."
        )
    return times


# Measured on 16 data sets: shares of .1 and .5, nearest donors, twice the weight were no better.
_SMEARED_SHARE = 0.25
_SMEARED_ROWS, _MOST_SMEARED = 4, 20_000  # for each row; in all, if rows are not more than that
_LEAST_MARGIN = 0.02
_DRAWS = 2
_FOLDS = 3  # for fidelity


def lessons(rows: Canonical, weights: Floats, teacher: Teacher) -> Iterator[Canonical]:
    """Real rows and smeared ones, several times."""
    for draw in range(_DRAWS):
        yield _lesson(rows, weights, teacher, draw)


def _lesson(rows: Canonical, weights: Floats, teacher: Teacher, draw: int) -> Canonical:
    values = rows.table.values
    seed = np.frombuffer(digest(values, rows.codes, weights), dtype=np.uint32)
    random = np.random.default_rng([draw, *seed.tolist()])
    cells = _smeared(weights, values.shape[1], random)
    shares = teacher.probabilities(rows, cells)
    second, first = np.partition(shares, -2, axis=1)[:, -2:].T
    told = np.flatnonzero(first - second > _LEAST_MARGIN)
    margin = (first - second)[told]
    margin *= weights.sum() / max(margin.sum(), 1e-9)
    smeared = values[cells[told], np.arange(values.shape[1])]
    return rows._replace(
        table=Table(np.concatenate([values, smeared]), rows.table.columns),
        codes=np.concatenate([rows.codes, shares[told].argmax(axis=1)]),
        weights=np.concatenate([weights, margin]),
        draws=np.concatenate([rows.draws, 1.0 - random.random(len(told))]),
    )


def _smeared(weights: Floats, n_columns: int, random: np.random.Generator) -> Indices:
    """Rows of which cells of smeared rows are, drawn by weight."""
    n = len(weights)
    m = min(_SMEARED_ROWS * n, max(n, _MOST_SMEARED))
    ends = np.cumsum(weights) / weights.sum()
    own = np.searchsorted(ends[:-1], (np.arange(m) + 0.5) / m, side="right")
    others = np.searchsorted(ends[:-1], random.random((m, n_columns)), side="right")
    return np.where(random.random((m, n_columns)) < _SMEARED_SHARE, others, own[:, None])


class Pupil(NamedTuple):
    """What a tree answers, and its teacher.

    Parameters
    ----------
    answers : function of canonical rows
        Class of each by its place in canonical order.
    teacher : Teacher
    """

    answers: Callable[[Canonical], Indices]
    teacher: Teacher


def fidelity(rows: Canonical, taught: Callable[[Canonical], Pupil | None]) -> float:
    """Share of the weight of rows to which trees and their teachers give one class, unseen.

    Rows are dealt into three parts by their content. Each part is classified by a tree of the
    other two and by its teacher, which is fitted to these too unless it was fitted before. NaN
    where no part can be, because the others hold one class or have no tree.
    """
    part, agreed, counted = np.floor(rows.draws * _FOLDS), 0.0, 0.0
    for fold in range(_FOLDS):
        inside, unseen = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        if len(np.unique(rows.codes[inside])) < 2 or not len(unseen):
            continue
        pupil = taught(rows.part(inside))
        if pupil is None:
            continue
        held, cells = rows.part(unseen), np.repeat(unseen[:, None], len(rows.columns), axis=1)
        said = pupil.teacher.probabilities(rows, cells).argmax(axis=1)
        agreed += float(held.weights @ (pupil.answers(held) == said))
        counted += float(held.weights.sum())
    return agreed / counted if counted else float("nan")
