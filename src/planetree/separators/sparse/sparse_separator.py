"""Feature minimization: the planes with the fewest features that are almost as good as any.

With objective(S) the lowest objective of a separator whose weights outside the set S are zero, and
delta = (1 + error_increase) times the objective with all features,

    bounded accuracy     the fewest features with objective(S) <= delta     (7)(8), (13)(14)
    limited features     the lowest objective(S) with at most nu features   (9)
    priced features      the lowest objective(S) + price |S|                (5)(6), (11)(12)

Bredensteiner & Bennett (1996); the separator is RLP or RLP-P, or one with another error function
(`fit_search`), which their section 6 asks for. A feature is a column of the table: a
category column counts once, whatever the terms it owns, and so does a feature of several classes.
Bounded accuracy is NP-complete (Theorem 3.2), so a search gives few features and branch and bound
proves that they are the fewest.

- when a plane separates the classes delta is 0, and the planes returned separate them too;
- the planes are those of the program on the chosen features, at its own optimum;
- a sign that a weight must have is a price on the other sign that no gain can pay.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Indices
from planetree.clock import Clock
from planetree.parameters import (
    GAP_FILLING,
    SECONDS,
    check_argument,
    check_parameters,
    choice,
    count,
    flag,
    number,
    optional,
    parameter,
)
from planetree.separators.base import PlaneClassifier
from planetree.separators.problem import Problem, class_ranks, pose, read_filled, terms_by_content
from planetree.separators.robust import RobustSeparator, set_solution
from planetree.separators.sparse import exact_search, greedy_search, published_search
from planetree.separators.sparse.feature_rules import FeatureRules, read_rules, refuse_signs
from planetree.separators.sparse.feature_search import (
    Choice,
    FeaturePath,
    FeatureSearch,
    Goal,
    TimeIsUpError,
    best_on_tuning_set,
    raised,
)
from planetree.separators.sparse.fit_search import (
    FitSearch,
    refuse_other_separators,
    refuse_setting,
)
from planetree.separators.sparse.linear_search import LinearSearch
from planetree.separators.sparse.near_equal import FittedPrograms, NearEqual
from planetree.separators.sparse.sparse_parts import FitsSparsePartitions
from planetree.solvers import HingeSolution
from planetree.table import Training, all_or_nothing

_ROUNDING = 1e-9  # an objective may exceed delta by this share


@dataclass(eq=False, repr=False)
class SparseSeparator(FitsSparsePartitions, PlaneClassifier):
    """Feature minimization (FM): planes with the fewest features that are almost as good as any.

    Parameters
    ----------
    separator : separator, optional
        Its objective is minimized: by default `RobustSeparator()` (RLP; RLP-P with a perturbation);
        or `QuadraticSeparator`, `MaxNormSeparator` or `MisclassificationSeparator`, which are
        fitted again for each set of features. Its own `time_limit` is not used.
    error_increase : float
        The objective may exceed the best one by this share of its absolute value. If a plane
        separates the classes, the objective of a `MaxNormSeparator` is minus the margin.
    n_features : int, optional
        Use at most this many features, with the lowest objective, instead of a bound on it.
    feature_price : float, optional
        Minimize the objective plus this price for each feature, instead.
    exact : bool
        Prove that the choice of features is best, within `time_limit`.
    algorithm : {"greedy", "published", "forward", "backward"}
        "greedy" finds fewer features than "published" (Algorithms 4.1 and 4.2, or Frank-Wolfe on
        (9); only for RobustSeparator, without a price); "forward" and "backward" are plain
        sequential selection and elimination.
    time_limit : float, optional
        Seconds, after which the current program is finished and the best choice so far is kept.
    monotonic_cst : array of shape (n_columns,) or dict, optional
        For two classes: 1 if a higher value may only be evidence for `classes_[1]`, -1 if only
        against it, 0 for either.
    feature_costs : array of shape (n_columns,) or dict, optional
        Cost of each column, 1 by default: the total cost is minimized instead of the number.
        Columns that cost nothing may be used without limit.
    required_features, excluded_features : sequences of column names or numbers, optional
        Columns that count as used even if they get weight 0; columns that are never used.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    planes_, coef_, intercept_, classes_, columns_, scale_, n_features_in_, feature_names_in_
        As in the separator; weights of columns that are not used are 0.
    features_ : array of int
        The columns that are used: those with weights, and the required ones.
    n_features_used_ : int
        Features that were chosen: columns, and products of columns, each of which counts once.
    error_ : float
        The error of the separator with these features; for RobustSeparator, the average violation.
    error_bound_ : float
        delta: the largest objective that was allowed; infinite if it was not bounded.
    n_features_bound_ : int
        Proved in exact arithmetic: no choice that meets `error_bound_` has fewer features.
    proved_ : bool
        Whether the choice is proved to be the best.
    search_bound_ : float
        No choice of features has less of what was minimized over choices: the number or cost of
        the features, the objective, or the objective with the price. It holds in exact
        arithmetic; where that of the separator does not, as among columns that follow from others
        with `MaxNormSeparator`, it is -inf. 0 unless `exact`.
    objective_, bound_, gap_, separable_
        Those of the program on the chosen features.
    status_ : {"optimal", "time_limit", "inaccurate", "stationary"}
        Whether the search finished, with a gap of at most 1e-6; "stationary" means that a
        `MisclassificationSeparator` has no proof.
    n_iter_ : int
        Programs solved.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import SparseSeparator
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSeparator(n_features=2).fit(X, y)
    >>> model.n_features_used_, model.error_ < 0.25, model.gap_ < 1e-9
    (2, True, True)
    """

    _training_rows = "_programs"

    separator: Any = None
    _: KW_ONLY
    error_increase: float = parameter(0.1, number(0))
    n_features: int | None = parameter(None, optional(count()))
    exact: bool = parameter(False, flag())
    time_limit: float | None = parameter(None, optional(SECONDS))
    feature_price: float | None = parameter(None, optional(number(0)))
    algorithm: str = parameter("greedy", choice("greedy", "published", "forward", "backward"))
    monotonic_cst: Any = None
    feature_costs: Any = None
    required_features: Any = None
    excluded_features: Any = None
    missing: str = parameter("refuse", GAP_FILLING)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SparseSeparator:
        """Find the features and their planes.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        clock = Clock(self.time_limit)
        rules, search = self._prepare(X, y, sample_weight, clock)
        self._programs = FittedPrograms(rules, search.anew())
        goal = self._goal(search)
        self.search_bound_, self.proved_ = 0.0, False
        try:
            choice = self._search(search, goal, rules.always)
            if self.exact:
                proof = exact_search.branch_and_bound(search, goal, choice, rules.always)
                choice, self.search_bound_, self.proved_ = proof.choice, proof.bound, proof.proved
        except TimeIsUpError:
            choice = self._best_met(search, goal, rules.always)
        if not search.time_is_up:
            choice = greedy_search.refit(search, goal, choice, rules.required)
        self.error_bound_: float = goal.limit
        self.features_: Indices = rules.columns_of(choice.features)
        self.n_features_used_: int = len(choice.features)
        self.n_features_bound_: int = self._least_number(rules)
        self.status_: str = search.set_planes(self, choice, clock)
        self.n_iter_: int = search.n_solves
        return self

    def feature_path(
        self, X: Any, y: Any, sample_weight: Any = None, max_features: int | None = None
    ) -> FeaturePath:
        """Best planes known for every number of features, from 1 or those required to all.

        Planes of `fit` with `n_features` are never better, and seldom worse. What the features
        cost and what limits their number or the error plays no part.

        Parameters
        ----------
        X, y, sample_weight : as for `fit`
        max_features : int, optional
            Where to stop.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from planetree import SparseSeparator
        >>> path = SparseSeparator().feature_path(*load_iris(return_X_y=True))
        >>> path.features
        [(3,), (2, 3), (1, 2, 3), (0, 1, 2, 3)]
        """
        rules, search = clone(self)._prepare(X, y, sample_weight, Clock(self.time_limit))
        search.costs = np.ones(search.n_features)
        least = max(1, len(rules.required))
        most = search.n_features if max_features is None else max_features
        check_argument("max_features", most, count(least), "feature_path")
        search.everything()
        with suppress(TimeIsUpError):
            greedy_search.path(search, rules.required, min(most, search.n_features))
        best = greedy_search.by_size(search, rules.required)
        sizes = np.arange(len(best[0].features), min(most, search.n_features) + 1)
        last = np.searchsorted([len(each.features) for each in best], sizes, side="right") - 1
        rows = [best[i] for i in last]
        return FeaturePath(
            sizes,
            np.array([each.solution.error for each in rows]) / self._share(),
            np.array([each.objective for each in rows]),
            [tuple(rules.columns_of(each.features).tolist()) for each in rows],
        )

    def tuned_n_features(
        self, X: Any, y: Any, X_tuning: Any, y_tuning: Any, max_features: int | None = None
    ) -> int:
        """Number of features whose planes err least on a tuning set, the fewest of equals.

        Each number is tried with the features of `feature_path`, whose planes are fitted to X; pass
        the number to `n_features` and fit again.

        Parameters
        ----------
        X, y : as for `fit`
            Rows that the path is made of.
        X_tuning, y_tuning : as X and y
            Other rows, which the numbers are compared on.
        max_features : int, optional
            Where to stop.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from planetree import SparseSeparator
        >>> X, y = load_iris(return_X_y=True)
        >>> SparseSeparator().tuned_n_features(X[::2], y[::2], X[1::2], y[1::2])
        3
        """
        path = self.feature_path(X, y, max_features=max_features)
        return best_on_tuning_set(self, path.features, (X, y), (X_tuning, y_tuning))

    def near_equal(
        self,
        within: float = 0.05,
        max_features: int | None = None,
        *,
        max_sets: int = 100,
        validation: tuple[Any, Any] | None = None,
        time_limit: float | None = 10.0,
    ) -> NearEqual:
        """Every smallest set of columns whose planes are nearly as good as those of all columns.

        The columns are those that `fit` might use; what they cost plays no part, and required ones
        are in every set. The training rows are needed, so a model read from a file or a copy of one
        has to be fitted again.

        Parameters
        ----------
        within : float
            The objective may exceed the best one, that of all columns, by this share.
        max_features : int, optional
            Larger sets are not listed.
        max_sets : int
            So many are listed, those with the fewest columns first; the result says how many
            columns any other has at least.
        validation : pair of X and y, optional
            Held-out rows, on which the planes of each set are tried.
        time_limit : float, optional
            Seconds. What is found by then is listed, at least one set; None for as long as it
            takes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from planetree import SparseSeparator
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> print(SparseSeparator().fit(X, y).near_equal(within=0.5).to_text())
        2 smallest sets of columns.
        In every one: petal length (cm), petal width (cm).
          +17.7%: sepal width (cm), petal length (cm), petal width (cm)
          +36.1%: sepal length (cm), petal length (cm), petal width (cm)
        """
        check_argument("within", within, number(0), "near_equal")
        check_argument("max_sets", max_sets, count(1), "near_equal")
        check_argument("max_features", max_features, optional(count(1)), "near_equal")
        check_argument("time_limit", time_limit, optional(SECONDS), "near_equal")
        check_is_fitted(self, "planes_")
        if not hasattr(self, "_programs"):
            raise ValueError(
                "near_equal needs the training rows, which model files and copies do not hold. "
                "Call it on the model that was fitted, or fit it again."
            )
        return self._programs.near_equal(
            self, within, max_features, max_sets, validation, Clock(time_limit)
        )

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, clock: Clock
    ) -> tuple[FeatureRules, FeatureSearch]:
        """Read the rows; the search sees only columns that may be used, numbered anew."""
        self._check_parameters()
        training = read_filled(self, X, y, sample_weight)
        products = getattr(self._separator(), "products", None)
        problem, rules = pose(self, *training[:3], products=products), read_rules(self)
        problem = problem.of_terms(rules.terms_kept(problem.terms))
        rules = rules.with_products(problem.terms)
        check_parameters(self, n_features=optional(count(max(1, len(rules.required)))))
        if isinstance(self._separator(), RobustSeparator):
            return rules, self._linear_search(terms_by_content(problem), rules, clock)
        return rules, self._fit_search(training, problem, rules, clock)

    def _linear_search(self, problem: Problem, rules: FeatureRules, clock: Clock) -> LinearSearch:
        owners = rules.owners(problem.terms)
        signs = rules.signs[owners]
        refuse_signs(self, problem, signs)
        separator = clone(self._separator())
        program = separator.make_program(problem, self.classes_, all_planes=True)
        price, below = (
            separator.perturbation + program.prohibitive * (s < 0) for s in (signs, -signs)
        )
        if class_ranks(problem)[0] > 0:  # two classes in the other order: the plane looks back
            price, below = below, price

        def set_planes(estimator: Any, solution: HingeSolution, clock: Clock) -> str:
            return set_solution(estimator, separator, problem, program, solution, clock)

        return LinearSearch(owners, rules.costs, clock, program, price, below, set_planes)

    def _fit_search(
        self, training: Training, problem: Problem, rules: FeatureRules, clock: Clock
    ) -> FitSearch:
        separator = self._separator()
        refuse_setting(type(self).__name__, separator, self.algorithm, rules.signs)
        owners = rules.owners(problem.terms)
        table, labels = training.table.of_columns(rules.columns), self.classes_[training.codes]
        return FitSearch(owners, rules.costs, clock, separator, table, labels, problem)

    def _goal(self, search: FeatureSearch) -> Goal:
        n, price = search.n_features, self.feature_price
        if price is not None:
            return Goal(lambda cost, objective: objective + price * cost, np.inf, n)
        if self.n_features is not None:
            return Goal(lambda cost, objective: objective, np.inf, self.n_features)
        whole = bool((search.costs == np.round(search.costs)).all())
        delta = raised(search.everything().objective, self.error_increase)
        return Goal(lambda cost, objective: cost, delta, n, step=float(whole))

    def _search(self, search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
        search.everything()
        if self.algorithm in ("forward", "backward"):
            return greedy_search.SEQUENTIAL[self.algorithm](search, goal, keep)
        if self.feature_price is not None:
            return greedy_search.best_priced(search, goal, keep)
        if self.algorithm == "published" and isinstance(search, LinearSearch):
            mask = search.mask(keep)
            if self.n_features is not None:
                return published_search.limited_as_published(search, self.n_features, mask)
            return published_search.fewest_as_published(search, goal.limit, mask)
        if self.n_features is not None:
            return greedy_search.best_of_size(search, self.n_features, keep)
        return greedy_search.fewest(search, goal, keep)

    def _best_met(self, search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
        """Best of the choices met before the time was over, or the largest weights of all."""
        best = search.best_met(goal, keep)
        if best is not None:
            return best
        largest = [*keep, *reversed(search.weakest(search.everything(), keep))]
        return search.afresh(largest[: goal.max_features])

    def _least_number(self, rules: FeatureRules) -> int:
        """Least number of features that has at least the cost that was proved to be needed."""
        bounded = self.n_features is None and self.feature_price is None
        dearest_first = np.cumsum(-np.sort(-rules.costs))
        enough = dearest_first >= self.search_bound_ * (1 - _ROUNDING)
        proved = 1 + int(np.argmax(enough)) if bounded else 1
        return min(self.n_features_used_, max(proved, len(rules.required)))

    def _separator(self) -> Any:
        separator = RobustSeparator() if self.separator is None else self.separator
        if not isinstance(separator, RobustSeparator):
            refuse_other_separators(separator)
        return separator

    def _share(self) -> float:
        return 1.0 - float(getattr(self._separator(), "perturbation", 0.0))

    def __sklearn_tags__(self) -> Tags:
        """Say that more than two classes are refused, if the separator does."""
        tags = super().__sklearn_tags__()
        if not hasattr(self, "planes_"):  # what is fitted reads no parameter
            inner = get_tags(RobustSeparator() if self.separator is None else self.separator)
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def _check_parameters(self) -> None:
        self._separator()._check_parameters()
        super()._check_parameters()
