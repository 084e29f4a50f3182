"""Formulas say exactly what a decision does, on surfaces too: whole numbers leave no rounding."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planetree.convert.plan import _decision_of as decision_of
from planetree.convert.rules import _Condition as Condition
from planetree.planes import RULES, Categories, Planes
from planetree.table import Column

FITTED = SimpleNamespace(missing=True, columns=tuple(Column(f"x{j}") for j in range(20)))


@st.composite
def planes(draw):
    rule = draw(st.sampled_from(RULES))
    n_planes, n_terms = draw(st.integers(2 if rule == "argmax" else 1, 4)), draw(st.integers(1, 3))
    whole = st.integers(-2, 2)
    plane = st.lists(whole, min_size=n_terms, max_size=n_terms)
    weights = draw(st.lists(plane, min_size=n_planes, max_size=n_planes))
    if draw(st.booleans()):
        weights = [weights[0]] * n_planes  # parallel
    offsets = draw(st.lists(whole, min_size=n_planes, max_size=n_planes))
    columns = draw(st.lists(st.integers(0, 2), min_size=n_terms, max_size=n_terms))
    categories = [draw(st.integers(0, 2)) if column == 2 else -1 for column in columns]
    return Planes(weights, offsets, rule, columns, categories)


@st.composite
def lookups(draw):
    return Categories(2, draw(st.lists(st.integers(-1, 2), min_size=3, max_size=3)))


def grid():
    cells = [-2.0, -1.0, 0.0, 1.0, 2.0, np.nan]
    return np.array([[a, b, c] for a in cells for b in cells for c in (0.0, 1.0, 2.0, np.nan)])


@given(planes() | lookups())
def test_the_formula_of_a_branch_holds_exactly_where_the_branch_is_taken(split):
    X = grid()
    decision, branch = decision_of(split, FITTED), split.branch(X)
    for b, formula in enumerate(decision.branches):
        assert np.array_equal(Condition(formula, decision.columns).holds(X), branch == b)
        assert np.array_equal(split.side(b).holds(X), branch == b)


@given(planes())
def test_disjoint_patterns_hold_where_the_short_ones_do_and_one_at_a_time(split):
    X = grid()
    X = X[split.branch(X) >= 0]
    for b in range(split.n_branches):
        found = np.zeros(len(X), dtype=int)
        for pattern in split.side(b).patterns(disjoint=True):
            found += np.all([half.holds(X) for half in pattern], axis=0)
        assert np.array_equal(found, split.branch(X) == b)


@given(planes() | lookups())
def test_what_is_needed_and_strays_are_what_leaves_the_branch_open(split):
    X = grid()
    decision = decision_of(split, FITTED)
    unknown = np.isnan(X[:, list(decision.columns)]).any(axis=1)
    for strays in decision.strays:
        unknown |= strays.holds(X)
    assert np.array_equal(unknown, split.branch(X) < 0)
