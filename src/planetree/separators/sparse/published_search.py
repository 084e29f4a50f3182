"""Feature minimization as published: Frank-Wolfe steps on a bilinear program.

Bredensteiner & Bennett (1996). For a bound delta on the objective and a number nu of features,

    f(nu) = min  |w| (e - r)    s.t.  objective(w) <= delta,  0 <= r <= e,  e r <= nu        (8)

is zero exactly when nu features suffice. Algorithm 4.1 takes w and r in turn: for fixed r a linear
program, for fixed w the nu largest weights. Algorithm 4.2 searches for the smallest nu with
f(nu) = 0 by a secant with safeguards. With a limit on the features instead (9), r takes the nu
largest weights and the others pay a price.

The linear program is solved through its Lagrangian, min objective + theta |w| (e - r): two prices
theta whose optima lie on either side of delta are joined by a line, whose slope is the next theta;
when no optimum lies below the line, its point with objective delta is the answer.

The paper does not say where Algorithm 4.1 starts. From the weights of the last nu it ends with
fewer features than from none: on the Sonar data with 30.0 in place of 31.2. That is why it does.

- f never increases with nu, and each step of Algorithm 4.1 lowers |w| (e - r) or is the last;
- where the secant has no slope the interval is halved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.separators.sparse.feature_search import Choice
from planetree.separators.sparse.linear_search import LinearSearch
from planetree.solvers import HingeSolution

_MAX_STEPS = 100  # a guard: steps end by what they gain
_TOLERANCE = 1e-9  # that of the programs, `solvers.certificate.TOLERANCE`
_PENALTY = 1.0  # alpha of (9)


class _Excess(NamedTuple):
    """Planes, their objective without theta, and the sum of the weights that are not free."""

    solution: HingeSolution
    base: float
    amount: float


class _Concentrated(NamedTuple):
    """The features r that are free, the weights, and the sum f(nu) of the other weights."""

    free: Mask
    weights: Floats
    amount: float


def least_excess(
    search: LinearSearch, delta: float, free: Mask, precision: float = 1e-11
) -> Floats:
    """Weights with the least |w| (e - r) s.t. objective <= delta (step 1 of Algorithm 4.1)."""
    low = _at(search, 0.0, free)
    high = _at(search, np.inf, free)
    if high.base <= delta:
        return high.solution.weights
    for _ in range(_MAX_STEPS):
        if low.amount - high.amount <= _TOLERANCE * max(1.0, low.amount):
            break
        theta = (high.base - low.base) / (low.amount - high.amount)
        new = _at(search, theta, free, high.solution)
        line = low.base + theta * low.amount
        if new.base + theta * new.amount >= line - precision * max(1.0, abs(line)):
            break
        if new.base <= delta:
            low = new
        else:
            high = new
    share = np.clip((delta - low.base) / max(high.base - low.base, 1e-300), 0.0, 1.0)
    return (1 - share) * low.solution.weights + share * high.solution.weights


def _at(
    search: LinearSearch, theta: float, free: Mask, start: HingeSolution | None = None
) -> _Excess:
    costly = (~free)[search.owners].astype(float)
    unlimited = np.isinf(theta)
    extra = costly * (search.program.prohibitive if unlimited else theta)
    solution = search.with_extra_price(extra, start)
    amount = float(search.sizes(solution.weights)[~free].sum())
    base = solution.objective - (
        0.0 if unlimited else float(np.abs(solution.weights).sum(axis=0) @ extra)
    )
    return _Excess(solution, base, amount)


def _largest(sizes: Floats, count: int, always: Mask) -> Mask:
    """Mark the largest sizes, those that must be in first."""
    order = np.lexsort((np.arange(len(sizes)), -sizes, ~always))
    free = np.zeros(len(sizes), dtype=bool)
    free[order[: max(count, int(always.sum()))]] = True
    return free


def _concentrate(
    search: LinearSearch,
    delta: float,
    n_keep: int,
    always: Mask,
    memory: dict[bytes, Floats],
    start: Floats | None = None,
) -> _Concentrated:
    """Move the weights onto `n_keep` features (Algorithm 4.1), from the weights of a start."""
    free, last = always.copy(), np.inf
    if start is not None:
        free = _largest(search.sizes(start), n_keep, always)
    for _ in range(_MAX_STEPS):
        key = free.tobytes()
        if key not in memory:
            memory[key] = least_excess(search, delta, free)
        sizes = search.sizes(memory[key])
        free = _largest(sizes, n_keep, always)  # step 2 has a closed form
        amount = float(sizes[~free].sum())
        if amount <= _TOLERANCE or last - amount < _TOLERANCE:
            break
        last = amount
    return _Concentrated(free, memory[key], amount)


def fewest_as_published(search: LinearSearch, delta: float, always: Mask) -> Choice:
    """Fewest features with an objective of at most delta (Algorithm 4.2)."""
    n = search.n_features
    memory: dict[bytes, Floats] = {}
    low, high = max(1, int(always.sum())), n
    found = _concentrate(search, delta, low, always, memory)
    if found.amount <= _TOLERANCE:
        return _refitted(search, delta, found, always)
    best = _concentrate(search, delta, n, always, memory)
    f_low, nu = found.amount, min(max(_rounded(n / 2), low + 1), high - 1)
    while high > low + 1:
        found = _concentrate(search, delta, nu, always, memory, found.weights)
        if found.amount <= _TOLERANCE:
            best, high = found, nu
            nu = _rounded((low + high) / 2)
            continue
        slope = (found.amount - f_low) / (nu - low)
        step = _rounded(nu - found.amount / slope) if slope != 0 else high
        low, f_low = nu, found.amount
        nu = step if low < step < high else _rounded((low + high) / 2)
    return _refitted(search, delta, best, always)


def _rounded(number: float) -> int:
    return int(np.floor(number + 0.5))


def _refitted(search: LinearSearch, delta: float, found: _Concentrated, always: Mask) -> Choice:
    """Best planes on the free features that have weights; on all of them if rounding needs it."""
    free = frozenset(np.flatnonzero(found.free).tolist())
    required = frozenset(np.flatnonzero(always).tolist())
    used = search.support(found.weights) & free | required
    if not used:  # no weight is needed: the one feature that gains most
        return search.forward(search.solve(()))
    choice = search.solve(used)
    return choice if choice.objective <= delta else search.solve(free)


def limited_as_published(search: LinearSearch, n_features: int, always: Mask) -> Choice:
    """Best planes with at most `n_features`, by Frank-Wolfe steps on (9)."""
    solution = search.everything().solution
    last = np.inf
    for _ in range(_MAX_STEPS):
        free = _largest(search.sizes(solution.weights), n_features, always)
        solution = search.with_extra_price(np.where(free[search.owners], 0.0, _PENALTY))
        if last - solution.objective < _TOLERANCE:
            break
        last = solution.objective
    free = _largest(search.sizes(solution.weights), n_features, always)
    return search.solve(np.flatnonzero(free).tolist())
