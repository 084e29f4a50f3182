"""Growth of a tree of separators: the most impure leaf first, within limits, each asked once."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from separator_tables import SEEDS, overlapping, same_tree
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from planetree import (
    BilinearSeparator,
    GrinoldSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.exceptions import SolverError
from planetree.planes import Planes
from planetree.tree.separator.separator_growth import SplitRules, is_large_enough

pytestmark = pytest.mark.core


def bits(codes):
    """Information of classes, times their number."""
    shares = np.bincount(codes) / len(codes)
    return -len(codes) * float(np.sum(shares * np.log2(shares, where=shares > 0, out=0 * shares)))


def test_the_leaf_that_holds_most_information_is_split_first():
    """Of the leaves of each tree, the one that the next tree divides holds the most bits."""
    X, y = overlapping(3, n=400)
    leaves = []
    for n in range(5):
        tree = SeparatorTreeClassifier(max_splits=n, min_samples_split=2, pruning=None).fit(X, y)
        leaves.append(tree.apply(X))
    for before, after in pairwise(leaves):
        held = {leaf: bits(y[before == leaf]) for leaf in np.unique(before)}
        divided = [leaf for leaf in held if len(np.unique(after[before == leaf])) > 1]
        assert divided == [max(held, key=held.get)]


def test_growth_obeys_its_limits():
    X, y = overlapping(1, n=300, k=3)
    free = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.0, pruning=None).fit(X, y)
    assert len(free.certificates_) <= 10
    large = SeparatorTreeClassifier(min_samples_split=100, min_impurity=0.0, pruning=None).fit(X, y)
    inner = large.tree_.n_branches > 0
    assert (large.tree_.weights[inner] >= 100).all()
    pure = SeparatorTreeClassifier(min_samples_split=2, min_impurity=0.9, pruning=None).fit(X, y)
    shares = pure.tree_.leaf_distributions[pure.tree_.n_branches > 0]
    bits = -np.sum(shares * np.log2(np.where(shares > 0, shares, 1.0)), axis=1)
    assert (bits > 0.9).all()


def test_by_default_planes_need_four_rows_a_term():
    X, y = overlapping(2, n=300, p=12)
    tree = SeparatorTreeClassifier(min_impurity=0.0, pruning=None).fit(X, y).tree_
    inner = np.flatnonzero(tree.n_branches)[1:]
    terms = np.array([tree.splits[node].n_terms for node in inner])
    assert (tree.weights[inner] >= 4 * (terms + 1)).all()


@pytest.mark.parametrize("n_terms", [1, 12])
def test_the_offset_of_a_plane_counts_as_a_term(n_terms):
    rules, least = SplitRules(RobustSeparator()), 4 * (n_terms + 1)
    assert is_large_enough(rules, least, n_terms, is_root=False)
    assert not is_large_enough(rules, least - 0.5, n_terms, is_root=False)
    assert is_large_enough(rules, 2, n_terms, is_root=True)


class FailingSeparator(RobustSeparator):
    """Fails on fewer than 100 rows."""

    def fit(self, X, y, sample_weight=None):
        if len(y) < 100:
            raise SolverError("The program has no answer.")
        return super().fit(X, y, sample_weight)


def test_a_leaf_whose_separator_fails_is_closed_with_a_warning():
    X, y = overlapping(0, n=150)
    model = SeparatorTreeClassifier(FailingSeparator(), min_samples_split=2, pruning=None)
    with pytest.warns(ConvergenceWarning, match=r"not split: The program has no answer"):
        model.fit(X, y)
    assert 1 <= len(model.certificates_) <= 2


class ConstantSeparator(RobustSeparator):
    """Puts every row on the same side."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.planes_ = Planes(0.0 * self.planes_.weights, [1.0])
        return self


def test_a_leaf_that_is_not_divided_is_closed():
    X, y = overlapping(0)
    assert SeparatorTreeClassifier(ConstantSeparator()).fit(X, y).n_leaves_ == 1


@settings(max_examples=25)
@given(SEEDS)
def test_the_tree_is_the_same_for_any_n_jobs(seed):
    X, y = overlapping(seed, n=200, k=3, p=2)
    limits = {"min_samples_split": 2, "min_impurity": 0.0, "max_splits": 6, "pruning": None}
    one, three = (SeparatorTreeClassifier(**limits, n_jobs=n).fit(X, y).tree_ for n in (None, 3))
    same_tree(one, three)
    for split, other in zip(one.splits, three.splits, strict=True):
        assert (split is None) == (other is None)
        if split is not None:
            assert np.array_equal(split.weights, other.weights)


@pytest.mark.parametrize("separator", [GrinoldSeparator(), BilinearSeparator(max_restarts=0)])
def test_a_two_class_separator_takes_the_class_against_the_rest_that_gains_most(separator):
    """The root against the three fits by hand."""
    X, y = load_iris(return_X_y=True)
    gains = []
    for c in range(3):
        branch = clone(separator).fit(X, (y == c).astype(int)).planes_.branch(X)
        gains.append(bits(y) - sum(bits(y[branch == b]) for b in np.unique(branch)))
    tree = SeparatorTreeClassifier(separator, max_splits=1, pruning=None).fit(X, y).tree_
    branch = tree.splits[0].branch(X)
    gain = bits(y) - sum(bits(y[branch == b]) for b in np.unique(branch))
    assert gain == pytest.approx(max(gains))
