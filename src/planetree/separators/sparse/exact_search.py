"""The true minimum over sets of features, by branch and bound on the programs themselves.

A node is the set of features that must be in and the set that may be in. Its program with all that
may be in has the lowest objective of any set below the node, and what must be in is the least that
such a set costs, so the measure of the two bounds the node from below. The features that must be in
are those without which the program breaks the limit, or is no better than the best set known.

With a limit on the objective there is more: where several features cannot all go, at least the
cheapest of them stays. Such sets that share no feature add up.

The node with the lowest bound is opened first, so the least bound of those still open is a proved
bound of the optimum at any time; no big number has to stand for "unlimited", as it would in a
mixed-integer program.
"""

from __future__ import annotations

import heapq
import itertools
from typing import NamedTuple

from planetree.separators.sparse.feature_search import Choice, FeatureSearch, Goal, TimeIsUpError

__all__ = ["Proof", "branch_and_bound"]

SLACK = 1e-9  # measures closer than this, relatively, count as equal


class Proof(NamedTuple):
    """The best set found, and a bound that no set is below."""

    choice: Choice
    value: float
    bound: float

    @property
    def proved(self) -> bool:
        """Whether the bound is met."""
        return self.bound >= self.value - _slack(self.value)


class Node(NamedTuple):
    """Features that must be in, those that may be in, and a bound; the lowest bound comes first."""

    bound: float
    number: int
    inside: frozenset[int]
    allowed: frozenset[int]


def branch_and_bound(
    search: FeatureSearch, goal: Goal, incumbent: Choice, keep: frozenset[int]
) -> Proof:
    """Best set of features that holds `keep`, or the best within the time."""
    best, value = incumbent, search.measure(goal, incumbent)
    bound = goal.measure(search.cost(keep) if keep else float(search.costs.min()), 0.0)
    numbers = itertools.count()
    nodes = [Node(bound, next(numbers), keep, frozenset(range(search.n_features)))]
    while nodes:
        bound = max(bound, nodes[0].bound)
        if cannot_improve(goal, bound, value):
            break
        try:
            children, candidates = open_node(search, goal, nodes[0], value)
        except TimeIsUpError:
            return Proof(best, value, bound)
        heapq.heappop(nodes)
        for choice in candidates:
            if search.measure(goal, choice) < value - _slack(value):
                best, value = choice, search.measure(goal, choice)
        for child_bound, inside, allowed in children:
            heapq.heappush(nodes, Node(child_bound, next(numbers), inside, allowed))
    return Proof(best, value, value)


def cannot_improve(goal: Goal, bound: float, value: float) -> bool:
    """Whether no set with this bound is better than one with this value."""
    slack = _slack(value)
    return bound >= value - max(slack, goal.step - slack)


def _slack(value: float) -> float:
    return SLACK * max(1.0, abs(value))


def open_node(
    search: FeatureSearch, goal: Goal, node: Node, value: float
) -> tuple[list[tuple[float, frozenset[int], frozenset[int]]], list[Choice]]:
    """Children of a node with their bounds, and sets that it found on the way."""
    allowed = node.allowed
    top = search.solve(allowed)
    if top.objective > goal.limit:
        return [], []
    inside = node.inside | must_be_in(search, goal, node, value)
    candidates = [top, search.solve(inside)] if inside else [top]
    candidates = [choice for choice in candidates if goal.allows(choice)]
    undecided = allowed - inside
    if not undecided or len(inside) >= goal.max_features:
        return [], candidates
    cost = search.cost(inside)
    bound = max(node.bound, goal.measure(cost, top.objective))
    if goal.limit < float("inf") and not cannot_improve(goal, bound, value):
        bound = max(bound, cost + cost_of_the_rest(search, goal.limit, top, undecided))
    if cannot_improve(goal, bound, value):
        return [], candidates
    sizes = search.sizes(top.solution.weights)
    j = max(undecided, key=lambda j: (sizes[j], -j))
    return [(bound, inside | {j}, allowed), (bound, inside, allowed - {j})], candidates


def must_be_in(search: FeatureSearch, goal: Goal, node: Node, value: float) -> frozenset[int]:
    """Features without which no set below the node is within the limit or better than `value`."""
    top = search.solve(node.allowed)
    cost = search.cost(node.inside)

    def needed(j: int) -> bool:
        smaller = search.without(top, (j,))
        bound = goal.measure(cost, smaller.objective)
        return smaller.objective > goal.limit or cannot_improve(goal, bound, value)

    return frozenset(j for j in sorted(node.allowed - node.inside) if needed(j))


def cost_of_the_rest(
    search: FeatureSearch, limit: float, top: Choice, undecided: frozenset[int]
) -> float:
    """Least cost of the undecided features that stay, by disjoint sets that cannot all go."""
    sizes = search.sizes(top.solution.weights)
    left = sorted(undecided, key=lambda j: (-sizes[j], j))
    total = 0.0
    while gone := _cannot_all_go(search, limit, top, left):
        total += min(search.costs[j] for j in gone)
        left = [j for j in left if j not in gone]
    return total


def _cannot_all_go(search: FeatureSearch, limit: float, top: Choice, left: list[int]) -> list[int]:
    """First features that cannot all go, none of them to spare; none if all can."""
    for count in range(1, len(left) + 1):
        gone = left[:count]
        if search.without(top, gone).objective > limit:
            for j in gone[:-1]:
                fewer = [i for i in gone if i != j]
                if search.without(top, fewer).objective > limit:
                    gone = fewer
            return gone
    return []
