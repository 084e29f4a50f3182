"""Piecewise-quadratic programs by distributed gradients: blocks of unknowns apart, then together.

Rows x_i of k classes; one plane (w_c, gamma_c) a class. With S z the amounts by which rows beat
their rivals, one for each row and each class that is not its own:

    min   f(z)  =  1/2 sum charge max(0, 1 - S z)^2  +  l2/2 sum_c |w_c|^2.

Bennett (1993), eq. (6.6), which has l2 = 0. f is convex, its gradient is continuous (eqs. 6.7 and
6.8), and it is a quadratic wherever the same rows are violated.

`HingeProgram.solve_quadratic` minimizes it in the compiled core by Newton's method, and proves it.
`distribute` is Algorithm 6.2.1, whose steps are, from x:

    parallel      for each block of unknowns the y that minimizes f, the other blocks held  (6.20)
    together      the least f among all combinations of x and of x with one block moved      (6.21)

- a step never raises f; where no block can lower it, the gradient is 0 (Theorem 6.2.1);
- blocks are planes, one a class, or attributes, one a column and one for the offsets (section 6.5);
- the answer does not depend on how many jobs share the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse.linalg import LinearOperator

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.solvers.hinge import HingeProgram, HingeSolution
from planetree.solvers.program_arrays import rivals

_ROUNDING = 1e-16  # share of the value that a step must promise
_ZERO = 1e-24  # times all charges is a value of nothing
_AT_KINK = 1e-11  # a margin this near to 1 is held there by a step
FALLING_PENALTIES = 10.0 ** -np.arange(1.0, 12.0)  # down to where they are lost in rounding
# Cells of a block's matrix from which threads pay: the sets of Table 6.3 have 4e3 to 8e4, where two
# jobs took 1.2 to 4.4 times as long as one; 20,000 rows of 40 columns have 1e6, where they did not.
_CELLS_THAT_PAY = 250_000
_FLAT = 1e-11  # a direction with less than this share of the largest curvature is left alone


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The function 1/2 sum charge max(0, 1 - base - M u)^2 + 1/2 u Q u of a vector u.

    Parameters
    ----------
    M : array or linear operator of shape (n_terms, n_unknowns)
    charge, base : arrays of shape (n_terms,)
    Q : array of shape (n_unknowns, n_unknowns), or of its diagonal

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.quadratic import _Pieces
    >>> f = _Pieces(np.array([[1.0], [-1.0]]), np.ones(2), np.zeros(2), np.zeros(1))
    >>> f.value(np.array([0.5])), f.gradient(np.array([0.5])), f.minimize(np.array([3.0]))
    (1.25, array([1.]), array([0.]))
    """

    M: Any
    charge: Floats
    base: Floats
    Q: Floats

    def value(self, u: Floats) -> float:
        """Value at u."""
        short = self._short(u)
        return float(self.charge @ short**2 + u @ self._bend(u)) / 2

    def gradient(self, u: Floats) -> Floats:
        """Gradient at u: eqs. (6.7) and (6.8)."""
        return self._bend(u) - self.M.T @ (self.charge * self._short(u))

    def minimize(self, u: Floats, max_steps: int = 100, clock: Clock = UNLIMITED) -> Floats:
        """Minimum by Newton's method from u, or what the steps allowed come to."""
        nothing = _ZERO * self.charge.sum()
        for _ in range(max_steps):
            if clock.is_over:
                break
            left = 1.0 - self.base - self.M @ u
            short = np.maximum(0.0, left)
            slope = self._bend(u) - self.M.T @ (self.charge * short)
            step = self._newton_step(left > -_AT_KINK, slope)
            gain = -float(slope @ step)
            if not gain > _ROUNDING * (self.charge @ short**2 + u @ self._bend(u)) + nothing:
                break
            u = u + self._length(u, step, gain) * step
        return u

    def _short(self, u: Floats) -> Floats:
        return np.maximum(0.0, 1.0 - self.base - self.M @ u)

    def _bend(self, u: Floats) -> Floats:
        return self.Q * u if self.Q.ndim == 1 else self.Q @ u

    def _newton_step(self, active: Mask, slope: Floats) -> Floats:
        rows = self.M[active]
        hessian = rows.T @ (self.charge[active, None] * rows)
        hessian += np.diag(self.Q) if self.Q.ndim == 1 else self.Q
        unit = np.sqrt(hessian.diagonal())
        flat = unit == 0  # a constant column: its weight stays
        unit[flat] = 1.0
        scaled = hessian / np.outer(unit, unit)
        step = np.linalg.lstsq(scaled, slope / unit, rcond=_FLAT)[0] / unit
        return np.where(flat, 0.0, -step)

    def _length(self, u: Floats, step: Floats, gain: float) -> float:
        """Where on the line the slope, which rises in straight pieces from -gain, is almost 0."""
        short, rate = 1.0 - self.base - self.M @ u, self.M @ step
        slope, curvature = u @ self._bend(step), step @ self._bend(step)
        low, high, t = 0.0, np.inf, 1.0
        for _ in range(60):
            left = short - t * rate
            pull = np.where(left > 0, self.charge * rate, 0.0)
            at, bend = slope + t * curvature - pull @ left, curvature + pull @ rate
            if abs(at) <= 0.1 * gain:
                return t
            low, high = (t, high) if at < 0 else (low, t)
            t = t - at / bend
            if not low < t < high:
                t = (low + high) / 2 if high < np.inf else 4 * low
        return low


