"""The true minimum over sets of features, by branch and bound on the programs themselves.

A node is the set of features that must be in and the set that may be in. Its program with all that
may be in has the lowest objective of any set below the node, and what must be in is the least that
such a set costs, so the measure of the two bounds the node from below. The features that must be in
are those without which the program breaks the limit, or is no better than the best set known.

With a limit on the objective there is more: where several features cannot all go, at least the
cheapest of them stays. Such sets that share no feature add up.

The node with the lowest bound is opened first, so the least bound of those still open is a bound of
the optimum at any time; no big number has to stand for "unlimited", as it would in a mixed-integer
program.

The objectives that guide the search are rounded. Whatever it cuts off, a node or the sets without a
feature that must be in, is bounded once more by multipliers that balance exactly
(`solvers.hinge_certificate`). The least of these bounds and of those of open nodes holds in exact
arithmetic for every set of features, and is what `_Proof` tells.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from planetree.separators.sparse.feature_search import Choice, FeatureSearch, Goal, TimeIsUpError

_SLACK = 1e-9  # measures closer than this, relatively, count as equal
_EPSILON = float(np.finfo(np.float64).eps)


class _Proof(NamedTuple):
    """The best set found, and a bound that no set is below."""

    choice: Choice
    value: float
    bound: float

    @property
    def proved(self) -> bool:
        """Whether the bound is met."""
        return self.bound >= self.value - _slack(self.value)


class _Node(NamedTuple):
    """Features that must be in, those that may be in, and bounds; the lowest bound comes first."""

    bound: float
    number: int
    inside: frozenset[int]
    allowed: frozenset[int]
    proved: float


class _Branches(NamedTuple):
    """What became of a node: the sets below it are in its children or among those cut off."""

    children: list[tuple[float, frozenset[int], frozenset[int], float]]
    candidates: list[Choice]
    cut_off: list[float]  # proved bounds


def branch_and_bound(
    search: FeatureSearch, goal: Goal, incumbent: Choice, keep: frozenset[int]
) -> _Proof:
    """Best set of features that holds `keep`, or the best within the time."""
    best, value = incumbent, search.measure(goal, incumbent)
    least_cost = search.cost(keep) if keep else float(search.costs.min())
    bound = goal.measure(least_cost, search.least_objective)
    numbers = itertools.count()
    nodes = [_Node(bound, next(numbers), keep, frozenset(range(search.n_features)), bound)]
    least = math.inf  # of all that was cut off
    while nodes and not _cannot_improve(goal, nodes[0].bound, value):
        try:
            branches = _open_node(search, goal, nodes[0], value)
        except TimeIsUpError:
            break
        heapq.heappop(nodes)
        least = min([least, *branches.cut_off])
        for choice in branches.candidates:
            if search.measure(goal, choice) < value - _slack(value):
                best, value = choice, search.measure(goal, choice)
        for child_bound, inside, allowed, proved in branches.children:
            heapq.heappush(nodes, _Node(child_bound, next(numbers), inside, allowed, proved))
    least = min([least, *(node.proved for node in nodes)])
    return _Proof(best, value, min(value, max(bound, _rounded_down(search, goal, least))))


def _rounded_down(search: FeatureSearch, goal: Goal, bound: float) -> float:
    """A bound less what the sum of costs and an objective can round; whole costs do not."""
    rounding = 0.0 if goal.step else (search.n_features + 4) * _EPSILON
    return bound - rounding * abs(bound) if math.isfinite(bound) else bound


def _cannot_improve(goal: Goal, bound: float, value: float) -> bool:
    """Whether no set with this bound is better than one with this value."""
    slack = _slack(value)
    return bound >= value - max(slack, goal.step - slack)


def _slack(value: float) -> float:
    return _SLACK * max(1.0, abs(value))


def _open_node(search: FeatureSearch, goal: Goal, node: _Node, value: float) -> _Branches:
    """Divide the sets below a node, or cut them off."""
    allowed = node.allowed
    top = search.solve(allowed)
    if top.objective > goal.limit:
        return _Branches([], [], [max(node.proved, _proved(search, goal, node.inside, top))])
    needed, cut_off = _must_be_in(search, goal, node, value)
    inside = node.inside | needed
    candidates = [top, search.solve(inside)] if inside else [top]
    candidates = [choice for choice in candidates if goal.allows(choice)]
    undecided = allowed - inside
    if len(inside) > goal.max_features:  # no set that counts holds all of them
        return _Branches([], candidates, cut_off)
    if not undecided or len(inside) == goal.max_features:
        last = _proved(search, goal, inside, search.solve(inside))
        return _Branches([], candidates, [*cut_off, max(node.proved, last)])
    cost = search.cost(inside)
    bound = max(node.bound, goal.measure(cost, top.objective))
    proved = max(node.proved, _proved(search, goal, inside, top))
    if goal.limit < math.inf and not _cannot_improve(goal, bound, value):
        rest, proved_rest = _cost_of_the_rest(search, goal.limit, top, undecided)
        bound, proved = max(bound, cost + rest), max(proved, cost + proved_rest)
    if _cannot_improve(goal, bound, value):
        return _Branches([], candidates, [*cut_off, proved])
    sizes = search.sizes(top.solution.weights)
    j = max(undecided, key=lambda j: (sizes[j], -j))
    children = [(bound, inside | {j}, allowed, proved), (bound, inside, allowed - {j}, proved)]
    return _Branches(children, candidates, cut_off)


def _proved(search: FeatureSearch, goal: Goal, inside: frozenset[int], top: Choice) -> float:
    """What no set within a choice that holds `inside` has less than; infinite if none counts."""
    least = search.least(top)
    return math.inf if least > goal.limit else goal.measure(search.cost(inside), least)


def _must_be_in(
    search: FeatureSearch, goal: Goal, node: _Node, value: float
) -> tuple[frozenset[int], list[float]]:
    """Features without which no set below the node is within the limit or better than `value`.

    Also the proved bounds of the sets without each.
    """
    top = search.solve(node.allowed)
    cost = search.cost(node.inside)
    needed, cut_off = set(), []
    for j in sorted(node.allowed - node.inside):
        smaller = search.without(top, (j,))
        bound = goal.measure(cost, smaller.objective)
        if smaller.objective > goal.limit or _cannot_improve(goal, bound, value):
            needed.add(j)
            cut_off.append(max(node.proved, _proved(search, goal, node.inside, smaller)))
    return frozenset(needed), cut_off


def _cost_of_the_rest(
    search: FeatureSearch, limit: float, top: Choice, undecided: frozenset[int]
) -> tuple[float, float]:
    """Least cost of the undecided features that stay, by disjoint sets that cannot all go.

    Also that of the sets for which this is proved.
    """
    sizes = search.sizes(top.solution.weights)
    left = sorted(undecided, key=lambda j: (-sizes[j], j))
    total = proved = 0.0
    while gone := _cannot_all_go(search, limit, top, left):
        cheapest = float(min(search.costs[j] for j in gone))
        total += cheapest
        proved += cheapest * (search.least(search.without(top, gone)) > limit)
        left = [j for j in left if j not in gone]
    return total, proved


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
