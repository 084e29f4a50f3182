"""Boxes of scores: what shares decisions give where scores lie between bounds.

    slabs       u_q between a_q and b_q, falling: branch p has  u_1 ... u_p (1 - u_(p+1))
    argmax      1 / (1 + sum over others of exp(difference))
    both        u_1 u_2 ...
    same_side   u_1 u_2 ... + (1 - u_1) (1 - u_2) ...

Products of numbers from 0 to 1 are bounded by the products of their bounds. Scores of parallel
planes are numbers along one direction: bounds of one bound the others (`Directions`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from planetree.arrays import Floats, Indices
from planetree.planes import Categories, Planes, Split
from planetree.tree.inspection.answer_regions import HalfSpaces

_ROUNDING = 1e-10  # of a score, for weights that are equal but for their last digits


class Box(NamedTuple):
    """Bounds of the scores of half-spaces."""

    low: Floats
    high: Floats

    def cut(self, number: int, below: float, above: float) -> tuple[Box, Box]:
        """The parts with a score up to one number, and from another one on."""
        low, high = self.low.copy(), self.high.copy()
        low[number], high[number] = above, below
        return Box(self.low, high), Box(low, self.high)


class Directions(NamedTuple):
    """Half-spaces by direction: score i is `factors[i]` times that of its direction, plus a shift.

    Parameters
    ----------
    of : array of shape (n_half_spaces,)
        Number of the direction.
    factors, shifts : array of shape (n_half_spaces,)
    """

    of: Indices
    factors: Floats
    shifts: Floats

    def tightened(self, box: Box) -> Box:
        """The box with the bounds that those of parallel planes imply."""
        n = int(self.of.max(initial=-1)) + 1
        ends = (box.low - self.shifts) / self.factors, (box.high - self.shifts) / self.factors
        low, high = np.full(n, -np.inf), np.full(n, np.inf)
        np.maximum.at(low, self.of, np.minimum(*ends))
        np.minimum.at(high, self.of, np.maximum(*ends))
        found = low[self.of] * self.factors, high[self.of] * self.factors
        slack = _ROUNDING * (1.0 + np.abs(self.shifts))
        least = np.minimum(*found) + self.shifts - slack
        most = np.maximum(*found) + self.shifts + slack
        return Box(np.maximum(box.low, least), np.minimum(box.high, most))


def directions_of(spaces: HalfSpaces) -> Directions:
    """Group half-spaces whose weights are multiples of each other."""
    weights = np.hstack([spaces.numbers, *spaces.categories.values()])
    known: dict[tuple[float, ...], int] = {}
    of, factors = [], []
    for row in weights:
        size = row[np.argmax(np.abs(row))] or 1.0
        key = tuple(float(f"{w:.12g}") + 0.0 for w in (row / size).tolist())
        of.append(known.setdefault(key, len(known)))
        factors.append(size)
    return Directions(np.array(of, dtype=np.intp), np.array(factors), -spaces.offsets)


def possible_branches(split: Split, low: Floats, high: Floats) -> set[int]:
    """Branches that rows with scores between bounds may take by the signs of the scores."""
    if isinstance(split, Categories):
        sure = np.flatnonzero(low > 0).tolist()
        return set(sure) if sure else set(np.flatnonzero(high > 0).tolist())
    if split.rule == "argmax":
        return set(np.flatnonzero(high >= low.max()).tolist())
    above, below = high > 0, low <= 0
    if split.rule == "slabs":
        return set(range(int((~below).sum()), int(above.sum()) + 1))
    both, none = bool(above.all()), bool(below.all())
    if split.rule == "both":
        return {b for b, can in ((1, both), (0, bool(below.any()))) if can}
    mixed = len(low) > 1 and bool(above.any()) and bool(below.any())
    return {b for b, can in ((1, both or none), (0, mixed)) if can}


def graded_shares(planes: Planes, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Least and largest share of each branch of graded planes."""
    if planes.rule == "argmax":
        return _softmax_ends(low / planes.spread, high / planes.spread)
    a, b = expit(low / planes.spread), expit(high / planes.spread)
    if planes.rule == "slabs":
        a, b = -np.sort(-a), -np.sort(-b)
        first = np.concatenate([[1.0], np.cumprod(a)]), np.concatenate([[1.0], np.cumprod(b)])
        least = np.append(first[0][:-1] * (1 - b), first[0][-1])
        return least, np.append(first[1][:-1] * (1 - a), first[1][-1])
    up = [a.prod(), b.prod()]
    if planes.rule == "same_side":
        up = [up[0] + (1 - b).prod(), min(1.0, up[1] + (1 - a).prod())]
    return np.array([1 - up[1], up[0]]), np.array([1 - up[0], up[1]])


def _softmax_ends(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Least and largest softmax of scores between bounds, each on its own."""
    with np.errstate(over="ignore", invalid="ignore"):
        least = [1 / (1 + np.exp(np.delete(high, k) - low[k]).sum()) for k in range(len(low))]
        most = [1 / (1 + np.exp(np.delete(low, k) - high[k]).sum()) for k in range(len(low))]
    return np.nan_to_num(np.array(least)), np.nan_to_num(np.array(most), nan=1.0)


def least_mixture(low: Floats, high: Floats, values: Floats) -> Floats:
    """Least sum of values by shares between bounds that sum to 1, for each column of values.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.inspection.score_boxes import least_mixture
    >>> least_mixture(np.array([0.2, 0.3]), np.array([0.7, 0.8]), np.array([[1.0], [0.0]])).round(6)
    array([0.2])
    """
    found = low @ values
    left = max(0.0, 1.0 - float(low.sum()))
    if left == 0.0:
        return np.asarray(found)
    room = high - low
    for c in range(values.shape[1]):
        rest = left
        for b in np.argsort(values[:, c], kind="stable").tolist():
            taken = min(rest, room[b])
            found[c] += taken * values[b, c]
            rest -= taken
    return np.asarray(found)
