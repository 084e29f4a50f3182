"""Which decisions of a grown tree are worth their price.

A decision with k terms costs price * k * unit nats, unit = ln(all terms) + ln(rows) / 2, and what
its search cost beside. A subtree is worth keeping if the entropy it removes exceeds what its
decisions cost; nodes are judged from the leaves up. As the price rises from 0, the nodes that
become leaves one after the other give a nested sequence of trees.

- a tree for a higher price is the tree for a lower one with some nodes closed;
- decisions between leaves of one label say nothing, and go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from planetree.tree.plane.candidates import Candidate, entropy

if TYPE_CHECKING:
    from planetree.tree.plane.plane_growth import PlaneNode

__all__ = ["Pricing", "close_equal_leaves", "prune_by_price", "weakest_price"]


class Pricing(NamedTuple):
    """What decisions cost in nats.

    Parameters
    ----------
    unit : float
        Nats that name one term: ln(all terms) + ln(rows) / 2.
    price : float
        What a nat of a decision counts against one of entropy.
    """

    unit: float
    price: float

    def of(self, candidate: Candidate) -> float:
        """Price of a decision."""
        return self.price * candidate.n_terms * self.unit + candidate.searched


def prune_by_price(root: PlaneNode, pricing: Pricing) -> None:
    """Close the nodes below which the decisions cost more than the entropy they remove."""
    cost: dict[int, float] = {}
    for node in reversed(root.all_nodes()):
        own = float(entropy(node.class_weights))
        cost[id(node)] = own
        if node.candidate is None:
            continue
        below = sum(cost[id(child)] for child in node.children) + pricing.of(node.candidate)
        if own <= below:
            node.close()
        cost[id(node)] = min(own, below)


def close_equal_leaves(root: PlaneNode) -> None:
    """Close decisions all of whose branches are leaves of one label."""
    for node in reversed(root.all_nodes()):
        labels = {child.label for child in node.children}
        if len(labels) == 1 and all(child.is_leaf for child in node.children):
            node.close()
            node.label = labels.pop()


def weakest_price(root: PlaneNode, unit: float) -> float:
    """Lowest price at which some node would be closed; infinite for a leaf."""
    below: dict[int, tuple[float, float, float]] = {}
    lowest = np.inf
    for node in reversed(root.all_nodes()):
        own = float(entropy(node.class_weights))
        below[id(node)] = own, 0.0, 0.0
        if node.candidate is None:
            continue
        parts = [below[id(child)] for child in node.children]
        left = sum(part[0] for part in parts)
        terms = sum(part[1] for part in parts) + node.candidate.n_terms
        searched = sum(part[2] for part in parts) + node.candidate.searched
        below[id(node)] = left, terms, searched
        lowest = min(lowest, max(0.0, (own - left - searched) / (terms * unit)))
    return lowest
