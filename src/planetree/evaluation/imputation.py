"""Methods that need every value, on tables with gaps: gaps are filled before they see the rows.

A missing number becomes the weighted median of its column in training, a missing category becomes
one of its own, "(missing)". Nothing is learned from rows that are predicted.

- a table without gaps comes out as it is;
- a row of weight 3 counts for the median as that row three times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags

from planetree.arrays import Floats
from planetree.evaluation.validation import size_of
from planetree.table import Column, Table

__all__ = ["filled_in"]

_OWN = "(missing)"


def filled_in(estimator: Any, table: Table) -> Any:
    """The estimator, or where it refuses the gaps of a table, one that fills them first."""
    refuses = not get_tags(estimator).input_tags.allow_nan
    return _Imputed(estimator) if refuses and np.isnan(table.values).any() else estimator


class _Imputed(ClassifierMixin, BaseEstimator):
    """A classifier of complete rows that is given the rows of a `Table` with their gaps filled."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: Table, y: Any, sample_weight: Any = None) -> _Imputed:
        """Learn what fills the gaps, and fit the classifier to the filled rows."""
        w = np.ones(len(X.values)) if sample_weight is None else np.asarray(sample_weight)
        cells = zip(X.columns, X.values.T, strict=True)
        self.fill_ = np.array([_fill_of(column, each, w) for column, each in cells])
        self.classifier_ = clone(self.classifier).fit(
            self.filled(X), y, sample_weight=sample_weight
        )
        return self

    def filled(self, X: Table) -> Table:
        """Rows without gaps."""
        values = np.where(np.isnan(X.values), self.fill_, X.values)
        columns = [
            column if column.categories is None else Column(column.name, (*column.categories, _OWN))
            for column in X.columns
        ]
        return Table(values, tuple(columns), X.named)

    def predict(self, X: Table) -> NDArray[Any]:
        """Class of each row."""
        answers: NDArray[Any] = self.classifier_.predict(self.filled(X))
        return answers

    def __getattr__(self, name: str) -> Any:
        """Probabilities, if the classifier gives them."""
        if name != "predict_proba" or "classifier_" not in vars(self):
            raise AttributeError(name)
        found = self.classifier_.predict_proba
        return lambda X: found(self.filled(X))

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in order."""
        classes: NDArray[Any] = self.classifier_.classes_
        return classes

    def size(self) -> tuple[float | None, ...]:
        """Decisions, leaves, columns and terms."""
        return size_of(self.classifier_)


def _fill_of(column: Column, cells: Floats, weights: Floats) -> float:
    """What stands for a missing cell of a column."""
    if column.categories is not None:
        return float(len(column.categories))
    known = ~np.isnan(cells) & (weights > 0)
    if not known.any():
        return 0.0
    order = np.argsort(cells[known], kind="stable")
    values, reached = cells[known][order], np.cumsum(weights[known][order])
    low, high = (np.searchsorted(reached, reached[-1] / 2, side=side) for side in ("left", "right"))
    return float((values[low] + values[min(high, len(values) - 1)]) / 2)
