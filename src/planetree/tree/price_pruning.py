"""Pruning by price: grown trees of planes without the decisions that cost more than they remove.

A subtree is worth keeping if the entropy it removes exceeds what its decisions cost; nodes are
judged from the leaves up. As the price rises from 0, the nodes that become leaves one after the
other give a nested sequence of trees.

- a decision also costs what it leaves mixed: each class beyond two that all of its branches still
  hold is one more probability to learn in one more leaf. Noise costs, and telling classes apart
  does not;
- a tree for a higher price is the tree for a lower one with some nodes closed;
- a decision that is pinned, and those above it, stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.tree.growth import freeze
from planetree.tree.impurity import effective_classes, entropy
from planetree.tree.plane.candidate import Pricing
from planetree.tree.plane.plane_growth import PlaneNode
from planetree.tree.tree import Tree


def left_mixed(node: PlaneNode) -> float:
    """Nats for classes beyond two that every branch of a decision holds: ln(weight) / 2 for each.

    Of two classes there are none: the price of a term is the whole price.
    """
    fewest = min(effective_classes(child.class_weights) for child in node.children)
    return max(0.0, fewest - 2.0) * float(np.log1p(node.class_weights.sum())) / 2


def prune_by_price(root: PlaneNode, pricing: Pricing) -> None:
    """Close the nodes below which the decisions cost more than the entropy they remove."""
    cost: dict[int, float] = {}
    stays: set[int] = set()  # nodes at or above pinned ones
    for node in reversed(list(root.preorder())):
        own = float(entropy(node.class_weights))
        cost[id(node)] = own
        if node.candidate is None:
            continue
        price = pricing.of(node.candidate, node.read) + pricing.price * left_mixed(node)
        below = sum(cost[id(child)] for child in node.children) + price
        if node.pinned or any(id(child) in stays for child in node.children):
            stays.add(id(node))
            cost[id(node)] = below
            continue
        if own <= below:
            node.close()
        cost[id(node)] = min(own, below)


def _weakest_price(root: PlaneNode, pricing: Pricing) -> float:
    """Lowest price at which some node would be closed; infinite for a leaf."""
    below: dict[int, tuple[float, float, float]] = {}
    lowest = np.inf
    for node in reversed(list(root.preorder())):
        own = float(entropy(node.class_weights))
        below[id(node)] = own, 0.0, 0.0
        if node.candidate is None:
            continue
        parts = [below[id(child)] for child in node.children]
        left = sum(part[0] for part in parts)
        size = pricing.size(node.candidate.split, node.read)
        priced = sum(part[1] for part in parts) + size * pricing.unit + left_mixed(node)
        searched = sum(part[2] for part in parts) + node.candidate.searched
        below[id(node)] = left, priced, searched
        lowest = min(lowest, max(0.0, (own - left - searched) / priced))
    return lowest


class PathStep(NamedTuple):
    """One tree of the sequence from the root leaf to the full tree.

    Parameters
    ----------
    size_price : float
        The lowest price at which pruning gives this tree.
    entropy : float
        What its leaves leave of the training entropy, in nats times weight.
    n_terms, n_leaves : int
    tree : Tree
    """

    size_price: float
    entropy: float
    n_terms: int
    n_leaves: int
    tree: Tree


def nested_trees(grown: PlaneNode, pricing: Pricing) -> list[PathStep]:
    """Nested trees of rising size: each is the next one with its weakest nodes closed."""
    root, price, n_leaves = grown.copy(), 0.0, 0
    for node in root.preorder():
        node.pinned = False
    steps: list[PathStep] = []
    while True:
        leaves = [node.class_weights for node in root.preorder() if node.is_leaf]
        if len(leaves) == n_leaves:  # pruning closed none
            return steps[::-1]
        tree, n_leaves = freeze(root), len(leaves)
        left = float(entropy(np.array(leaves)).sum())
        steps.append(PathStep(price, left, tree.n_terms, n_leaves, tree))
        if root.is_leaf:
            return steps[::-1]
        price = max(price, _weakest_price(root, pricing))
        prune_by_price(root, pricing._replace(price=price * (1 + 1e-12) + 1e-15))
