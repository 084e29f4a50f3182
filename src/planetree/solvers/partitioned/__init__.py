"""Programs over rows in parts: hinges by few rows and the means of others, squares by Newton."""

from planetree.solvers.partitioned.program import PartitionedSolution
from planetree.solvers.partitioned.reduction import PartitionedHinges
from planetree.solvers.partitioned.schedule import Pass, Program, run_together
from planetree.solvers.partitioned.squares import PartitionedSquares

__all__ = [
    "PartitionedHinges",
    "PartitionedSolution",
    "PartitionedSquares",
    "Pass",
    "Program",
    "run_together",
]
