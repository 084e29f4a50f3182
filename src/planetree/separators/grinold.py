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

A column u_i joins once the row s_i is worse than the worst of those that joined. A column of the
mean row q is there from the start: it asks what all rows together imply, rho <= 1, and makes every
program feasible.

The bound is proved over the raw rows, in which no number is rounded. With t = tau W and
v = u + tau w, the rows of the program are

    sum_i v_i s_i = 0,    v_i >= tau w_i,

whose numbers are the user's. If a point v exists, then rho sum(u) <= -t for every plane, however
far sum(u) is from 1. `prove_feasible` proves that there is one near the solution found. That needs
room: u is mixed with a little of w / W, which solves the program for t = -1.

A plane of large numbers is rounded where it is written down. What is said of it is said of the
rounded plane: `signed_scores` sums its scores in twice the digits of a double. Where that rounding
costs too much, `_vertices` solves for the plane in whole numbers and rounds several multiples of
it, for a plane may be multiplied by any positive number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.parameters import GAP_FILLING, SECONDS, optional, parameter
from planetree.planes import Planes
from planetree.separators.base import TwoClassSeparator, judged_status
from planetree.separators.problem import Problem, as_given, class_totals, to_planes
from planetree.separators.scores import predicts_all, signed_scores
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE
from planetree.solvers.rational import independent_columns, solve_linear, whole

_NAME = "program of GrinoldSeparator"
_ROUNDING = 1e-12  # a mean of normalized terms below this is 0
_AT_ONCE = 200  # columns that join together, and that a program starts with
_SLACK = 1e-10  # by which a row may be worse than the worst that joined
_MIXTURES = (0.0, 1e-14, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2)
_MOST_TERMS = 12  # of a plane that is solved for in whole numbers: some hundredths of a second
_MULTIPLES = range(10, 20)  # tenths
_DEPENDENT = 1e-9  # what is left of a row that others determine
_EPSILON = float(np.finfo(np.float64).eps)


class _GrinoldSolution(NamedTuple):
    """A plane of the normalized terms, its value, and the u and t that bound it."""

    z: Floats
    value: float
    u: Floats
    t: float
    status: str
    n_iterations: int


