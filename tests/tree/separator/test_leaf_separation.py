"""One leaf, one separator: what it is shown of the leaf, and what of its planes enters the tree."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planetree import RobustSeparator
from planetree.planes import Planes
from planetree.table import Column
from planetree.tree.growth import fill_missing
from planetree.tree.separator.leaf_separation import hidden_columns, planes_for_tree


@given(st.integers(0, 2**32 - 1))
@example(250)  # a single term with a negative weight: the plane is turned, and its sides with it
def test_a_threshold_lies_midway_and_no_row_changes_its_side(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 4)) + 0.8 * rng.normal(size=(2, 4))[y]
    found = RobustSeparator().fit(X, y).planes_
    planes = planes_for_tree(found, X, np.empty(0, dtype=int))
    turned = found.n_terms == 1 and found.weights.sum() < 0
    assert np.array_equal(planes.weights, -found.weights if turned else found.weights)
    assert np.array_equal(planes.branch(X), 1 - found.branch(X) if turned else found.branch(X))
    sums = X @ planes.weights[0]
    low, high = sums[sums <= planes.offsets[0]].max(), sums[sums > planes.offsets[0]].min()
    assert planes.offsets[0] == pytest.approx((low + high) / 2, rel=1e-9, abs=1e-9)


def test_rows_on_a_plane_lie_below_it_whatever_rounding_says():
    X = np.array([[0.1, 0.2], [0.2, 0.1], [0.3, 0.3], [0.0, 0.0]])
    planes = planes_for_tree(Planes([[1.0, 1.0]], [0.1 + 0.2]), X, np.empty(0, dtype=int))
    assert planes.offsets[0] == pytest.approx(0.45)
    assert planes.branch(X).tolist() == [0, 0, 1, 0]


def test_planes_that_win_no_row_are_left_out():
    weights, offsets = [[0.0], [1.0], [3.0]], [0.0, 1.0, 100.0]
    three = Planes(weights, offsets, "argmax")
    X = np.array([[-1.0], [0.0], [3.0], [4.0]])
    two = planes_for_tree(three, X, np.empty(0, dtype=int))
    assert two.rule == "slabs"
    assert two.weights.tolist() == [[1.0]]
    assert two.offsets.tolist() == [1.5]
    assert np.array_equal(two.branch(X), three.branch(X))


@pytest.mark.parametrize(
    ("rule", "offset", "turned"),
    [("both", -1.0, False), ("same_side", -1.0, False), ("same_side", 1.0, True)],
)
def test_a_plane_of_a_pair_with_one_score_for_all_rows_is_left_out(rule, offset, turned):
    """The bug: scores of 0 and 2e-15 sent rows to either side, as an export added up."""
    X = np.column_stack([np.arange(6.0), np.full(6, 0.1)])
    pair = Planes([[1.0, 0.0], [0.0, 1.0]], [2.0, offset], rule)
    found = planes_for_tree(pair, X, np.empty(0, dtype=int))
    assert found.rule == "slabs"
    assert (found.weights.tolist(), found.offsets.tolist()) == ([[1.0, 0.0]], [2.5])
    assert np.array_equal(found.branch(X), 1 - pair.branch(X) if turned else pair.branch(X))


def test_a_hidden_column_is_no_part_of_the_planes():
    hidden = np.array([1])
    planes = Planes([[1.0, 2.0, 4.0]], [3.0], columns=[0, 1, 1], categories=[-1, 0, 1])
    X = np.array([[0.0, np.nan], [3.0, np.nan]])
    found = planes_for_tree(planes, X, hidden)
    assert found.features.tolist() == [0]
    assert found.branch(X).tolist() == [0, 1]


def test_views_have_fewer_and_fewer_columns_until_none_misses_a_value():
    values = np.random.default_rng(0).normal(size=(100, 3))
    values[:3, 1], values[:60, 2] = np.nan, np.nan
    filled = fill_missing(values, np.ones(100), tuple(Column(name) for name in "abc"))
    assert not np.isnan(filled).any()
    planes = Planes([[1.0, 2.0, 80.0]], [0.0])
    hidden = hidden_columns(filled, planes, np.isnan(values), np.ones(100))
    assert [columns.tolist() for columns in hidden] == [[0, 1]]
    planes = Planes([[1.0, 2.0, 0.5]], [0.0])
    hidden = hidden_columns(filled, planes, np.isnan(values), np.ones(100))
    assert [columns.tolist() for columns in hidden] == [[2], [0, 2]]
