"""Pruning by price: the cheapest of all prunings, by trying each; and the path of all prices."""

from itertools import product

import numpy as np
import pytest

from planetree.planes import Planes
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate, Pricing
from planetree.tree.plane.plane_growth import PlaneNode
from planetree.tree.price_pruning import left_mixed, nested_trees, prune_by_price

NONE = np.empty(0)


def grown(depth, rng, n_classes=2):
    """A complete tree of cuts with random leaves."""
    if depth == 0:
        weights = rng.integers(0, 12, n_classes).astype(float)
        return PlaneNode(NONE, NONE, weights, label=int(weights.argmax()))
    children = [grown(depth - 1, rng, n_classes) for _ in range(2)]
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
    return left + price * sum(1 + mixed(node) for node in nodes if not node.is_leaf)


def mixed(node):
    """Half the logarithm of the weight for each class beyond two that both branches hold."""
    branches = [child.class_weights for child in node.children]
    shares = [weights / max(1.0, weights.sum()) for weights in branches]
    held = min(np.prod(p[p > 0] ** -p[p > 0]) for p in shares)  # as many as equally heavy ones
    return max(0.0, held - 2) * np.log(1 + node.class_weights.sum()) / 2


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


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("price", [0.0, 0.3, 0.7, 2.0, 9.0])
def test_no_pruning_is_cheaper(seed, price, n_classes):
    root = grown(3, np.random.default_rng(seed), n_classes)
    least = min(cost(each, price) for each in prunings(root))
    prune_by_price(root, Pricing(1.0, price))
    assert cost(root, price) == pytest.approx(least)


def test_a_decision_that_leaves_many_classes_mixed_costs_more():
    """A tree of noise in many classes had several times the terms for no error less."""
    halves = [np.array([10.0, 0, 10, 0]), np.array([0, 10.0, 0, 10])]
    alike = [np.array([8.0, 3, 6, 4]), np.array([3.0, 8, 4, 6])]
    told, noise = (
        PlaneNode(NONE, NONE, sum(each), children=[PlaneNode(NONE, NONE, w) for w in each])
        for each in (halves, alike)
    )
    assert left_mixed(told) == 0.0
    assert left_mixed(noise) == pytest.approx(mixed(noise))
    assert left_mixed(noise) > np.log(43) / 2


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


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("seed", range(6))
def test_each_step_of_the_path_has_the_lowest_price_that_gives_it(seed, n_classes):
    root = grown(3, np.random.default_rng(seed), n_classes)
    for step in nested_trees(root, Pricing(1.0, 0.5)):
        if step.size_price > 0:
            assert n_leaves_at(root, step.size_price * (1 + 1e-9)) <= step.n_leaves
            assert n_leaves_at(root, step.size_price * (1 - 1e-9)) > step.n_leaves


def n_leaves_at(root, price):
    own = root.copy()
    prune_by_price(own, Pricing(1.0, price))
    return sum(node.is_leaf for node in own.preorder())
