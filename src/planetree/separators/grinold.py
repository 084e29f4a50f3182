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

from typing import Any

import numpy as np
from sklearn.utils import Tags

from planetree.separators.plane_classifier import PlaneClassifier
from planetree.separators.problem import (
    Problem,
    read_problem,
    refuse_more_than_two_classes,
    to_planes,
)
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.table import all_or_nothing

__all__ = ["GrinoldSeparator"]

ROUNDING = 1e-12  # a mean of normalized terms below this is 0


class GrinoldSeparator(PlaneClassifier):
    """Grinold's linear program (3.27): the plane whose worst row is as good as possible.

    It is here for comparison: `RobustSeparator` does not lose the plane as this one can.

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
        Whether every row is on the right side, by more than rounding.
    objective_, bound_, gap_ : float
        Value of the program at the plane, the least any plane can have, and their difference.
    status_ : str
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
    >>> print(model.describe())
    'b' where
      +1 * x0
    exceeds 1.5, otherwise 'a'.
    >>> model.separable_, round(model.objective_, 9)
    (True, -0.5)
    """

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
        problem = read_problem(self, X, y, sample_weight)
        refuse_more_than_two_classes(self)
        solution = solve(problem)
        z = -solution.duals[:-1]
        self._set_planes(to_planes(z[:-1], z[-1], problem), problem)
        self.objective_ = -solution.bound
        self.bound_ = -solution.value
        self.gap_ = solution.gap
        self.status_ = solution.status
        self.n_iter_ = solution.n_iterations
        self.error_ = max(0.0, self.objective_)
        self.separable_ = self.objective_ < -TOLERANCE
        return self

    def __sklearn_tags__(self) -> Tags:
        """Say that more than two classes are refused."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def solve(problem: Problem) -> Solution:
    """Solve the dual form of (3.27); its last column is t, its last row the sum of u."""
    signs = np.where(problem.codes == 1, 1.0, -1.0)
    S = signs[:, None] * np.column_stack([problem.normalized, -np.ones(len(signs))])
    q = problem.weights @ S / problem.weights.sum()
    if np.all(np.abs(q) <= ROUNDING):
        raise ValueError(
            "The two classes have the same weight and the same means, and then Grinold's program "
            "has no solution. Use RobustSeparator."
        )
    m = len(S)
    rows = np.vstack([np.column_stack([S.T, q]), np.append(np.ones(m), 0.0)])
    sides = np.append(np.zeros(len(q)), 1.0)
    cost, lower = np.append(np.zeros(m), -1.0), np.append(np.zeros(m), -np.inf)
    name = "program of GrinoldSeparator"
    return LinearProgram(cost, rows, sides, sides, lower, presolve=False, name=name).solve()
