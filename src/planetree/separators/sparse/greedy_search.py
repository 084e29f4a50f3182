"""Few features by steps that are cheap to try: the default where a proof is not asked for.

fewest         the weights with the least 1-norm within the limit name a first set; steps forward
               from nothing name another; both lose what they can, and the better one is
               improved by exchanges until none helps
best_of_size   steps forward, with exchanges at each size, and a set left when the weakest have
               gone from all, with exchanges
path           the best known set of each size, from steps forward and back
best_priced    the best of the path while larger sets can pay, then any step that pays

Plain steps, which these are compared with, try every feature each time, and the best set on their
way for the goal is the answer:

forward        from no feature on, the one that lowers the objective most comes (SFE)
backward       from all features on, the one that hurts least goes (SBE, Brodley & Utgoff's with a
               bounded loss)
"""

from __future__ import annotations

from collections.abc import Iterator

from planetree.arrays import Floats
from planetree.separators.sparse.feature_search import Choice, FeatureSearch, Goal
from planetree.separators.sparse.linear_search import LinearSearch
from planetree.separators.sparse.published_search import least_excess

_ROUNDING = 1e-9  # an objective may exceed delta by this share

_SMALL = 10  # sets up to this size are worth more trials
_EXCHANGED = 6  # features that an exchange tries to bring in
_GAIN = 1e-9  # an objective must fall by this share to count as lower


