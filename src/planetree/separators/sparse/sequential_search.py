"""Sequential selection and elimination: what feature minimization is compared with.

forward     from no feature on, the one that lowers the objective most comes (SFE)
backward    from all features on, the one that hurts least goes (SBE, Brodley & Utgoff's with a
            bounded loss)

Every feature is tried at every step. Of the sets on the way, the best for the goal is the answer.
"""

from __future__ import annotations

from planetree.separators.sparse.feature_search import Choice, FeatureSearch, Goal

__all__ = ["SEQUENTIAL"]


def _forward(search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
    """Best set on the way from no feature to all."""
    choice = search.solve(keep)
    way = [choice] if choice.features else []
    while len(choice.features) < goal.max_features:
        if way and goal.allows(choice) and goal.limit < float("inf"):
            break
        grown = search.forward(choice, tried=search.n_features)
        if grown is choice:  # none would gain
            break
        choice = grown
        way.append(choice)
    return _best(search, goal, way or [choice])


def _backward(search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
    """Best set on the way from all features to one."""
    choice = search.everything()
    way = [choice]
    while len(choice.features) > max(1, len(keep)):
        smaller = [search.without(choice, (j,)) for j in choice.features if j not in keep]
        choice = min(smaller, key=lambda each: each.objective)
        way.append(choice)
        if choice.objective > goal.limit:
            break
    return _best(search, goal, way)


def _best(search: FeatureSearch, goal: Goal, way: list[Choice]) -> Choice:
    allowed = [choice for choice in way if goal.allows(choice)]
    return min(allowed or way, key=lambda each: (search.measure(goal, each), each.objective))


SEQUENTIAL = {"forward": _forward, "backward": _backward}
