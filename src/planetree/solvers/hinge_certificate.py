"""What is true of the planes of a hinge program, in exact arithmetic and in the user's units.

`HingeProgram.solve` judges its answer by the rounded numbers it computes with. Here the planes are
those that predict, and the rows those that the user gave:

- the error is that of the planes as they are stored, summed with compensation and rounded up;
- the bound is the sum of multipliers that balance exactly (`cpp/hinge/certificate.hpp`), rounded
  down; 0 is always one;
- planes of which each row is on its own side are enlarged until no row lacks any margin.

Where the two do not meet, a small program is finished in whole numbers (`solvers.exact_hinges`). A
large one is solved again with columns centered at their medians and scaled by their quartiles, so
that one huge row does not hide the others, and then by HiGHS. The best planes and the best bound
are kept; a gap that is still left is told, never hidden.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from planetree import _core
from planetree.arrays import Floats, Indices
from planetree.clock import Clock
from planetree.exceptions import AccuracyWarning
from planetree.solvers.exact_hinges import Hinges, Vertex, affordable, minimum
from planetree.solvers.hinge import HingeProgram, HingeSolution
from planetree.solvers.program_arrays import signed_rows, steepness
from planetree.solvers.quadratic import margins_of_planes
from planetree.solvers.rational import affinely_spanning_columns, below

_ENOUGH = 1e-9  # the gap above which the program is solved again
_ACCURATE = 1e-6  # the gap above which an answer is called inaccurate
_NEAR = 1e-9  # a score this far from a tie is looked at closely
_ON = 2e-14  # of the sizes of its terms: a score that only rounding keeps from a tie
_DEPENDENT = 1e-7  # of the largest column: what is left of one that nearly depends on others
_HAIR = 1e-13  # of these sizes: by how much a plane is moved off its rows
_MOST_NUMBERS = 200_000  # of a program that is solved once more: HiGHS can take minutes
_STEEP = 1e9  # terms this large, which cancel in every row's score, weigh how X was rounded
_SOME = 1000  # rows that are looked at before all are
_BLOCK = 2**18  # scores that are looked at in one go
_SPARE = 1e-9  # by how much more planes are enlarged than their least margin asks for


class ProvedPlanes(NamedTuple):
    """Planes in the user's units, with a value and a bound that hold in exact arithmetic."""

    weights: Floats
    offsets: Floats
    objective: float
    error: float
    bound: float
    gap: float
    status: str


def prove(
    program: HingeProgram, solution: HingeSolution, time_limit: float | None = None
) -> ProvedPlanes:
    """Value and bound of a solution, and a better solution where they are far apart.

    Parameters
    ----------
    program : HingeProgram
    solution : HingeSolution
        An answer of this program.
    time_limit : float, optional
        Seconds that may be spent.

    Warns
    -----
    AccuracyWarning
        If the gap stays above 1e-6.
    """
    proof = _Proof(program, solution, time_limit)
    proof.consider(program, solution)
    if proof.gap > _ENOUGH and solution.status != "time_limit":
        proof.finish_exactly()
        for candidate in proof.candidates():
            if proof.gap <= _ENOUGH:
                break
            proof.consider(*candidate)
    status = solution.status
    if proof.gap <= _ACCURATE:
        status = "optimal" if status == "inaccurate" else status
    elif status in ("optimal", "inaccurate") and proof.clock.is_over:
        status = "time_limit"
    elif status in ("optimal", "inaccurate"):
        status = "inaccurate"
        warnings.warn(_advice(program, proof.gap), AccuracyWarning, stacklevel=4)
    return ProvedPlanes(
        proof.weights, proof.offsets, proof.objective, proof.error, proof.bound, proof.gap, status
    )


def hinge_bound(
    program: HingeProgram, solution: HingeSolution, time_limit: float | None = None
) -> float:
    """What no planes of the solution's features have less than, in exact arithmetic."""
    return _Proof(program, solution, time_limit)._bound(program, solution)


