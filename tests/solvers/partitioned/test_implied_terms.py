"""Terms that others imply: copies times powers of two, and indicators that cover all rows."""

import numpy as np
import pytest

from planetree.solvers.partitioned.implied_terms import ImpliedTerms, _copies, _unions


def test_copies_of_columns_are_found_with_the_first_of_them():
    E = np.array([[1.0, 3.0, -2.0, 4.0, 0.0], [0.5, 1.0, -1.0, 2.0, 0.0]])
    assert list(_copies(E)) == [(0, 2, -2.0), (0, 3, 4.0)]
    assert not list(_copies(E[:, :2]))


def test_indicators_that_do_not_meet_and_cover_all_rows_are_a_union():
    E = np.array([[1.0, 0.0, 1.0, 0.3], [0.0, 1.0, 1.0, 0.7], [1.0, 0.0, 0.0, 0.0]])
    (found,) = _unions(E, [0, 1, 2, 3])
    assert sorted(found.tolist()) == [0, 1]


@pytest.fixture
def rows():
    """Numbers, copies of them, a near copy, and indicators of a color and of its absence."""
    rng = np.random.default_rng(0)
    x, color = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)
    almost = x[:, 0] * 3
    return np.column_stack([x, -x[:, 0], 8 * x[:, 1], almost, np.eye(3)[color]])


def test_copies_turned_or_times_a_power_of_two_are_found_and_no_others(rows):
    found = ImpliedTerms.among(rows, [])
    assert found.copies == ((0, 2, -1.0), (1, 3, 8.0))
    for i, j, factor in found.copies:
        assert np.array_equal(factor * rows[:, i], rows[:, j])


def test_what_some_rows_show_other_rows_may_refuse(rows):
    some = ImpliedTerms.among(rows[:150], [])
    rows[-1, 2] = np.nextafter(rows[-1, 2], 9.0)
    rows[-1, 5:] = 1.0
    assert some.hold(rows[:150]).tolist() == [True, True, True]
    assert some.hold(rows).tolist() == [False, True, False]
    kept = some.where(some.hold(rows))
    assert (kept.copies, kept.unions) == (((1, 3, 8.0),), ())


def test_the_most_used_term_of_a_union_needs_no_weight_and_neither_do_copies_and_constants(rows):
    found = ImpliedTerms.among(rows, [])
    used = np.array([9.0, 9.0, 9.0, 9.0, 9.0, 1.0, 5.0, 2.0])
    low, high = rows.min(axis=0), rows.max(axis=0)
    low[4] = high[4]
    free = found.free(used, low, high, ())
    assert np.flatnonzero(free).tolist() == [2, 3, 4, 6]
