"""Decisions that people type: what a tree prints is read back, what names nothing is refused."""

import numpy as np
import pytest

from planetree.planes import Categories, Planes
from planetree.table import Column
from planetree.tree.editing.typed_decision import decision_request
from planetree.words import Wording

COLUMNS = (
    Column("age"),
    Column("blood pressure"),
    Column("2nd dose"),
    Column("color", ("red", "blue", "dark green")),
    Column("smoker", ("no", "yes")),
)


@pytest.mark.parametrize(
    "split",
    [
        Planes([[1.0]], [50.0]),
        Planes([[-1.0]], [-50.0]),
        Planes([[2.0, -0.5]], [1.25]),
        Planes([[0.25, 3.0, -1.0]], [-7.5], columns=[1, 2, 0]),
        Planes([[2.0, 1.5]], [1.25], columns=[0, 3], categories=[-1, 2]),
        Categories(3, [0, 1, 1]),
        Categories(4, [0, 1]),
    ],
    ids=str,
)
@pytest.mark.parametrize("branch", [0, 1])
def test_what_a_tree_prints_is_read_back_as_the_same_decision(split, branch):
    """Rows on the two sides of the printed condition are those on the two branches."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(400, 3)) * 40, rng.integers(0, (3, 2), size=(400, 2))])
    text = Wording(COLUMNS).decision(split).conditions[branch]
    found = decision_request(text, COLUMNS).split.branch(X)
    before = split.branch(X)
    assert np.array_equal(found, before) or np.array_equal(found, 1 - before)


def test_equal_rows_are_on_the_side_that_the_sign_says():
    X = np.array([[49.0, 0, 0, 0, 0], [50.0, 0, 0, 0, 0], [51.0, 0, 0, 0, 0]])
    sides = {
        sign: decision_request(f"age {sign} 50", COLUMNS).split.branch(X).tolist()
        for sign in (">", "<=", ">=", "<")
    }
    assert sides[">"] == sides["<="] == [0, 0, 1]
    assert sides[">="] == sides["<"] == [1, 0, 0]


def test_weights_columns_and_categories_may_be_given_as_they_are():
    pair = decision_request(({"age": 2, 1: -0.5}, 1.25), COLUMNS).split
    assert (pair.weights.tolist(), pair.offsets.tolist()) == ([[2.0, -0.5]], [1.25])
    assert decision_request({"age": 2, 1: -0.5}, COLUMNS).finds_threshold
    assert decision_request(["age", 3], COLUMNS).columns == {0, 3}
    assert decision_request("blood pressure", COLUMNS).columns == {1}
    assert decision_request({"color": ["red", "blue"]}, COLUMNS).split.branches.tolist() == [
        1,
        1,
        0,
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("agee > 50", "names no column"),
        ("age > fifty", "not a number"),
        ("age", None),
        ("nothing", "names no column"),
        ("age blood pressure > 3", "expected"),
        ("color is pink", "no category 'pink'"),
        ("0 age > 3", "are 0"),
        ("age > inf", "not a number"),
        (["age", "weight"], "'weight'"),
        ([], "no column"),
        ({}, "no column"),
        ({"age": "heavy"}, "finite number"),
        ({"color": ["red", "blue", "dark green"]}, "one side"),
        (17, "17"),
    ],
)
def test_what_names_nothing_is_refused_with_what_was_found(given, says):
    if says is None:
        assert decision_request(given, COLUMNS).columns == {0}
        return
    with pytest.raises(ValueError, match=says):
        decision_request(given, COLUMNS)