def at_offsets(program: HingeProgram, proved: ProvedPlanes, offsets: Floats) -> ProvedPlanes:
    """The same planes with other offsets: their own value, and the bound of the program."""
    charges = program.charge_table
    error, *_ = _core.value_of_planes(
        program.X, program.classes, charges, np.ascontiguousarray(proved.weights), offsets
    )
    objective = error + (proved.objective - proved.error)
    return proved._replace(
        offsets=offsets,
        error=error,
        objective=objective,
        gap=_gap(objective, proved.bound, charges),
    )


def at_planes(
    program: HingeProgram,
    solution: HingeSolution,
    proved: ProvedPlanes,
    weights: Floats,
    offsets: Floats,
) -> ProvedPlanes:
    """Other planes, at their best size: their value, and the program's bound.

    Planes and their multiples part rows alike, but leave other errors: the least counts.

    Parameters
    ----------
    program, solution, proved
        A program, its answer, and what is proved of it.
    weights : array of shape (n_planes, n_features)
        One plane for two classes, else one a class.
    offsets : array of shape (n_planes,)
    """
    proof = _Proof(program, solution, None)
    own = margins_of_planes(program, weights, offsets)
    size = best_factor(own.ravel(), proof.charges.ravel(), proof._paid(weights))
    weights, offsets = size * weights, size * offsets
    error, _ = proof._value(weights, offsets)
    objective = error + proof._paid(weights)
    gap = _gap(objective, proved.bound, proof.charges)
    return proved._replace(
        weights=weights, offsets=offsets, error=error, objective=objective, gap=gap
    )


