"""Linear programs with more rows than matter: a row joins once a solution violates it.

    min  c.x   s.t.   g_p x >= 0  for every p of a large set,   lower <= x <= upper

Whatever rows are in the program, its value bounds the whole program's from below; once its
solution violates none of the others, it solves the whole program, and the duals of the rows that
never joined are 0.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from planetree.feature_selection.clustering.samples import Array
from planetree.solvers import LinearProgram, Solution

__all__ = ["seconds_left", "solve_by_rows"]


def solve_by_rows(
    program: LinearProgram, violated: Callable[[Array], Array], deadline: float = math.inf
) -> Solution:
    """Solve a program, adding rows `g x >= 0` until its solution violates none.

    Parameters
    ----------
    program : LinearProgram
        With the rows it starts from.
    violated : callable
        Gives the rows to add at a point as a matrix, never the same row twice; an empty matrix
        ends the work.
    deadline : float
        On `time.monotonic`'s clock. The last solution is returned when it has passed, status
        "time_limit": its bound holds, but it may violate rows that did not join.
    """
    while True:
        solution = program.solve(seconds_left(deadline))
        rows = violated(solution.x)
        if not len(rows):
            return solution
        if time.monotonic() > deadline:
            return replace(solution, status="time_limit")
        program.add_rows(rows, lower=0.0)


def seconds_left(deadline: float) -> float | None:
    """Time limit of a program that starts now, a moment at least; None where there is none."""
    return None if deadline == math.inf else max(1e-3, deadline - time.monotonic())
