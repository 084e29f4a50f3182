"""Methods against each other on the same folds, and beside two of scikit-learn.

Each is tested against the one with the least error: the corrected resampled t-test on the
differences fold by fold, with Holm's correction for there being several. A method is undominated if
no other has less error with no more terms, or fewer terms with no more error.

scikit-learn's tree and logistic regression are given the terms of a table: its numbers, and an
indicator for each category. Logistic regression gets them in standard units, with the mean for a
missing value. Methods of ours that need every value fill gaps themselves (`missing="impute"`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from planetree.arrays import Floats, encode
from planetree.evaluation.figures import Figures, figures_of
from planetree.evaluation.methods import METRICS, Method, Settings
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import (
    Size,
    Validation,
    ValidationFolds,
    limited,
    majority_error,
    validate,
    weighted_error,
)
from planetree.statistics import corrected_t_test, holm, undominated
from planetree.table import Table


def compare_methods(
    chosen: Sequence[Method | str],
    data: TrainingTable,
    settings: Settings,
    folds: ValidationFolds,
    *,
    metric: str = "error",
    jobs: int = 1,
    tick: Callable[[], None] = lambda: None,
    show: Callable[[list[dict[str, Any]]], None] = lambda records: None,
) -> list[dict[str, Any]]:
    """Validate each method on the same folds, beside always saying the most frequent class.

    Parameters
    ----------
    chosen : sequence of Method, or of the names of peers
    data : TrainingTable
    settings : Settings
        Its time limit is for each method, 60 seconds if there is none.
    folds : ValidationFolds
    metric : str
        One of `METRICS`: what the methods are ordered by, the best first.
    jobs : int
        Folds at the same time.
    tick : callable
        Told of each fold that is done.
    show : callable
        Given the records of the methods so far, after each of them.

    Returns
    -------
    list of dict
        One a method, the best first; those that failed come last and say the `reason`.
    """
    found, failed = [("majority", _majority(data, folds))], []
    for each in chosen:
        name = each if isinstance(each, str) else each.name
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append((name, _run_one(each, data, settings, folds, jobs, tick)))
        except (ValueError, TypeError, RuntimeError) as error:
            failed.append((name, " ".join(str(error).split())))
        show(_ordered(found, failed, metric, folds.test_share))
    return _ordered(found, failed, metric, folds.test_share)


def _ordered(
    found: list[tuple[str, Validation]],
    failed: list[tuple[str, str]],
    metric: str,
    test_share: float,
) -> list[dict[str, Any]]:
    """Records of methods, the best first, then those that failed."""
    found = sorted(found, key=lambda pair: (_rank(pair[1], metric), pair[1].size.terms or 0))
    records = _records(found, test_share)
    blank = dict.fromkeys(records[0])
    return records + [{**blank, "method": name, "reason": why} for name, why in failed]


def _rank(found: Validation, metric: str) -> float:
    """The figure to order by, so that less is better; methods without it come last."""
    value = found.figures.metric(metric)
    return np.inf if value is None else value if METRICS[metric] else -value


def _run_one(
    method: Method | str,
    data: TrainingTable,
    settings: Settings,
    folds: ValidationFolds,
    jobs: int,
    tick: Callable[[], None],
) -> Validation:
    """Validate one method within its time."""
    seconds = settings.time_limit or 60.0
    if isinstance(method, str):
        estimator = _peer(method, settings.random_state or 0, settings.class_weight)
    else:
        limit = seconds / len(folds.used)
        estimator = method.make(settings._replace(time_limit=limit, missing=data.missing))
    with limited(estimator, seconds):
        return validate(estimator, data, folds, jobs=jobs, tick=tick)


def _majority(data: TrainingTable, folds: ValidationFolds) -> Validation:
    """What always saying the most frequent class gives."""
    label, _ = majority_error(data)
    classes = np.unique(data.labels)
    answers = np.full(len(data.labels), classes[classes.astype(str) == label][0])
    dealt = [np.flatnonzero(folds.of_rows == fold) for fold in folds.used]
    by_fold = [weighted_error(data, rows, answers[rows]) for rows in dealt]
    figures = figures_of(data.labels, answers, classes, None, data.weights)
    return Validation(figures, np.array(by_fold), 0.0, Size(0, 1, 0, 0))


def _records(found: list[tuple[str, Validation]], test_share: float) -> list[dict[str, Any]]:
    """One record a method that ran, in their order."""
    ran = [each for _, each in found]
    chances = _probabilities(ran, test_share)
    sizes = [np.inf if each.size.terms is None else each.size.terms for each in ran]
    marked = undominated(np.column_stack([[each.figures.error for each in ran], sizes]))
    return [
        {
            "method": name,
            "error": each.figures.error,
            "low": each.figures.interval[0],
            "high": each.figures.interval[1],
            **{name.replace("-", "_"): each.figures.metric(name) for name in [*METRICS][1:5]},
            **_per_class(each.figures),
            **each.size._asdict(),
            "seconds": each.seconds,
            "p": chances[i],
            "undominated": bool(marked[i]),
            "reason": "",
        }
        for i, (name, each) in enumerate(found)
    ]


def _per_class(figures: Figures) -> dict[str, float | None]:
    """Recall and precision of each class, by its name."""
    return {
        f"{what} of {name}": value
        for what, values in (("recall", figures.recall), ("precision", figures.precision))
        for name, value in zip(figures.classes, values, strict=True)
    }


def _probabilities(found: list[Validation], test_share: float) -> list[float | None]:
    """How likely each one's difference from the least error is by chance."""
    best = min(range(len(found)), key=lambda i: found[i].figures.error)
    errors = [each.fold_errors for each in found]
    if len(errors[best]) < 2:
        return [None] * len(found)
    others = [i for i in range(len(found)) if i != best]
    chances: list[float | None] = [None] * len(found)
    raw = [corrected_t_test(errors[i] - errors[best], test_share) for i in others]
    for i, chance in zip(others, holm(raw).tolist(), strict=True):
        chances[i] = chance
    return chances