class _Margins(LinearOperator):
    """The matrix S, never stored: what planes give the margin of each row over each rival class.

    Parameters
    ----------
    Z : array of shape (n_rows, n_columns)
    classes : array of shape (n_rows,)
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.quadratic import _Margins
    >>> _Margins(np.array([[2.0], [3.0]]), np.array([0, 1]), 2) @ np.array([1.0, 0.0, 0.0, 1.0])
    array([ 3., -4.])
    """

    def __init__(self, Z: Floats, classes: Indices, n_classes: int) -> None:
        self.rows: Floats = np.column_stack([Z, -np.ones(len(Z))])
        self.own: Indices = classes
        self.rivals = rivals(classes, n_classes)
        self._planes = n_classes, self.rows.shape[1]
        super().__init__(float, (self.rivals.size, math.prod(self._planes)))

    def _matvec(self, z: Floats) -> Floats:
        scores = self.rows @ z.reshape(self._planes).T
        own = np.take_along_axis(scores, self.own[:, None], axis=1)
        return (own - np.take_along_axis(scores, self.rivals, axis=1)).ravel()

    def _rmatvec(self, pulls: Floats) -> Floats:
        pulls = pulls.reshape(self.rivals.shape)
        of_class = np.zeros((len(self.rows), self._planes[0]))
        np.put_along_axis(of_class, self.rivals, -pulls, axis=1)
        np.put_along_axis(of_class, self.own[:, None], pulls.sum(axis=1, keepdims=True), axis=1)
        return (of_class.T @ self.rows).ravel()

    def blocks(self, partition: str) -> Iterator[_Block]:
        """Blocks of unknowns: the planes of the classes, or the columns of all planes."""
        number = np.arange(self.shape[1]).reshape(self._planes)
        if partition == "classes":
            return (_Block(number[c], *self._of_class(c)) for c in range(len(number)))
        terms = np.arange(self.shape[0])
        columns = range(self._planes[1])
        return (_Block(number[:, j], terms, self._of_column(j)) for j in columns)

    def _of_class(self, c: int) -> tuple[Indices, Floats]:
        """Terms that depend on the plane of a class, and how."""
        sign = (self.own[:, None] == c).astype(float) - (self.rivals == c)
        i, slot = np.nonzero(sign)
        return i * self.rivals.shape[1] + slot, sign[i, slot, None] * self.rows[i]

    def _of_column(self, j: int) -> Floats:
        """How all terms depend on the weights of a column."""
        unit = np.eye(self._planes[0])
        signs = (unit[self.own][:, None] - unit[self.rivals]).reshape(self.shape[0], -1)
        return signs * np.repeat(self.rows[:, j], self.rivals.shape[1])[:, None]


@dataclass(frozen=True, eq=False)
class _Block:
    """Some of the unknowns, and the terms of f that depend on them."""

    unknowns: Indices
    terms: Indices
    M: Floats


def squared_hinges(program: HingeProgram, l2: float = 0.0) -> _Pieces:
    """The function f of all planes of a program, the first class's too.

    Parameters
    ----------
    program : HingeProgram
    l2 : float

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers import HingeProgram
    >>> from planetree.solvers.quadratic import squared_hinges
    >>> program = HingeProgram(np.array([[1.0], [2.0]]), np.array([0, 1]), np.ones(2), np.ones(2))
    >>> squared_hinges(program).value(np.zeros(4))
    1.0
    """
    Z, k = (program.X - program.center) / program.scale, len(program.charges)
    charges = program.constraint_charges()
    ridge = np.tile(np.append(np.full(Z.shape[1], l2), 0.0), k)
    return _Pieces(_Margins(Z, program.classes, k), charges, np.zeros(len(charges)), ridge)


