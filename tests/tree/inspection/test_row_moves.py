"""Cells that may change: in whole steps, inside bounds, and at their price."""

import numpy as np
import pytest
from changed_tables import answers, large_tree, random_table

from planetree import (
    C45Classifier,
    PlaneTreeClassifier,
)


def test_columns_that_may_not_change_do_not_and_an_empty_list_says_that_nothing_helps():
    X, y = random_table(0)
    model = PlaneTreeClassifier().fit(X, y)
    for found in answers(model, X, changeable=["x2", 4]):
        assert found is None or {c.column for c in found.changes} <= {"x2", "x4"}
    unread = sorted(set(range(5)) - set(C45Classifier().fit(X, y).features_used_.tolist()))
    assert unread
    assert answers(C45Classifier().fit(X, y), X[:5], changeable=unread) == [None] * 5


def test_a_whole_number_on_the_closed_side_of_its_threshold_counts():
    """A threshold of C4.5 is a number of the table: 'x <= 2' is reached by 2 itself."""
    X = np.array([[0.0], [2.0], [4.0], [6.0]])
    model = C45Classifier(min_cases=1).fit(X, ["a", "a", "b", "b"])
    assert model.tree_.splits[0].offsets[0] == 2.0
    (down,), (up,) = model.explain([[4.0], [2.0]]).counterfactuals()
    assert down.values["x0"] == 2.0
    assert up.values["x0"] == 3.0
    (near,), (beyond,) = model.explain([[4.0], [2.0]]).counterfactuals(whole_numbers=False)
    assert near.values["x0"] == 2.0
    assert 2.0 < beyond.values["x0"] < 2.0 + 1e-7


def test_a_row_outside_the_bounds_may_stay_or_come_inside():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.5], [5.0, 0.2]])
    model = C45Classifier(min_cases=1).fit(X, ["a", "a", "b", "b"])
    (found,) = model.explain([[9.0, 7.0]]).counterfactuals()[0]
    assert found.values == {"x0": 1.0, "x1": 7.0}
    assert model.explain([[9.0, 7.0]]).counterfactuals(bounds={"x0": (2, 8)}) == [[]]
    (target,) = model.explain([[9.0, 7.0]]).counterfactuals(bounds=None, target="b")[0]
    assert target.cost == 0
    assert target.changes == ()


def test_bounds_far_away_cost_nothing():
    """Once the clearance was a share of the bounds, and 'optimal' changes went far past planes."""
    X, _ = random_table(2, categories=False)
    model = large_tree(2, categories=False)
    free = answers(model, X[:6], bounds=None, whole_numbers=False)
    for end in (1e6, 1e9, 1e300):
        wide = {column: (-end, end) for column in range(4)}
        found = answers(model, X[:6], bounds=wide, whole_numbers=False)
        assert [each.cost for each in found] == pytest.approx([each.cost for each in free])
        rows = np.array([list(each.values.values()) for each in found])
        assert model.predict(rows).tolist() == [each.answer for each in found]


def test_a_whole_number_may_be_more_steps_from_its_bound_than_an_integer_holds():
    """Once the steps to 1e20 overflowed, and no change was found."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(80, 2)).astype(float)
    model = PlaneTreeClassifier().fit(X, X.sum(axis=1) > 8.5)
    near, far = ({0: (-end, end), 1: (-end, end)} for end in (50.0, 1e20))
    found = [answers(model, X[:5], bounds=bounds) for bounds in (near, far)]
    assert [each.values for each in found[1]] == [each.values for each in found[0]]
