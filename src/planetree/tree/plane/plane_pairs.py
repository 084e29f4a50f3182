"""Two planes in one decision, for nodes where no single plane pays.

Class means that coincide leave a plane nothing to tell. What is left is how the classes spread:
with s_i = 1 / W_1 for rows of one side and -1 / W_0 for the others, z the normalized terms,

    M = sum_i s_i z_i z_i'

is the difference of the second moments of the two sides. An entry M_jk far from 0 says that terms j
and k go together on one side and apart on the other: two cuts, and whether they agree
(exclusive-or, `same_side`). An eigenvector of a large or small eigenvalue says along which sum of
terms one side spreads more than the other: an interval of that sum (two parallel planes, `both`).

- thresholds are sought on a grid of values of the rows, by entropy, which counts all classes;
- a pair costs its terms and, for each threshold, ln(all rows of the table).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.separators.sparse.feature_search import coarse
from planetree.tree.impurity import entropy

_AGREEING = 12  # pairs of terms that are tried, which bounds the time
_GRID = 32  # thresholds along one sum: 1,024 for a pair, which bounds the time


class PlanePair(NamedTuple):
    """Two planes over some terms, their rule, and the entropy that their two branches leave."""

    weights: Floats
    offsets: Floats
    rule: str
    terms: Indices
    entropy: float


def plane_pairs(
    E: Floats, sides: Mask, classes: Floats, allowed: Indices, max_terms: int, least: float
) -> Iterator[PlanePair]:
    """Pairs of planes that may tell the sides apart where no plane does.

    Parameters
    ----------
    E : array of shape (n_rows, n_terms)
    sides : boolean array of shape (n_rows,)
    classes : array of shape (n_rows, n_classes)
        The weight of each row in the column of its class.
    allowed : array of int
        The terms that may be read.
    max_terms : int
    least : float
        Weight that each branch needs.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.plane_pairs import plane_pairs
    >>> E = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5)
    >>> differ = E[:, 0] != E[:, 1]
    >>> found = plane_pairs(E, differ, np.eye(2)[differ * 1], np.arange(2), 2, 2.0)
    >>> best = min(found, key=lambda pair: pair.entropy)
    >>> best.rule, best.offsets, best.entropy
    ('same_side', array([0.5, 0.5]), 0.0)
    """
    weights = classes.sum(axis=1)
    center = np.average(E[:, allowed], axis=0, weights=weights)
    Z = E[:, allowed] - center
    unit = np.frexp(np.abs(Z).max(axis=0))[1]  # squares of numbers near 1 do not overflow
    Z = np.ldexp(Z, -unit)
    scale = np.sqrt(weights @ Z**2 / weights.sum())
    Z = np.divide(Z, scale, out=np.zeros_like(Z), where=scale > 0)
    scale = np.ldexp(scale, unit)
    sign = np.where(sides, 1.0, -1.0) * weights
    sign /= np.where(sides, weights[sides].sum(), weights[~sides].sum())
    moments = (Z * sign[:, None]).T @ Z
    if max_terms >= 2:
        grids = cache(lambda term: grid(E[:, term], weights))
        for j, k in _most_together(moments):
            first, second = allowed[j], allowed[k]
            yield from _agreement(E, allowed[[j, k]], (grids(first), grids(second)), classes, least)
    for chosen, direction in _spreads(moments, max_terms):
        along = np.divide(direction, scale[chosen], where=scale[chosen] > 0, out=0 * direction)
        yield from _interval(E, allowed[chosen], along, classes, least)


def _most_together(moments: Floats) -> list[tuple[int, int]]:
    """Pairs of terms whose products differ most between the sides."""
    found = list(combinations(range(len(moments)), 2))
    if not found:
        return []
    size = np.abs(moments[tuple(np.array(found).T)])
    return [found[at] for at in np.argsort(-coarse(size), kind="stable")[:_AGREEING]]


def _spreads(moments: Floats, max_terms: int) -> Iterator[tuple[Indices, Floats]]:
    """Sums of few terms along which the sides spread most differently."""
    values, vectors = np.linalg.eigh(moments)
    for end in {0, len(values) - 1}:
        order = np.argsort(-coarse(np.abs(vectors[:, end])), kind="stable")
        for size in range(1, min(max_terms, len(order)) + 1):
            chosen = np.sort(order[:size])
            part = np.linalg.eigh(moments[np.ix_(chosen, chosen)])[1]
            yield chosen, part[:, 0 if end == 0 else -1]


def _agreement(
    E: Floats, terms: Indices, grids: tuple[Floats, Floats], classes: Floats, least: float
) -> Iterator[PlanePair]:
    """Whether two terms lie on the same side of their thresholds, for the best thresholds."""
    if not all(len(each) for each in grids):
        return
    first, second = (np.searchsorted(g, E[:, t]) for g, t in zip(grids, terms, strict=True))
    shape = len(grids[0]) + 1, len(grids[1]) + 1
    cells = np.stack(
        [
            np.bincount(first * shape[1] + second, of_class, shape[0] * shape[1]).reshape(shape)
            for of_class in classes.T
        ],
        axis=-1,
    )
    below = cells.cumsum(axis=0).cumsum(axis=1)
    rows, columns, total = below[:-1, -1:], below[-1:, :-1], below[-1, -1]
    same = 2 * below[:-1, :-1] + total - rows - columns
    left = _two_sides(same, total, least)
    i, j = np.unravel_index(np.argmin(coarse(left)), left.shape)
    if np.isfinite(left[i, j]):
        offsets = np.array([grids[0][i], grids[1][j]])
        yield PlanePair(np.eye(2), offsets, "same_side", terms, float(left[i, j]))


def _interval(
    E: Floats, terms: Indices, weights: Floats, classes: Floats, least: float
) -> Iterator[PlanePair]:
    """Whether a sum of terms lies in an interval, for the best one."""
    scores = E[:, terms] @ weights
    steps = grid(scores, classes.sum(axis=1))
    place = np.searchsorted(steps, scores)
    table = np.stack([np.bincount(place, w, len(steps) + 1) for w in classes.T], axis=-1)
    below = table.cumsum(axis=0)
    inside = below[None, :-1] - below[:-1, None]
    left = _two_sides(inside, below[-1], least)
    left[np.tril_indices(len(steps))] = np.inf
    if not left.size or not np.isfinite(left.min()):
        return
    i, j = np.unravel_index(np.argmin(coarse(left)), left.shape)
    both = np.array([weights, -weights])
    yield PlanePair(both, np.array([steps[i], -steps[j]]), "both", terms, float(left[i, j]))


def grid(scores: Floats, weights: Floats, size: int = _GRID) -> Floats:
    """Thresholds midway between values that divide the weight in equal parts; all if few.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.plane_pairs import grid
    >>> weights = np.where(np.arange(100) < 50, 1.0, 9.0)
    >>> steps = grid(np.arange(100.0), weights)
    >>> int((steps < 49.5).sum()), int((steps > 49.5).sum())
    (3, 29)
    """
    by_score = np.argsort(scores, kind="stable")
    ordered = scores[by_score]
    rounding = 1e-9 * max(abs(ordered[0]), abs(ordered[-1]))
    steps = np.flatnonzero(np.diff(ordered) > rounding)
    if len(steps) > size:
        below = np.cumsum(weights[by_score])[steps]
        wanted = np.arange(1, size + 1) * (weights.sum() / (size + 1))
        steps = np.unique(steps[np.searchsorted(below, wanted).clip(max=len(steps) - 1)])
    return ordered[steps] / 2 + ordered[steps + 1] / 2


def _two_sides(one: Floats, total: Floats, least: float) -> Floats:
    """Entropy of one branch and the rest; infinite where one has too little weight."""
    sides = np.maximum(one, 0.0), np.maximum(total - one, 0.0)
    too_light = np.any([side.sum(axis=-1) < least for side in sides], axis=0)
    return np.where(too_light, np.inf, entropy(sides[0]) + entropy(sides[1]))