def start_at_means(program: HingeProgram) -> Floats:
    """Planes whose weights are the mean of their class minus the mean of all rows (eq. 6.22)."""
    Z = (program.X - program.center) / program.scale
    of_class = np.eye(len(program.charges))[program.classes] * program.weights[:, None]
    totals = of_class.sum(axis=0)
    means = (of_class.T @ Z) / np.where(totals > 0, totals, 1.0)[:, None]
    weights = means - program.weights @ Z / totals.sum()
    return np.column_stack([weights, np.zeros(len(totals))])


def every_plane(solution: HingeSolution) -> Floats:
    """Weights and offset of every class's plane; of two classes the first has zeros."""
    planes = np.column_stack([solution.weights, solution.offsets])
    return planes if len(planes) > 1 else np.vstack([np.zeros_like(planes), planes])


def enlarged(f: _Pieces, planes: Floats) -> Floats:
    """Planes that separate the classes, so large that no row is violated; others as they are."""
    least = (f.M @ planes.ravel())[f.charge > 0].min()
    return planes * ((1 + 1e-9) / least) if 0 < least < 1 + 1e-9 else planes


class _PlanesValue(NamedTuple):
    """Squared violations of planes, the value with their penalty, and their least margin."""

    error: float
    objective: float
    least: float


def beyond_margins(
    program: HingeProgram, weights: Floats, offsets: Floats, l2: float = 0.0
) -> tuple[Floats, Floats, _PlanesValue]:
    """Planes in the units of X with their value.

    Without a penalty, planes that separate are made so large that no row is violated.
    """
    value, spare = _value_of_planes(program, weights, offsets, l2), 1e-12
    while l2 == 0 and value.error > 0 and 0 < value.least < 1 and spare < 1e-5:
        larger = (1 + spare) / value.least
        weights, offsets, spare = weights * larger, offsets * larger, 10 * spare
        value = _value_of_planes(program, weights, offsets, l2)
    return weights, offsets, value


def margins_of_planes(program: HingeProgram, weights: Floats, offsets: Floats) -> Floats:
    """By how much each row beats each rival class, with planes in the units of X."""
    scores, codes = program.X @ weights.T - offsets, program.classes[:, None]
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores, -scores)
    rows = np.arange(len(scores))[:, None]
    return scores[rows, codes] - scores[rows, rivals(program.classes, scores.shape[1])]


def _value_of_planes(
    program: HingeProgram, weights: Floats, offsets: Floats, l2: float = 0.0
) -> _PlanesValue:
    """Value of planes in the units of X, rounded up, and their least margin, rounded down."""
    planes = np.ascontiguousarray(weights), np.ascontiguousarray(offsets)
    _, error, least = _core.value_of_planes(
        program.X, program.classes, program.charge_table, *planes
    )
    steep = weights * program.scale
    if len(steep) == 1:
        steep = np.vstack([-steep / 2, steep / 2])
    penalty = l2 / 2 * float(((steep - steep.mean(axis=0)) ** 2).sum()) if l2 else 0.0
    return _PlanesValue(error, error + penalty, least)


def calmest_separation(program: HingeProgram, clock: Clock = UNLIMITED) -> HingeSolution:
    """Planes without violation that a penalty on weights found, the largest power of ten that does.

    Where planes separate the classes very many do, and all have the least value 0. These are led
    by all rows, as those of classes that overlap are, and not only by the few that are nearest.

    Parameters
    ----------
    program : HingeProgram
        Of classes that planes separate.
    clock : Clock
        When it is over, the best so far is wanted.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers import HingeProgram
    >>> from planetree.solvers.quadratic import calmest_separation
    >>> X, classes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> found = calmest_separation(HingeProgram(X, classes, np.ones(4), np.ones(2)))
    >>> found.error, (found.offsets / found.weights[0]).round(3)
    (0.0, array([2.]))
    """
    f = squared_hinges(program)
    for last in _of_falling_penalties(program, clock):
        planes = enlarged(f, every_plane(last))
        found: dict[str, Any] = {"status": "optimal", "method": "newton"}
        found["n_iterations"] = last.n_iterations
        calm = program.judge_quadratic(planes[:, :-1], planes[:, -1], 0.0, **found)
        if calm.error == 0.0:
            return calm
    return program.solve_quadratic(time_limit=clock.at_least_a_moment)


def without_penalty(program: HingeProgram, clock: Clock = UNLIMITED) -> HingeSolution:
    """Planes of no penalty, from those of penalties that fall by powers of ten.

    Where the violated rows leave directions almost flat, the steps of Newton's method are so long
    that they end at the next kinks, or in rounding. A penalty bends those directions; from one to
    the next, few rows change sides.
    """
    *_, last = _of_falling_penalties(program, clock)
    found = program.solve_quadratic(0.0, last, time_limit=clock.at_least_a_moment, exact=False)
    return replace(found, n_iterations=last.n_iterations + found.n_iterations)


