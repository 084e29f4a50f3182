"""The true minimum over sets of features, by branch and bound on the programs themselves.

A node is the set of features that must be in and the set that may be in. Its program with all that
may be in has the lowest objective of any set below the node, so

    fewest features within delta     the node is dead if that objective exceeds delta; its features
                                     cost at least what must be in costs
    best with at most nu features    no set below the node has a lower objective
    objective plus price             no set below the node has less than that objective plus the
                                     price of what must be in

A feature without which the program breaks the limit must be in. The node with the lowest bound is
opened first, so the least bound of those still open is a proved bound of the optimum at any time;
no big number has to stand for "unlimited", as it would in a mixed-integer program.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import NamedTuple

from planetree.separators.feature_search import Choice, FeatureSearch, TimeIsUpError

__all__ = ["Goal", "Proof", "bounded_goal", "branch_and_bound", "limited_goal", "priced_goal"]

SLACK = 1e-9  # objectives closer than this, relatively, count as equal


class Goal(NamedTuple):
    """What is minimized: a bound of a node, the measure of a set, and who must be in."""

    bound: Callable[[frozenset[int], Choice], float]
    measure: Callable[[Choice], float]
    limit: float
    max_features: int
    whole: bool
    least: float  # of any set that is not empty


class Proof(NamedTuple):
    """The best set found, and a bound that no set is below."""

    choice: Choice
    value: float
    bound: float
    n_nodes: int

    @property
    def proved(self) -> bool:
        """Whether the bound is met."""
        return self.bound >= self.value - SLACK * max(1.0, abs(self.value))


def bounded_goal(search: FeatureSearch, delta: float) -> Goal:
    """Least cost of features within an objective of delta."""
    n = search.n_features
    whole = bool((search.costs == 1).all())
    return Goal(
        lambda inside, top: search.cost(inside),
        lambda choice: search.cost(choice.features),
        delta,
        n,
        whole,
        float(search.costs.min()),
    )


def limited_goal(search: FeatureSearch, n_features: int) -> Goal:
    """Lowest objective with at most `n_features`."""
    return Goal(
        lambda inside, top: top.solution.objective,
        lambda choice: choice.solution.objective,
        float("inf"),
        n_features,
        False,
        0.0,
    )


def priced_goal(search: FeatureSearch, price: float) -> Goal:
    """Lowest objective plus price times the cost of the features."""
    return Goal(
        lambda inside, top: top.solution.objective + price * search.cost(inside),
        lambda choice: choice.solution.objective + price * search.cost(choice.features),
        float("inf"),
        search.n_features,
        False,
        0.0,
    )


def branch_and_bound(
    search: FeatureSearch,
    goal: Goal,
    incumbent: Choice,
    inside: frozenset[int],
    allowed: frozenset[int],
    max_nodes: int | None = None,
) -> Proof:
    """Best set of features between `inside` and `allowed`, or the best within the time.

    Stops at `TimeIsUpError` of the search, or after `max_nodes`, with the bound proved so far.
    """
    best, value = incumbent, goal.measure(incumbent)
    count = itertools.count()
    open_nodes: list[tuple[float, int, frozenset[int], frozenset[int]]] = []
    root = goal.least if not inside else -float("inf")
    heapq.heappush(open_nodes, (root, next(count), inside, allowed))
    n_nodes, bound = 0, -float("inf")
    while open_nodes:
        node_bound, _, inside, allowed = open_nodes[0]
        bound = max(bound, node_bound)
        if cannot_improve(goal, bound, value):
            return Proof(best, value, value, n_nodes)
        if max_nodes is not None and n_nodes >= max_nodes:
            return Proof(best, value, bound, n_nodes)
        try:
            children, candidates = open_node(search, goal, inside, allowed, value)
        except TimeIsUpError:
            return Proof(best, value, bound, n_nodes)
        heapq.heappop(open_nodes)
        n_nodes += 1
        for choice in candidates:
            if goal.measure(choice) < value - SLACK * max(1.0, abs(value)):
                best, value = choice, goal.measure(choice)
        for child_bound, child_inside, child_allowed in children:
            if not cannot_improve(goal, child_bound, value):
                heapq.heappush(open_nodes, (child_bound, next(count), child_inside, child_allowed))
    return Proof(best, value, value, n_nodes)


def cannot_improve(goal: Goal, bound: float, value: float) -> bool:
    """Whether no set with this bound is better than one with this value."""
    if goal.whole:
        return bound > value - 1 + SLACK
    return bound >= value - SLACK * max(1.0, abs(value))


def open_node(
    search: FeatureSearch,
    goal: Goal,
    inside: frozenset[int],
    allowed: frozenset[int],
    value: float,
) -> tuple[list[tuple[float, frozenset[int], frozenset[int]]], list[Choice]]:
    """Children of a node with their bounds, and sets that it found on the way."""
    top = search.solve(allowed)
    if top.solution.objective > goal.limit:
        return [], []
    candidates = [top] if len(allowed) <= goal.max_features else []
    inside = inside | must_be_in(search, goal, inside, allowed, value)
    bound = goal.bound(inside, top)
    if len(inside) > goal.max_features or cannot_improve(goal, bound, value):
        return [], candidates
    if inside:
        bottom = search.solve(inside)
        if bottom.solution.objective <= goal.limit:
            candidates.append(bottom)
    undecided = allowed - inside
    if not undecided or len(inside) == goal.max_features:
        return [], candidates
    sizes = search.sizes(top.solution)
    j = max(undecided, key=lambda j: (sizes[j], -j))
    return [(bound, inside | {j}, allowed), (bound, inside, allowed - {j})], candidates


def must_be_in(
    search: FeatureSearch, goal: Goal, inside: frozenset[int], allowed: frozenset[int], value: float
) -> frozenset[int]:
    """Features without which no set below the node is within the limit or better than `value`."""
    top = search.solve(allowed)
    if len(allowed) == 1:
        return allowed
    enough = value - SLACK * max(1.0, abs(value))

    def needed(j: int) -> bool:
        smaller = search.without(top, (j,))
        too_bad = smaller.solution.objective > goal.limit
        return too_bad or (not goal.whole and goal.bound(inside, smaller) >= enough)

    return frozenset(j for j in sorted(allowed - inside) if needed(j))
