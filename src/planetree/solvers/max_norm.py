"""The widest pair of parallel planes between two sets of points, by the largest weight.

The rows of A should be above, those of B below. With alpha the least score of A and beta the
largest of B, the pair is as wide as can be, or overlaps as little as can be:

    max over |w|_inf = 1    alpha - beta  =  min_i A_i w - max_k B_k w

Bennett (1993), (2.2) to (2.4). The compiled core solves its 2n linear programs, one a weight and
sign, from each other's bases, and leaves a program once it cannot win (`cpp/hull/max_norm.hpp`).

- the value is positive exactly when a plane separates A and B, and then one program finds it;
- otherwise, where a combination of columns has one value in all rows, its w would have the value 0
  and tell nothing: columns that others determine get the weight 0;
- bounds are proved by points of the two hulls; should rounding leave a gap, HiGHS solves all
  programs from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import qr

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.solvers.linear_program import LinearProgram

_BLOCK = 1024  # rows of a triangular factor that are taken in at once
_DEPENDENT = 1e-9  # what is left of a column, relative to the largest, that others determine
_TIE = 1e-9  # of the largest number: sides of the cube that are equally good


@dataclass(frozen=True, eq=False)
class MaxNormSolution:
    """Weights that tie for the widest pair, with what proves them.

    Parameters
    ----------
    weights : array of shape (n_ties, n_columns)
    value, bound : float
        alpha - beta of each, and what no weights exceed, in exact arithmetic over A and B, while
        columns that others determine have the weight 0.
    separable : bool
        Whether the value is positive, by more than rounding.
    n_programs, n_skipped, n_iterations : int
        Linear programs solved to their end, left early, and the steps of all.
    status : {"optimal", "time_limit"}
    free : boolean array of shape (n_columns,)
        Columns that others do not determine; all where the value is positive.
    """

    weights: Floats
    value: float
    bound: float
    separable: bool
    n_programs: int
    n_skipped: int
    n_iterations: int
    status: str = "optimal"
    free: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))


def max_norm_planes(A: Floats, B: Floats, time_limit: float | None = None) -> MaxNormSolution:
    """Find the weights of the widest pair of planes with A above and B below.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers import max_norm_planes
    >>> max_norm_planes(np.array([[2.0], [4.0]]), np.array([[0.0], [1.0]])).value
    1.0
    >>> max_norm_planes(np.array([[2.0], [4.0]]), np.array([[0.0], [3.0]])).value
    -1.0
    """
    n, clock = A.shape[1], Clock(time_limit)
    A, B = np.ascontiguousarray(A), np.ascontiguousarray(B)
    answer, columns = _solve(A, B, clock, hulls_only=True), np.arange(n)
    if answer is None or not answer.separable:
        columns = _independent_columns(np.vstack([A, B]))
        A, B = A.take(columns, axis=1), B.take(columns, axis=1)
        answer = _solve(A, B, clock)
    if answer is not None and answer.status in ("optimal", "time_limit"):
        return _spread(_solution(answer, len(columns)), columns, n)
    try:
        found = _solve_by_highs(A, B, clock)
    except SolverError:
        if answer is None:
            raise
        found = _solution(answer, len(columns))
    return _spread(found, columns, n)


def _solution(answer: _core.MaxNormAnswer, n: int) -> MaxNormSolution:
    return MaxNormSolution(
        answer.planes(n),
        answer.value,
        answer.bound,
        answer.separable,
        answer.finished,
        answer.skipped,
        answer.pivots,
        status="time_limit" if answer.status == "time_limit" else "optimal",
    )


def hull_distance(point: Floats, B: Floats) -> tuple[float, Floats]:
    """Distance (1-norm) of a point from the hull of B, and the w that proves it.

    For |w|_inf <= 1 no score of B exceeds that of the point less the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.max_norm import hull_distance
    >>> hull_distance(np.array([1.0, 1.0]), np.array([[0.0, 0.0], [0.5, 0.0]]))
    (1.5, array([1., 1.]))
    """
    point = np.ascontiguousarray(point)
    answer = _solve(point[None], np.ascontiguousarray(B), hulls_only=True)
    if answer is None or answer.status != "optimal":
        return 0.0, np.zeros(len(point))
    return answer.value, answer.planes(len(point))[0]


def _independent_columns(X: Floats) -> Indices:
    """Columns that, with a constant, span all columns; at least one.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.max_norm import _independent_columns
    >>> _independent_columns(np.array([[0.0, 5.0, 2.0], [1.0, 3.0, 0.5], [0.0, 5.0, 4.0]]))
    array([1, 2])
    """
    R, order = qr(_triangle(X - X.mean(axis=0)), mode="r", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int(np.count_nonzero(size > _DEPENDENT * size[0]))
    return np.sort(order[: max(1, rank)]).astype(np.intp)


def _triangle(X: Floats) -> Floats:
    """R of the rows, taken in by blocks: Ctrl-C is heard between them, and they fit the caches."""
    R = X[:0]
    for start in range(0, len(X), _BLOCK):
        R = np.asarray(np.linalg.qr(np.vstack([R, X[start : start + _BLOCK]]), mode="r"))
    return R


def _solve(
    A: Floats, B: Floats, clock: Clock = UNLIMITED, hulls_only: bool = False
) -> _core.MaxNormAnswer | None:
    """Answer of the core, or None where its basis became singular."""
    try:
        return _core.solve_max_norm(A, B, hulls_only, clock.left)
    except RuntimeError:
        return None


def _spread(solution: MaxNormSolution, columns: Indices, n: int) -> MaxNormSolution:
    """Weights of n columns, 0 in those that are not among the ones solved for."""
    weights = np.zeros((len(solution.weights), n))
    weights[:, columns] = solution.weights
    return replace(solution, weights=weights, free=np.isin(np.arange(n), columns))


def _solve_by_highs(A: Floats, B: Floats, clock: Clock = UNLIMITED) -> MaxNormSolution:
    """All 2n programs, each from nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.max_norm import _solve_by_highs
    >>> _solve_by_highs(np.array([[2.0], [4.0]]), np.array([[0.0], [3.0]])).value
    -1.0
    """
    n = A.shape[1]
    above = np.column_stack([A, np.tile([-1.0, 0.0], (len(A), 1))])
    below = np.column_stack([-B, np.tile([0.0, 1.0], (len(B), 1))])
    cost = np.append(np.zeros(n), [-1.0, 1.0])
    rows, answers = np.vstack([above, below]), []
    size = 2.0 * max(np.abs(A).sum(axis=1).max(), np.abs(B).sum(axis=1).max())  # of any score
    name = "program of the widest pair of planes"
    for held in range(n):
        for sign in (1.0, -1.0):
            upper = np.append(np.ones(n), [size, size])
            lower = -upper
            lower[held] = upper[held] = sign
            program = LinearProgram(cost, rows, 0.0, np.inf, lower, upper, name=name)
            answers.append(program.solve(clock.at_least_a_moment))
    value = max(-answer.objective for answer in answers)
    tie = _TIE * max(np.abs(A).max(), np.abs(B).max())
    return MaxNormSolution(
        np.array([answer.x[:n] for answer in answers if -answer.objective >= value - tie]),
        value,
        max(-answer.bound for answer in answers),
        bool(value > tie),
        len(answers),
        0,
        sum(answer.n_iterations for answer in answers),
    )