def _of_falling_penalties(program: HingeProgram, clock: Clock) -> Iterator[HingeSolution]:
    """Planes of one penalty after another, each begun at the last; all steps are counted."""
    last, n_steps = None, 0
    for l2 in FALLING_PENALTIES:
        last = program.solve_quadratic(l2, last, time_limit=clock.at_least_a_moment, exact=False)
        n_steps += last.n_iterations
        yield replace(last, n_iterations=n_steps)
        if last.status == "time_limit":
            return


def distribute(
    f: _Pieces,
    start: Floats,
    *,
    partition: str = "classes",
    tol: float = 1e-3,
    n_jobs: int | None = None,
    clock: Clock = UNLIMITED,
) -> Iterator[Floats]:
    """Planes after each round of Algorithm 6.2.1, until a round changes almost nothing.

    It ends when no entry of the gradient exceeds `tol` or a round lowers f by less than `tol`
    squared of it.

    Parameters
    ----------
    f : Pieces
        As `squared_hinges` makes it.
    start : array of shape (n_classes, n_features + 1)
        Weights and offset of each plane.
    partition : {"classes", "attributes"}
    tol : float
    n_jobs : int, optional
        Threads that share the blocks, where these are large enough to pay for them.
    clock : Clock
        When it is over, a round is cut short.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers import HingeProgram
    >>> from planetree.solvers.quadratic import distribute, squared_hinges
    >>> X, classes = np.array([[0.0], [1.0], [2.0], [1.5]]), np.array([0, 1, 1, 0])
    >>> program = HingeProgram(X, classes, np.ones(4), np.array([0.5, 0.5]))
    >>> f = squared_hinges(program)
    >>> *_, planes = distribute(f, np.zeros((2, 2)), tol=1e-9)
    >>> round(f.value(planes.ravel()), 6), round(program.solve_quadratic().objective, 6)
    (0.742857, 0.742857)
    """
    blocks = []
    for block in f.M.blocks(partition):
        if clock.is_over:
            return
        blocks.append(block)
    x = start.ravel()
    with Parallel(n_jobs=_threads_that_pay(blocks, n_jobs), prefer="threads") as parallel:
        while True:
            if np.abs(f.gradient(x)).max() <= tol:
                return
            margins = f.M @ x
            moves = parallel(delayed(_best_move)(f, x, margins, block, clock) for block in blocks)
            for move in moves:
                if clock.is_over:  # nothing is combined any more: x stays
                    return
                if np.abs(f.gradient(x + move)).max() <= tol:
                    yield (x + move).reshape(start.shape)
                    return
            before = f.value(x)
            planes = _combine(f, x, np.array(moves), clock).reshape(start.shape)
            planes = planes - planes.mean(axis=0)  # what all planes share only costs
            x = planes.ravel()
            yield planes
            if before - f.value(x) <= tol**2 * before:
                return


def _threads_that_pay(blocks: list[_Block], n_jobs: int | None) -> int | None:
    """One thread where the matrices of the blocks are small, else as many as were asked for."""
    return n_jobs if sum(block.M.size for block in blocks) >= len(blocks) * _CELLS_THAT_PAY else 1


def _best_move(
    f: _Pieces, x: Floats, margins: Floats, block: _Block, clock: Clock = UNLIMITED
) -> Floats:
    """How a block moves to its minimum, the others held (eq. 6.20)."""
    # No more steps than unknowns: no job should keep the others waiting (section 6.2).
    u = x[block.unknowns]
    others = margins[block.terms] - block.M @ u
    part = _Pieces(block.M, f.charge[block.terms], others, f.Q[block.unknowns])
    move = np.zeros_like(x)
    move[block.unknowns] = part.minimize(u, max(10, len(u)), clock) - u
    return move


def _combine(f: _Pieces, x: Floats, moves: Floats, clock: Clock = UNLIMITED) -> Floats:
    """The least f among all combinations of x and of x with one move (eq. 6.21).

    Combinations of x and x + d_1, x + d_2, ... are those of x, d_1, d_2, ...
    """
    sizes = np.linalg.norm(moves, axis=1)
    moves = moves[sizes > 0] / sizes[sizes > 0, None]
    ways = np.vstack([x, moves]).T
    share = np.append(1.0, np.zeros(len(moves)))
    part = _Pieces(f.M @ ways, f.charge, f.base, ways.T @ (f.Q[:, None] * ways))
    return ways @ part.minimize(share, clock=clock)
