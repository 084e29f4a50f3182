"""Linear programs with more rows than matter: a row joins once a solution violates it.

    min  c.x   s.t.   g_p x >= 0  for every p of a large set,   lower <= x <= upper

Whatever rows are in the program, its value bounds the whole program's from below; once its
solution violates none of the others, it solves the whole program, and the duals of the rows that
never joined are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from planetree.arrays import Floats
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.solvers import LinearProgram, Solution

__all__ = ["given_weights", "solve_by_rows"]


def solve_by_rows(
    program: LinearProgram, violated: Callable[[Floats], Floats], clock: Clock = UNLIMITED
) -> Solution:
    """Solve a program, adding rows `g x >= 0` until its solution violates none.

    Parameters
    ----------
    program : LinearProgram
        With the rows it starts from.
    violated : callable
        Gives the rows to add at a point as a matrix, never the same row twice; an empty matrix
        ends the work.
    clock : Clock
        The last solution is returned when its time is up, status "time_limit": its bound holds,
        but it may violate rows that did not join.

    Raises
    ------
    SolverError
        As `LinearProgram.solve`; with the status "time_limit" only if there is no solution at all.
    """
    last = None
    while True:
        try:
            solution = program.solve(clock.at_least_a_moment)
        except SolverError as error:
            if last is None or error.status != "time_limit":
                raise
            return replace(last, status="time_limit")
        rows = violated(solution.x)
        if not len(rows):
            return solution
        last = replace(solution, duals=np.append(solution.duals, np.zeros(len(rows))))
        if clock.is_over:
            return replace(last, status="time_limit")
        program.add_rows(rows, lower=0.0)


def given_weights(x: Floats, bound: float, n_rows: int) -> Solution:
    """A point that no program found, for when time is over; `bound` is one that it has."""
    nothing = np.zeros(len(x))
    return Solution(x.copy(), bound, np.zeros(n_rows), nothing, "time_limit", bound, 0.0, 0)