class _Terms(TransformerMixin, BaseEstimator):
    """From a `Table` to the matrix of its terms."""

    def fit(self, X: Table, y: Any = None) -> _Terms:
        """Keep the terms of the training rows."""
        self.terms_ = X.terms()
        return self

    def transform(self, X: Table) -> Floats:
        """Terms of the rows."""
        return encode(X.values, self.terms_.columns, self.terms_.categories)


class _Peer(Pipeline):
    """A classifier of scikit-learn behind `_Terms`."""

    def fit(self, X: Table, y: Any, sample_weight: Any = None) -> _Peer:
        """Fit the classifier to the terms."""
        super().fit(X, y, **{f"{self.steps[-1][0]}__sample_weight": sample_weight})
        return self

    def fitted_size(self) -> tuple[int, int, int, int]:
        """Decisions, leaves, columns and terms."""
        model, columns = self[-1], self[0].terms_.columns
        if isinstance(model, DecisionTreeClassifier):
            tested = model.tree_.feature[model.tree_.feature >= 0]
            return len(tested), model.get_n_leaves(), len(np.unique(columns[tested])), len(tested)
        used = np.flatnonzero(model.coef_.any(axis=0))
        return 1, len(model.classes_), len(np.unique(columns[used])), len(used)


def _peer(name: str, seed: int, class_weight: Any = None) -> _Peer:
    """A peer by its name."""
    if name == "sklearn-tree":
        tree = DecisionTreeClassifier(random_state=seed, class_weight=class_weight)
        return _Peer([("terms", _Terms()), ("tree", tree)])
    filled, scaled = SimpleImputer(keep_empty_features=True), StandardScaler()
    regression = LogisticRegression(max_iter=1000, class_weight=class_weight)
    steps = {"terms": _Terms(), "filled": filled, "scaled": scaled, "regression": regression}
    return _Peer(list(steps.items()))
