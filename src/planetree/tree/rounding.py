"""Weights with the fewest digits that send every training row the same way.

The weights of a plane are rounded to 1, 2, ... significant digits until some threshold still
divides the rows as before; of those thresholds the one with the fewest digits is taken. A plane of
one term is written as that term against a threshold. Weights that a power of ten makes whole, and
not large, are made whole: a score card.

- that no row changes its branch is checked by scoring all of them again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, encode

__all__ = ["round_plane", "simplest_between"]

Floats = NDArray[np.float64]

LARGEST_WHOLE = 1000


def round_plane(planes: Planes, X: Floats) -> Planes:
    """The plane with the fewest digits that sends the rows of X as it does; itself if none."""
    if planes.rule != "slabs" or len(planes.offsets) != 1:
        return planes
    branch = planes.branch(X)
    known = branch >= 0
    terms = encode(X[known], planes.columns, planes.categories)
    above = branch[known] == 1
    weights, offset = planes.weights[0], float(planes.offsets[0])
    if np.count_nonzero(weights) == 1:
        weights = np.sign(weights)
        offset = offset / float(np.abs(planes.weights).max())
    for digits in range(1, 16):
        few = significant(weights, digits)
        threshold = threshold_between(terms @ few, above)
        if threshold is not None:
            return whole(_with(planes, few, threshold), terms, above)
    return planes


def _with(planes: Planes, weights: Floats, offset: float) -> Planes:
    return Planes(
        weights[None, :], np.array([offset]), planes.rule, planes.columns, planes.categories
    )


def threshold_between(scores: Floats, above: NDArray[np.bool_]) -> float | None:
    """Simplest threshold with exactly the rows of `above` over it; None if there is none."""
    if not above.any() or above.all():
        return None
    low, high = scores[~above].max(), scores[above].min()
    spare = 1e-12 * max(abs(low), abs(high), 1e-300)
    return simplest_between(low + spare, high - spare) if low + spare < high - spare else None


def simplest_between(low: float, high: float) -> float:
    """Middle of an interval, with the fewest significant digits that stay within it.

    Examples
    --------
    >>> from planetree.tree.rounding import simplest_between
    >>> simplest_between(3.14, 3.19), simplest_between(-0.2, 1.0), simplest_between(118.0, 131.0)
    (3.17, 0.0, 120.0)
    """
    if low <= 0 <= high:
        return 0.0
    middle = low / 2 + high / 2
    for digits in range(1, 18):
        nearest = float(f"{middle:.{digits - 1}e}")
        if low <= nearest <= high:
            return nearest
    return float(middle)


def significant(weights: Floats, digits: int) -> Floats:
    """Numbers with so many significant digits."""
    return np.array([float(f"{weight:.{digits - 1}e}") for weight in weights])


def whole(planes: Planes, terms: Floats, above: NDArray[np.bool_]) -> Planes:
    """The same plane with whole weights, if a power of ten gives them and none is large."""
    for power in range(0, 7):
        weights = planes.weights[0] * 10.0**power
        rounded = np.round(weights)
        if np.abs(rounded).max() > LARGEST_WHOLE:
            break
        if np.allclose(weights, rounded, rtol=1e-9, atol=0.0):
            threshold = threshold_between(terms @ rounded, above)
            return planes if threshold is None else _with(planes, rounded, threshold)
    return planes
