"""Grinold's linear program: the plane whose worst row is as good as possible.

The rows of A are the m points of one class, the rows of B the k points of the other. The signed
score of a row is its distance, in units of w, on the right side of the plane w.x = gamma. The
program raises the least of them, rho, while their sum is held at m + k so that w cannot vanish:

    min   -rho
    s.t.  A w - gamma >= rho,    -B w + gamma >= rho,
          sum(A w - gamma) + sum(-B w + gamma) = m + k.

Bennett (1993), eq. (3.27), after Grinold. With rows s_i = y_i [x_i, -1], z = (w, gamma) and q the
mean of the s_i, this is max rho s.t. s_i z >= rho, q z = 1. It is solved in its dual form,

    min   -t    s.t.   sum_i u_i s_i + t q = 0,    sum_i u_i = 1,    u >= 0,

which has as many rows as there are terms, and whose duals are -z and rho.

- rho > 0 exactly when a plane separates the classes; rho never exceeds 1, the mean score;
- no plane satisfies the sum when q = 0: the classes have equal weight and equal means;
- w = 0 can be the only optimum although the means differ (Remark 3.11): the plane is lost.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import Tags

from planetree.clock import Clock
from planetree.parameters import SECONDS, check_parameters, optional
from planetree.planes import Planes
from planetree.separators.accuracy import judged_status, predicts_all
from planetree.separators.base import PlaneClassifier
from planetree.separators.grinold_program import (
    GrinoldSolution,
    proved_bound,
    solve,
    vertices,
)
from planetree.separators.problem import (
    Problem,
    as_given,
    class_totals,
    read_canonical,
    refuse_more_than_two_classes,
    to_planes,
)
from planetree.separators.signed_scores import signed_scores
from planetree.solvers.certificate import TOLERANCE
from planetree.table import all_or_nothing

__all__ = ["GrinoldSeparator"]


class GrinoldSeparator(PlaneClassifier):
    """Grinold's linear program (3.27): the plane whose worst row is as good as possible.

    It is here for comparison: `RobustSeparator` does not lose the plane as this one can.

    Parameters
    ----------
    time_limit : float, optional
        Seconds. When they are over, the best plane found is kept, with its gap and a warning.

    Attributes
    ----------
    planes_ : Planes
        One plane; a positive score says `classes_[1]`.
    coef_, intercept_ : arrays of shape (1, n_terms) and (1,)
        Its weights, and minus its offset.
    error_ : float
        How far the worst row is on the wrong side, in units where the mean score is 1; 0 when
        no row is.
    separable_ : bool
        Whether every training row is predicted right, by more than rounding.
    objective_, bound_, gap_ : float
        Minus the least score divided by the mean score, of the plane as it is stored: the program
        is that, for a plane may be multiplied until its mean score is 1. A bound that holds in
        exact arithmetic over X and the weights: no plane has less. Their relative difference.
    status_ : {"optimal", "time_limit", "inaccurate"}
        Inaccurate, with a warning, where the gap stayed above 1e-9.
    n_iter_ : int
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    columns_ : tuple of Column
        Names and categories of the columns.
    scale_ : array of shape (n_terms,)
        Standard deviation of each term.

    Examples
    --------
    >>> from planetree.separators import GrinoldSeparator
    >>> model = GrinoldSeparator().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> print(model.to_text())
    if x0 > 1.5 (unsure between 0.7 and 2.3): b 81.6%
    otherwise: a 81.6%
    >>> model.separable_, round(model.objective_, 9)
    (True, -0.5)
    """

    def __init__(self, *, time_limit: float | None = None) -> None:
        self.time_limit = time_limit

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GrinoldSeparator:
        """Find the plane.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_columns)
        y : array of shape (n_rows,)
            Two classes.
        sample_weight : array of shape (n_rows,), optional
            How many times each row counts.
        """
        check_parameters(self, time_limit=optional(SECONDS))
        clock = Clock(self.time_limit)
        problem, rows = read_canonical(self, X, y, sample_weight)
        refuse_more_than_two_classes(self)
        swapped = rows.swapped
        solution = solve(problem, clock)
        self.bound_ = proved_bound(problem, solution, clock)
        planes, self.objective_ = self._best(problem, solution, swapped, clock)
        self._set_planes(planes, problem, swapped)
        self.gap_ = max(0.0, self.objective_ - self.bound_) / max(1.0, abs(self.objective_))
        late = solution.status == "optimal" and self.bound_ == -1.0 and clock.is_over
        status = "time_limit" if late else solution.status  # the proof had no time left
        self.status_ = judged_status(self, status, TOLERANCE)
        self.n_iter_ = solution.n_iterations
        self.error_ = max(0.0, self.objective_)
        right = predicts_all(planes, problem, swapped)
        self.separable_ = bool(self.objective_ < -TOLERANCE and right)
        return self

    def _best(
        self, problem: Problem, solution: GrinoldSolution, swapped: bool, clock: Clock
    ) -> tuple[Planes, float]:
        """Best of the planes near the solution as they are rounded, and its value."""
        planes = as_given(to_planes(solution.z[:-1], solution.z[-1], problem), swapped)
        value = _value_of(planes, problem, swapped)
        if math.isinf(value):  # rounding left no mean score: the plane is lost
            side = np.sign(class_totals(problem) @ [1.0, -1.0])
            nothing = np.zeros((1, len(problem.scale)))
            planes = as_given(to_planes(nothing, np.array([side]), problem), swapped)
            value = _value_of(planes, problem, swapped)
        if value - self.bound_ > TOLERANCE * max(1.0, abs(value)) and not clock.is_over:
            for z in vertices(problem, solution):
                other = replace(planes, weights=z[None, :-1], offsets=z[-1:])
                other = as_given(other, swapped)
                other_value = _value_of(other, problem, swapped)
                if other_value < value:
                    planes, value = other, other_value
        return planes, value

    def __sklearn_tags__(self) -> Tags:
        """Say that more than two classes are refused."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _value_of(planes: Planes, problem: Problem, swapped: bool) -> float:
    """Minus the least score of a plane, in units of its mean score."""
    signs = np.where((problem.codes == 1) != swapped, 1.0, -1.0)
    scores = signed_scores(problem.E, signs, planes.weights[0], float(planes.offsets[0]))
    mean = scores.mean(problem.weights)
    return -scores.least / mean if mean > 0 else math.inf
