"""Words and projections of decisions say what the decisions do."""

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planetree.planes import Categories, Planes
from planetree.table import Column
from planetree.tree.inspection.projection import histogram, project
from planetree.tree.words import decision_words, faces_itself

COLUMNS = [Column("a"), Column("b"), Column("kind", ("u", "v", "w"))]

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


@given(decisions(), rows)
def test_a_projection_parts_rows_as_the_decision_does(planes, X):
    words = decision_words(planes, COLUMNS, {})
    seen = project(planes, X, COLUMNS, words)
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
    seen = project(planes, X, COLUMNS)
    assume(seen is not None)
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X))))
    found = histogram(seen, codes, np.ones(len(X)), 2)
    assert found.counts.sum(axis=1).tolist() == np.bincount(codes, minlength=2).tolist()
    left = round((seen.thresholds[0] - found.low) / found.width)
    assert found.counts[:, :left].sum() == np.sum(seen.values <= seen.thresholds[0])


def value_of(condition, row):
    """Whether a condition in words holds, by reading its words."""
    if match := re.fullmatch(r"kind is (not )?v", condition):
        return (row[2] == 1) != bool(match[1])
    for name, cell in (("[kind is v]", float(row[2] == 1)), ("a", row[0]), ("b", row[1])):
        condition = re.sub(rf"([\d.]+) {re.escape(name)}", rf"\1 * ({cell})", condition)
        condition = condition.replace(name, f"({cell})")
    if " to " in condition:
        condition = re.sub(r"(.*\)) (\S+) to (\S+)", r"\2 < (\1) <= \3", condition)
    return eval(condition.replace("≤", "<=").replace("≥", ">="))


@given(decisions(rules=["slabs"]), rows)
def test_the_words_of_a_branch_hold_for_its_rows_and_no_others(planes, X):
    words = decision_words(planes, COLUMNS, {}, digits=17)
    assert len(words.ways) == planes.n_branches
    only_a_category = np.count_nonzero(planes.weights[0]) == 1 and planes.weights[0, 2] != 0
    if only_a_category and len(planes.offsets) == 1:  # said as having it or not
        low, high = sorted([0.0, planes.weights[0, 2]])
        assume(low <= planes.offsets[0] < high)
    for row, branch in zip(X, planes.branch(X), strict=True):
        held = [bool(value_of(condition, row)) for condition in words.conditions]
        assert held == [b == branch for b in range(planes.n_branches)]


def test_categories_are_said_by_name():
    words = decision_words(Categories(2, [0, 1, 0]), COLUMNS, {})
    assert words.lines == ("kind",)
    assert words.ways == ("u or w", "v")
    assert words.conditions == ("kind is u or w", "kind is v")


def test_the_term_that_moves_the_score_most_comes_first():
    planes = Planes([[1.0, 1.0]], [0.0])
    assert decision_words(planes, COLUMNS, {(1, -1): 9.0}).lines == ("b", "+ a")


@pytest.mark.parametrize("value", [np.inf, 1e300])
def test_numbers_of_any_size_fall_into_a_bin(value):
    X = np.array([[0.0], [1.0], [value]])
    seen = project(Planes([[1.0]], [0.5]), X, [Column("a")])
    found = histogram(seen, np.zeros(3, dtype=int), np.ones(3), 1)
    assert found.counts.sum() == np.isfinite(X).sum()
