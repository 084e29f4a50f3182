"""Weights with the fewest digits that send every training row the same way.

The weights of planes are rounded to 1, 2, ... significant digits until some thresholds still
divide the rows as before; of those thresholds the ones with the fewest digits are taken. A plane of
one term is written as that term against a threshold. Weights that a power of ten makes whole, and
not large, are made whole: a score card.

The thresholds of planes for classes, of which the largest score decides, have as many digits as
their weights.

- that no row changes its branch is checked by scoring all of them again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planetree.arrays import Floats, Mask, encode
from planetree.planes import Planes

__all__ = ["round_planes", "simplest_between"]

_LARGEST_WHOLE = 1000  # weights that a person can add up


def round_planes(planes: Planes, X: Floats) -> Planes:
    """Planes with the fewest digits that have the rows of X above them as these; these if none."""
    if planes.rule == "argmax":
        return _round_scores(planes, X)
    scores = planes.scores(X)
    known = ~np.isnan(scores).any(axis=1)
    terms, above = encode(X, planes.columns, planes.categories), scores[known] > 0
    terms = np.ascontiguousarray(terms if known.all() else terms[known])
    weights = planes.weights
    if np.all(np.count_nonzero(weights, axis=1) == 1):
        weights = np.sign(weights)
    for digits in range(1, 16):
        few = _significant(weights, digits)
        offsets = _thresholds_between(terms @ few.T, above)
        if offsets is not None:
            return _whole(replace(planes, weights=few, offsets=offsets), terms, above)
    return planes


def _round_scores(planes: Planes, X: Floats) -> Planes:
    """Planes with the fewest digits that give each row of X the same largest score."""
    branch = planes.branch(X)
    for digits in range(1, 16):
        few = replace(
            planes,
            weights=_significant(planes.weights, digits),
            offsets=_significant(planes.offsets, digits),
        )
        if np.array_equal(few.branch(X), branch):
            return few
    return planes


def _thresholds_between(scores: Floats, above: Mask) -> Floats | None:
    """Simplest threshold of each column of scores; None if one of them has none."""
    found = [_threshold_between(s, a) for s, a in zip(scores.T, above.T, strict=True)]
    return None if None in found else np.array(found, dtype=np.float64)


def _threshold_between(scores: Floats, above: Mask) -> float | None:
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
    >>> from planetree.tree.plane.rounding import simplest_between
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


def _significant(weights: Floats, digits: int) -> Floats:
    """Numbers with so many significant digits."""
    few = [float(f"{weight:.{digits - 1}e}") for weight in weights.ravel()]
    return np.array(few).reshape(weights.shape)


def _whole(planes: Planes, terms: Floats, above: Mask) -> Planes:
    """The same planes with whole weights, if a power of ten gives them and none is large."""
    for power in range(0, 7):
        weights = planes.weights * 10.0**power
        rounded = np.round(weights)
        if np.abs(rounded).max() > _LARGEST_WHOLE:
            break
        if np.allclose(weights, rounded, rtol=1e-9, atol=0.0):
            rounded /= np.gcd.reduce(np.abs(rounded).astype(int), axis=None)
            offsets = _thresholds_between(terms @ rounded.T, above)
            if offsets is not None:
                return replace(planes, weights=rounded, offsets=offsets)
            break
    return planes
