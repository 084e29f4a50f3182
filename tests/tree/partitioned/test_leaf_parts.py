"""Rows of a leaf, part by part: gaps filled and branches counted as of all rows at once."""

import numpy as np
import pytest

from planetree.planes import Planes
from planetree.table import Column
from planetree.tree.partitioned.leaf_parts import (
    fills,
    gaps_of,
    in_leaf,
    look_at,
    merged_counts,
)
from planetree.tree.partitioned.routing import Decisions

COLUMNS = (Column("a"), Column("b"), Column("kind", categories=("x", "y", "z")))
ROOT = Decisions([None], [()], [None])
SPLIT = Decisions(
    [Planes([[1.0]], [0.0], columns=[0]), None, None],
    [(1, 2), (), ()],
    [np.array([0.5, 0.5]), None, None],
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 2)), rng.integers(0, 3, 90)])
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, rng.integers(0, 2, 90), rng.integers(1, 4, 90) * 1.0


def parts(rows, n=3):
    return [tuple(each[i::n] for each in rows) for i in range(n)]


def test_rows_of_a_leaf_are_those_that_the_decisions_above_send_there(rows):
    X, _, weights = in_leaf(rows, SPLIT, 2)
    above, unknown = rows[0][:, 0] > 0, np.isnan(rows[0][:, 0])
    assert len(X) == (above | unknown).sum()
    assert weights.sum() == rows[2][above].sum() + 0.5 * rows[2][unknown].sum()


def test_gaps_are_filled_by_means_and_the_most_frequent_category_of_all_parts(rows):
    X, _, weights = rows
    found = fills([gaps_of(part, ROOT, 0, COLUMNS) for part in parts(rows)], COLUMNS)
    for j in (0, 1):
        known = ~np.isnan(X[:, j])
        assert found[j] == pytest.approx(np.average(X[known, j], weights=weights[known]))
    known = ~np.isnan(X[:, 2])
    assert found[2] == np.bincount(X[known, 2].astype(int), weights[known]).argmax()


def test_branches_of_the_parts_add_up_and_keep_the_rows_nearest_to_the_plane(rows):
    plane = Planes([[1.0, -2.0]], [0.3], columns=[0, 1])
    whole = look_at(rows, ROOT, 0, plane, 2)
    found = merged_counts([look_at(part, ROOT, 0, plane, 2) for part in parts(rows)])
    np.testing.assert_allclose(found.classes, whole.classes)
    assert found.n_rows.tolist() == whole.n_rows.tolist()
    assert np.array_equal(found.nearest, whole.nearest, equal_nan=True)
    scores = rows[0][:, 0] - 2.0 * rows[0][:, 1]
    assert whole.sums[0] == pytest.approx(scores[scores <= 0.3].max())
    assert whole.sums[1] == pytest.approx(scores[scores > 0.3].min())
    assert whole.n_rows[2] == np.isnan(scores).sum()