def fewest(search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
    """Few features, or cheap ones, with an objective of at most the limit."""
    used = (
        search.support(_few_weights(search, goal.limit, keep)) | keep
        or search.forward(search.solve(())).features
    )
    first = search.solve(used, search.everything().solution)
    if first.objective > goal.limit:  # by rounding alone
        first = search.everything()
    best = search.drop(first, goal.limit, keep)
    if len(best.features) <= _SMALL:
        grown = _grow(search, goal.limit, keep, search.cost(best.features) - goal.step)
        if grown.features and goal.allows(grown):
            grown = search.drop(grown, goal.limit, keep)
            best = min(best, grown, key=lambda each: (search.cost(each.features), each.objective))
    return _exchange_to_cheaper(search, best, goal, keep)


def _few_weights(search: FeatureSearch, limit: float, keep: frozenset[int]) -> Floats:
    """Weights that few features have: the least 1-norm, where linear programs find it."""
    if isinstance(search, LinearSearch):
        return least_excess(search, limit, search.mask(keep), precision=1e-3)
    weights: Floats = search.everything().solution.weights
    return weights


def _enough(value: float) -> float:
    """What counts as lower than a value."""
    return value - _GAIN * abs(value) - 1e-15


def _grow(search: FeatureSearch, limit: float, keep: frozenset[int], budget: float) -> Choice:
    """Steps forward until the objective is within the limit, or the budget is spent."""
    choice = search.solve(keep)
    while choice.objective > limit and search.cost(choice.features) < budget:
        grown = search.forward(choice)
        if grown is choice:
            break
        choice = grown
    return choice


def _exchange_to_cheaper(
    search: FeatureSearch, choice: Choice, goal: Goal, keep: frozenset[int]
) -> Choice:
    """Exchange features while that makes them fewer or cheaper."""
    better: Choice | None = choice
    while better is not None:
        choice = search.drop(better, goal.limit, keep)
        better = next(filter(goal.allows, _cheaper(search, choice, keep)), None)
    return choice


def _cheaper(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Iterator[Choice]:
    """Sets that cost less: one or two features go, and one that would gain much comes."""
    order = search.weakest(choice, keep)[: 4 if len(choice.features) <= _SMALL else 3]
    singles = [(j,) for j in order if search.costs[j] > search.costs.min()]
    pairs = [(j, i) for a, j in enumerate(order) for i in order[a + 1 :]]
    for gone in singles + pairs:
        base = search.without(choice, gone)
        for c in search.promising(base, 2, barred=gone):
            if search.costs[c] < search.cost(gone):
                yield search.solve((*base.features, c), base.solution)


def best_of_size(search: FeatureSearch, n_features: int, keep: frozenset[int]) -> Choice:
    """Good planes with at most `n_features`."""
    *_, choice = _chain(search, n_features, keep)
    return min(choice, _shrunk(search, choice, keep), key=lambda each: each.objective)


def _chain(search: FeatureSearch, most: int, keep: frozenset[int]) -> Iterator[Choice]:
    """Good sets of growing size, by steps forward with exchanges, until none gains."""
    choice = search.solve(keep)
    yield choice
    while len(choice.features) < most:
        grown = search.forward(choice)
        if grown is choice:  # as good as with all features
            return
        choice = _exchange(search, grown, keep)
        yield choice


def _shrunk(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Choice:
    """Another set of the size of a small one, from all features down; else the same."""
    if not 0 < len(choice.features) <= _SMALL:
        return choice
    return _exchange(search, _shrink(search, len(choice.features), keep), keep)


def _shrink(search: FeatureSearch, n_features: int, keep: frozenset[int]) -> Choice:
    """From all features, a quarter of those too many goes at each step, the weakest first."""
    choice = search.everything()
    while (surplus := len(choice.features) - n_features) > 0:
        choice = search.without(choice, search.weakest(choice, keep)[: (surplus + 3) // 4])
    return choice


def _exchange(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Choice:
    """Exchange features one for one while that lowers the objective."""
    better: Choice | None = choice
    while better is not None:
        choice = better
        enough = _enough(choice.objective)
        others = _others(search, choice, keep)
        better = next((each for each in others if each.objective < enough), None)
    return choice


def _others(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Iterator[Choice]:
    """Sets of the same size: a feature with a small weight goes, one that would gain much comes."""
    for j in search.weakest(choice, keep)[:4]:
        base = search.without(choice, (j,))
        for c in search.promising(base, _EXCHANGED, barred=(j,)):
            yield search.solve((*base.features, c), base.solution)


def path(search: FeatureSearch, keep: frozenset[int], most: int) -> None:
    """Make good sets of each size up to `most` known to the search."""
    for choice in _chain(search, most, keep):
        _shrunk(search, choice, keep)
    for size in range(len(choice.features), max(1, len(keep)), -1):
        best = min(
            (each for each in search.met(keep) if len(each.features) == size),
            key=lambda each: each.objective,
        )
        for j in search.weakest(best, keep)[:2]:
            search.without(best, (j,))


def by_size(search: FeatureSearch, keep: frozenset[int]) -> list[Choice]:
    """Best set known of each size that is better than all smaller ones, the smallest first."""
    best: list[Choice] = []
    for choice in sorted(search.met(keep), key=lambda each: (len(each.features), each.objective)):
        if not best or choice.objective < best[-1].objective:
            best.append(choice)
    return best


def best_priced(search: FeatureSearch, goal: Goal, keep: frozenset[int]) -> Choice:
    """Good planes where every feature has its price."""
    best = search.everything()
    least = best.objective
    for choice in _chain(search, search.n_features, keep):
        _shrunk(search, choice, keep)
        best = search.best_met(goal, keep) or best
        if goal.measure(search.cost(choice.features), least) >= search.measure(goal, best):
            break  # no larger set can pay
    return _improve(search, goal, best, keep)


def _improve(search: FeatureSearch, goal: Goal, choice: Choice, keep: frozenset[int]) -> Choice:
    """Any step that lowers the measure, while there is one."""
    better: Choice | None = choice
    while better is not None:
        choice = better
        enough = _enough(search.measure(goal, choice))
        steps = (each for each in _steps(search, choice, keep) if each.features)
        better = next((each for each in steps if search.measure(goal, each) < enough), None)
    return choice


def _steps(search: FeatureSearch, choice: Choice, keep: frozenset[int]) -> Iterator[Choice]:
    """Sets around a set: with one feature less or more, or with others."""
    for j in search.weakest(choice, keep)[:4]:
        yield search.without(choice, (j,))
    yield search.forward(choice)
    yield from _others(search, choice, keep)
    yield from _cheaper(search, choice, keep)


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
    return _best_on_way(search, goal, way or [choice])


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
    return _best_on_way(search, goal, way)


def _best_on_way(search: FeatureSearch, goal: Goal, way: list[Choice]) -> Choice:
    allowed = [choice for choice in way if goal.allows(choice)]
    return min(allowed or way, key=lambda each: (search.measure(goal, each), each.objective))


SEQUENTIAL = {"forward": _forward, "backward": _backward}


def refit(search: FeatureSearch, goal: Goal, choice: Choice, required: frozenset[int]) -> Choice:
    """Planes at the optimum of the features they use, and of those that are required."""
    choice = search.afresh(choice.features)
    used = search.support(choice.solution.weights) | required
    while len(used) < len(choice.features):
        smaller = search.afresh(used)
        if not goal.allows(smaller) or smaller.objective > choice.objective + _ROUNDING:
            break
        choice, used = smaller, search.support(smaller.solution.weights) | required
    return choice
