"""Nested nodes and flat arrays are one tree; what is outside a replaced node is the same object."""

import numpy as np
import pytest
from editing_tables import table

from planetree import PlaneTreeClassifier
from planetree.certificate import Certificate
from planetree.planes import Planes
from planetree.tree.editing.edited_tree import EditNode, by_hand, nested


def cut(j):
    return Planes(weights=[[1.0]], offsets=[0.5], columns=[j])


def leaf(label, weight=1.0):
    return EditNode(counts=np.eye(2)[label] * weight, weight=weight, predicted=label)


def decision(j, *children):
    counts = sum(child.counts for child in children)
    return EditNode(
        split=cut(j), rounded=cut(j), children=children, counts=counts, weight=counts.sum()
    )


@pytest.fixture
def root():
    """Numbers in preorder: 0 (1, 2 (3, 4 (5, 6)), as two branches each."""
    return decision(0, leaf(0), decision(1, leaf(1), decision(2, leaf(0, 3.0), leaf(1))))


def test_nodes_are_numbered_as_in_the_flat_tree(root):
    tree = root.tree()
    assert root.n_nodes == tree.n_nodes == 7
    for number in range(7):
        assert root.at(number).split is tree.splits[number]
        assert np.array_equal(root.at(number).counts, tree.class_weights[number])
        children = [root.at(child) for child in tree.children_of(number).tolist()]
        assert children == list(root.at(number).children)
    with pytest.raises(IndexError):
        root.at(7)


@pytest.mark.parametrize("number", range(7))
def test_another_node_changes_only_what_is_above_it(root, number):
    new = root.with_node(number, leaf(1))
    above = {id(node) for node, _ in root.way(number)}
    gone = {id(node) for node in root.at(number).preorder()}
    old = [node for node in root.preorder() if id(node) not in above | gone]
    assert {id(node) for node in old} <= {id(node) for node in new.preorder()}
    assert new.n_nodes == 7 - len(gone) + 1
    assert root.n_nodes == 7


def test_the_columns_below_a_node_are_those_of_its_decisions(root):
    assert [root.at(number).features for number in (0, 2, 4, 6)] == [{0, 1, 2}, {1, 2}, {2}, set()]
    assert root.at(2).leaf().features == set()


def test_a_leaf_says_its_probabilities_its_shares_or_its_label(root):
    graded = EditNode(counts=np.array([3.0, 1.0]), weight=4.0, probabilities=np.array([0.6, 0.4]))
    assert graded.shares.tolist() == [0.6, 0.4]
    assert EditNode(counts=np.array([3.0, 1.0]), weight=4.0).shares.tolist() == [0.75, 0.25]
    assert EditNode(counts=np.zeros(2), predicted=1).shares.tolist() == [0.0, 1.0]


def test_a_decision_of_a_person_claims_no_more_than_its_program_proves():
    best = Certificate("best cut of every column", objective=1.0, bound=1.0)
    assert by_hand(best).kind == "set by hand: best cut of its column"
    assert by_hand(best).bound == best.bound
    assert not by_hand().is_proved


@pytest.mark.parametrize("grading", ["leaf", None])
def test_a_fitted_tree_comes_back_from_its_nodes(grading):
    X, y = table(0)
    model = PlaneTreeClassifier(size=0.5, grading=grading).fit(X, y)
    root = nested(model.tree_, model.rounded_tree_, model.certificates_)
    again = root.tree()
    assert [each.split for each in root.preorder()] == list(model.tree_.splits)
    assert again.children.tolist() == model.tree_.children.tolist()
    assert np.array_equal(again.class_weights, model.tree_.class_weights)
    assert np.array_equal(
        again.distribution(model._read(X)), model.tree_.distribution(model._read(X))
    )
    kept = [each.certificate for each in root.preorder() if not each.is_leaf]
    assert kept == list(model.certificates_)
