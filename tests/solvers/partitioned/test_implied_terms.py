"""Terms that others imply: copies times powers of two, and indicators that cover all rows."""

import numpy as np

from planetree.solvers.partitioned.implied_terms import _copies, _unions


def test_copies_of_columns_are_found_with_the_first_of_them():
    E = np.array([[1.0, 3.0, -2.0, 4.0, 0.0], [0.5, 1.0, -1.0, 2.0, 0.0]])
    assert list(_copies(E)) == [(0, 2, -2.0), (0, 3, 4.0)]
    assert not list(_copies(E[:, :2]))


def test_indicators_that_do_not_meet_and_cover_all_rows_are_a_union():
    E = np.array([[1.0, 0.0, 1.0, 0.3], [0.0, 1.0, 1.0, 0.7], [1.0, 0.0, 0.0, 0.0]])
    (found,) = _unions(E, [0, 1, 2, 3])
    assert sorted(found.tolist()) == [0, 1]
