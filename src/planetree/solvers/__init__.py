"""Optimizers that know nothing of classes or trees; the only door to HiGHS."""

from planetree.solvers.hinge import HingeProgram, HingeSolution
from planetree.solvers.linear_program import LinearProgram, Solution
from planetree.solvers.max_norm import MaxNormSolution, hull_distance, max_norm_planes

__all__ = [
    "HingeProgram",
    "HingeSolution",
    "LinearProgram",
    "MaxNormSolution",
    "Solution",
    "hull_distance",
    "max_norm_planes",
]
