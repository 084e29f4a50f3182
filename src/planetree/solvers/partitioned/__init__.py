"""Hinge programs over rows in parts: solved on few rows and the means of all others, and proved."""

from planetree.solvers.partitioned.reduction import PartitionedHinges, PartitionedSolution
from planetree.solvers.partitioned.schedule import Pass, Program, run_together

__all__ = ["PartitionedHinges", "PartitionedSolution", "Pass", "Program", "run_together"]
