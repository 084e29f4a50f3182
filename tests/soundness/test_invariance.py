"""Answers that depend on order, repetition, names or units: their number may only fall."""

import numpy as np
import pytest

from campaigns import invariance, plain_tables
from planetree import QuadraticSeparator, RobustSeparator, SparseSeparator
from tests.test_contract import ESTIMATORS

ALLOWED = invariance.allowed()
LOWER = "python -m campaigns.invariance --allow"


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_no_more_tables_change_their_answers_than_before(estimator):
    name = invariance.name_of(estimator)
    allowed = dict.fromkeys(invariance.CHANGES, 0) | ALLOWED.get(name, {})
    counts, first, _ = invariance.count(estimator, invariance.QUICK)
    worse = {change: first[change] for change in counts if counts[change] > allowed[change]}
    assert not worse, f"answers changed that did not before; first tables: {worse}"
    better = {change: counts[change] for change in counts if counts[change] < allowed[change]}
    assert not better, f"fewer answers change now: lower it ({LOWER}): {better}"


def test_the_counts_are_those_of_the_contract():
    assert set(ALLOWED) <= {invariance.name_of(each) for each in ESTIMATORS}


# Rows on a plane that was turned around; charges that tie but for rounding; the order of sums.
ONCE_CHANGED = [
    (SparseSeparator(), 66, "classes"),
    (RobustSeparator(refine_offset=True), 21, "weights"),
    (QuadraticSeparator(solver="gradient_distribution"), 55, "columns"),
]


@pytest.mark.parametrize(("estimator", "number", "change"), ONCE_CHANGED, ids=repr)
def test_tables_whose_answers_once_changed_keep_them(estimator, number, change):
    table = plain_tables.draw(0, number, **invariance.takes(estimator))
    rng = np.random.default_rng([0, number, 1])
    assert change not in invariance.changed(estimator, table, rng)


def test_a_row_on_a_plane_keeps_its_class_whatever_the_classes_are_called():
    """Half of the rows are 0, and so is the threshold of the one column that is kept."""
    table = plain_tables.draw(0, 66, **invariance.takes(SparseSeparator()))
    models = [SparseSeparator().fit(table.X, y) for y in (table.y, 1 - table.y)]
    assert (table.X["c0"] == 0).sum() == 15
    on_plane = [model.predict(table.X)[table.X["c0"] == 0] for model in models]
    np.testing.assert_array_equal(on_plane[0], 1 - on_plane[1])
    assert models[0].objective_ == pytest.approx(models[1].objective_, abs=1e-14)
    assert [model.status_ for model in models] == ["optimal", "optimal"]


def test_a_plane_is_not_moved_off_a_row_where_its_column_lacks_the_digits():
    """One step of an offset near 1e15 is an eighth of the way to the next row: that costs."""
    tail = [1, 0, 9, 1, 0, -1, 2, -5, 1, 1, 6, 5, 3, -5]
    y = np.array([0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0])
    X = 1e15 + np.array(tail, dtype=float)[:, None]
    for model in (SparseSeparator().fit(X, y), SparseSeparator().fit(X, 1 - y)):
        assert model.status_ == "optimal"
        assert model.gap_ <= 1e-6
