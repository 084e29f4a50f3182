"""What judges a subset of features: the score of a classifier on rows that it has not seen.

The rows are divided once, into folds or into a part held out, and every subset is judged by the
mean score over the divisions. For nearest neighbors the squared distances of a subset and one
feature more are those of the subset plus one difference squared, so a compiled routine keeps them
and adds a feature at a time instead of computing them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import islice
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.validation import has_fit_parameter

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.distributed.shared_calls import cluster_calls
from planetree.feature_selection.ranking.subset_search import Subset
from planetree.table import Table, Training
from planetree.table.partitions import class_places, deal_folds, draw_holdout, row_ranks

_Divisions = list[tuple[Indices, Indices]]

_N_FOLDS = 5  # as scikit-learn's cv by default
_MAX_KEPT = 2**26  # distances kept in memory by all folds together


def divisions(cv: Any, training: Training) -> _Divisions:
    """Rows to learn from and rows to judge by, one pair a division.

    Parameters
    ----------
    cv : None, float, int, splitter or iterable
        As in `FloatingSelector`.
    training : Training
    """
    table, codes, weights, counted = training
    if cv is None:
        folds = deal_folds(table.values, codes, _N_FOLDS)
        found = [
            (np.flatnonzero(folds != f), np.flatnonzero(folds == f))
            for f in range(int(folds.max(initial=0)) + 1)
        ]
        if len(found) < 2:
            raise ValueError("X has n_samples=1 different row, but two are needed for folds.")
        return found
    if isinstance(cv, Real) and not isinstance(cv, Integral):
        share = float(cv)
        if not 0 < share < 1:
            raise ValueError(f"cv as a share held out must lie between 0 and 1, but is {cv!r}.")
        places = class_places(row_ranks(table.values), codes)[codes]  # whatever the names
        growing, held = draw_holdout(share, table.values, places, weights, random_state=0)
        return [(growing, held)]
    if isinstance(cv, Integral) or hasattr(cv, "split"):
        return list(check_cv(cv, codes, classifier=True).split(table.values, codes))
    return [(_renumbered(learn, counted), _renumbered(judge, counted)) for learn, judge in cv]


def _renumbered(rows: Any, counted: Mask) -> Indices:
    """Numbers of some rows among those that count."""
    given = np.flatnonzero(rows) if np.asarray(rows).dtype == bool else np.asarray(rows)
    place = np.cumsum(counted) - 1
    return np.asarray(place[given[counted[given]]], dtype=np.intp)


def plain_values(table: Table) -> NDArray[Any]:
    """Matrix for a classifier: floats, or objects with the names of categories if there are any."""
    named = {j: c.categories for j, c in enumerate(table.columns) if c.categories is not None}
    if not named:
        return table.values
    values = table.values.astype(object)
    for j, categories in named.items():
        cells = table.values[:, j]
        names = np.array([*categories, None], dtype=object)
        values[:, j] = names[np.where(np.isnan(cells), -1, cells).astype(np.intp)]
    return values


@dataclass
class Fitted:
    """Mean score of a classifier that is fitted anew for every subset and division.

    Parameters
    ----------
    estimator : classifier
    X, y : arrays
    weights : array of shape (n_rows,), or None if all are 1
    parts : list of pairs of arrays
        The divisions.
    scorer : callable
        `scorer(estimator, X, y, sample_weight=...)`.
    n_jobs : int or None
    clock : Clock
    """

    estimator: Any
    X: NDArray[Any]
    y: NDArray[Any]
    weights: Floats | None
    parts: _Divisions
    scorer: Callable[..., float]
    n_jobs: int | None
    clock: Clock

    def __post_init__(self) -> None:
        refuse_fractions(self.estimator, self.weights)
        self._cluster = cluster_calls(_score_of, copy(self)) if self.clock.left is None else None

    def with_each(self, chosen: Subset, candidates: list[int]) -> list[float]:
        """Mean score with the chosen features and each candidate."""
        return self._scores([[*chosen, j] for j in candidates])

    def without_each(self, chosen: Subset) -> list[float]:
        """Mean score with the chosen features without each of them."""
        return self._scores([[i for i in chosen if i != j] for j in chosen])

    def _scores(self, subsets: list[list[int]]) -> list[float]:
        subsets = [sorted(subset) for subset in subsets]
        if self._cluster is not None:
            return self._cluster.run(subsets)
        calls = [delayed(self._score)(subset) for subset in subsets]
        return run_within_time(calls, Parallel(n_jobs=self.n_jobs), self.clock)

    def _score(self, columns: list[int]) -> float:
        X = self.X[:, columns]
        return float(np.mean([self._score_part(X, *part) for part in self.parts]))

    def _score_part(self, X: NDArray[Any], learn: Indices, judge: Indices) -> float:
        model = fit_rows(clone(self.estimator), X, self.y, self.weights, learn)
        given = {} if self.weights is None else {"sample_weight": self.weights[judge]}
        return self.scorer(model, X[judge], self.y[judge], **given)


def _score_of(criterion: Fitted, columns: list[int]) -> float:
    return criterion._score(columns)


def refuse_fractions(estimator: Any, weights: Floats | None) -> None:
    """Raise if weights are no whole numbers and the classifier takes none."""
    takes_weights = has_fit_parameter(estimator, "sample_weight")
    if weights is not None and not takes_weights and np.any(weights % 1):
        raise ValueError(
            f"{type(estimator).__name__} takes no sample_weight, so weights must be whole "
            "numbers: how often each row is repeated."
        )


def fit_rows(model: Any, X: Any, y: NDArray[Any], weights: Floats | None, rows: Indices) -> Any:
    """The model fitted to some rows of X, an array or a Table; weights it takes not repeat rows."""
    given = {}
    if weights is not None and has_fit_parameter(model, "sample_weight"):
        given = {"sample_weight": weights[rows]}
    elif weights is not None:
        rows = np.repeat(rows, weights[rows].astype(np.intp))
    return model.fit(X.take(rows) if isinstance(X, Table) else X[rows], y[rows], **given)


def run_within_time(
    calls: Iterable[Any], parallel: Parallel, clock: Clock, at_least: int = 0
) -> list[Any]:
    """Results of calls of joblib, as many as there is time for.

    With a limit on time it is looked at before every so many calls as run together.
    """
    some = None if clock.left is None else effective_n_jobs(parallel.n_jobs)
    results: list[Any] = []
    left = iter(calls)
    while len(results) < at_least or not clock.is_over:
        batch = list(islice(left, some))
        if not batch:
            break
        results += parallel(batch)
    return results


def counts_neighbors(estimator: Any, scoring: Any, table: Table) -> bool:
    """Whether subsets can be judged by distances that are updated feature by feature."""
    if type(estimator) is not KNeighborsClassifier or scoring not in (None, "accuracy"):
        return False
    euclidean = estimator.metric == "euclidean" or (
        estimator.metric == "minkowski" and estimator.p == 2
    )
    plain = estimator.weights == "uniform" and estimator.metric_params is None
    return euclidean and plain and all(column.categories is None for column in table.columns)


class Neighbors:
    """Mean accuracy of the vote of the k nearest rows, distances updated feature by feature.

    A row of weight w votes as w rows. Equally near rows vote in an order that is drawn once and
    for all; it depends neither on that of the rows nor on what the classes are called.

    Parameters
    ----------
    values : array of shape (n_rows, n_features)
    codes, weights : arrays of shape (n_rows,)
    n_neighbors : int
    parts : list of pairs of arrays
        The divisions.
    n_jobs : int or None
    clock : Clock
    """

    def __init__(
        self,
        values: Floats,
        codes: Indices,
        weights: Floats,
        n_neighbors: int,
        parts: _Divisions,
        n_jobs: int | None,
        clock: Clock = UNLIMITED,
    ) -> None:
        self.n_jobs: int | None = n_jobs
        self.clock: Clock = clock
        for learn, judge in parts:
            if weights[learn].sum() < n_neighbors or not len(judge):
                raise ValueError(
                    f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {n_neighbors}, "
                    f"n_samples_fit = {weights[learn].sum():g}, with {len(judge)} rows to judge. "
                    "Ask for fewer neighbors or give more rows."
                )
        ranks = row_ranks(values)
        places = class_places(ranks, codes)
        classes = places[codes].astype(np.int32)
        matrix = np.ascontiguousarray(values)
        n_classes, kept = len(places), _MAX_KEPT // len(parts)
        turn = _voting_order(ranks * n_classes + classes)
        self.votes = [
            _core.NeighborVotes(
                matrix,
                classes,
                weights,
                n_classes,
                _numbers(learn[np.argsort(turn[learn], kind="stable")]),
                _numbers(judge),
                n_neighbors,
                kept,
            )
            for learn, judge in parts
        ]

    def with_each(self, chosen: Subset, candidates: list[int]) -> list[float]:
        """Mean accuracy with the chosen features and each candidate."""
        more = _numbers(chosen), _numbers(candidates)
        return self._mean(lambda part: part.with_each(*more, self.clock.left))

    def without_each(self, chosen: Subset) -> list[float]:
        """Mean accuracy with the chosen features without each of them."""
        return self._mean(lambda part: part.without_each(_numbers(chosen), self.clock.left))

    def _mean(self, right: Callable[[Any], Floats]) -> list[float]:
        if self.clock.is_over:
            return []
        calls = (delayed(lambda part: right(part) / part.test_weight)(part) for part in self.votes)
        scores = list(Parallel(n_jobs=self.n_jobs, prefer="threads")(calls))
        if not all(len(each) for each in scores):  # time was up
            return []
        return [float(each) for each in np.mean(scores, axis=0)]


def _voting_order(keys: Indices) -> Indices:
    """Place of each row in an order of all different keys that is drawn once and for all."""
    different, which = np.unique(keys, return_inverse=True)
    return np.random.default_rng(0).permutation(len(different))[which.reshape(-1)]


def _numbers(given: Any) -> NDArray[np.int64]:
    """Row or column numbers as the core takes them."""
    return np.asarray(given, dtype=np.int64)
