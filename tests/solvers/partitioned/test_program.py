"""What programs of rows in parts share: charges, planes in the units of rows, rows that stay."""

import numpy as np
import pytest

from planetree.solvers.partitioned.passes import Band
from planetree.solvers.partitioned.program import PartitionedProgram, RowsChangedError


def program(k=2, **options):
    charges = 1.0 / np.arange(1, k + 1)
    return PartitionedProgram(
        charges, np.full(k, 10.0), np.array([1.0, 2.0]), np.array([2.0, 4.0]), **options
    )


def test_a_mistake_is_charged_by_its_class_and_its_cost():
    assert program().table.tolist() == [[1.0], [0.5]]
    costs = np.array([[0.0, 2.0, 3.0], [4.0, 0.0, 5.0], [6.0, 7.0, 0.0]])
    found = program(3, costs=costs).table
    np.testing.assert_allclose(found, [[2.0, 3.0], [2.0, 2.5], [2.0, 7.0 / 3]])


def test_planes_in_the_units_of_the_rows_have_the_scores_of_normalized_ones():
    own = program()
    E, weights, offsets = (
        np.random.default_rng(0).normal(size=(20, 2)),
        np.array([[0.7, -1.3]]),
        np.array([0.4]),
    )
    planes = own._planes(weights, offsets)
    normalized = (E - own.center) / own.scale
    np.testing.assert_allclose(
        E @ planes.weights.T - planes.offsets, normalized @ weights.T - offsets, rtol=1e-12
    )


def test_each_class_of_a_sample_is_charged_as_much_as_all_of_its_rows():
    own, rng = program(3), np.random.default_rng(0)
    some = Band(rng.normal(size=(30, 2)), rng.integers(0, 3, 30).astype(np.int32), rng.random(30))
    charged = own._sample_charges(some) * np.bincount(some.codes, some.weights, 3)
    np.testing.assert_allclose(charged, own.charges * own.class_weights)


def test_rows_and_classes_that_change_are_noticed():
    own = program()
    own._refuse_changes([1, 2])
    own._refuse_changes([1, 2])
    with pytest.raises(RowsChangedError, match="changed since they were read first"):
        own._refuse_changes([1, 3])
    own._refuse_other_classes([np.array([4.0, 7.0]), np.array([6.0, 3.0])])
    with pytest.raises(RowsChangedError):
        own._refuse_other_classes([np.array([4.0, 7.0])])


def test_what_came_together_is_counted_in_bytes():
    own = program()
    own._gathered([np.zeros(3), (np.zeros(2), 1.0)])
    assert own.n_bytes == 8 * 6
