"""Linear programs with more rows than matter: a row joins once a solution violates it.

    min  c.x   s.t.   g_p x >= 0  for every p of a large set,   lower <= x <= upper

Whatever rows are in the program, its value bounds the whole program's from below; once its
solution violates none of the others, it solves the whole program, and the duals of the rows that
never joined are 0.
"""

from __future__ import annotations

from collections.abc import Callable

from planetree.feature_selection.samples import Array
from planetree.solvers import LinearProgram, Solution

__all__ = ["solve_by_rows"]


def solve_by_rows(program: LinearProgram, violated: Callable[[Array], Array]) -> Solution:
    """Solve a program, adding rows `g x >= 0` until its solution violates none.

    Parameters
    ----------
    program : LinearProgram
        With the rows it starts from.
    violated : callable
        Gives the rows to add at a point as a matrix, never the same row twice; an empty matrix
        ends the work.
    """
    while True:
        solution = program.solve()
        rows = violated(solution.x)
        if not len(rows):
            return solution
        program.add_rows(rows, lower=0.0)
