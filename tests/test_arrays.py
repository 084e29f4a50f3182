"""Cells that a decision reads are those of the table, of few rows and of many."""

import numpy as np
import pytest

from planetree import arrays
from planetree.arrays import cells_of


@pytest.mark.parametrize("few", [0, 1 << 16], ids=["column by column", "whole rows"])
def test_the_columns_that_are_read_are_those_of_the_rows(few, monkeypatch):
    monkeypatch.setattr(arrays, "_FEW_CELLS", few)
    rng = np.random.default_rng(0)
    X, rows, columns = rng.normal(size=(50, 6)), rng.integers(0, 50, 20), np.array([4, 1])
    found = cells_of(X, rows, columns)
    assert found.shape == (20, 6)
    assert np.array_equal(found[:, columns], X[np.ix_(rows, columns)])


def test_of_many_rows_other_columns_are_0():
    X = np.ones((1 << 15, 3))
    found = cells_of(X, np.arange(len(X)), np.array([2]))
    assert found.sum(axis=0).tolist() == [0, 0, len(X)]
