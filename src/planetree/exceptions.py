"""What can go wrong, by name."""

__all__ = [
    "AccuracyWarning",
    "CategoryWarning",
    "CheckpointError",
    "ColumnError",
    "ConflictError",
    "ConflictWarning",
    "FileError",
    "MethodError",
    "ModelFileError",
    "OutputError",
    "SolverError",
    "TimeLimitError",
    "TimeLimitWarning",
]


class SolverError(RuntimeError):
    """A program has no answer that its own certificate confirms.

    The message names the program, its size and the status its solver reported; `status` holds
    the status alone.
    """

    def __init__(self, message: str, status: str = "error") -> None:
        super().__init__(message)
        self.status = status


class AccuracyWarning(UserWarning):
    """A program was solved, but its value and its bound differ by more than rounding."""


class CategoryWarning(UserWarning):
    """A table holds a category that training did not: it counts as missing."""


class TimeLimitWarning(UserWarning):
    """A time limit ended the work early: the answer is the best found so far."""


class CheckpointError(OSError, ValueError):
    """A checkpoint cannot be written, or is not one of this search."""


class ConflictError(ValueError):
    """Training samples ask for what no selection of features can give them together.

    `rows` holds the numbers of the rows of X that are in conflict.
    """

    def __init__(self, message: str, rows: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.rows = rows


class ConflictWarning(UserWarning):
    """Constraints of some training samples were dropped so that a selection exists."""


class MethodError(ValueError):
    """There is no such method, or it cannot follow what was asked of it."""


class TimeLimitError(RuntimeError):
    """The time limit is over, and nothing was found within it."""


class FileError(ValueError):
    """A file is no table that can be read or learned from."""


class ColumnError(ValueError):
    """A column that was asked for by name is not there."""


class OutputError(OSError):
    """A file cannot be written, or would be replaced unasked."""


class ModelFileError(ValueError):
    """A model cannot be written to a file, or a file holds no valid model: where, and why."""
