"""Shares of columns add up to 1, and are those of the entropy that each decision removes."""

import numpy as np
import pytest

from planetree import C45Classifier, PlaneTreeClassifier
from planetree.planes import Planes
from planetree.tree.importances import column_importances, column_movements
from planetree.tree.impurity import entropy


def test_columns_of_a_plane_share_it_by_weight_times_deviation():
    plane = Planes([[2.0, 0.0, -1.0]], [0.0])
    terms = zip(plane.columns.tolist(), plane.categories.tolist(), strict=True)
    scales = dict(zip(terms, (3.0, 9.0, 2.0), strict=True))
    assert column_movements(plane, 3, scales).tolist() == [0.75, 0.0, 0.25]
    assert column_movements(None, 3, scales).tolist() == [0.0, 0.0, 0.0]


def test_of_a_tree_of_single_columns_each_has_the_entropy_that_its_decisions_remove():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    tree = C45Classifier().fit(X, (X[:, 0] > 0) ^ (X[:, 1] > 0.5)).tree_
    removed = np.zeros(3)
    for node, split in enumerate(tree.splits):
        if split is not None:
            below = entropy(tree.class_weights[tree.children_of(node)]).sum()
            removed[split.columns[0]] += entropy(tree.class_weights[node]) - below
    found = column_importances(tree, 3, {})
    np.testing.assert_allclose(found, removed / removed.sum())
    assert found.sum() == pytest.approx(1.0)


def test_a_tree_without_a_decision_has_none():
    leaf = PlaneTreeClassifier().fit([[0.0], [0.0]], [0, 1]).tree_
    assert column_importances(leaf, 1, {}).tolist() == [0.0]
