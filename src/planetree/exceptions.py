"""What can go wrong, by name."""

__all__ = ["CategoryWarning", "SolverError"]


class SolverError(RuntimeError):
    """A program has no answer that its own certificate confirms.

    The message names the program, its size and the status its solver reported; `status` holds
    the status alone.
    """

    def __init__(self, message: str, status: str = "error") -> None:
        super().__init__(message)
        self.status = status


class CategoryWarning(UserWarning):
    """A table holds a category that training did not: it counts as missing."""
