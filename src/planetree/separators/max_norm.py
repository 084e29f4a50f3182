"""The plane that keeps the larger errors small: the subproblem of the multisurface method (2.2).

The rows of A are the points of one class, the rows of B those of the other. Among the weights whose
largest is 1 in size, those are taken for which the least score of A exceeds the largest of B by the
most, or falls short of it by the least:

    max over |w|_inf = 1    alpha - beta,     alpha = min_i A_i w,   beta = max_k B_k w

Bennett (1993), eqs. (2.2) to (2.4); `planetree.solvers.max_norm` says how. The weights are those of
normalized columns. The plane is w.x = (alpha + beta) / 2, midway between the scores beside it.

- alpha - beta is positive exactly when a plane separates the classes, and then it is the widest
  margin by the 1-norm: the distance of the two hulls;
- otherwise beta - alpha is the sum of the largest errors of the two classes, and every row above
  beta is of the one class, every row below alpha of the other;
- weights of rows do not matter, but to choose between pairs that are equally wide: the one that
  cuts off most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Mask, midway
from planetree.clock import Clock
from planetree.parameters import GAP_FILLING, SECONDS, optional, parameter
from planetree.planes import Planes
from planetree.separators.base import TwoClassSeparator, judged_status
from planetree.separators.problem import Problem, as_given, in_term_order, to_planes
from planetree.separators.scores import predicts_all, signed_scores
from planetree.solvers import max_norm_planes
from planetree.solvers.certificate import TOLERANCE

_ROUNDING = 1e-9  # of the scores' spread


class Pair(NamedTuple):
    """Two parallel planes, the scores of rows, and which rows lie beyond both on their own side."""

    weights: Floats
    alpha: float
    beta: float
    scores: Floats
    cut: Mask

    @property
    def slack(self) -> float:
        """What rounding may do to a score: rows are beyond a plane by more than this."""
        return _ROUNDING * float(np.ptp(self.scores))


def _pair_of(weights: Floats, X: Floats, above: Mask) -> Pair:
    """Pair of planes with a normal; `above` says which rows should be above."""
    scores = X @ weights
    alpha, beta = float(scores[above].min()), float(scores[~above].max())
    slack = _ROUNDING * float(np.ptp(scores))
    cut = np.where(above, scores > beta + slack, scores < alpha - slack)
    return Pair(weights, alpha, beta, scores, cut)


def best_pair(candidates: Floats, X: Floats, above: Mask, rows: Floats) -> Pair:
    """Of several normals the pair that cuts off the most weight of rows, the first of equals."""
    pairs = [_pair_of(weights, X, above) for weights in candidates]
    return max(pairs, key=lambda pair: float(rows[pair.cut].sum()))


@dataclass(eq=False, repr=False, kw_only=True)
class MaxNormSeparator(TwoClassSeparator):
    """The subproblem of the multisurface method (2.2): least sum of the classes' largest errors.

    A few stray rows decide the plane, so for noisy data, use `RobustSeparator`.

    Parameters
    ----------
    time_limit : float, optional
        Seconds, after which the best plane found so far is kept, with its gap and a warning.
    missing : {"refuse", "impute"}
        Whether missing values raise an error or are filled, as in `RobustSeparator`.

    Attributes
    ----------
    planes_ : Planes
        One plane; a positive score means `classes_[1]`.
    pair_ : Planes
        The two planes w.x = alpha and w.x = beta.
    coef_, intercept_ : arrays of shape (1, n_terms) and (1,)
        Weights of the plane in the units of X, and its offset with the sign changed.
    error_ : float
        Sum of the largest errors of the two classes; 0 when the plane separates them.
    separable_ : bool
    objective_, bound_, gap_ : float
        beta - alpha over the raw X, with weights v such that `max |v_j scale_[j]| = 1`; a bound in
        exact arithmetic that no plane goes below; and their difference. Weights of terms that are
        not in `free_terms_` are fixed at 0 in this program.
    free_terms_ : boolean array of shape (n_terms,)
        All terms if a plane separates the classes; otherwise, terms that others do not determine.
    status_ : {"optimal", "time_limit", "inaccurate"}
        "inaccurate", with a warning, if the gap is above 1e-9, or, for an objective above 1, above
        this share of it.
    n_iter_, n_programs_, n_skipped_ : int
        Steps, programs solved to the end, and programs dropped because they could not win.
    classes_, n_features_in_, feature_names_in_, columns_, scale_
        As in `RobustSeparator`.

    Examples
    --------
    >>> from planetree import MaxNormSeparator
    >>> model = MaxNormSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> print(model.to_text())
    if x0 > 1.5 (unsure between 0.7 and 2.3): b 81.6%
    otherwise: a 81.6%
    >>> model.separable_, round(model.objective_, 3)
    (True, -0.894)
    """

    _kind = "linear programs, one for each side of the cube"

    time_limit: float | None = parameter(None, optional(SECONDS))
    missing: str = parameter("refuse", GAP_FILLING)

    def _solve(self, problem: Problem, swapped: bool, clock: Clock) -> None:
        given = problem.turned(swapped)
        Z, above = problem.normalized, problem.codes == 1
        solution = max_norm_planes(Z[above], Z[~above], clock.left)
        pair = best_pair(solution.weights, Z, above, problem.weights)
        offset = midway(pair.scores, (pair.alpha + pair.beta) / 2.0)
        planes = as_given(to_planes(pair.weights, np.array([offset]), problem), swapped)
        self._set_planes(planes, given)
        sign = -1.0 if swapped else 1.0
        weights, ends = sign * pair.weights, np.sort([sign * pair.alpha, sign * pair.beta])
        self.pair_: Planes = in_term_order(to_planes(np.tile(weights, (2, 1)), ends, problem))
        self.free_terms_ = solution.free[problem.terms.places()]
        self.objective_: float = _worst_errors(planes, given)
        self.bound_: float = -solution.bound
        self.gap_: float = max(0.0, self.objective_ - self.bound_)
        self.error_: float = max(0.0, self.objective_)
        self.separable_: bool = solution.separable and predicts_all(planes, given)
        tolerance = TOLERANCE * max(1.0, abs(self.objective_))
        self.status_: str = judged_status(self, solution.status, tolerance)
        self.n_programs_: int = solution.n_programs
        self.n_skipped_: int = solution.n_skipped
        self.n_iter_: int = solution.n_iterations


def _worst_errors(planes: Planes, problem: Problem) -> float:
    """The sum of the largest errors of a plane, by its largest weight."""
    second, weights = problem.codes == 1, planes.weights[0]
    offset = float(planes.offsets[0])
    scores = signed_scores(problem.E, np.where(second, 1.0, -1.0), weights, offset)
    return -scores.sum_of_least(second) / float(np.abs(weights * problem.scale).max())
