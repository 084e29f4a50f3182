"""What programs over parts share: charges of a sample, and rows that must stay as they were."""

import numpy as np
import pytest

from planetree.clock import UNLIMITED
from planetree.solvers.partitioned.passes import Band
from planetree.solvers.partitioned.program import PartitionedProgram, RowsChangedError


@pytest.fixture
def program():
    charges, totals = np.array([0.25, 0.5]), np.array([4.0, 2.0])
    return PartitionedProgram(
        charges, totals, np.array([1.0]), np.array([2.0]), price=0.0, clock=UNLIMITED
    )


def test_each_class_of_a_sample_weighs_as_much_as_all_of_its_rows(program):
    rows = Band(np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1], dtype=np.int32), np.ones(3))
    charges = program._sample_charges(rows)
    charged = np.bincount(rows.codes, rows.weights * charges[rows.codes])
    np.testing.assert_allclose(charged, program.charges * program.class_weights)


def test_planes_in_the_units_of_the_rows_score_as_normalized_ones(program):
    weights, offsets = np.array([[3.0]]), np.array([0.5])
    raw, x = program._planes(weights, offsets), np.array([[1.7]])
    normalized = (x - program.center) / program.scale @ weights.T - offsets
    np.testing.assert_allclose(x @ raw.weights.T - raw.offsets, normalized)


def test_other_rows_or_other_weights_than_before_are_refused(program):
    program._refuse_changes([1, 2])
    program._refuse_changes([1, 2])
    with pytest.raises(RowsChangedError, match="changed since they were read first"):
        program._refuse_changes([1, 3])
    program._refuse_other_classes([np.array([3.0, 0.0]), np.array([1.0, 2.0])])
    with pytest.raises(RowsChangedError):
        program._refuse_other_classes([np.array([3.0, 1.0]), np.array([1.0, 2.0])])
