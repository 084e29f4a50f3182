"""The region of a leaf: what a row must satisfy, test by test from the root, to reach it.

A test of categories asks that the category be among some. A test by p planes asks that the signs
of their scores have a pattern that the rule sends to the branch; each pattern is an intersection
of p half-spaces, and the patterns exclude each other. For the largest of p scores there is one
pattern, of p - 1 half-spaces between pairs of planes.

- a row with no missing value satisfies the conditions of exactly one leaf.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.planes import HalfSpace, Planes, encode

__all__ = ["Among", "Condition", "Region", "Side"]


class Among(NamedTuple):
    """The category of a column is one of some codes."""

    column: int
    codes: tuple[int, ...]

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each row satisfies it; a missing category does not."""
        return np.isin(X[:, self.column], self.codes)


class Side(NamedTuple):
    """A row lies on the side of some planes that their rule calls a branch.

    Examples
    --------
    >>> from planetree.planes import Planes
    >>> from planetree.tree.regions import Side
    >>> Side(Planes([[1.0]], [2.5]), 0).patterns()
    ((HalfSpace(weights=array([1.]), offset=2.5, above=False),),)
    """

    planes: Planes
    branch: int

    def patterns(self) -> tuple[tuple[HalfSpace, ...], ...]:
        """Intersections of half-spaces over the planes' terms, whose union is this side."""
        planes = self.planes
        if planes.rule == "argmax":
            return (tuple(_largest(planes, self.branch)),)
        sides = [(False, True)] * len(planes.offsets)
        return tuple(
            tuple(
                HalfSpace(planes.weights[p], float(planes.offsets[p]), above)
                for p, above in enumerate(pattern)
            )
            for pattern in product(*sides)
            if _branch_of(planes.rule, pattern) == self.branch
        )

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each row satisfies one of the patterns; one with an unknown score does not."""
        terms = encode(X, self.planes.columns, self.planes.categories)
        held = np.zeros(len(X), dtype=bool)
        for pattern in self.patterns():
            held |= np.all([_within(half_space, terms) for half_space in pattern], axis=0)
        return held


Condition = Among | Side


class Region(NamedTuple):
    """A leaf and the conditions on the way to it, from the root."""

    leaf: int
    conditions: tuple[Condition, ...]


def _branch_of(rule: str, above: tuple[bool, ...]) -> int:
    if rule == "slabs":
        return sum(above)
    return int(all(above)) if rule == "both" else int(all(above) or not any(above))


def _largest(planes: Planes, winner: int) -> list[HalfSpace]:
    """The score of a plane exceeds those before it and is not below those after it."""
    weights, offsets = planes.weights, planes.offsets
    half_spaces = []
    for other in range(len(offsets)):
        if other < winner:
            difference = weights[winner] - weights[other], offsets[winner] - offsets[other]
        elif other > winner:
            difference = weights[other] - weights[winner], offsets[other] - offsets[winner]
        else:
            continue
        half_spaces.append(HalfSpace(difference[0], float(difference[1]), other < winner))
    return half_spaces


def _within(half_space: HalfSpace, terms: NDArray[np.float64]) -> NDArray[np.bool_]:
    used = half_space.weights != 0
    score = terms[:, used] @ half_space.weights[used] - half_space.offset
    return score > 0 if half_space.above else score <= 0
