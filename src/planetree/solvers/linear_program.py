"""Linear programs, whole numbers allowed, kept loaded in HiGHS and solved with a certificate.

    min   c.x
    s.t.  row_lower <= A x <= row_upper,    lower <= x <= upper,    x_j whole where asked.

The answer of a linear program is a point and a vector of duals, and `certificate.check` decides
in arithmetic of our own whether they prove each other. An answer that fails, or a claim that
there is none, is not believed: its basis is factorized afresh, which sheds the rounding of many
steps; then the program is solved again from nothing by the plain simplex method with tighter
tolerances; then what is left over is solved (`certificate.refine`); and only then is it an error.

For whole-number programs the point is checked (rows, with the whole numbers made exactly whole);
its bound is the one that branch and bound reports.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from planetree.arrays import Floats
from planetree.certificate import Certificate
from planetree.clock import run_aside
from planetree.exceptions import SolverError
from planetree.solvers.certificate import TOLERANCE, CheckedPoint, Model, check, refine, steady
from planetree.solvers.program_arrays import (
    entries,
    numbered,
    read_interval,
    read_matrix,
    read_objective,
    read_whole,
)

_WHOLE_TOLERANCE = 1e-6  # rows of a whole-number program, after rounding

# A run that may be long goes to a thread, so that Ctrl-C is heard; below this many entries a
# linear program ends before anyone could press it, and the thread would cost more than the run.
_LONG_RUN = 5_000
_GRACE = 0.1  # of the time left, and seconds, after which a run deaf to its limit is left behind

_STATUSES = {
    "kOptimal": "optimal",
    "kInfeasible": "infeasible",
    "kUnbounded": "unbounded",
    "kUnboundedOrInfeasible": "infeasible_or_unbounded",
    "kTimeLimit": "time_limit",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(Certificate):
    """A certificate with the point and the multipliers that make it.

    Parameters
    ----------
    kind, objective, bound, gap, status : as for `Certificate`
        The objective is the cost of the point; no feasible point costs less than the bound, -inf
        where a time limit left none; the gap is `(objective - bound) / max(1, |objective|)`, at
        least 0. Status "inaccurate": the point is feasible and the bound holds, but they are too
        far apart.
    x : array of shape (n_columns,)
        The point, inside its bounds.
    duals : array of shape (n_rows,)
        Change of the value for one unit more of a row's active bound; NaN with whole numbers.
    reduced_costs : array of shape (n_columns,)
        Cost minus what the duals pay for each column; NaN with whole numbers.
    n_iterations : int
        Steps that this solve took.
    """

    x: Floats
    duals: Floats
    reduced_costs: Floats
    n_iterations: int = 0


@cache
def _highspy() -> Any:
    """The solver's module; Ctrl-C in the midst of its import would come out as an ImportError."""

    def load() -> Any:
        import highspy  # not at the top: `import planetree` should cost no more than it must

        return highspy

    return run_aside(load, threading.Event(), math.inf)


