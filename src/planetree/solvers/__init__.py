"""Optimizers that know nothing of classes or trees."""

from planetree.solvers.linear_program import LinearProgram, Solution

__all__ = ["LinearProgram", "Solution"]
