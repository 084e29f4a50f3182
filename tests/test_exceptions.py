"""Errors by name: what they hold, and what they are to those who know only Python's own."""

import pytest

from planetree import exceptions
from planetree.exceptions import CheckpointError, ConflictError, SolverError


def test_a_solver_error_holds_the_status_of_its_solver():
    assert (SolverError("no answer", "infeasible").status, SolverError("x").status) == (
        "infeasible",
        "error",
    )
    assert str(SolverError("no answer", "infeasible")) == "no answer"


def test_a_conflict_holds_the_rows_in_conflict():
    assert ConflictError("rows disagree", (3, 5)).rows == (3, 5)
    assert ConflictError("rows disagree").rows == ()


@pytest.mark.parametrize("name", exceptions.__all__)
def test_errors_and_warnings_are_caught_as_python_s_own(name):
    kind = getattr(exceptions, name)
    own = UserWarning if name.endswith("Warning") else (ValueError, RuntimeError, OSError)
    assert issubclass(kind, own)
    assert kind.__doc__


def test_a_bad_checkpoint_is_an_error_of_files_and_of_values():
    assert issubclass(CheckpointError, OSError)
    assert issubclass(CheckpointError, ValueError)
