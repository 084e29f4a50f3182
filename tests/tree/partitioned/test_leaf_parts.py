"""What parts tell of the rows of a leaf adds up to what all rows tell."""

import numpy as np
import pytest

from planetree.planes import Planes
from planetree.table import Column
from planetree.tree.partitioned.leaf_parts import fills, gaps_of, in_leaf, look_at, merged_counts
from planetree.tree.partitioned.routing import Decisions

COLUMNS = (Column("x"), Column("y"), Column("color", ("red", "green", "blue")))
ROOT = Planes([[1.0]], [0.0], columns=[0])
TREE = Decisions((ROOT, None, None), ((1, 2), (), ()), (np.array([0.5, 0.5]), None, None))


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(90, 2)), rng.integers(0, 3, 90)])
    X[rng.random(90) < 0.3, 1] = np.nan
    X[rng.random(90) < 0.3, 2] = np.nan
    return X, rng.integers(0, 2, 90), rng.integers(1, 4, 90).astype(float)


def parts_of(rows):
    return [tuple(each[i::4] for each in rows) for i in range(4)]


def test_a_leaf_has_the_rows_on_its_side(rows):
    X, codes, weights = in_leaf(rows, TREE, 2)
    above = rows[0][:, 0] > 0
    np.testing.assert_array_equal(X, rows[0][above])
    np.testing.assert_array_equal(codes, rows[1][above])
    np.testing.assert_array_equal(weights, rows[2][above])


def test_gaps_are_filled_with_the_mean_and_the_most_frequent_category_of_the_leaf(rows):
    found = fills([gaps_of(each, TREE, 2, COLUMNS) for each in parts_of(rows)], COLUMNS)
    X, _, weights = in_leaf(rows, TREE, 2)
    known = ~np.isnan(X)
    for j in (0, 1):
        mean = np.average(X[known[:, j], j], weights=weights[known[:, j]])
        assert found[j] == pytest.approx(mean, rel=1e-12)
    counts = np.bincount(X[known[:, 2], 2].astype(int), weights[known[:, 2]], 3)
    assert found[2] == counts.argmax()


def test_counts_of_branches_and_their_nearest_rows_are_those_of_all_rows(rows):
    planes = Planes([[1.0]], [0.1], columns=[1])
    told = merged_counts([look_at(each, TREE, 2, planes, 2) for each in parts_of(rows)])
    X, codes, weights = in_leaf(rows, TREE, 2)
    branch = planes.branch(X)
    for place, b in enumerate((0, 1, -1)):
        at = branch == b
        np.testing.assert_allclose(told.classes[place], np.bincount(codes[at], weights[at], 2))
        assert told.n_rows[place] == at.sum()
    assert told.sums[0] == X[branch == 0, 1].max()
    assert told.sums[1] == X[branch == 1, 1].min()
    np.testing.assert_array_equal(told.nearest[:, 1], told.sums)
