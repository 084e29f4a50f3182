"""Hinge programs over rows in parts: solved on few rows and the means of all others, and proved."""

from planetree.solvers.partitioned.reduction import PartitionedHinges, PartitionedSolution

__all__ = ["PartitionedHinges", "PartitionedSolution"]
