"""Robust linear separation: the planes with the least average violation (RLP).

Two classes. The rows of A are the m points of one class, the rows of B the k points of the other.
The plane w.x = gamma should leave A above gamma + 1 and B below gamma - 1. Each class is charged
the mean of its violations u and v:

    min   (1/m) sum(u) + (1/k) sum(v)
    s.t.  u + A w - gamma >= 1,    v - B w + gamma >= 1,    u, v >= 0.

Bredensteiner & Bennett (1996), eq. (4); Bennett (1993), eq. (3.15). With uniform charges 1/(m + k)
it is Smith's program, eq. (3.14). With a perturbation e it is RLP-P, eq. (10) of the former: the
violations count (1 - e) and e times the 1-norm of w is added.

More classes. One plane a class, the largest score wins; row x of class i is charged for each other
class j by max(0, 1 - (w_i - w_j) x + (gamma_i - gamma_j)): Bennett (1993), eq. (5.9). With costs,
this is charged costs[i, j] times.

- the value is 0 exactly when the planes separate the classes (Lemma 3.4, Theorem 5.4);
- w = 0 is optimal only when the class means coincide, each with the mean of the others
  (Theorems 3.7 and 5.5), and then it is not the only optimum (Theorems 3.8 and 5.6): another is
  returned. With uniform charges, costs or a perturbation w = 0 can be the only optimum, and then
  it is what is returned;
- the value never exceeds 2, or k (k - 1) for k classes, or the sum of the costs (eq. 3.8).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock, warn_of_time_limit
from planetree.distributed import Partitions
from planetree.exceptions import AccuracyWarning
from planetree.parameters import GAP_FILLING, SECONDS, choice, flag, optional, parameter, share
from planetree.planes import Planes
from planetree.separators.base import PlaneClassifier
from planetree.separators.partitioned import fit_partitions
from planetree.separators.problem import (
    Problem,
    class_ranks,
    class_totals,
    read_problem,
    terms_by_content,
    turned,
)
from planetree.separators.scores import predicts_all, training_scores
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.hinge_certificate import ProvedPlanes, at_offsets, prove
from planetree.table import all_or_nothing, read_costs

_ROUNDING = 1e-14  # of the size of a score
_HAIR = 1e-8  # of the way to the next score
_FREE = 1e-9  # of the gap: so much may be lost for an answer that depends on no name
_LEAST = 1e-3  # seconds that a solve gets even if none are left
_JUDGED = 3e-8  # seconds a constraint, to judge planes: measured on 20,000 rows of 1,000 classes


@dataclass(eq=False, repr=False, kw_only=True)
class RobustSeparator(PlaneClassifier):
    """Robust linear program (RLP, RLP-P, Smith's, multicategory): the least average violation.

    Parameters
    ----------
    weighting : {"class", "uniform"}
        Each class is charged the mean of its violations, or all rows are charged alike.
    perturbation : float
        Share of the 1-norm of the weights in the objective, at least 0 and below 1; the weights
        are those of normalized columns. Above 0, features that help little get weight 0.
    refine_offset : bool
        For two classes, shift the plane without turning it to where the mean distance of the
        misclassified rows is least (eq. 3.10).
    time_limit : float, optional
        Seconds, after which the best planes found so far are kept, with their gap.
    costs : array of shape (n_classes, n_classes), optional
        Cost of predicting one class (column) for a row of another (row), in the order of
        `classes_`: 0 on the diagonal, positive elsewhere.
    products : None, "squares", "all" or list of pairs of columns
        Products of number columns to add as terms: squares (`age^2`); squares and all pairs
        (`age * dose`); or these pairs, by name or number. The planes are then quadratic surfaces in
        the columns.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled: numbers with the median of the column
        in training, categories with a separate category or, if the column had no gaps in training,
        with the most frequent one. `columns_` has the value that fills each column.
    n_jobs : int, optional
        Threads for passes over rows, as in scikit-learn; the planes are the same, bit for bit, for
        any number. Several threads help with about 100,000 rows or more.

    Attributes
    ----------
    planes_ : Planes
        For two classes, one plane: a positive score means `classes_[1]`. For more, a plane for
        each class: the largest score wins.
    coef_, intercept_ : arrays of shape (n_planes, n_terms) and (n_planes,)
        Weights of the planes in the units of X, and their offsets with the sign changed.
    error_ : float
        The average violation: 0 when the planes separate the classes, at most 2 for two
        classes and k (k - 1) for k.
    separable_ : bool
    objective_, bound_, gap_ : float
        The objective of the planes that predict (shifted if `refine_offset` is set); a bound in
        exact arithmetic that no planes go below; and their relative difference.
    status_ : {"optimal", "time_limit", "inaccurate", "interrupted"}
        "inaccurate", with a warning, if the gap stayed above 1e-6; `refine_offset` does not count.
        "interrupted" if Ctrl-C ended a fit to `Partitions` that had planes already.
    n_iter_ : int
        Steps of the solver.
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
    >>> from planetree import RobustSeparator
    >>> model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> print(model.to_text())
    if x0 > 1.5 (unsure between 0.7 and 2.3): b 81.6%
    otherwise: a 81.6%
    >>> model.separable_, model.error_, model.gap_
    (True, 0.0, 0.0)
    """

    weighting: str = parameter("class", choice("class", "uniform"))
    perturbation: float = parameter(0.0, share(zero=True))
    refine_offset: bool = parameter(False, flag())
    time_limit: float | None = parameter(None, optional(SECONDS))
    costs: Any = None
    products: Any = None
    missing: str = parameter("refuse", GAP_FILLING)
    n_jobs: int | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> RobustSeparator:
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
        problem = terms_by_content(read_problem(self, X, y, sample_weight))
        program = self.make_program(problem, self.classes_)
        solution = program.solve(self.perturbation, time_limit=_time_to_solve(program, clock))
        self.status_: str = set_solution(self, self, problem, program, solution, clock)
        self.n_iter_: int = solution.n_iterations
        return self

    def _fit_partitions(self, partitions: Partitions) -> RobustSeparator:
        self._check_parameters()
        fit_partitions(self, partitions, Clock(self.time_limit))
        return self

    def make_program(
        self, problem: Problem, labels: NDArray[Any], all_planes: bool = False
    ) -> HingeProgram:
        """Program of this separator for given rows; its weights cost `perturbation` each.

        One plane of k classes can be fixed at zero where weights cost nothing, unless `all_planes`
        are wanted so that no class is treated apart. The classes of the program stand in the order
        of `class_ranks`.
        """
        totals = class_totals(problem)
        ranks = class_ranks(problem, totals)
        order = np.argsort(ranks)
        costs = None if self.costs is None else read_costs(self.costs, labels)
        return HingeProgram(
            problem.E,
            ranks[problem.codes],
            problem.weights,
            (1.0 - self.perturbation) * self._charges(problem, totals)[order],
            center=problem.center,
            scale=problem.scale,
            costs=None if costs is None else costs[np.ix_(order, order)],
            all_planes=all_planes or self.perturbation > 0,
            name="program of RobustSeparator",
        )

    def _charges(self, problem: Problem, totals: Floats) -> Floats:
        """What one unit of weight of each class is charged."""
        if self.weighting == "uniform":
            return np.full(len(totals), 1.0 / math.fsum(problem.weights))
        return 1.0 / totals


def _time_to_solve(program: HingeProgram, clock: Clock) -> float | None:
    """Seconds left, but for those it takes to judge the planes of many classes; half at least."""
    left = clock.left_at_least(_LEAST)
    if left is None:
        return None
    judged = _JUDGED * len(program.X) * (len(program.charges) - 1)
    return max(_LEAST, left - judged, left / 2)


def set_solution(
    estimator: PlaneClassifier,
    separator: RobustSeparator,
    problem: Problem,
    program: HingeProgram,
    solution: HingeSolution,
    clock: Clock = UNLIMITED,
) -> str:
    """Set what a solution of the separator's program makes of an estimator; give its status."""
    two = len(estimator.classes_) == 2
    proved = prove(program, solution, clock.left_to_finish)
    ranks = np.empty(len(estimator.classes_), dtype=np.intp)
    ranks[problem.codes] = program.classes
    if two and separator.refine_offset:
        proved = at_offsets(program, proved, _refined_offset(program, proved))
    planes = _planes_of(proved, problem, ranks)
    if two and ranks[1] == 0 and proved.error > 0:  # only then a row may lie on the plane
        above = _beside_rows(program, proved, -training_scores(planes, problem))
        if above is not proved:
            proved, planes = above, _planes_of(above, problem, ranks)
    estimator._set_planes(planes, problem)
    estimator.error_ = proved.error / (1.0 - separator.perturbation)
    estimator.separable_ = proved.error == 0.0 and predicts_all(planes, problem)
    estimator.objective_ = proved.objective
    estimator.bound_, estimator.gap_ = proved.bound, proved.gap
    if proved.status == "time_limit":
        warn_of_time_limit(
            f"{type(estimator).__name__} keeps the best planes found so far, and a gap of "
            f"{proved.gap:.2g} is left",
            stacklevel=5,
        )
    if proved.error == 0.0 and not estimator.separable_ and proved.status == "optimal":
        warnings.warn(
            "The planes separate the classes, but by less than the rounding of a score: some rows "
            "are predicted wrongly. Center columns whose numbers agree in most of their digits.",
            AccuracyWarning,
            stacklevel=5,
        )
        return "inaccurate"
    return proved.status


def _planes_of(proved: ProvedPlanes, problem: Problem, ranks: Indices) -> Planes:
    """Planes of ranked classes for the classes themselves."""
    terms, rule = problem.terms, "slabs" if len(ranks) == 2 else "argmax"
    weights, offsets = turned(proved.weights, proved.offsets, ranks)
    return Planes(weights, offsets, rule, terms.columns, terms.categories)


def _beside_rows(program: HingeProgram, proved: ProvedPlanes, scores: Floats) -> ProvedPlanes:
    """The plane just above the rows that lie on it, unless its columns lack the digits for that."""
    if scores.all():
        return proved
    above = at_offsets(program, proved, _just_above(proved.offsets, scores))
    return above if above.gap <= proved.gap + _FREE else proved


def _just_above(offsets: Floats, scores: Floats) -> Floats:
    """Offset above the rows that lie on a plane and below all others, by a rounding of a score.

    A row on a plane counts as below, whichever way the plane looks: before the plane is turned
    around it must lie below by itself.
    """
    step = min(np.spacing(np.abs(scores).max()), scores.min(initial=np.inf, where=scores > 0) / 2)
    return np.maximum(offsets + step, np.nextafter(offsets, np.inf))


def _refined_offset(program: HingeProgram, solution: ProvedPlanes) -> Floats:
    """Best offset of a plane in the units of X, by the order of classes in its program.

    Scores that differ by less than their rounding are equal, whatever the order of the columns.
    """
    charge = program.weights * program.charges[program.classes]
    if program.costs is not None:
        charge *= program.costs.sum(axis=1)[program.classes]
    scores = program.X @ solution.weights[0]
    sizes = np.abs(program.X) @ np.abs(solution.weights[0])
    order = np.lexsort((charge, program.classes, scores))
    scores, charge = scores[order], charge[order]
    new = np.append(True, np.diff(scores) > _ROUNDING * sizes[order][1:])
    scores = scores[new][np.cumsum(new) - 1]
    codes = program.classes[order].astype(np.intp)
    return _best_offset(scores, codes, charge, solution.offsets)


def _best_offset(scores: Floats, codes: Indices, charge: Floats, offset: Floats) -> Floats:
    """Offset with the least violation without a margin, the weights held fixed (eq. 3.10).

    The violation is convex and bends at the scores alone, so a score is a best offset; where it is
    flat, the middle of the flat part is taken. A single best score is passed by a hair, so that its
    rows lie on the side of their class. Classes that are separated keep their offset.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.robust import _best_offset
    >>> scores, codes = np.array([0.0, 1.0, 2.0, 5.0]), np.array([0, 1, 0, 1])
    >>> _best_offset(scores, codes, np.full(4, 0.5), np.array([3.0]))
    array([1.5])
    """
    above = codes == 1
    if scores[above].min() > scores[~above].max():
        return offset
    order = np.argsort(scores, kind="stable")
    kinks = scores[order]
    # Left of all scores the slope is minus the charge of class 0; each score adds its own.
    slopes = np.cumsum(charge[order]) - charge[~above].sum()
    flat = 1e-12 * charge.sum()
    low, high = kinks[np.argmax(slopes >= -flat)], kinks[np.argmax(slopes > flat)]
    if low < high:
        return np.array([(low + high) / 2])
    at = scores == low
    belongs_above = charge[at & above].sum() - charge[at & ~above].sum() > flat
    others = scores[scores < low] if belongs_above else scores[scores > low]
    nearest = others[np.argmin(np.abs(others - low))] if len(others) else low
    return np.array([low + _HAIR * (nearest - low)])
