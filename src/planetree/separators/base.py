"""What all separators share once they are fitted: they predict by `planes_`.

two classes    one plane; a positive score says the second of `classes_`
k classes      k planes; the largest score wins
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from planetree.planes import Planes
from planetree.separators.problem import Problem
from planetree.table import read_rows

__all__ = ["PlaneClassifier"]


class PlaneClassifier(ClassifierMixin, BaseEstimator):
    """Predictions and the description in words of a classifier whose `fit` sets `planes_`."""

    planes_: Planes
    classes_: NDArray[Any]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of the planes, in the units of their weights.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_classes) for more than two classes
        """
        rows = self._read(X)
        scores = self.planes_.scores(rows)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the side of the plane it lies on, or the largest score."""
        rows = self._read(X)
        return self.classes_[self.planes_.branch(rows)]

    def describe(self, digits: int = 3) -> str:
        """Decision in words: terms by name, those that move the score most first.

        Parameters
        ----------
        digits : int
            Significant digits of the numbers.
        """
        check_is_fitted(self, "planes_")
        sums = [self._sum(plane, digits) for plane in range(len(self.planes_.offsets))]
        if len(sums) == 1:
            no, yes = self.classes_.tolist()
            threshold = f"{self.planes_.offsets[0]:.{digits}g}"
            return f"{yes!r} where\n{sums[0]}\nexceeds {threshold}, otherwise {no!r}."
        scores = zip(self.classes_.tolist(), sums, self.planes_.offsets, strict=True)
        lines = [f"{name!r}:\n{text}\n  {0.0 - at:+.{digits}g}" for name, text, at in scores]
        return "The class with the largest of these scores:\n" + "\n".join(lines)

    def _read(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "planes_")
        return read_rows(self, X)

    def _sum(self, plane: int, digits: int) -> str:
        weights = self.planes_.weights[plane]
        order = np.argsort(-np.abs(weights * self.scale_), kind="stable")
        names = self.term_names_
        lines = [f"  {weights[t]:+.{digits}g} * {names[t]}" for t in order if weights[t] != 0]
        return "\n".join(lines) or "  0"

    def _set_planes(self, planes: Planes, problem: Problem) -> None:
        """Set what every fitted separator has."""
        self.planes_ = planes
        self.branch_codes_ = np.arange(planes.n_branches)
        self.coef_ = planes.weights
        self.intercept_ = -planes.offsets
        self.scale_ = problem.scale

    @property
    def term_names_(self) -> list[str]:
        """Name of each term: of its column, and of its category if it asks for one."""
        terms = zip(self.planes_.columns, self.planes_.categories, strict=True)
        return [_name(self.columns_[column], category) for column, category in terms]


def _name(column: Any, category: int) -> str:
    if category < 0:
        return str(column.name)
    return f"({column.name} = {column.categories[category]})"
