"""Partitions of rows: folds and holdouts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planetree.table.partitions import deal_folds, draw_holdout, row_ranks


@given(st.integers(0, 1000), st.floats(0.05, 0.9))
def test_every_class_stays_and_some_row_is_held_out(seed, share):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(15, 2)).astype(float)
    y = np.append([0, 1, 2], rng.integers(3, size=12))
    try:
        growing, held = draw_holdout(share, X, y, np.ones(15), 0)
    except ValueError:
        assert len(np.unique(np.column_stack([X, y]), axis=0)) <= 3
        return
    assert set(y[growing]) == {0, 1, 2}
    assert len(held)
    assert np.array_equal(np.sort(np.append(growing, held)), np.arange(15))
    together = {(*X[i], y[i]) for i in growing} & {(*X[i], y[i]) for i in held}
    assert not together


@given(st.integers(0, 1000))
def test_folds_depend_on_rows_alone(seed):
    """Not on their order, their repetition, the units of columns or the names of classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(30, 2)).astype(float)
    y = rng.integers(3, size=30)
    folds, order = deal_folds(X, y, 5), rng.permutation(30)
    assert np.array_equal(deal_folds(X[order], y[order], 5), folds[order])
    assert np.array_equal(
        deal_folds(np.repeat(X, 2, axis=0), np.repeat(y, 2), 5), np.repeat(folds, 2)
    )
    assert np.array_equal(deal_folds(X * [1e3, 1e-3], y, 5), folds)
    assert np.array_equal(deal_folds(X, 2 - y, 5), folds)


@given(st.integers(0, 1000))
def test_folds_hold_as_many_different_rows_of_each_class_as_any_other(seed):
    rng = np.random.default_rng(seed)
    X, y = np.arange(40.0)[:, None], rng.integers(2, size=40)
    counts = [np.bincount(deal_folds(X, y, 4)[y == c], minlength=4) for c in (0, 1)]
    assert all(np.ptp(each) <= 1 for each in counts)


def test_ranks_sort_rows_by_their_numbers_and_missing_ones_last():
    rows = np.array([[np.nan, 0.0], [2.0, 5.0], [2.0, 4.0], [2.0, 5.0], [-0.0, 1.0], [0.0, 1.0]])
    assert row_ranks(rows).tolist() == [3, 2, 1, 2, 0, 0]
