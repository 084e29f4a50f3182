"""Growing: the order in which leaves are split, how rows go down, and what is filled in."""

from collections import namedtuple
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.clock import Clock
from planetree.planes import Planes
from planetree.table import Column, Table
from planetree.tree.growth import Grower, Node, divide, fill_missing, freeze
from planetree.tree.impurity import entropy

_Cut = namedtuple("_Cut", ["split", "children", "left"])


@dataclass(eq=False, kw_only=True)
class _Halver(Grower):
    """Splits each leaf at the cut of its one column that leaves the least entropy."""

    def __post_init__(self):
        self.sought = []

    def bound(self, node):
        return -float(entropy(node.class_weights)) or None

    def seek(self, node, ahead):
        self.sought.append(node)
        values = np.unique(self.table.values[node.rows, 0])
        planes = [Planes([[1.0]], [(a + b) / 2]) for a, b in pairwise(values)]
        found = []
        for plane in planes:
            children = self.children(node, plane)
            left = sum(float(entropy(child.class_weights)) for child in children)
            found.append(_Cut(plane, children, left))
        return min(found, key=lambda cut: cut.left, default=None)

    def priority(self, node, candidate):
        return candidate.left - float(entropy(node.class_weights))


def _halver(seed, clock=None):
    rng = np.random.default_rng(seed)
    X, y = np.arange(40.0)[:, None], rng.integers(2, size=40)
    own = {} if clock is None else {"clock": clock}
    return _Halver(table=Table.read(X), codes=y, weights=np.ones(40), costs=1.0 - np.eye(2), **own)


def _grow(grower, n_splits):
    root = grower.make_node(np.arange(40), grower.weights)
    gains = []
    for node in grower.best_first(root):
        before = float(entropy(node.class_weights))
        gains.append(before - sum(float(entropy(c.class_weights)) for c in node.children))
        if len(gains) == n_splits:
            break
    return root, gains


@pytest.mark.parametrize("seed", range(5))
def test_of_the_leaves_the_one_whose_decision_gains_most_is_split(seed):
    """An eager search, which knows the decision of every leaf, makes the same choices."""
    _, gains = _grow(_halver(seed), 6)
    grower = _halver(seed)
    leaves, expected = [grower.make_node(np.arange(40), grower.weights)], []
    for _ in range(6):
        found = [
            (grower.priority(leaf, c), c, leaf) for leaf in leaves if (c := grower.seek(leaf, []))
        ]
        priority, cut, leaf = min(found, key=lambda each: each[0])
        expected.append(-priority)
        leaves = [each for each in leaves if each is not leaf] + cut.children
    assert gains == pytest.approx(expected)


def test_no_decision_is_sought_before_it_could_be_next():
    grower = _halver(0)
    root, _ = _grow(grower, 3)
    made = [node for node in root.preorder() if not node.is_leaf]
    least = min(-grower.priority(node, node.candidate) for node in made)
    assert all(-grower.bound(node) >= least - 1e-9 for node in grower.sought)
    assert len(grower.sought) == len(set(map(id, grower.sought)))


def test_leaves_stay_leaves_when_the_time_is_up():
    root, gains = _grow(_halver(0, Clock(0.0)), 3)
    assert root.is_leaf
    assert not gains


def test_a_leaf_that_no_row_reaches_predicts_as_its_parent():
    grower = _halver(0)
    root = grower.make_node(np.flatnonzero(grower.codes == 1), np.ones((grower.codes == 1).sum()))
    low, high = grower.children(root, Planes([[1.0]], [100.0]))
    assert (high.weight, high.label, low.label) == (0.0, 1, 1)


def test_a_frozen_tree_has_the_nodes_in_preorder():
    root, _ = _grow(_halver(1), 4)
    tree = freeze(root)
    assert [node.weight for node in root.preorder()] == tree.weights.tolist()
    assert tree.n_decisions == 4


@given(st.integers(0, 1000))
def test_weight_is_neither_lost_nor_gained_by_a_division(seed):
    rng = np.random.default_rng(seed)
    branch, weights = rng.integers(-1, 3, size=20), rng.random(20)
    parts = divide(branch, weights, 3)
    if (branch >= 0).any():
        assert sum(part.sum() for _, part in parts) == pytest.approx(weights.sum())
    for b, (places, _) in enumerate(parts):
        assert set(np.flatnonzero(branch == b)) <= set(places)


def test_means_and_most_frequent_categories_take_the_place_of_missing_values():
    rows = np.array([[1.0, 2.0, np.nan], [4.0, np.nan, np.nan], [np.nan, 0.0, np.nan]])
    columns = (Column("size"), Column("color", ("red", "green", "blue")), Column("empty"))
    filled = fill_missing(rows, np.array([2.0, 1.0, 1.0]), columns)
    assert filled[2, 0] == 2.0  # (2 * 1 + 4) / 3
    assert filled[1, 1] == 2.0  # blue, of weight 2
    assert filled[:, 2].tolist() == [0.0] * 3
    whole = np.ones((2, 2))
    assert fill_missing(whole, np.ones(2)) is whole


def test_a_node_is_closed_with_all_that_hangs_on_it():
    node = Node(np.arange(2), np.ones(2), np.array([1.0, 1.0]), split=Planes([[1.0]], [0.0]))
    node.candidate, node.children = object(), [Node(np.arange(1), np.ones(1), np.array([1.0, 0.0]))]
    node.close()
    assert node.is_leaf
    assert node.candidate is None
    assert list(node.preorder()) == [node]
