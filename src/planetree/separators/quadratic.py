"""Piecewise-quadratic separation: the planes with the least squared violations (PQM).

Classes 1..k, the m_i rows of class i in the matrix A_i; one plane (w_i, gamma_i) a class, the
largest score wins. Each class is charged half the mean of its squared violations:

    min   1/2 sum_i sum_{j != i} (1/m_i) | max(0, -A_i (w_i - w_j) + gamma_i - gamma_j + 1) |^2

Bennett (1993), eq. (6.6). Two classes need the difference of the planes only: one plane. With
`l2` half of it times sum_i |w_i|^2 is added, where the w_i are those that sum to 0.

- the value is 0 exactly when the planes separate the classes (Theorem 6.1.1);
- w = 0 is optimal exactly when all class means are equal (Theorem 6.1.2), and then every optimum
  has w = 0 on the rows: all rows are violated, and there the function is strictly convex in
  the scores;
- the violations of all optima are the same. The optimum itself is unique when the violated rows
  leave no direction free, as they hardly ever do in data that overlap; it never is where the
  planes separate the classes. With `l2` above 0 the weights are unique. Of planes that separate,
  Newton's method returns those that the largest `l2` finds, of powers of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planetree import _core
from planetree.arrays import Indices, Mask, encode
from planetree.clock import Clock, warn_of_time_limit
from planetree.distributed import Partitions
from planetree.parameters import (
    GAP_FILLING,
    SECONDS,
    choice,
    flag,
    number,
    optional,
    parameter,
    share,
)
from planetree.planes import Planes
from planetree.separators.base import PlaneClassifier, judged_status
from planetree.separators.partitioned import fit_partitions
from planetree.separators.problem import (
    Problem,
    fills_gaps,
    merge_rows,
    read_problem,
    terms_by_content,
    turned,
)
from planetree.separators.quadratic_planes import (
    JudgedRows,
    before_accuracy_falls,
    ranks_of_classes,
    tuning_rows,
    unproved,
)
from planetree.separators.scores import predicts_all
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.hinge import PROVED
from planetree.solvers.quadratic import (
    calmest_separation,
    distribute,
    enlarged,
    every_plane,
    squared_hinges,
    start_at_means,
)
from planetree.table import all_or_nothing, read_batch, read_costs

_ACCURATE = 1e-6  # the gap above which planes are called inaccurate


@dataclass(eq=False, repr=False, kw_only=True)
class QuadraticSeparator(PlaneClassifier):
    """Piecewise-quadratic minimization (PQM, MCD-PGD): the least squared violations.

    Parameters
    ----------
    solver : {"newton", "gradient_distribution"}
        Newton's method in the compiled core, which finds the minimum exactly; or the published
        Algorithm 6.2.1, which shares the unknowns among jobs.
    l2 : float
        Half of it times the squared weights of normalized columns is added to the objective. The
        published program has 0, the default. Above 0 the weights are unique, and columns that
        nearly repeat one another share their weight. With 0, a column that earlier columns
        determine to five digits gets weight 0.
    weighting : {"class", "uniform"}
        Each class is charged the mean of its squared violations, or all rows are charged alike.
    costs : array of shape (n_classes, n_classes), optional
        Entry (i, j) multiplies the charge of rows of class i for class j; 0 on the diagonal,
        positive elsewhere.
    partition : {"classes", "attributes"}
        The blocks of unknowns of "gradient_distribution": the plane of each class, or the
        weights of each column.
    tol : float
        "gradient_distribution" ends when no entry of the gradient exceeds it, or a round lowers
        the value by less than its square times the value. "newton" needs no tolerance.
    validation_fraction : float, optional
        Share of each class's distinct rows that is held out as a tuning set (section 6.3.2); the
        solver stops when the accuracy on it falls. The choice of rows depends only on their values,
        not on their order or weights.
    warm_start : bool
        Start `fit` at the planes of the last fit, if classes and columns are the same.
    n_jobs : int, optional
        Threads of "gradient_distribution". More than one save no time, and on small tables only one
        is used. The result does not depend on it.
    time_limit : float, optional
        Seconds, after which `fit` keeps the best planes found so far, with their gap and a warning.
    products : None, "squares", "all" or list of pairs of columns
        Products of number columns to add as terms: squares (`age^2`); squares and all pairs
        (`age * dose`); or these pairs, by name or number. The planes are then quadratic surfaces in
        the columns.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    planes_ : Planes
        For two classes, one plane: a positive score means `classes_[1]`. For more, a plane for
        each class: the largest score wins.
    coef_, intercept_ : arrays of shape (n_planes, n_terms) and (n_planes,)
        Weights of the planes in the units of X, and their offsets with the sign changed.
    error_ : float
        The value of (6.6): 0 when the planes separate the classes, at most k (k - 1) / 2 at the
        optimum without costs.
    separable_ : bool
    objective_, bound_, gap_ : float
        The value of `planes_`, a number that no planes go below, and their relative difference.
        The bound holds in exact arithmetic for X; it is 0 if nothing better is proved.
    status_ : {"optimal", "inaccurate", "time_limit", "tolerance", "early_stopping"}
        "inaccurate", with a warning, where the gap stays above 1e-6; "interrupted" if Ctrl-C ended
        a fit to `Partitions` that had planes already.
    n_iter_ : int
        Steps of Newton's method, or rounds of Algorithm 6.2.1.
    n_reads_, n_bytes_gathered_ : int
        For a fit to `Partitions`: how often all rows were read, and how many bytes were gathered.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.
    scale_ : array of shape (n_terms,)
        Standard deviation of each term.

    Examples
    --------
    >>> from planetree import QuadraticSeparator
    >>> rows, classes = [[0.0], [1.0], [1.5], [2.0], [3.0]], ["a", "a", "b", "a", "b"]
    >>> model = QuadraticSeparator().fit(rows, classes)
    >>> print(model.to_text())
    if x0 > 1.631944 (unsure between 0.6 and 2.7): b 72.9%
    otherwise: a 72.9%
    >>> model.separable_, round(model.error_, 6), model.gap_ < 1e-12
    (False, 0.611354, True)
    """

    _kind = "quadratic program"

    solver: str = parameter("newton", choice("newton", "gradient_distribution"))
    l2: float = parameter(0.0, number(0))
    weighting: str = parameter("class", choice("class", "uniform"))
    costs: Any = None
    partition: str = parameter("classes", choice("classes", "attributes"))
    tol: float = parameter(0.001, number(above=0))
    validation_fraction: float | None = parameter(None, optional(share()))
    warm_start: bool = parameter(False, flag())
    n_jobs: int | None = None
    time_limit: float | None = parameter(None, optional(SECONDS))
    products: Any = None
    missing: str = parameter("refuse", GAP_FILLING)

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> QuadraticSeparator:
        """Find the planes.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns), or Partitions
        y : array of shape (n_rows,)
            Not for `Partitions`, which hold their classes and weights.
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        self._check_parameters()
        clock = Clock(self.time_limit)
        last = self._last_planes() if self.warm_start else None
        problem = read_problem(self, X, y, sample_weight)
        self.__dict__.pop("_seen", None)
        return self._solve(problem, last, clock)

    def _fit_partitions(self, partitions: Partitions) -> QuadraticSeparator:
        self._check_parameters()
        fit_partitions(self, partitions, Clock(self.time_limit))
        return self

    @all_or_nothing
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> QuadraticSeparator:
        """Find the planes of all rows that this and earlier calls have brought.

        The planes are those that `fit` would find on all rows together, for a squared violation
        forgets none of them: the rows are kept, and the solver begins at the planes it had. A call
        costs time and memory in proportion to all rows so far. `fit` and model files keep no
        rows, so the first call after `fit` or `load` begins anew.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
            Later frames have the columns, and no other categories than, the first one.
        y : array of shape (n_rows,)
        classes : array, optional
            Every class that any call will bring; by default those of the first y.
        sample_weight : array of shape (n_rows,), optional
        """
        self._check_parameters()
        if self.products is not None:
            raise ValueError("partial_fit cannot use products. Use fit, or products=None.")
        clock = Clock(self.time_limit)
        first, last = not hasattr(self, "_seen"), self._last_planes()
        fills = fills_gaps(self)
        table, codes, weights, _ = read_batch(
            self, X, y, sample_weight, first=first, classes=classes, impute=fills
        )
        terms = table.terms()
        E = encode(table.values, terms.columns, terms.categories)
        if not first:
            pairs = zip(self._seen, (E, codes, weights), strict=True)
            E, codes, weights = (np.concatenate(pair) for pair in pairs)
        self._seen: tuple[Any, ...] = E, codes, weights
        E = np.ascontiguousarray(E)
        n = len(terms.columns)
        problem = merge_rows(Problem(E, codes, weights, terms, np.zeros(n), np.ones(n)))
        return self._solve(problem, last, clock)

    def _last_planes(self) -> tuple[Any, ...] | None:
        """What a warm start needs: the planes, and the classes and columns they are of."""
        if not hasattr(self, "planes_"):
            return None
        return self.planes_, self.classes_, self.columns_

    def _solve(
        self, problem: Problem, last: tuple[Any, ...] | None, clock: Clock
    ) -> QuadraticSeparator:
        ranks = ranks_of_classes(problem, len(self.classes_))
        problem = problem._replace(codes=ranks[problem.codes])
        if self.solver == "gradient_distribution":
            problem = merge_rows(terms_by_content(problem))
        held_back = np.zeros(len(problem.codes), dtype=bool)
        if self.validation_fraction is not None:
            held_back = tuning_rows(problem, self.validation_fraction)
        program = self._program(problem, ~held_back, np.argsort(ranks))
        start = None if last is None else self._start(problem, ranks, *last)
        rounds = self._newton(program, start, clock, one_by_one=bool(held_back.any()))
        if self.solver == "gradient_distribution":
            rounds = self._distribution(program, start, clock)
        if held_back.any():
            tuning = problem.normalized[held_back], problem.codes[held_back]
            solution = before_accuracy_falls(rounds, *tuning, problem.weights[held_back])
        else:
            *_, solution = rounds
        self._set_solution(JudgedRows(problem, ranks, program, clock), solution)
        return self

    def _program(self, problem: Problem, kept: Mask, order: Indices) -> HingeProgram:
        codes, weights = problem.codes[kept], problem.weights[kept]
        totals = _core.class_totals(codes, weights, len(order))
        if self.weighting == "uniform":
            totals[:] = math.fsum(weights)
        costs = None if self.costs is None else read_costs(self.costs, self.classes_)
        return HingeProgram(
            problem.E if kept.all() else problem.E[kept],
            codes,
            weights,
            np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0),
            center=problem.center,
            scale=problem.scale,
            costs=None if costs is None else costs[np.ix_(order, order)],
            name="program of QuadraticSeparator",
        )

    def _start(
        self, problem: Problem, ranks: Indices, planes: Planes, classes: Any, columns: Any
    ) -> HingeSolution | None:
        """The last planes in normalized terms, unless classes, columns or terms have changed."""
        if columns != self.columns_ or not np.array_equal(classes, self.classes_):
            return None
        if planes.weights.shape[1] != len(problem.center):  # a category that no plane knows
            return None
        weights, offsets = turned(planes.weights, planes.offsets, np.argsort(ranks))
        weights = weights[:, np.argsort(problem.terms.places())]
        offsets = offsets - weights @ problem.center
        return unproved(weights * problem.scale, offsets, "start")

    def _newton(
        self, program: HingeProgram, start: HingeSolution | None, clock: Clock, one_by_one: bool
    ) -> Iterator[HingeSolution]:
        """The minimum; or one step after another, until one gains nothing."""
        if not one_by_one:
            left = clock.at_least_a_moment
            solution = program.solve_quadratic(self.l2, start, time_limit=left, exact=False)
            separates = self.l2 == 0.0 and solution.error == 0.0
            yield calmest_separation(program, clock) if separates else solution
            return
        n_steps, before = 0, np.inf
        while True:
            left = clock.at_least_a_moment
            start = program.solve_quadratic(
                self.l2, start, max_steps=1, time_limit=left, exact=False
            )
            n_steps += start.n_iterations
            late = start.status != "optimal" and clock.is_over
            status = "time_limit" if late else start.status
            yield replace(start, n_iterations=n_steps, status=status)
            if late or start.status == "optimal" or not start.objective < before:
                return
            before = start.objective

    def _distribution(
        self, program: HingeProgram, start: HingeSolution | None, clock: Clock
    ) -> Iterator[HingeSolution]:
        """Rounds of Algorithm 6.2.1."""
        planes = start_at_means(program) if start is None else every_plane(start)
        f = squared_hinges(program, self.l2)
        rounds = distribute(
            f, planes, partition=self.partition, tol=self.tol, n_jobs=self.n_jobs, clock=clock
        )
        n_rounds, status = 0, "tolerance"
        for n_rounds, planes in enumerate(rounds, start=1):
            yield unproved(planes[:, :-1], planes[:, -1], status, n_rounds)
            if clock.is_over:
                status = "time_limit"
                break
        status = "time_limit" if clock.is_over else status
        if self.l2 == 0:
            planes = enlarged(f, planes)
        yield unproved(planes[:, :-1], planes[:, -1], status, n_rounds)

    def _set_solution(self, rows: JudgedRows, solution: HingeSolution) -> None:
        if np.isnan(solution.bound):
            solution = rows.proved(solution, self.l2)
        planes, verdict = rows.judged(solution, self.l2)
        for improve in (rows.proved_by_balance, rows.led_by_penalties, rows.finished):
            if verdict.gap > PROVED and verdict.status in ("optimal", "inaccurate"):
                solution = improve(solution, self.l2)
                planes, verdict = rows.judged(solution, self.l2)
        codes = np.argsort(rows.ranks)[rows.problem.codes]  # of the classes as they were given
        given = rows.problem._replace(codes=codes)
        self._set_planes(planes, given)
        self.error_: float = verdict.error
        self.separable_: bool = verdict.error == 0.0 and predicts_all(planes, given)
        self.objective_: float = verdict.objective
        self.bound_: float = verdict.bound
        self.gap_: float = verdict.gap
        self.n_iter_: int = verdict.n_iterations
        self.status_: str = verdict.status
        if verdict.status == "time_limit":
            told = f"QuadraticSeparator keeps the best planes found, whose gap is {self.gap_:.2g}"
            warn_of_time_limit(told, stacklevel=6)
        elif verdict.status == "optimal":
            self.status_ = judged_status(self, "optimal", _ACCURATE)
