"""What a decision says of how it was found."""

import numpy as np
import pytest

from planetree.planes import Planes
from planetree.solvers import HingeProgram
from planetree.tree.plane.candidate import Candidate


@pytest.mark.parametrize(
    ("sampled", "kind"),
    [(False, "linear program"), (True, "linear program on a sample of the rows")],
)
def test_a_certificate_names_the_rows_that_its_program_is_of(sampled, kind):
    """The bug: planes of the alternating pass on a sample claimed to be proved on all rows."""
    rng = np.random.default_rng(0)
    X, classes = rng.normal(size=(30, 2)), np.arange(30) % 2
    program = HingeProgram(X, classes, np.ones(30), np.full(2, 1 / 15))
    solved = program, program.solve(duals=True)
    plane = Planes([[1.0, 1.0]], [0.0])
    found = Candidate(plane, 1.0, 2, solved=solved, sampled=sampled).certificate()
    assert found.kind == kind
    assert found.bound <= found.objective
