"""Programs of hinges: the error of planes, and what their weights cost, as small as can be.

Rows x_i of k classes; one plane (w_c, gamma_c) a class, of which the first may be fixed at zero.
Row i of class a is charged for each other class j that it does not beat by a margin of 1:

    min   sum_i charge_i sum_{j != a} max(0, 1 - (w_a - w_j) x_i + (gamma_a - gamma_j))
          + sum_c price(w_c)

where each feature has one price for what its weight is above zero and one for what it is below.

The compiled core solves this exactly (`cpp/hinge/program.hpp` says how) and proves it: multipliers
0 <= alpha_ij <= charge_i that balance every plane bound the optimum from below by their sum.

- columns that nearly depend on each other make planes so steep that rounding alone exceeds 1e-9;
  then the program is solved and proved with the features written in an orthonormal basis, which
  changes nothing but the rounding;
- an answer whose proof still leaves a gap above 1e-9 is solved again by HiGHS in the dual form
      max   sum alpha   s.t.   -below <= S' alpha <= price,   0 <= alpha <= charge,
  and judged by the same arithmetic; what is printed is proved by `hinge_certificate`;
- rows with the same features and class count as one; the order of rows does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from planetree import _core
from planetree.arrays import Floats
from planetree.clock import Clock
from planetree.exceptions import SolverError
from planetree.solvers.exact_quadratic import finish_exactly
from planetree.solvers.linear_program import LinearProgram
from planetree.solvers.program_arrays import rivals, signed_rows

PROVED = 1e-9  # the largest gap of an answer that is believed
_INDEPENDENT = 1e-13  # what is left of a column that depends on others is smaller, by rounding


@dataclass(frozen=True, eq=False)
class HingeSolution:
    """Planes of a hinge program, with what proves them.

    Parameters
    ----------
    weights : array of shape (n_planes, n_features)
        One plane for two classes, else one a class; of the normalized features.
    offsets : array of shape (n_planes,)
    objective : float
    error : float
        The objective without what the weights cost.
    bound : float
        No planes have a lower objective.
    gap : float
        `(objective - bound) / objective`, of the charges' scale where the objective is almost 0.
    status : {"optimal", "time_limit", "stopped", "inaccurate"}
    n_iterations : int
        Newton and simplex steps.
    method : str
        How it was found.
    duals : array of shape (n_rows, n_classes - 1), or None
        Multiplier of each row against each other class in order, where it was asked for and the
        time was enough to have any.
    pull : array of shape (n_free_planes, n_features + 1), or None
        What each weight and offset would gain by these multipliers at first, whether or not its
        feature was allowed: where that exceeds its price, the feature would lower the objective.
    answer : object, or None
        What a later solve of the same program can start from.
    prices, features
        What the program was solved with: prices above and below zero, and what may have weights.
    raw : weights and offsets, or None
        The planes in the units of X, where those of normalized features would lose digits.
    """

    weights: Floats
    offsets: Floats
    objective: float
    error: float
    bound: float
    gap: float
    status: str = "optimal"
    n_iterations: int = 0
    method: str = ""
    duals: Floats | None = None
    pull: Floats | None = None
    answer: _core.HingeAnswer | None = field(default=None, repr=False)
    prices: tuple[Floats | None, Floats | None] = field(default=(None, None), repr=False)
    features: list[int] | None = field(default=None, repr=False)
    raw: tuple[Floats, Floats] | None = field(default=None, repr=False)


class HingeProgram:
    """Rows of classes, prepared once for any number of solves.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    classes : array of shape (n_rows,)
        Codes from 0.
    weights : array of shape (n_rows,)
    charges : array of shape (n_classes,)
        What one unit of weight of each class is charged for one unit of violation.
    center, scale : arrays of shape (n_features,), optional
        The program is that of `(X - center) / scale`.
    costs : array of shape (n_classes, n_classes), optional
        Factor on the charge of a row of one class that another is taken for.
    all_planes : bool
        Every class has a plane of its own, the first one too; two classes never need it.
    name : str
        What error messages call the program.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers import HingeProgram
    >>> X, classes = np.array([[1.0], [2.0], [-1.0], [0.0], [4.0]]), np.array([1, 1, 0, 0, 0])
    >>> program = HingeProgram(X, classes, np.ones(5), np.array([0.2, 0.2]))
    >>> solution = program.solve()
    >>> round(solution.objective, 12), solution.status
    (0.8, 'optimal')
    """

    def __init__(
        self,
        X: Floats,
        classes: NDArray[np.integer],
        weights: Floats,
        charges: Floats,
        *,
        center: Floats | None = None,
        scale: Floats | None = None,
        costs: Floats | None = None,
        all_planes: bool = False,
        name: str = "hinge program",
    ) -> None:
        n = X.shape[1]
        self.name = name
        self.X = np.ascontiguousarray(X, dtype=np.float64)
        self.classes: NDArray[Any] = np.ascontiguousarray(classes, dtype=np.int32)
        self.charges: Floats = np.asarray(charges, dtype=np.float64)
        self.weights: Floats = np.ascontiguousarray(weights, dtype=np.float64)
        self.center: Floats = (
            np.zeros(n) if center is None else np.asarray(center, dtype=np.float64)
        )
        self.scale: Floats = np.ones(n) if scale is None else np.asarray(scale, dtype=np.float64)
        self.costs: NDArray[Any] | None = (
            None if costs is None else np.ascontiguousarray(costs, dtype=np.float64)
        )
        self._core = _core.HingeProgram(
            self.X, self.classes, self.weights, self.charges, self.center, self.scale,
            all_planes and len(self.charges) > 2, self.costs,
        )  # fmt: skip

    def solve(
        self,
        price: Floats | float = 0.0,
        start: HingeSolution | None = None,
        time_limit: float | None = None,
        duals: bool = False,
        *,
        below: Floats | float | None = None,
        features: NDArray[np.integer] | None = None,
        near: tuple[Floats, Floats] | None = None,
    ) -> HingeSolution:
        """Find the best planes, and prove it.

        Parameters
        ----------
        price, below : arrays of shape (n_features,) or floats
            What one unit of each feature's weight costs, and one of a weight below zero, which by
            default is the same.
        start : HingeSolution, optional
            Planes to begin from.
        time_limit : float, optional
            Seconds. When they are over, the best planes found are returned with their gap.
        duals : bool
            Whether the multipliers of the rows, and the pull they make, are wanted.
        features : array of int, optional
            The features that may have weights; by default all.
        near : weights and offsets, optional
            Planes to begin from that are an answer of another program; two classes only.

        An answer that neither the core nor HiGHS can prove has status "inaccurate".
        """
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit must be positive or None, but it is {time_limit!r}.")
        prices = self._prices(price, price if below is None else below)
        first = None if start is None else start.answer
        if near is not None:
            first = self._core.at(np.column_stack(near).ravel())
        chosen = None if features is None else [int(j) for j in features]
        if chosen == []:
            raise ValueError(f"The {self.name} needs at least one feature.")
        clock = Clock(time_limit)
        solution = self._solve_in_core(prices, chosen, time_limit, first, duals)
        if not solution.gap <= PROVED and solution.status != "time_limit":
            found = self._solve_in_basis(chosen, clock.left) if prices[0] is None else None
            found = found or self.solve_by_highs(*prices, chosen, clock.left)
            if found is not None and (found.gap <= PROVED or found.objective < solution.objective):
                solution = replace(found, prices=prices, features=chosen)
        if not solution.gap <= PROVED and solution.status == "optimal":
            solution = replace(solution, status="inaccurate")
        return solution

    def solve_in_core(
        self, rise: Floats, fall: Floats, features: list[int] | None, time_limit: float | None
    ) -> HingeSolution:
        """Answer of the compiled core, proved or not."""
        return self._solve_in_core(self._prices(rise, fall), features, time_limit, None, False)

    def multipliers(self, solution: HingeSolution) -> Floats | None:
        """Multiplier of each row against each rival, or None if the solution has none."""
        if solution.duals is not None or solution.answer is None:
            return solution.duals
        return self._core.duals(solution.answer)

    @property
    def n_planes(self) -> int:
        """Planes that are not fixed at zero."""
        return self._core.blocks

    def _solve_in_core(
        self,
        prices: tuple[Floats | None, Floats | None],
        features: list[int] | None,
        time_limit: float | None,
        first: _core.HingeAnswer | None,
        duals: bool,
    ) -> HingeSolution:
        answer = self._core.solve(*prices, first, features, time_limit)
        return self._solution(
            answer.z,
            answer.certificate,
            status="time_limit" if answer.status == "time_limit" else "optimal",
            n_iterations=answer.steps,
            method=answer.method,
            duals=self._core.duals(answer) if duals else None,
            pull=self._core.pull(answer) if duals else None,
            answer=answer,
            prices=prices,
            features=features,
        )

    def solve_quadratic(
        self,
        l2: float = 0.0,
        start: HingeSolution | None = None,
        max_steps: int | None = None,
        time_limit: float | None = None,
        exact: bool = True,
    ) -> HingeSolution:
        """Find the planes with the least squared violations and weights (`solvers.quadratic`).

        Half of `l2` is what one unit of each squared weight costs. After `max_steps` steps of
        Newton's method it ends with status "stopped", after `time_limit` seconds with "time_limit".
        If `exact`, whole numbers finish what is left unproved, if the program is small; a gap that
        stays above 1e-9 makes the status "inaccurate".
        """
        clock = Clock(time_limit)
        first = None if start is None else self._pack(start.weights, start.offsets)
        answer = self._core.solve_quadratic(l2, first, max_steps, time_limit)
        status = "time_limit" if clock.is_over else "stopped"
        found = self.judge_quadratic(
            *self._unpack(answer.z),
            l2,
            time_limit=clock.left_to_finish,
            status="optimal" if answer.status == "optimal" else status,
            n_iterations=answer.steps,
            method=answer.method,
        )
        if answer.status != "optimal" or not exact or found.gap <= PROVED:
            return found
        found = finish_exactly(self, l2, found, clock)
        return found if found.gap <= PROVED else replace(found, status="inaccurate")

    def judge_quadratic(
        self,
        weights: Floats,
        offsets: Floats,
        l2: float = 0.0,
        *,
        unknowns: NDArray[np.integer] | None = None,
        time_limit: float | None = None,
        **found: Any,
    ) -> HingeSolution:
        """Planes that were found elsewhere, with their value and a bound.

        Unknowns that are not named are exact combinations of others in the violated constraints.
        """
        z = self._pack(weights, offsets)
        chosen = None if unknowns is None else [int(p) for p in unknowns]
        proof = self._core.certify_quadratic(l2, z, chosen, time_limit)
        return self._solution(z, proof, **found)

    @cached_property
    def charge_table(self) -> Floats:
        """Charge of each row against each of its rivals in order, to be read only."""
        k = len(self.charges)
        charges = (self.weights * self.charges[self.classes])[:, None]
        if self.costs is not None:
            return charges * self.costs[self.classes[:, None], rivals(self.classes, k)]
        return charges if k == 2 else np.broadcast_to(charges, (len(charges), k - 1))

    def constraint_charges(self) -> Floats:
        """Charge of each row against each of its rivals in order, row by row."""
        return self.charge_table.ravel()

    @cached_property
    def prohibitive(self) -> Floats:
        """Price of each feature at which its weight is 0 whatever the others are.

        No multipliers pull a weight by more than the charges times its largest value.
        """
        reach = np.maximum(
            np.abs(self.X.max(axis=0) - self.center), np.abs(self.X.min(axis=0) - self.center)
        )
        charge = self.weights @ self.charges[self.classes] * (len(self.charges) - 1)
        largest = 1.0 if self.costs is None else self.costs.max()
        return 1.01 * charge * largest * reach / self.scale + 1e-3 * charge

    def pull(self, solution: HingeSolution) -> Floats:
        """What each weight and offset would gain by the multipliers of a solution, at first."""
        if solution.pull is not None:
            return solution.pull
        assert solution.answer is not None
        return self._core.pull(solution.answer)

    def _prices(
        self, above: Floats | float, below: Floats | float
    ) -> tuple[Floats | None, Floats | None]:
        if isinstance(above, float) and isinstance(below, float) and above == below == 0.0:
            return None, None
        sides = [
            side if isinstance(side, np.ndarray) else np.full(self.X.shape[1], side, dtype=float)
            for side in (above, below)
        ]
        return (sides[0], sides[1]) if sides[0].any() or sides[1].any() else (None, None)

    def _solution(self, z: Floats, proof: _core.Certificate, **found: Any) -> HingeSolution:
        values = proof.objective, proof.error, proof.bound, proof.gap
        return HingeSolution(*self._unpack(z), *values, **found)

    def _unpack(self, z: Floats) -> tuple[Floats, Floats]:
        """Planes of the unknowns; a first class without a plane of its own has zeros."""
        planes = z.reshape(self._core.blocks, -1)
        k = len(self.charges)
        if self._core.blocks < k and k > 2:
            planes = np.vstack([np.zeros(planes.shape[1]), planes])
        return planes[:, :-1], planes[:, -1]

    def _pack(self, weights: Floats, offsets: Floats) -> Floats:
        planes = np.column_stack([weights, offsets])
        if len(planes) > self._core.blocks:
            planes = planes[1:] - planes[0]
        return np.ascontiguousarray(planes.ravel())

    def _signed_rows(self) -> sp.csr_array:
        Z = (self.X - self.center) / self.scale
        return signed_rows(Z, self.classes, len(self.charges), self._core.blocks)

    def _solve_in_basis(
        self, features: list[int] | None, time_limit: float | None
    ) -> HingeSolution | None:
        """Solve with the features in an orthonormal basis; None if that is not proved either."""
        m, n = self.X.shape
        chosen = np.arange(n) if features is None else np.array(features)
        Z = ((self.X - self.center) / self.scale)[:, chosen]
        middle = Z.mean(axis=0)
        Q, R, order = qr(Z - middle, mode="economic", pivoting=True)
        sizes = np.abs(np.diagonal(R))
        rank = int(np.count_nonzero(sizes > _INDEPENDENT * sizes[0]))
        if rank == 0:
            return None
        program = HingeProgram(
            Q[:, :rank] * np.sqrt(m), self.classes, self.weights, self.charges, costs=self.costs,
            all_planes=self._core.blocks == len(self.charges), name=self.name,
        )  # fmt: skip
        answer = program._core.solve(time_limit=time_limit)
        duals = program._core.duals(answer)
        if duals is None or not answer.certificate.gap <= PROVED:
            return None
        inner = program._solution(answer.z, answer.certificate)
        weights = np.zeros((len(inner.weights), n))
        steep = np.sqrt(m) * solve_triangular(R[:rank, :rank], inner.weights.T).T
        weights[:, chosen[order[:rank]]] = steep
        pull = self._signed_rows().T @ duals.ravel()
        return replace(
            inner,
            weights=weights,
            offsets=inner.offsets + steep @ middle[order[:rank]],
            n_iterations=answer.steps,
            method="orthonormal",
            duals=duals,
            pull=pull.reshape(self._core.blocks, n + 1),
        )

    def solve_by_highs(
        self,
        rise: Floats | None,
        fall: Floats | None,
        features: list[int] | None,
        time_limit: float | None,
    ) -> HingeSolution | None:
        """Answer of HiGHS to the dual form; None if it has none."""
        n, k, blocks = self.X.shape[1], len(self.charges), self._core.blocks
        rows = self._signed_rows()
        above, below = (np.zeros(n) if side is None else side.copy() for side in (rise, fall))
        if features is not None:
            left_out = np.setdiff1d(np.arange(n), features)
            above[left_out] = below[left_out] = np.inf  # its row is open, so its weight is 0
        low, high = (np.tile(np.append(side, 0.0), blocks) for side in (-below, above))
        upper = self.constraint_charges()
        program = LinearProgram(
            -np.ones(len(upper)), rows.T, low, high, 0.0, upper, presolve=False, name=self.name
        )
        try:
            dual = program.solve(time_limit)
        except SolverError:
            return None
        z, duals = -dual.duals, dual.x.reshape(-1, k - 1)
        return self._solution(
            z,
            self._core.certify(z, duals, *(np.minimum(side, 1e300) for side in (above, below))),
            status=dual.status,
            n_iterations=dual.n_iterations,
            method="highs",
            duals=duals,
            pull=(rows.T @ duals.ravel()).reshape(blocks, n + 1),
        )
