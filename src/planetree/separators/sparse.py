"""Feature minimization: the planes with the fewest features that are almost as good as any.

With objective(S) the lowest objective of a separator whose weights outside the set S are zero, and
delta = (1 + error_increase) times the objective with all features,

    bounded accuracy     the fewest features with objective(S) <= delta     (7)(8), (13)(14)
    limited features     the lowest objective(S) with at most nu features   (9)
    priced features      the lowest objective(S) + price |S|                (5)(6), (11)(12)

Bredensteiner & Bennett (1996); the separator is RLP or RLP-P. A feature is a column of the table: a
category column counts once, whatever the terms it owns, and so does a feature of several classes.
Bounded accuracy is NP-complete (Theorem 3.2), so a search gives few features and branch and bound
proves that they are the fewest.

- when a plane separates the classes delta is 0, and the planes returned separate them too;
- the planes are those of the program on the chosen features, at its own optimum;
- a sign that a weight must have is a price on the other sign that no gain can pay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from planetree.separators import exact_search, greedy_search, published_search
from planetree.separators.feature_search import Choice, FeatureSearch, TimeIsUpError
from planetree.separators.plane_classifier import PlaneClassifier
from planetree.separators.problem import Problem, read_problem, to_planes
from planetree.separators.robust import RobustSeparator

__all__ = ["FeaturePath", "SparseSeparator"]

Array = NDArray[np.float64]

ALGORITHMS = ("greedy", "published", "forward", "backward")
ROUNDING = 1e-9  # an objective may exceed delta by this much


class FeaturePath(NamedTuple):
    """The best error known for every number of features.

    Parameters
    ----------
    n_features : array of int
    errors : array of float
    features : list of tuples
        The columns that give each error.
    """

    n_features: NDArray[np.intp]
    errors: Array
    features: list[tuple[int, ...]]


class SparseSeparator(PlaneClassifier):
    """Feature minimization (FM): planes with the fewest features that are almost as good as any.

    Parameters
    ----------
    separator : RobustSeparator, optional
        What is minimized over the weights (RLP; RLP-P with a perturbation); by default
        `RobustSeparator()`.
    error_increase : float
        The objective may exceed the best one by this share.
    n_features : int, optional
        Use at most so many features, with the lowest objective, instead of a bound on it.
    feature_price : float, optional
        Minimize the objective plus this price for each feature, instead.
    exact : bool
        Prove that the choice of features is best, within `time_limit`.
    algorithm : {"greedy", "published", "forward", "backward"}
        "greedy" finds fewer features than "published" (Algorithms 4.1 and 4.2, or Frank-Wolfe on
        (9)); "forward" and "backward" are plain sequential selection and elimination.
    time_limit : float, optional
        Seconds. When they are over, the best choice found is kept.
    monotonic_cst : array of shape (n_columns,) or dict, optional
        1 where more of a column may only speak for `classes_[1]`, -1 where only against, 0 where
        either; two classes.
    feature_costs : array of shape (n_columns,) or dict, optional
        What each column costs, 1 by default: the cost is minimized in place of the number.
    required_features, excluded_features : sequences of column names or numbers, optional

    Attributes
    ----------
    planes_, coef_, intercept_, classes_, columns_, scale_, n_features_in_, feature_names_in_
        As of RobustSeparator; weights of columns that are not used are 0.
    features_ : array of int
        The columns that are used.
    n_features_used_ : int
    error_ : float
        The average violation, the lowest for these features.
    error_bound_ : float
        delta: what the objective was allowed to be; infinite if it was not bounded.
    n_features_bound_ : int
        No choice that meets the bound has fewer features; with `feature_costs`, costs less.
    proved_ : bool
        Whether the choice is proved to be best.
    search_bound_ : float
        No choice of features has less of what was minimized over choices.
    objective_, bound_, gap_, status_, separable_
        Of the program on the chosen features.
    n_iter_ : int
        Programs solved.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import SparseSeparator
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSeparator(n_features=2).fit(X, y)
    >>> [model.columns_[j].name for j in model.features_]
    ['worst perimeter', 'worst smoothness']
    """

    def __init__(
        self,
        separator: RobustSeparator | None = None,
        error_increase: float = 0.1,
        n_features: int | None = None,
        feature_price: float | None = None,
        exact: bool = False,
        algorithm: str = "greedy",
        time_limit: float | None = None,
        monotonic_cst: Any = None,
        feature_costs: Any = None,
        required_features: Any = None,
        excluded_features: Any = None,
    ) -> None:
        self.separator = separator
        self.error_increase = error_increase
        self.n_features = n_features
        self.feature_price = feature_price
        self.exact = exact
        self.algorithm = algorithm
        self.time_limit = time_limit
        self.monotonic_cst = monotonic_cst
        self.feature_costs = feature_costs
        self.required_features = required_features
        self.excluded_features = excluded_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SparseSeparator:
        """Find the features and their planes.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        problem, search, columns, keep = self._prepare(X, y, sample_weight)
        try:
            everything = search.solve(range(search.n_features))
            self.error_bound_ = self._delta(everything)
            choice, bound, proved = self._choose(search, everything, keep)
            self.status_ = "optimal"
        except TimeIsUpError:
            choice, bound, proved = self._best_known(search, keep)
            self.status_ = "time_limit"
        self._finish(problem, search, columns, search.afresh(choice))
        self.proved_, self.search_bound_ = proved, bound
        self.n_features_bound_ = self._feature_bound(bound, keep)
        return self

    def feature_path(
        self, X: Any, y: Any, sample_weight: Any = None, max_features: int | None = None
    ) -> FeaturePath:
        """Best error known for every number of features from 1 to all.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
        max_features : int, optional
            Where to stop.
        """
        _, search, columns, keep = self._prepare(X, y, sample_weight)
        choices = greedy_search.path(search, keep, max_features)
        return FeaturePath(
            np.array([len(choice.features) for choice in choices]),
            np.array([choice.solution.error for choice in choices]) / self._share(),
            [tuple(int(columns[j]) for j in choice.features) for choice in choices],
        )

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Problem, FeatureSearch, NDArray[np.intp], frozenset[int]]:
        """Read the rows; the search sees only columns that are not excluded, numbered anew."""
        self._check_parameters()
        problem = read_problem(self, X, y, sample_weight)
        n = len(self.columns_)
        excluded = self._numbers(self.excluded_features, "excluded_features")
        required = self._numbers(self.required_features, "required_features")
        if excluded & required:
            names = sorted(self.columns_[j].name for j in excluded & required)
            raise ValueError(f"Features both required and excluded: {names}.")
        columns = np.array([j for j in range(n) if j not in excluded], dtype=np.intp)
        if not len(columns):
            raise ValueError("excluded_features leaves no feature to choose from.")
        terms = np.flatnonzero(np.isin(problem.terms.columns, columns))
        part = problem.of_terms(terms)
        owners = np.searchsorted(columns, part.terms.columns)
        program = self._separator().make_program(part)
        price, below = self._prices(part, program.prohibitive)
        costs = self._of_columns(self.feature_costs, 1.0, "feature_costs")[columns]
        search = FeatureSearch(program, owners, price, below, costs, self.time_limit)
        keep = frozenset(int(j) for j in np.searchsorted(columns, sorted(required)))
        self._check_limit(len(columns), len(required))
        return part, search, columns, keep

    def _choose(
        self, search: FeatureSearch, everything: Choice, keep: frozenset[int]
    ) -> tuple[Choice, float, bool]:
        choice = self._search(search, keep)
        if not self.exact:
            return choice, 0.0, False
        proof = exact_search.branch_and_bound(
            search, self._goal(search), choice, keep, frozenset(range(search.n_features))
        )
        return proof.choice, proof.bound, proof.proved

    def _search(self, search: FeatureSearch, keep: frozenset[int]) -> Choice:
        delta = self.error_bound_
        if self.feature_price is not None:
            measure = self._goal(search).measure
            return min(greedy_search.path(search, keep), key=measure)
        if self.n_features is not None:
            if self.algorithm == "published":
                mask = search.mask(keep)
                return published_search.limited_as_published(search, self.n_features, mask)
            return greedy_search.best_of_size(search, self.n_features, keep)
        if self.algorithm == "published":
            return published_search.fewest_as_published(search, delta, search.mask(keep))
        method = {"greedy": "fewest"}.get(self.algorithm, self.algorithm)
        return getattr(greedy_search, method)(search, delta, keep)

    def _goal(self, search: FeatureSearch) -> exact_search.Goal:
        if self.feature_price is not None:
            return exact_search.priced_goal(search, self.feature_price)
        if self.n_features is not None:
            return exact_search.limited_goal(search, self.n_features)
        return exact_search.bounded_goal(search, self.error_bound_)

    def _best_known(
        self, search: FeatureSearch, keep: frozenset[int]
    ) -> tuple[Choice, float, bool]:
        """Best of the choices met before the time was over."""
        if not search.known:
            raise TimeoutError(
                f"time_limit={self.time_limit} was over before the first program was solved."
            )
        goal = self._goal(search)
        met = [Choice(key, solution) for key, solution in search.known.items() if key]
        fitting = [
            choice
            for choice in met
            if choice.solution.objective <= goal.limit
            and keep <= set(choice.features)
            and len(choice.features) <= goal.max_features
        ]
        return min(fitting or met, key=goal.measure), 0.0, False

    def _finish(
        self, problem: Problem, search: FeatureSearch, columns: NDArray[np.intp], choice: Choice
    ) -> None:
        solution = choice.solution
        weights, offsets = solution.weights, solution.offsets
        if len(weights) > 1 and self._separator().perturbation == 0:
            weights, offsets = weights - weights.mean(axis=0), offsets - offsets.mean()
        rule = "slabs" if len(self.classes_) == 2 else "argmax"
        self._set_planes(to_planes(weights, offsets, problem, rule), problem)
        self.features_ = columns[list(search.support(solution))]
        self.n_features_used_ = len(self.features_)
        self.error_ = solution.error / self._share()
        self.separable_ = self.error_ == 0.0
        self.objective_, self.bound_, self.gap_ = solution.objective, solution.bound, solution.gap
        self.n_iter_ = search.n_solves

    def _delta(self, everything: Choice) -> float:
        if self.n_features is not None or self.feature_price is not None:
            return np.inf
        best = everything.solution.objective
        return (1.0 + self.error_increase) * best + ROUNDING * max(1e-3, best)

    def _feature_bound(self, bound: float, keep: frozenset[int]) -> int | float:
        bounded = self.n_features is None and self.feature_price is None
        if bounded and self.feature_costs is not None:
            return bound
        proved = int(np.ceil(bound - ROUNDING)) if bounded and np.isfinite(bound) else 0
        return max(1, len(keep), proved)

    def _separator(self) -> RobustSeparator:
        separator = RobustSeparator() if self.separator is None else self.separator
        if not isinstance(separator, RobustSeparator):
            raise ValueError(
                f"separator must be a RobustSeparator, but it is {separator!r}. Features are "
                "minimized over its linear programs, RLP and RLP-P."
            )
        return clone(separator)

    def _share(self) -> float:
        return 1.0 - self._separator().perturbation

    def _prices(self, problem: Problem, prohibitive: Array) -> tuple[Array, Array]:
        """Prices of terms above and below zero: the perturbation, and signs that are barred."""
        signs = self._of_columns(self.monotonic_cst, 0.0, "monotonic_cst")
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError("monotonic_cst must hold -1, 0 or 1 for each column.")
        if signs.any() and len(self.classes_) > 2:
            raise ValueError(
                f"monotonic_cst needs two classes, but y holds {len(self.classes_)}: "
                f"{self.classes_.tolist()}. With more, no class is the one that is spoken for."
            )
        of_terms = signs[problem.terms.columns]
        if (problem.terms.categories >= 0)[of_terms != 0].any():
            raise ValueError("monotonic_cst can be set for number columns only.")
        base = np.full(len(of_terms), self._separator().perturbation, dtype=float)
        return base + prohibitive * (of_terms < 0), base + prohibitive * (of_terms > 0)

    def _numbers(self, features: Any, name: str) -> set[int]:
        """Columns given by name or number, as numbers."""
        if features is None:
            return set()
        if isinstance(features, str) or not isinstance(features, Iterable):
            raise ValueError(f"{name} must be a sequence of column names or numbers.")
        return {self._number(feature, name) for feature in features}

    def _number(self, feature: Any, name: str) -> int:
        names = [column.name for column in self.columns_]
        if isinstance(feature, str) and feature in names:
            return names.index(feature)
        if isinstance(feature, (int, np.integer)) and 0 <= feature < len(names):
            return int(feature)
        raise ValueError(f"{name} names {feature!r}, but the columns are {names}.")

    def _of_columns(self, values: Any, default: float, name: str) -> Array:
        """Numbers for all columns, from an array or from a dict by name or number."""
        n = len(self.columns_)
        if values is None:
            return np.full(n, default)
        if isinstance(values, Mapping):
            numbers = np.full(n, default)
            for feature, value in values.items():
                numbers[self._number(feature, name)] = value
        else:
            numbers = np.array(values, dtype=float)
        if numbers.shape != (n,) or not np.isfinite(numbers).all():
            raise ValueError(f"{name} must hold one finite number for each of {n} columns.")
        if name == "feature_costs" and not (numbers > 0).all():
            raise ValueError("feature_costs must be positive.")
        return numbers

    def _check_parameters(self) -> None:
        self._separator()._check_parameters()
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm must be one of {ALGORITHMS}, not {self.algorithm!r}.")
        for name in ("error_increase", "feature_price", "time_limit"):
            value = getattr(self, name)
            if value is not None and not (
                isinstance(value, (int, float, np.number)) and value >= 0
            ):
                raise ValueError(f"{name} must be a number not below 0, but it is {value!r}.")
        if self.n_features is not None and self.feature_price is not None:
            raise ValueError("Give n_features or feature_price, not both.")

    def _check_limit(self, n_allowed: int, n_required: int) -> None:
        most = self.n_features
        if most is None:
            return
        if not (isinstance(most, (int, np.integer)) and most >= max(1, n_required)):
            raise ValueError(
                f"n_features must be a whole number from {max(1, n_required)} on, but it is "
                f"{most!r} ({n_required} features are required)."
            )
