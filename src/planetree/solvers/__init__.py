"""Optimizers that know nothing of classes or trees; the only door to HiGHS."""

from planetree.solvers.hinge import HingeProgram, HingeSolution, Start
from planetree.solvers.linear_program import LinearProgram, Solution

__all__ = ["HingeProgram", "HingeSolution", "LinearProgram", "Solution", "Start"]