class LinearProgram:
    """A linear program, or one with whole numbers, that stays loaded between solves.

    Change it and solve again: the last basis is kept, so a small change costs a few steps. One
    object belongs to one thread at a time.

    Parameters
    ----------
    cost : array of shape (n_columns,)
    rows : array or sparse matrix of shape (n_rows, n_columns), optional
    row_lower, row_upper : arrays of shape (n_rows,) or numbers
        Infinite for a side that is open; equal for an equation.
    lower, upper : arrays of shape (n_columns,) or numbers
    integer : boolean array of shape (n_columns,), optional
        Which columns must be whole.
    presolve : bool
        Let the solver simplify the program first; small or dense ones are faster without.
    name : str
        What error messages call the program.

    Examples
    --------
    >>> from planetree.solvers import LinearProgram
    >>> program = LinearProgram([-1.0, -2.0], [[1.0, 1.0]], row_upper=4.0, upper=3.0)
    >>> solution = program.solve()
    >>> solution.x, solution.objective, solution.duals
    (array([1., 3.]), -7.0, array([-1.]))
    >>> round(solution.bound, 12)
    -7.0
    >>> program.change_costs([-3.0, -2.0])
    >>> program.solve().x
    array([3., 1.])
    """

    def __init__(
        self,
        cost: ArrayLike,
        rows: Any = None,
        row_lower: ArrayLike = -np.inf,
        row_upper: ArrayLike = np.inf,
        lower: ArrayLike = 0.0,
        upper: ArrayLike = np.inf,
        integer: ArrayLike | None = None,
        *,
        presolve: bool = True,
        name: str = "linear program",
    ) -> None:
        self.name = name
        costs = read_objective(cost)
        n = len(costs)
        if n == 0:
            raise ValueError(f"The {name} has no columns.")
        matrix = read_matrix(rows, (None, n), "rows")
        row_ends = read_interval(row_lower, row_upper, matrix.shape[0], "row")
        ends = read_interval(lower, upper, n, "column")
        self._model = Model(costs, matrix, *row_ends, *ends, read_whole(integer, n))
        self._presolve = "choose" if presolve else "off"
        self._n_iterations = 0
        self._load()

    @property
    def _highs(self) -> Any:
        if self._loaded is None:
            self._load()
        return self._loaded

    @property
    def n_columns(self) -> int:
        """How many unknowns the program has."""
        return len(self._model.cost)

    @property
    def n_rows(self) -> int:
        """How many rows the program has, bounds of single columns not counted."""
        return len(self._model.row_lower)

    def change_costs(self, cost: ArrayLike) -> None:
        """Replace every cost."""
        costs = read_objective(cost, self.n_columns)
        self._ask(self._highs.changeColsCost, *numbered(costs))
        self._model = self._model._replace(cost=costs)

    def change_bounds(self, lower: ArrayLike | None = None, upper: ArrayLike | None = None) -> None:
        """Replace the bounds of the columns; a side that is not given stays."""
        lower = self._model.lower if lower is None else lower
        upper = self._model.upper if upper is None else upper
        low, high = read_interval(lower, upper, self.n_columns, "column")
        self._ask(self._highs.changeColsBounds, *numbered(low, high))
        self._model = self._model._replace(lower=low, upper=high)

    def add_rows(self, rows: Any, lower: ArrayLike = -np.inf, upper: ArrayLike = np.inf) -> None:
        """Add rows below those that exist."""
        added = read_matrix(rows, (None, self.n_columns), "rows")
        low, high = read_interval(lower, upper, added.shape[0], "row")
        self._ask(self._highs.addRows, added.shape[0], low, high, *entries(added))
        old = self._model
        self._model = old._replace(
            rows=sp.vstack([old.rows, added], format="csr"),
            row_lower=np.concatenate([old.row_lower, low]),
            row_upper=np.concatenate([old.row_upper, high]),
        )

    def add_columns(self, cost: ArrayLike, columns: Any) -> None:
        """Add columns from 0 on, as a matrix of shape (n_rows, n_added), after those that exist."""
        costs = read_objective(cost)
        added = read_matrix(columns, (self.n_rows, len(costs)), "columns")
        low, high = read_interval(0.0, np.inf, len(costs), "column")
        self._ask(self._highs.addCols, len(costs), costs, low, high, *entries(added.tocsc()))
        old = self._model
        self._model = old._replace(
            cost=np.concatenate([old.cost, costs]),
            rows=sp.hstack([old.rows, added], format="csr"),
            lower=np.concatenate([old.lower, low]),
            upper=np.concatenate([old.upper, high]),
            integer=np.append(old.integer, np.zeros(len(costs), dtype=bool)),
        )

    def solve(self, time_limit: float | None = None) -> Solution:
        """Solve the program, check the answer, and return it.

        Parameters
        ----------
        time_limit : float, optional
            Seconds. When they are over, the best point found is returned with its gap.

        Raises
        ------
        SolverError
            If no point is feasible, if the value has no bound, if the time was over before any
            feasible point was found, or if every answer, also from nothing, fails its check.
            Its `status` is "infeasible", "unbounded", "infeasible_or_unbounded", "time_limit",
            "unverified" or "error".
        """
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit must be positive or None, but it is {time_limit!r}.")
        deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self._n_iterations = 0
        for run in (self._run, self._run_again, self._run_from_nothing, self._run_again):
            status = run(deadline)
            solution = self._answer(status)
            if solution is not None or status == "time_limit":
                break
        if solution is None and status in ("optimal", "error") and not self._model.integer.any():
            solution = self._refined(deadline)
        if solution is None:
            raise self._error("unverified" if status == "optimal" else status)
        return solution

    def _load(self) -> None:
        highspy = _highspy()
        self._loaded: Any = highspy.Highs()
        self._set(output_flag=False, threads=1, random_seed=0, **self._usual_options())
        self._set(small_matrix_value=1e-12, mip_rel_gap=TOLERANCE, mip_abs_gap=TOLERANCE)
        model = self._model
        self._ask(
            self._highs.passModel,
            self.n_columns,
            self.n_rows,
            model.rows.nnz,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,
            model.cost,
            model.lower,
            model.upper,
            model.row_lower,
            model.row_upper,
            *entries(model.rows)[1:],
            model.integer.astype(np.int32),  # an empty array here is read out of bounds
        )

    def _usual_options(self) -> dict[str, Any]:
        return {
            "presolve": self._presolve,
            "solver": "choose",
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
            "mip_feasibility_tolerance": _WHOLE_TOLERANCE,
        }

    def _run_again(self, deadline: float) -> str:
        """Let the solver compute its last point afresh: after many steps rounding has grown."""
        basis = self._highs.getBasis()
        if basis.valid and not self._model.integer.any():
            self._ask(self._highs.setBasis, basis)
        return self._run(deadline)

    def _run_from_nothing(self, deadline: float) -> str:
        self._ask(self._highs.clearSolver)
        self._set(presolve="off", solver="simplex", mip_feasibility_tolerance=TOLERANCE)
        self._set(primal_feasibility_tolerance=1e-10, dual_feasibility_tolerance=1e-10)
        try:
            return self._run(deadline)
        finally:
            self._set(**self._usual_options())

    def _refined(self, deadline: float) -> Solution | None:
        """The best of the answers of `refine`; status "inaccurate" where none is proved optimal."""

        def solve(model: Model) -> tuple[Floats, Floats] | None:
            part = LinearProgram(*model[:-1], presolve=False, name=self.name)
            status = part._run_from_nothing(deadline)
            self._n_iterations += part._n_iterations
            found = part._highs.getSolution()
            valid = found.value_valid and found.dual_valid and status == "optimal"
            return (np.array(found.col_value), np.array(found.row_dual)) if valid else None

        best = None
        for x, y in refine(self._model, solve):
            found = check(self._model, x, steady(self._model, y))
            if found.optimal:
                return self._solution(found, "optimal")
            if found.primal_feasible and found.bound > (best.bound if best else -math.inf):
                best = found
        return None if best is None else self._solution(best, "inaccurate")

    def _run(self, deadline: float) -> str:
        whole = self._model.integer.any()
        spent = 0.0 if whole else self._highs.getRunTime()  # branch and bound starts the clock anew
        left = deadline - time.monotonic()
        if left <= 0:
            return "time_limit"
        self._set(time_limit=spent + left)
        try:
            if whole or self._model.rows.nnz > _LONG_RUN:
                outcome = self._run_interruptibly(deadline + _GRACE * (1.0 + left))
            else:
                outcome = self._highs.run()
        except TimeoutError:
            self._loaded = None
            return "time_limit"
        except BaseException:
            self._loaded = None  # what broke off, or still runs, is no longer used
            raise
        if outcome.name == "kError":
            return "error"
        info = self._highs.getInfo()
        self._n_iterations += max(0, info.simplex_iteration_count) + max(
            0, info.ipm_iteration_count
        )
        return _STATUSES.get(self._highs.getModelStatus().name, "error")

    def _run_interruptibly(self, deadline: float) -> Any:
        highs, stop = self._highs, threading.Event()

        def listen(event: Any) -> None:
            if stop.is_set():
                event.interrupt()

        watched = (highs.cbSimplexInterrupt, highs.cbIpmInterrupt, highs.cbMipInterrupt)
        for callback in watched:
            callback.subscribe(listen)
        outcome = run_aside(highs.run, stop, deadline)
        for callback in watched:
            callback.unsubscribe(listen)
        return outcome

    def _answer(self, status: str) -> Solution | None:
        found = self._highs.getSolution()
        if status not in ("optimal", "time_limit") or not found.value_valid:
            return None
        x = np.array(found.col_value)
        if self._model.integer.any():
            return self._whole_answer(x, status)
        certificate = check(self._model, x, np.array(found.row_dual))
        if not (certificate.optimal or (certificate.primal_feasible and status == "time_limit")):
            return None
        return self._solution(certificate, status)

    def _whole_answer(self, x: Floats, status: str) -> Solution | None:
        whole = self._model.integer
        x[whole] = np.round(x[whole])
        no_duals = np.full(self.n_rows, np.nan)
        certificate = check(self._model, x, no_duals, _WHOLE_TOLERANCE)
        if not certificate.primal_feasible:
            return None
        bound = min(certificate.value, self._highs.getInfo().mip_dual_bound)
        return self._solution(certificate._replace(bound=bound), status)

    def _solution(self, point: CheckedPoint, status: str) -> Solution:
        kind = "program with whole numbers" if self._model.integer.any() else "linear program"
        gap = max(0.0, point.value - point.bound) / max(1.0, abs(point.value))
        return Solution(
            *(kind, point.value, point.bound, gap, status),
            x=point.x,
            duals=point.y,
            reduced_costs=point.reduced_costs,
            n_iterations=self._n_iterations,
        )

    def _set(self, **options: Any) -> None:
        for option, value in options.items():
            self._ask(self._highs.setOptionValue, option, value)

    def _ask(self, method: Any, *arguments: Any) -> None:
        """Call the solver; a warning is for the certificate to judge, an error is ours to raise."""
        if method(*arguments).name == "kError":
            raise self._error("error")

    def _error(self, status: str) -> SolverError:
        size = f"{self.n_rows} rows, {self.n_columns} columns, {self._model.rows.nnz} entries"
        return SolverError(f"The {self.name} ({size}) {_REASONS[status]}", status)


_REASONS = {
    "infeasible": "is infeasible: no point satisfies all its rows and bounds.",
    "unbounded": "is unbounded: its cost falls without limit.",
    "infeasible_or_unbounded": "is infeasible or unbounded.",
    "time_limit": "found no feasible point within its time limit.",
    "unverified": "was solved and solved again, but no answer passed the check of its certificate.",
    "error": "was refused by the solver, or broke it off; its numbers may be scaled too badly.",
}
