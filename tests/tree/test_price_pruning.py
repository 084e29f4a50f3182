"""Pruning by price: the cheapest of all prunings, by trying each; and the path of all prices."""

from itertools import product

import numpy as np
import pytest

from planetree.planes import Planes
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate, Pricing
from planetree.tree.plane.plane_growth import PlaneNode
from planetree.tree.price_pruning import nested_trees, prune_by_price

NONE = np.empty(0)


def grown(depth, rng):
    """A complete tree of cuts with random leaves."""
    if depth == 0:
        weights = rng.integers(0, 12, 2).astype(float)
        return PlaneNode(NONE, NONE, weights, label=int(weights.argmax()))
    children = [grown(depth - 1, rng) for _ in range(2)]
    weights = sum(child.class_weights for child in children)
    split = Planes(weights=[[1.0]], offsets=[0.5], columns=[depth])
    left = sum(float(entropy(child.class_weights)) for child in children)
    return PlaneNode(
        NONE, NONE, weights, label=int(weights.argmax()), split=split, children=children,
        candidate=Candidate(split, left, 1),
    )  # fmt: skip


def cost(root, price):
    """Entropy of the leaves and price of the decisions."""
    nodes = list(root.preorder())
    left = sum(float(entropy(node.class_weights)) for node in nodes if node.is_leaf)
    return left + price * sum(not node.is_leaf for node in nodes)


def prunings(root):
    """All trees that closing nodes gives."""
    yield leaf_of(root)
    if not root.is_leaf:
        for children in product(*(list(prunings(child)) for child in root.children)):
            own = root.copy()
            own.children = list(children)
            yield own


def leaf_of(root):
    own = root.copy()
    own.close()
    return own


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("price", [0.0, 0.7, 2.0, 9.0])
def test_no_pruning_is_cheaper(seed, price):
    root = grown(3, np.random.default_rng(seed))
    least = min(cost(each, price) for each in prunings(root))
    prune_by_price(root, Pricing(1.0, price))
    assert cost(root, price) == pytest.approx(least)


def test_a_pinned_decision_and_those_above_it_stay():
    root = grown(3, np.random.default_rng(0))
    pinned = root.children[0].children[1]
    pinned.pinned = True
    prune_by_price(root, Pricing(1.0, 1e9))
    assert [not node.is_leaf for node in (root, root.children[0], pinned)] == [True] * 3
    assert sum(not node.is_leaf for node in root.preorder()) == 3


@pytest.mark.parametrize("seed", range(6))
def test_the_path_has_the_cheapest_tree_of_every_price(seed):
    root = grown(3, np.random.default_rng(seed))
    steps = nested_trees(root, Pricing(1.0, 0.5))
    prices = [step.size_price for step in steps]
    assert prices == sorted(prices, reverse=True)
    assert (steps[0].n_terms, steps[-1].n_leaves) == (0, sum(n.is_leaf for n in root.preorder()))
    for price in (0.05, 0.6, 1.5, 4.0):
        least = min(cost(each, price) for each in prunings(root))
        assert min(step.entropy + price * step.n_terms for step in steps) == pytest.approx(least)
