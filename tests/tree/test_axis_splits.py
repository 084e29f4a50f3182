"""Splits as arrays send rows where the decisions that they stand for send them."""

import numpy as np
import pytest

from planetree.tree.axis_splits import AxisSplits

NAN = np.nan
SPLITS = AxisSplits([1, -1, 0, 0], [2.5, NAN, NAN, -1.0], [0, 0, 3, 0], [1, -1, 0])


@pytest.mark.parametrize("node", [0, 2, 3])
def test_arrays_and_decisions_send_rows_the_same_way(node):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 40), rng.normal(2.5, 1, 40)]).astype(float)
    X[3] = NAN
    rows = rng.permutation(40)[:30]
    found = SPLITS.branch(node, X, rows)
    assert np.array_equal(found, SPLITS[node].branch(X[rows]))
    assert len(set(found.tolist())) > 1 or node == 3


def test_a_threshold_itself_is_below_and_an_unknown_category_is_of_no_branch():
    X = np.array([[NAN, 2.5], [-1.0, 2.6], [2.0, NAN]])
    assert SPLITS.branch(0, X, np.arange(3)).tolist() == [0, 1, -1]
    assert SPLITS.branch(2, X, np.arange(3)).tolist() == [-1, -1, 0]


def test_it_is_a_sequence_of_decisions_that_nobody_changes():
    assert len(SPLITS) == 4
    assert [each is None for each in SPLITS] == [False, True, False, False]
    assert SPLITS[1:3][0] is None
    assert SPLITS.number_columns == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        SPLITS.thresholds[0] = 0.0