def best_factor(own: Floats, charges: Floats, paid: float) -> float:
    """Least point of sum charge max(0, 1 - s own) + s paid, a convex function of s."""
    up, start = np.flatnonzero(own > 0), paid - float(charges @ own)
    while len(up) > _SOME:  # nearer, by halves, to the hinge at which the slope turns
        is_ahead = own[up] > np.partition(own[up], len(up) // 2)[len(up) // 2]
        if not is_ahead.any():
            break
        middle = start + float(np.sum((charges * own)[up[is_ahead]]))
        up, start = (up[is_ahead], start) if middle >= 0 else (up[~is_ahead], middle)
    up = up[np.argsort(-own[up], kind="stable")]  # by where their hinges end
    ends = np.flatnonzero(start + np.cumsum((charges * own)[up]) >= 0)
    return 1.0 / float(own[up[ends[0]]]) if len(ends) else 0.0


def _gap(objective: float, bound: float, charges: Floats) -> float:
    difference = max(0.0, objective - bound)
    return difference and difference / max(objective, 1e-4 * float(charges.sum()))


class _Proof:
    """The best planes and the best bound so far."""

    def __init__(
        self, program: HingeProgram, solution: HingeSolution, time_limit: float | None
    ) -> None:
        self.program, self.solution = program, solution
        self.clock = Clock(time_limit)
        self.charges = program.charge_table
        self.rise, self.fall = self._raw_prices()
        self.objective, self.bound, self.gap = np.inf, 0.0, np.inf
        self.exact = False

    def candidates(self) -> Iterator[tuple[HingeProgram, HingeSolution]]:
        """Other solutions of the same program, each dearer than the one before."""
        if self.exact or self.program.X.shape[1] * self.charges.size > _MOST_NUMBERS:
            return
        other = self._by_quartiles()
        for solve in (other.solve_in_core, other.solve_by_highs):
            if self.clock.is_over:
                return
            rise, fall = (
                np.where(np.isfinite(side), side, 0.0) / other.scale
                for side in (self.rise, self.fall)
            )
            found = solve(rise, fall, self.solution.features, self.clock.at_least_a_moment)
            if found is not None:
                yield other, found

    def consider(self, program: HingeProgram, solution: HingeSolution) -> None:
        """Keep the planes if they are better, and the bound if it is higher."""
        weights = solution.weights / program.scale
        self._keep_planes(weights, solution.offsets + weights @ program.center)
        if self.objective > 0:
            self.bound = max(self.bound, self._bound(program, solution))
        self._judge()

    def finish_exactly(self) -> None:
        """Take the exact optimum for a bound, and its planes if they are better, if affordable."""
        p, k = self.program, len(self.program.charges)
        # Offsets do all that a constant column can.
        allowed = np.flatnonzero(np.isfinite(self.rise) & (np.ptp(p.X, axis=0) > 0))
        size = p.n_planes * (len(allowed) + 1)
        if not affordable(4 * size, size, len(p.X)):
            return
        vertex = self._vertex(allowed)
        if vertex is None:
            return
        # Charges, prices and their sums are rounded.
        self.exact = True
        rounding = Fraction(len(p.X) + 64, 2**53)
        self.bound = max(self.bound, below(vertex.value * (1 - rounding)))
        weights, offsets = np.zeros((k, p.X.shape[1])), np.zeros(k)
        z = vertex.z.reshape(p.n_planes, -1)
        weights[k - p.n_planes :, allowed], offsets[k - p.n_planes :] = z[:, :-1], z[:, -1]
        if k == 2:
            weights, offsets = weights[1:], offsets[1:]
        if steepness(p.X, weights) <= _STEEP:
            self._keep_planes(weights, offsets)
            self._judge()
            if _ENOUGH < self.gap < _ACCURATE:
                self._polish()
        self._judge()

    def _polish(self) -> None:
        """Let the finest numbers of steep planes make up for the rounding of the coarsest."""
        p, k = self.program, len(self.program.charges)
        duals = p.multipliers(self.solution)
        if duals is None:
            return
        ends = np.minimum(duals, self.charges - duals) > _NEAR * self.charges
        rows = np.flatnonzero(ends.any(axis=1))
        signed = signed_rows(p.X[rows], p.classes[rows], k, 1 if k == 2 else k)
        signed = signed[np.flatnonzero(ends[rows].ravel())].toarray()
        typical = np.append(np.abs(p.X).mean(axis=0), 1.0)
        for _ in range(4):
            z = np.column_stack([self.weights, self.offsets]).ravel().astype(np.longdouble)
            fine = 1.0 / (np.spacing(np.abs(z.astype(float)) * np.resize(typical, len(z)) + 1e-30))
            fine *= z != 0
            short = (1 - signed.astype(np.longdouble) @ z).astype(float)
            fine /= fine.max()
            step = fine * np.linalg.lstsq(signed * fine, short, rcond=1e-12)[0]
            planes = (z + step).astype(float).reshape(-1, len(typical))
            self._keep_planes(planes[:, :-1].copy(), planes[:, -1].copy())

    def _vertex(self, allowed: Indices) -> Vertex | None:
        """Exact optimum, equal rows taken as one, with as many rows near their kinks as it asks."""
        p, k = self.program, len(self.program.charges)
        counts = self.charges.any(axis=1)
        table = np.column_stack([p.classes, p.X[:, allowed]])[counts]
        rows, kind = np.unique(table, axis=0, return_inverse=True)
        charges, duals = np.zeros((len(rows), k - 1)), np.zeros((len(rows), k - 1))
        np.add.at(charges, kind.ravel(), self.charges[counts])
        multipliers = p.multipliers(self.solution)
        if multipliers is not None:
            np.add.at(duals, kind.ravel(), multipliers[counts])
        signed = signed_rows(rows[:, 1:], rows[:, 0].astype(int), k, p.n_planes)
        weights = (self.solution.weights / p.scale)[:, allowed]
        planes = np.column_stack([weights, self.solution.offsets + weights @ p.center[allowed]])
        if len(planes) > p.n_planes:
            planes = planes[1:] - planes[0]
        hinges = Hinges(signed, charges.ravel(), self.rise[allowed], self.fall[allowed], p.n_planes)
        return minimum(hinges, planes.ravel(), duals.ravel(), self.clock)

    def _keep_planes(self, weights: Floats, offsets: Floats) -> None:
        offsets = self._off_rows(weights, offsets)
        weights, offsets, error, paid = self._best_size(weights, offsets)
        if error + paid < self.objective:
            self.weights, self.offsets, self.error = weights, offsets, error
            self.objective = error + paid

    def _judge(self) -> None:
        self.gap = _gap(self.objective, self.bound, self.charges)

    def _bound(self, program: HingeProgram, solution: HingeSolution) -> float:
        duals = program.multipliers(solution)
        if duals is None:
            return 0.0
        duals = np.ascontiguousarray(duals)
        bound = self._bound_over(duals)
        free = np.flatnonzero(np.isfinite(self.rise))
        if bound > 0 or self.rise[free].any() or self.fall[free].any() or self.clock.is_over:
            return bound
        columns = free[affinely_spanning_columns(self.program.X[:, free])]
        return self._bound_over(duals, columns)

    def _bound_over(self, duals: Floats, columns: Indices | None = None) -> float:
        p, X, rise, fall = self.program, self.program.X, self.rise, self.fall
        if columns is not None:
            X, rise, fall = X.take(columns, axis=1), rise[columns], fall[columns]
        return _core.prove_hinge_bound(
            X, p.classes, self.charges, duals, p.n_planes, rise, fall, self.clock.at_least_a_moment
        )

    def _off_rows(self, weights: Floats, offsets: Floats) -> Floats:
        """Offsets moved by a hair where a row lies on a plane, so that no rounding decides for it.

        Such rows go to the last class of the program that they could belong to.
        """
        near = _distance_from_ties(self.program.X, weights, offsets)
        if near.min() >= _NEAR or not weights.any():
            return offsets
        close = np.flatnonzero(near < _NEAR)
        sizes = (np.abs(self.program.X[close]) @ np.abs(weights).T + np.abs(offsets)).max(axis=1)
        on = near[close] <= _ON * sizes
        hair = _HAIR * sizes[on].max(initial=0.0)
        first = 1 if len(offsets) == 1 else 0
        return offsets - hair * (first + np.arange(len(offsets))) if hair < _NEAR else offsets

    def _best_size(self, weights: Floats, offsets: Floats) -> tuple[Floats, Floats, float, float]:
        """Planes as they are, or with a threshold midway or enlarged where that makes them better.

        Where every row is on its own side, planes that are large enough leave no error at all.
        """
        tried = [self._enlarged(weights, offsets)]
        if tried[0][2] > 0 and len(weights) == 1:
            middle = _midway(self.program.X, weights[0], self.program.classes)
            if middle is not None:
                tried.append(self._enlarged(weights, middle))
        return min(tried, key=lambda found: found[2] + found[3])

    def _enlarged(self, weights: Floats, offsets: Floats) -> tuple[Floats, Floats, float, float]:
        error, least = self._value(weights, offsets)
        paid, spare = self._paid(weights), _SPARE
        while error > 0 and 0 < least < 1 and spare < 1e-5:
            factor = (1.0 + spare) / least
            if error <= paid * (factor - 1.0):
                break
            weights, offsets, spare = weights * factor, offsets * factor, 10 * spare
            error, least = self._value(weights, offsets)
            paid = self._paid(weights)
        return weights, offsets, error, paid

    def _value(self, weights: Floats, offsets: Floats) -> tuple[float, float]:
        p = self.program
        error, _, least = _core.value_of_planes(
            p.X, p.classes, self.charges, np.ascontiguousarray(weights),
            np.ascontiguousarray(offsets),
        )  # fmt: skip
        return error, least

    def _paid(self, weights: Floats) -> float:
        if self.solution.prices[0] is None:
            return 0.0
        used = weights != 0
        costs = np.where(weights > 0, self.rise, self.fall)
        return float(np.sum(np.abs(weights[used]) * costs[used]))

    def _raw_prices(self) -> tuple[Floats, Floats]:
        """Prices of a weight of a unit of x; infinite where a feature may have none."""
        allowed = slice(None) if self.solution.features is None else self.solution.features
        raw = np.full((2, self.program.X.shape[1]), np.inf)
        for side, price in zip(raw, self.solution.prices, strict=True):
            side[allowed] = 0.0 if price is None else (price * self.program.scale)[allowed]
        return raw[0], raw[1]

    def _by_quartiles(self) -> HingeProgram:
        p = self.program
        low, center, high = np.quantile(p.X, (0.25, 0.5, 0.75), axis=0, method="nearest")
        far = np.abs(p.X - center)
        apart = np.where(high > low, high - low, np.where(far.any(axis=0), far.max(axis=0), 1.0))
        scale = np.ldexp(1.0, np.frexp(apart)[1])
        return HingeProgram(
            p.X, p.classes, p.weights, p.charges, center=center, scale=scale, costs=p.costs,
            all_planes=p.n_planes == len(p.charges), name=p.name,
        )  # fmt: skip


def _distance_from_ties(X: Floats, weights: Floats, offsets: Floats) -> Floats:
    """How far each row is from a tie: from the plane, or its best two scores from each other."""
    if len(offsets) == 1:
        return np.abs(_scores(X, weights, offsets))
    near = np.empty(len(X))
    step = max(1, _BLOCK // len(offsets))
    for first in range(0, len(X), step):
        scores = X[first : first + step] @ weights.T - offsets
        rows, best = np.arange(len(scores)), scores.argmax(axis=1)
        top = scores[rows, best]
        scores[rows, best] = -np.inf
        near[first : first + step] = np.abs(top - scores.max(axis=1))
    return near


def _scores(X: Floats, weights: Floats, offsets: Floats) -> Floats:
    """Scores of rows for one plane."""
    columns = np.arange(X.shape[1])
    return _core.plane_scores(
        X, np.ascontiguousarray(weights), np.ascontiguousarray(offsets), columns, columns * 0 - 1
    )[:, 0]


def _midway(X: Floats, weights: Floats, classes: NDArray[np.integer]) -> Floats | None:
    """Offset between the scores of two classes that one separates."""
    some = slice(0, _SOME)  # most often these tell already that none does
    if (
        len(X) > _SOME
        and np.ptp(classes[some])
        and _midway(X[some], weights, classes[some]) is None
    ):
        return None
    scores = X @ weights
    below, above = scores[classes == 0].max(), scores[classes == 1].min()
    return np.array([below + (above - below) / 2]) if above > below else None


def _advice(program: HingeProgram, gap: float) -> str:
    """What is wrong, and which numbers most likely cause it."""
    told = (
        f"The {program.name} was solved, but a gap of {gap:.1e} is left between its value and what "
        "could be proved. "
    )
    near = _nearly_dependent((program.X - program.center) / program.scale)
    if len(near):
        return told + (
            f"The terms {', '.join(map(str, near))} nearly depend on each other: leave one out, or "
            "give it more digits."
        )
    sizes = np.abs(program.X - np.median(program.X, axis=0))
    typical = np.median(sizes, axis=0)
    ratio = sizes / np.where(typical > 0, typical, np.where(sizes.max(axis=0) > 0, 1.0, np.inf))
    row, column = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return told + (
        f"The most unusual number is {program.X[row, column]:g} in row {row}, term {column}: scale "
        "its column, or leave out its row if it is an error."
    )


def _nearly_dependent(Z: Floats) -> list[int]:
    """Columns of which one is almost, but not exactly, a combination of the others."""
    R, order = qr(Z, mode="r", pivoting=True)
    sizes = np.abs(np.diagonal(R))
    near = np.flatnonzero((sizes > 0) & (sizes < _DEPENDENT * sizes[0]))
    if not len(near) or near[0] == 0:
        return []
    factors = np.linalg.lstsq(R[: near[0], : near[0]], R[: near[0], near[0]], rcond=None)[0]
    used = np.abs(factors) > 1e-6 * np.abs(factors).max()
    return sorted(int(j) for j in (*order[: near[0]][used], order[near[0]]))
