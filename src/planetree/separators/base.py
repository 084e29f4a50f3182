"""What all separators share once they are fitted: they predict by `planes_`.

two classes    one plane; a positive score says the second of `classes_`
k classes      k planes; the largest score wins
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.planes import Planes
from planetree.separators.probability_curve import ProbabilityCurve
from planetree.separators.problem import Problem, in_term_order
from planetree.table import read_rows
from planetree.words import printable, probability_text, wording_of

__all__ = ["PlaneClassifier", "names_classes", "names_columns"]

_CLASS_PARAMETERS = {"class_weight", "costs", "monotonic_cst"}
_COLUMN_PARAMETERS = {"required_features", "excluded_features", "feature_costs", "monotonic_cst"}


def _has_curve(separator: PlaneClassifier) -> bool:
    """Whether a separator tells probabilities: not one that a version without them has saved."""
    return separator._is_graded and (
        "planes_" not in vars(separator) or "curve_" in vars(separator)
    )


class PlaneClassifier(ClassifierMixin, BaseEstimator):
    """Predictions and words of a classifier whose `fit` sets `planes_`, and its certificate."""

    _kind: ClassVar[str] = "linear program"  # of its certificate
    _is_graded: ClassVar[bool] = True  # whether it tells probabilities

    planes_: Planes
    branch_codes_: Indices
    curve_: ProbabilityCurve
    classes_: NDArray[Any]
    objective_: float
    bound_: float
    gap_: float
    status_: str

    def decision_function(self, X: Any) -> Floats:
        """Scores of the planes, in the units of their weights.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows,), or (n_rows, n_classes) for more than two classes
        """
        scores = self._class_scores(self._read(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the side of the plane it lies on, or the largest score."""
        rows = self._read(X)  # raises unless there are planes
        return self.classes_[self._predicted_codes(rows)]

    @available_if(_has_curve)
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, by how far each row is from the planes.

        On a plane the odds are even, so that the predicted class has the largest probability; how
        fast they rise with the score, and how far, was fitted to the training rows (`curve_`).

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        rows = self._read(X)
        return self.curve_.probabilities(self._class_scores(rows), self._predicted_codes(rows))

    def to_text(self, digits: int | None = None, *, graded: bool = True) -> str:
        """Decision in words: terms by name, those that move the score most first.

        Parameters
        ----------
        digits : int, optional
            Significant digits of the numbers; four by default.
        graded : bool
            Whether to say where the decision is unsure, and how probable its classes are.
        """
        check_is_fitted(self, "planes_")
        graded = graded and _has_curve(self) and self.planes_.rule in ("slabs", "argmax")
        planes = replace(self.planes_, spread=self.curve_.spread) if graded else self.planes_
        words = wording_of(self, digits).decision(planes)
        codes = getattr(self, "branch_codes_", np.arange(planes.n_branches))
        sure = f" {probability_text(self.curve_.purity)}" if graded else ""
        labels = [printable(label) + sure for label in self.classes_[codes].tolist()]
        return "\n".join([*words.preface, *(begun + labels[b] for b, begun in words.openings)])

    def describe(self, digits: int | None = None) -> str:
        """Deprecated: the same as `to_text`."""
        warnings.warn(
            "describe() is now to_text(), and goes in the next version.",
            FutureWarning,
            stacklevel=2,
        )
        return self.to_text(digits)

    @property
    def certificate_(self) -> Certificate:
        """How the planes were found, and what proves them."""
        check_is_fitted(self, "planes_")
        return Certificate(self._kind, self.objective_, self.bound_, self.gap_, self.status_)

    def _read(self, X: Any) -> Floats:
        check_is_fitted(self, "planes_")
        return read_rows(self, X)

    def _class_scores(self, rows: Floats) -> Floats:
        """Scores in columns: one for two classes, else one a class."""
        return self.planes_.scores(rows)

    def _predicted_codes(self, rows: Floats) -> Indices:
        """Code of the class of each row."""
        branch = self.planes_.branch(rows)
        codes: Indices | None = getattr(
            self, "branch_codes_", None
        )  # models of old files have none
        return branch if codes is None else codes[branch]

    def _set_planes(self, planes: Planes, problem: Problem, swapped: bool = False) -> None:
        """Set what fitted separators have; `swapped` if the problem exchanged the classes."""
        self.planes_ = in_term_order(planes)
        self.branch_codes_ = np.arange(planes.n_branches)
        self._set_curve(planes, problem, swapped, lambda scores: scores)
        self.coef_ = self.planes_.weights
        self.intercept_ = -planes.offsets
        self.scale_ = problem.scale[problem.terms.places()]

    def _set_curve(
        self,
        planes: Planes,
        problem: Problem,
        swapped: bool,
        class_scores: Callable[[Floats], Floats],
    ) -> None:
        """Set the curve of the probabilities, which is fitted when it is first asked for."""
        codes = 1 - problem.codes if swapped else problem.codes

        def rows() -> tuple[Floats, Indices, Floats]:
            scores = class_scores(problem.E @ planes.weights.T - planes.offsets)
            return scores, codes, problem.weights

        self.curve_ = ProbabilityCurve.later(rows, planes.n_terms)

    @property
    def term_names_(self) -> list[str]:
        """Name of each term: of its column, and of its category if it asks for one."""
        terms = zip(self.planes_.columns.tolist(), self.planes_.categories.tolist(), strict=True)
        return [wording_of(self).term(column, category) for column, category in terms]


def names_classes(separator: Any) -> bool:
    """Whether parameters of a separator name classes by their number."""
    given = _given_parameters(separator)
    return bool(_CLASS_PARAMETERS & given.keys()) or given.get("topology") in ("first", "second")


def names_columns(separator: Any) -> bool:
    """Whether parameters of a separator may name columns by their number."""
    return bool(_COLUMN_PARAMETERS & _given_parameters(separator).keys())


def _given_parameters(separator: Any) -> dict[str, Any]:
    """Parameters of a separator and of those inside it that are not None."""
    found = separator.get_params().items()
    return {name.split("__")[-1]: value for name, value in found if value is not None}