@dataclass(eq=False, repr=False, kw_only=True)
class GrinoldSeparator(TwoClassSeparator):
    """Grinold's linear program (3.27): the plane whose worst row is as good as possible.

    It is kept for comparison: it can fail to find a plane that `RobustSeparator` finds.

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
    coef_, intercept_ : arrays of shape (1, n_terms) and (1,)
        Its weights, and its offset with the sign changed.
    error_ : float
        How far the worst row is on the wrong side, in units where the mean score is 1; 0 if
        no row is.
    separable_ : bool
        Whether every training row is predicted correctly, the worst by more than rounding.
    objective_, bound_, gap_ : float
        Minus the least score divided by the mean score, for the stored plane (the value of the
        program, because a plane can be scaled until its mean score is 1); a bound in exact
        arithmetic over X and the weights that no plane goes below; and their relative difference.
    status_ : {"optimal", "time_limit", "inaccurate"}
        "inaccurate", with a warning, if the gap stayed above 1e-9.
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

    time_limit: float | None = parameter(None, optional(SECONDS))
    missing: str = parameter("refuse", GAP_FILLING)

    def _solve(self, problem: Problem, swapped: bool, clock: Clock) -> None:
        given = problem.turned(swapped)
        solution = _solve_dual(problem, clock)
        self.bound_: float = _proved_bound(problem, solution, clock)
        planes, self.objective_ = self._best(problem, given, solution, clock)
        self._set_planes(planes, given)
        self.gap_: float = max(0.0, self.objective_ - self.bound_) / max(1.0, abs(self.objective_))
        late = solution.status == "optimal" and self.bound_ == -1.0 and clock.is_over
        status = "time_limit" if late else solution.status  # the proof had no time left
        self.status_: str = judged_status(self, status, TOLERANCE)
        self.n_iter_: int = solution.n_iterations
        self.error_: float = max(0.0, self.objective_)
        self.separable_: bool = self.objective_ < -TOLERANCE and predicts_all(planes, given)

    def _best(
        self, problem: Problem, given: Problem, solution: _GrinoldSolution, clock: Clock
    ) -> tuple[Planes, float]:
        """Best of the planes near the solution as they are rounded, and its value."""
        swapped = given is not problem
        planes = as_given(to_planes(solution.z[:-1], solution.z[-1], problem), swapped)
        value = _value_of(planes, given)
        if math.isinf(value):  # rounding left no mean score: the plane is lost
            side = np.sign(class_totals(problem) @ [1.0, -1.0])
            nothing = np.zeros((1, len(problem.scale)))
            planes = as_given(to_planes(nothing, np.array([side]), problem), swapped)
            value = _value_of(planes, given)
        if value - self.bound_ > TOLERANCE * max(1.0, abs(value)) and not clock.is_over:
            for z in _vertices(problem, solution):
                other = replace(planes, weights=z[None, :-1], offsets=z[-1:])
                other = as_given(other, swapped)
                other_value = _value_of(other, given)
                if other_value < value:
                    planes, value = other, other_value
        return planes, value


def _value_of(planes: Planes, problem: Problem) -> float:
    """Minus the least score of a plane, in units of its mean score."""
    signs = np.where(problem.codes == 1, 1.0, -1.0)
    scores = signed_scores(problem.E, signs, planes.weights[0], float(planes.offsets[0]))
    mean = scores.mean(problem.weights)
    return -scores.least / mean if mean > 0 else math.inf


def _solve_dual(problem: Problem, clock: Clock) -> _GrinoldSolution:
    """Solve (3.27), or give the best plane when time is over.

    Status "inaccurate" where the solver gave up: the plane is the best found until then.
    """
    signs = np.where(problem.codes == 1, 1.0, -1.0)
    S = signs[:, None] * np.column_stack([problem.normalized, -np.ones(len(signs))])
    shares = problem.weights / problem.weights.sum()
    q = shares @ S
    if np.all(np.abs(q) <= _ROUNDING):
        raise ValueError(
            "The two classes have the same weight and the same means, so Grinold's program "
            "has no solution. Use RobustSeparator."
        )
    best = _plane_of(S, shares, q, _GrinoldSolution(q, math.inf, shares, -1.0, "optimal", 0))
    joined = np.sort(np.argsort(S @ q, kind="stable")[:_AT_ONCE])
    program, n_steps = _program(S[joined], q), 0
    while True:
        if clock.is_over:
            return best._replace(status="time_limit", n_iterations=n_steps)
        try:
            solution = program.solve(clock.at_least_a_moment)
        except SolverError as error:
            status = "time_limit" if error.status == "time_limit" else "inaccurate"
            return best._replace(status=status, n_iterations=n_steps)
        n_steps += solution.n_iterations
        best = _better(best, _plane(S, shares, solution, joined, n_steps))
        scores = S @ -solution.duals[:-1]
        scores[joined] = np.inf
        worst = np.argsort(scores, kind="stable")[:_AT_ONCE]
        worst = worst[scores[worst] < solution.duals[-1] - _SLACK]
        if not len(worst) or solution.status != "optimal":
            return best._replace(status=solution.status)
        program.add_columns(np.zeros(len(worst)), _columns(S[worst]))
        joined = np.append(joined, worst)


def _proved_bound(problem: Problem, solution: _GrinoldSolution, clock: Clock) -> float:
    """What no plane has less than, in exact arithmetic over the rows and weights of the problem.

    -1, which always holds, where nothing was proved before time was over.
    """
    weights = problem.weights
    signs = np.where(problem.codes == 1, 1.0, -1.0)
    rows = np.column_stack([problem.E, -np.ones(len(signs))])
    if clock.is_over:
        return -1.0
    S = np.ascontiguousarray(signs[:, None] * rows[:, independent_columns(rows)])
    total = math.fsum(weights)
    for share in _MIXTURES:
        if clock.is_over:
            break
        u = (1.0 - share) * np.maximum(solution.u, 0.0) + share * weights / total
        tau = ((1.0 - share) * solution.t - share) / total
        lower = tau * weights
        lower += _EPSILON * np.abs(lower)
        v = np.maximum(u + tau * weights, lower)
        upper = np.full(len(v), np.inf)
        left = clock.left_to_finish
        proof: Any = _core.prove_feasible(S, np.zeros(S.shape[1]), lower, upper, v, left)
        if proof is not None:
            return _bound(tau, total, proof)
    return -1.0


def _vertices(problem: Problem, solution: _GrinoldSolution) -> Iterator[Floats]:
    """Planes of the raw terms: multiples, each rounded once, of the vertex near a solution.

    None where there are more than `_MOST_TERMS`, for whole numbers would take long.
    """
    if len(problem.scale) > _MOST_TERMS:
        return
    signs = np.where(problem.codes == 1, 1.0, -1.0)
    S = signs[:, None] * np.column_stack([problem.normalized, -np.ones(len(signs))])
    order = np.lexsort((S @ solution.z, solution.u <= 0))
    mean = problem.weights @ S
    near = order[_independent(np.column_stack([S[order], -np.ones(len(S))]), np.append(mean, 0.0))]
    rows = signs[:, None] * np.column_stack([problem.E, -np.ones(len(signs))])
    raw, unit = whole(rows.ravel())
    raw = raw.reshape(S.shape)
    weights, _ = whole(problem.weights)
    equations = np.vstack([weights @ raw, raw[near]])
    ends = np.append(0, np.full(len(near), -1))
    sides = np.append(weights.sum(), np.zeros(len(near), dtype=int))  # of the mean score 1
    found = solve_linear(np.column_stack([equations, ends]), sides)
    if found is not None:
        exact = [Fraction(each, found[1]) / unit for each in found[0][:-1]]
        for tenths in _MULTIPLES:
            yield np.array([float(each * tenths / 10) for each in exact])


def _independent(rows: Floats, first: Floats) -> Indices:
    """First rows that are independent of each other and of one more."""
    units, chosen = [first / np.linalg.norm(first)], []
    for i, row in enumerate(rows):
        rest = row - np.array(units).T @ (np.array(units) @ row)
        size = np.linalg.norm(rest)
        if size > _DEPENDENT * np.linalg.norm(row):
            units.append(rest / size)
            chosen.append(i)
        if len(units) == len(first):
            break
    return np.array(chosen, dtype=np.intp)


def _bound(tau: float, total: float, proof: tuple[Floats, Floats, Floats]) -> float:
    """The quotient tau W / sum(u), with sum(u) = sum(v) - tau W, rounded down."""
    x, low, radius = proof
    t = tau * total
    sum_v = math.fsum(np.concatenate([x, low]).tolist())
    slack = math.fsum(radius.tolist()) * (1 + _EPSILON)
    slack += 8.0 * _EPSILON * (abs(sum_v) + abs(t) + math.fsum(np.abs(x).tolist()) * _EPSILON)
    sums = (sum_v - t - slack, sum_v - t + slack)
    if sums[0] <= 0:
        return -1.0
    bound = min(t / each for each in sums)
    return max(-1.0, bound - 8.0 * _EPSILON * abs(bound))


def _program(S: Floats, q: Floats) -> LinearProgram:
    """Columns: t, the mean row, and the rows given."""
    columns = np.column_stack([np.append(q, 0.0), np.append(q, 1.0), _columns(S)])
    sides = np.append(np.zeros(len(q)), 1.0)
    cost = np.append(-1.0, np.zeros(len(S) + 1))
    lower = np.append(-np.inf, np.zeros(len(S) + 1))
    return LinearProgram(cost, columns, sides, sides, lower, presolve=False, name=_NAME)


def _columns(S: Floats) -> Floats:
    return np.vstack([S.T, np.ones(len(S))])


def _plane(
    S: Floats, shares: Floats, solution: Solution, joined: Indices, n_steps: int
) -> _GrinoldSolution:
    u, t = solution.x[1] * shares, float(solution.x[0])
    u[joined] += solution.x[2:]
    found = _GrinoldSolution(-solution.duals[:-1], math.inf, u, t, solution.status, n_steps)
    return _plane_of(S, shares, found.z, found)


def _plane_of(S: Floats, shares: Floats, z: Floats, found: _GrinoldSolution) -> _GrinoldSolution:
    """A solution with the plane z, scaled to the mean score 1, and its value."""
    scores = S @ z
    size = float(shares @ scores)
    if size <= 0:
        return found
    return found._replace(z=z / size, value=-float(scores.min()) / size)


def _better(best: _GrinoldSolution, new: _GrinoldSolution) -> _GrinoldSolution:
    """The better of two planes with the later bound, which is never worse."""
    if new.value <= best.value:
        return new
    return best._replace(u=new.u, t=new.t, n_iterations=new.n_iterations)
