"""Pruning by replacement: C4.5's estimate and the weakest links."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planetree import _core
from planetree.planes import Planes
from planetree.tree import Tree
from planetree.tree.pruning import _leaf_costs as leaf_costs
from planetree.tree.pruning import (
    cut,
    link_strengths,
    pessimistic,
    strengths_to_try,
    within_standard_error,
)

pytestmark = pytest.mark.core

EQUAL = 1.0 - np.eye(2)


def complete_tree(leaf_weights):
    """Tree of two branches a split over 4 leaves, with the class weights of its leaves."""
    leaves = np.asarray(leaf_weights, dtype=float)
    left, right = leaves[:2].sum(axis=0), leaves[2:].sum(axis=0)
    weights = np.array([left + right, left, leaves[0], leaves[1], right, leaves[2], leaves[3]])
    split = Planes([[1.0]], [0.0])
    return Tree(
        splits=[split, split, None, None, split, None, None],
        n_branches=[2, 2, 0, 0, 2, 0, 0],
        children=[1, 4, 2, 3, 5, 6],
        class_weights=weights,
        predicted=weights.argmax(axis=1),
        weights=weights.sum(axis=1),
    )


counts = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(sum), min_size=4, max_size=4
)


@given(st.integers(1, 1000), st.floats(0, 1), st.floats(0.01, 1.0))
def test_added_errors_are_those_of_c45(n, share, confidence):
    errors = np.floor(share * n)
    found = _core.added_errors(np.array([float(n)]), np.array([errors]), confidence)
    single = _core.c45_added_errors(n, errors, confidence)
    assert found[0] == pytest.approx(single, rel=1e-6, abs=n * 2.0**-20)  # 32 bits of a share


def test_the_estimate_of_a_leaf_without_errors_is_the_binomial_limit():
    """With no error among n, the limit U of the share solves (1 - U)^n = confidence."""
    n = np.array([1.0, 6.0, 50.0])
    added = _core.added_errors(n, np.zeros(3), 0.25)
    np.testing.assert_allclose((1 - added / n) ** n, 0.25, rtol=1e-12)


def test_added_errors_refuse_arrays_of_different_lengths():
    with pytest.raises(ValueError, match="errors has 1 entries instead of 2"):
        _core.added_errors(np.ones(2), np.zeros(1), 0.25)


@given(counts, st.floats(0.01, 1.0))
def test_no_replacement_is_left_that_is_estimated_to_be_better(leaves, confidence):
    tree = pessimistic(complete_tree(leaves), confidence, EQUAL)
    wrong = leaf_costs(tree, EQUAL)
    alone = wrong + _core.added_errors(tree.weights.copy(), wrong, confidence)
    total = alone.copy()
    for node in np.flatnonzero(tree.n_branches)[::-1]:
        total[node] = total[tree.children_of(node)].sum()
        assert alone[node] > total[node] + 0.1 - 1e-9
    np.testing.assert_allclose(tree.errors, total)


@given(counts, st.floats(0.1, 10.0))
def test_the_unit_of_costs_does_not_matter(leaves, unit):
    tree = complete_tree(leaves)
    costs = np.array([[0.0, 1.0], [3.0, 0.0]])
    one, other = (pessimistic(tree, 0.25, factor * costs) for factor in (1.0, unit))
    assert one.n_nodes == other.n_nodes


def subtrees(tree):
    """Every tree that replacement can make of a tree with three splits."""
    for at in itertools.product([False, True], repeat=3):
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[np.flatnonzero(tree.n_branches)] = at
        yield cut(tree, mask)


@given(counts, st.floats(0.0, 0.5))
def test_the_weakest_links_leave_the_least_cost_and_size(leaves, strength):
    """Breiman et al.: cost + strength * leaves is least over all pruned trees."""
    tree = complete_tree(leaves)

    def charge(pruned):
        wrong = leaf_costs(pruned, EQUAL)[pruned.n_branches == 0].sum()
        return wrong / tree.weights[0] + strength * pruned.n_leaves

    found = cut(tree, link_strengths(tree, EQUAL) <= strength)
    assert charge(found) <= min(charge(each) for each in subtrees(tree)) + 1e-9


@given(counts)
def test_stronger_demands_leave_trees_within_each_other(leaves):
    tree = complete_tree(leaves)
    links = link_strengths(tree, EQUAL)
    sizes = [cut(tree, links <= s).n_leaves for s in strengths_to_try(links)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert len(set(sizes)) == len(sizes)


def test_a_cut_tree_routes_rows_as_before():
    tree = complete_tree([(5, 0), (0, 5), (5, 0), (0, 5)])
    cut_left = cut(tree, np.array([0, 1, 0, 0, 0, 0, 0], dtype=bool))
    X = np.array([[-1.0], [1.0]])
    assert cut_left.n_branches.tolist() == [2, 0, 2, 0, 0]
    assert cut_left.apply(X).tolist() == [1, 4]
    assert np.array_equal(cut_left.class_weights, tree.class_weights[[0, 1, 4, 5, 6]])


@given(counts)
@example([(9, 0), (0, 1), (8, 0), (0, 2)])  # without errors below, the halves decide
def test_the_rule_of_1987_is_quinlans_comparison_at_every_node(leaf_weights):
    """With half an error a leaf: e + 1/2 <= E + sqrt(E (N - E) / N), asked from the root down."""
    tree = complete_tree(leaf_weights)
    pruned = within_standard_error(tree, EQUAL)

    def leaf_nodes(node):
        return [2, 3, 5, 6] if node == 0 else [node + 1, node + 2]

    def becomes_a_leaf(node):
        errors = tree.weights - tree.class_weights.max(axis=1)
        E = sum(errors[leaf] + 0.5 for leaf in leaf_nodes(node))
        n = tree.weights[node]
        return errors[node] + 0.5 <= E + np.sqrt(E * max(0.0, n - E) / n) + 1e-12

    kept = 0 if becomes_a_leaf(0) else 1 + sum(not becomes_a_leaf(node) for node in (1, 4))
    assert pruned.n_decisions == kept


@given(counts, st.floats(0.1, 10.0))
def test_the_rule_of_1987_does_not_depend_on_the_unit_of_costs(leaf_weights, unit):
    tree = complete_tree(leaf_weights)
    pruned = within_standard_error(tree, unit * EQUAL)
    assert pruned.n_nodes == within_standard_error(tree, EQUAL).n_nodes
