"""Rows along a decision are parted as the decision parts them."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from planetree.planes import Planes
from planetree.table import Column
from planetree.tree.inspection.rows_in_tree import _histogram as histogram
from planetree.tree.inspection.rows_in_tree import _project as project
from planetree.words import Wording, faces_itself

COLUMNS = [Column("a"), Column("b"), Column("kind", ("u", "v", "w"))]
WORDING = Wording(COLUMNS)

weight = st.integers(-4, 4).map(float)
rows = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 2)), min_size=1, max_size=30
).map(lambda cells: np.array(cells, dtype=float))


@st.composite
def decisions(draw, rules=("slabs", "argmax", "both", "same_side")):
    """Planes of some rules over two numbers and a category, their offsets between the scores."""
    rule = draw(st.sampled_from(rules))
    n = draw(st.integers(1, 3)) if rule == "slabs" else draw(st.integers(2, 3))
    normal = st.tuples(weight, weight, weight).filter(any)
    W = [draw(normal)] * n if rule == "slabs" else [draw(normal) for _ in range(n)]
    if rule == "both" and n == 2 and draw(st.booleans()):
        W[1] = [-each for each in W[0]]
    halves = st.lists(st.integers(-9, 9), min_size=n, max_size=n, unique=True)
    offsets = sorted(each + 0.5 for each in draw(halves))
    return Planes(W, offsets, rule, columns=[0, 1, 2], categories=[-1, -1, 1])


APART = Planes(
    [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], [0.5, 1.5], "both", columns=[0, 1, 2],
    categories=[-1, -1, 1],
)  # fmt: skip


@given(decisions(), rows)
@example(APART, np.zeros((1, 3)))  # rows between the thresholds lie in neither half space
def test_a_projection_parts_rows_as_the_decision_does(planes, X):
    words = WORDING.decision(planes)
    seen = project(planes, X, words, WORDING)
    if seen is None:
        only_a_category = np.count_nonzero(planes.weights[0]) == 1
        assert only_a_category or (planes.rule == "argmax" and len(planes.offsets) > 2)
        return
    passed = (seen.values[:, None] > np.array(seen.thresholds)).sum(axis=1)
    used = np.flatnonzero(planes.weights[0])
    flipped = len(used) == 1 and planes.weights[0, used[0]] < 0
    if planes.rule == "slabs" and (words.turned or flipped):
        passed = len(seen.thresholds) - passed
    if faces_itself(planes):
        passed = passed == 1
    assert np.array_equal(passed, planes.branch(X))


@given(decisions(), rows, st.data())
def test_no_bar_of_a_histogram_holds_rows_of_both_sides(planes, X, data):
    seen = project(planes, X, WORDING.decision(planes), WORDING)
    assume(seen is not None)
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    found = histogram(seen, codes, np.ones(len(X)), 2)
    assert found.counts.sum(axis=1).tolist() == np.bincount(codes, minlength=2).tolist()
    left = round((seen.thresholds[0] - found.low) / found.width)
    assert found.counts[:, :left].sum() == np.sum(seen.values <= seen.thresholds[0])


@pytest.mark.parametrize("value", [np.inf, 1e300])
def test_numbers_of_any_size_fall_into_a_bin(value):
    X = np.array([[0.0], [1.0], [value]])
    plane = Planes([[1.0]], [0.5])
    seen = project(plane, X, WORDING.decision(plane), WORDING)
    found = histogram(seen, np.zeros(3, dtype=int), np.ones(3), 1)
    assert found.counts.sum() == np.isfinite(X).sum()
