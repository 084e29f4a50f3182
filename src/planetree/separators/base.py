"""What all separators share once they are fitted: they predict by `planes_`.

two classes    one plane; a positive score says the second of `classes_`
k classes      k planes; the largest score wins
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from html import escape
from importlib.metadata import metadata
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.certificate import Certificate
from planetree.clock import Clock
from planetree.exceptions import AccuracyWarning, TimeLimitWarning
from planetree.parameters import check_parameters
from planetree.planes import Planes
from planetree.separators.probability_curve import ProbabilityCurve
from planetree.separators.problem import Problem, in_term_order, read_canonical, takes_gaps
from planetree.separators.scores import training_scores
from planetree.table import all_or_nothing, read_rows
from planetree.words import Wording, printable, probability_text, wording_of

_MAX_LINES = 100  # of words in a notebook: more than anyone reads there
_CLASS_PARAMETERS = {"class_weight", "costs", "monotonic_cst"}
_COLUMN_PARAMETERS = {"required_features", "excluded_features", "feature_costs"}
_COLUMN_PARAMETERS |= {"monotonic_cst", "products"}


def _has_curve(separator: PlaneClassifier) -> bool:
    """Whether a separator tells probabilities: not one that a version without them has saved."""
    return separator._is_graded and (
        "planes_" not in vars(separator) or "curve_" in vars(separator)
    )


@cache
def _api_pages() -> str:
    """Where the pages of estimators are: below the documentation that the package declares."""
    declared = metadata("planetree").get_all("Project-URL") or ()
    urls = dict(each.split(", ", 1) for each in declared)
    home = urls.get("Documentation", "").rstrip("/")
    return home and home + "/api/planetree.{estimator_name}.html"


class Documented(BaseEstimator):
    """An estimator whose box in a notebook links to its page, where the package declares one."""

    _doc_link_module = "planetree"
    _training_rows: ClassVar[str] = ""  # attribute that holds them: no copy does

    @property
    def _doc_link_template(self) -> str:
        return _api_pages()

    def _check_parameters(self) -> None:
        """Raise where a parameter is not what it may be."""
        check_parameters(self)

    def __getstate__(self) -> dict[str, Any]:
        """A copy keeps what was fitted, not the training rows."""
        state = dict(super().__getstate__())
        state.pop(self._training_rows, None)
        return state


class ShownInWords(Documented):
    """An estimator whose words stand below the box that scikit-learn shows in a notebook."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        found: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in found:
            found["text/html"] += self._words_as_html()
        return found

    @property
    def _repr_html_(self) -> Callable[[], str]:
        box = super()._repr_html_
        return lambda: box() + self._words_as_html()

    def _words_as_html(self) -> str:
        """What it says of itself, once it is fitted; the beginning of what is long."""
        if not hasattr(self, "classes_"):
            return ""
        lines = self.to_text().split("\n")
        more = [f"... and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
        return f"<pre>{escape(chr(10).join([*lines[:_MAX_LINES], *more]))}</pre>"


class PlaneClassifier(ClassifierMixin, ShownInWords):
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
        lines = [*words.preface, *(begun + labels[b] for b, begun in words.openings)]
        return "\n".join(
            [*lines, *missing_line(wording_of(self, digits), planes.features.tolist())]
        )

    def describe(self, digits: int | None = None) -> str:
        """Deprecated: the same as `to_text`."""
        warnings.warn(
            "describe() is now to_text(), and will be removed in the next version.",
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
        return read_rows(self, X, sparse=True)

    def __sklearn_tags__(self) -> Tags:
        """Say that sparse arrays are taken, and missing values where they are filled."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = takes_gaps(self)
        return tags

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

    def _set_planes(self, planes: Planes, problem: Problem) -> None:
        """Set what fitted separators have."""
        self.planes_ = in_term_order(planes)
        self.branch_codes_ = np.arange(planes.n_branches)
        self._set_curve(planes, problem, lambda scores: scores)
        self.coef_: Floats = self.planes_.weights
        self.intercept_: Floats = -planes.offsets
        self.scale_: Floats = problem.scale[problem.terms.places()]

    def _set_curve(
        self, planes: Planes, problem: Problem, class_scores: Callable[[Floats], Floats]
    ) -> None:
        """Set the curve of the probabilities, which is fitted when it is first asked for."""

        def rows() -> tuple[Floats, Indices, Floats]:
            scores = class_scores(training_scores(planes, problem))
            return scores, problem.codes, problem.weights

        self.curve_ = ProbabilityCurve.later(rows, planes.n_terms)

    @property
    def term_names_(self) -> list[str]:
        """Name of each term: of its column, and of its category if it asks for one."""
        terms = zip(self.planes_.columns.tolist(), self.planes_.categories.tolist(), strict=True)
        return [wording_of(self).term(column, category) for column, category in terms]


class TwoClassSeparator(PlaneClassifier):
    """A separator of two classes: `_solve` sets its planes from the rows in canonical order."""

    time_limit: float | None

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the planes.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
            Two classes.
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        problem, rows = read_canonical(self, X, y, sample_weight)
        refuse_more_classes(self, "RobustSeparator")
        self._solve(problem, rows.swapped, clock)
        return self

    def __sklearn_tags__(self) -> Tags:
        """Say that more than two classes are refused."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _solve(self, problem: Problem, swapped: bool, clock: Clock) -> None:
        """Set what is fitted; `swapped` if the problem has the classes in the other order."""
        raise NotImplementedError


def refuse_more_classes(estimator: Any, instead: str) -> None:
    """Raise if an estimator has read more than two classes, and say what takes more."""
    labels = estimator.classes_.tolist()
    if len(labels) > 2:
        raise ValueError(
            f"Only binary classification is supported. {type(estimator).__name__} separates two "
            f"classes, but y holds {len(labels)}: {labels}. For more than two, use {instead}."
        )


def missing_line(wording: Wording, columns: Iterable[int]) -> list[str]:
    """A line that says what missing values of some columns count as; none if they do not."""
    said = []
    for j in columns:
        fill, is_number = wording.columns[j].fill, wording.columns[j].categories is None
        if fill is not None:
            value = wording.number(fill, 6) if is_number else wording.categories(j, [int(fill)])
            said.append(f"{wording.name(j)} = {value}")
    return [f"if missing: {', '.join(said)}"] if said else []


def judged_status(estimator: Any, status: str, tolerance: float) -> str:
    """`status`, or "inaccurate" where `gap_` exceeds the tolerance; both warn, unless optimal.

    What is called inaccurate, but has a gap within the tolerance, is optimal.
    """
    name, gap = type(estimator).__name__, estimator.gap_
    kind: type[Warning] = AccuracyWarning
    if status == "time_limit":
        kind = TimeLimitWarning
        told = f"{name} stopped at its time limit with a gap of {gap:.3g}."
    elif gap > tolerance:
        status = "inaccurate"
        told = (
            f"{name} found an answer, but rounding leaves a gap of {gap:.3g} between its value and "
            "its bound. Scale the columns alike, or remove outlying rows."
        )
    else:
        return "optimal" if status == "inaccurate" else status
    warnings.warn(told, kind, stacklevel=3)
    return status


def names_classes(separator: Any) -> bool:
    """Whether parameters of a separator name classes by their number."""
    given = _given_parameters(separator)
    return bool(_CLASS_PARAMETERS & given.keys()) or given.get("topology") in ("first", "second")


def names_columns(separator: Any) -> bool:
    """Whether parameters of a separator may name columns by their number."""
    return bool(_COLUMN_PARAMETERS & _given_parameters(separator).keys())


def asked_products(separator: Any) -> Any:
    """Products of columns that a separator, or one inside it, is asked to use."""
    return _given_parameters(separator).get("products")


def _given_parameters(separator: Any) -> dict[str, Any]:
    """Parameters of a separator and of those inside it that are not None."""
    found = separator.get_params().items()
    return {name.split("__")[-1]: value for name, value in found if value is not None}
