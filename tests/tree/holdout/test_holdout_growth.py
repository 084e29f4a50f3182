"""The best split of each column, against a search through all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.planes import Categories
from planetree.table import Column, Table
from planetree.tree.growth import divide
from planetree.tree.holdout.holdout_growth import _AxisSearch
from planetree.tree.impurity import IMPURITIES

pytestmark = pytest.mark.core


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(2, 25)), draw(st.integers(2, 3))
    X = np.column_stack([rng.integers(0, 5, n), rng.integers(0, 4, n)]).astype(float)
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    columns = (Column("size"), Column("color", ("r", "g", "b", "y")))
    return Table(X, columns), rng.integers(0, k, n), rng.integers(1, 4, n).astype(float), k


def left_by(criterion, branch, codes, weights, k):
    """Impurity of the two branches; None unless both have a known row."""
    if not {0, 1} <= set(branch.tolist()):
        return np.inf
    totals = [np.bincount(codes[at], w, k) for at, w in divide(branch, weights, 2)]
    return float(sum(IMPURITIES[criterion](total) for total in totals))


@given(problems(), st.sampled_from(["gini", "entropy"]))
def test_the_cut_of_a_number_leaves_the_least_impurity(problem, criterion):
    table, codes, weights, k = problem
    cells = table.values[:, 0]
    found = _AxisSearch(table, codes, k, criterion).column_splits(np.arange(len(codes)), weights)
    tried = [
        left_by(criterion, np.where(np.isnan(cells), -1, cells > cut), codes, weights, k)
        for cut in (0.5, 1.5, 2.5, 3.5)
    ]
    assert found.left[0] == pytest.approx(min(tried))


@given(problems(), st.sampled_from(["gini", "entropy"]))
def test_no_two_groups_of_categories_are_better_for_two_classes(problem, criterion):
    """Breiman et al. (1984), theorem 4.5; for more classes the groups are at least what is said."""
    table, codes, weights, k = problem
    cells = table.values[:, 1]
    found = _AxisSearch(table, codes, k, criterion).column_splits(np.arange(len(codes)), weights)
    codes_of = np.where(np.isnan(cells), 0, cells).astype(int)
    ways = (np.array(sides)[codes_of] for sides in product((0, 1), repeat=4))
    tried = [
        left_by(criterion, np.where(np.isnan(cells), -1, way), codes, weights, k) for way in ways
    ]
    said = Categories(1, found.groups[1]).branch(table.values)
    assert found.left[1] == pytest.approx(left_by(criterion, said, codes, weights, k))
    if k == 2 and not np.isnan(cells).any():
        assert found.left[1] == pytest.approx(min(tried))
    assert found.left[1] >= min(tried) - 1e-9
