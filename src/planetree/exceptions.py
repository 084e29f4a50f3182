"""What can go wrong, by name."""

__all__ = ["CategoryWarning", "SolverError"]


class SolverError(RuntimeError):
    """A program has no answer that its own certificate confirms.

    The message names the program, its size and the status its solver reported.
    """


class CategoryWarning(UserWarning):
    """A table holds a category that training did not: it counts as missing."""
