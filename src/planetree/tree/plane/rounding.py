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

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from planetree.arrays import Floats, Indices, Mask, encode, row_parts
from planetree.planes import Planes

MOST_DIGITS = 15  # of a rounded weight

_LARGEST_WHOLE = 1000  # weights that a person can add up
_MANY_ROWS, _NEAREST = 10_000, 500  # above so many, so many nearest to a plane are tried first


def round_planes(planes: Planes, X: Floats) -> Planes:
    """Planes with the fewest digits that have the rows of X above them as these; these if none."""
    if planes.rule == "argmax":
        return _round_scores(planes, X)
    scores = planes.scores(X)
    known = ~np.isnan(scores).any(axis=1)
    rows = slice(None) if known.all() else np.flatnonzero(known)
    scores = scores[rows]
    near, above, weights = _nearest(scores), scores > 0, planes.weights
    del scores  # of many rows: so that what follows has its room
    nearest = X[rows][near] if isinstance(rows, slice) else X[rows[near]]
    if np.all(np.count_nonzero(weights, axis=1) == 1):
        weights = np.sign(weights)
    for digits in range(1, MOST_DIGITS + 1):
        few = replace(planes, weights=significant(weights, digits))
        # What does not part the rows nearest to the plane parts no more of them.
        if _thresholds_between(_sums(few, nearest), above[near]) is None:
            continue
        offsets = _thresholds_between(_sums(few, X)[rows], above)
        if offsets is not None:
            return _whole(replace(few, offsets=offsets), lambda other: _sums(other, X)[rows], above)
    return planes


def _sums(planes: Planes, X: Floats) -> Floats:
    """Weighted sums of terms, some rows after the others: their terms take no room for long."""
    sums = []
    for at in row_parts(len(X)):
        terms = encode(X[at], planes.columns, planes.categories)
        sums.append(np.ascontiguousarray(terms) @ planes.weights.T)
    return sums[0] if len(sums) == 1 else np.concatenate(sums)


def _nearest(scores: Floats) -> Indices | slice:
    """The rows that are nearest to a plane, on each side of it, if there are many rows."""
    if len(scores) <= _MANY_ROWS:
        return slice(None)
    chosen: list[Indices] = []
    for plane in scores.T:
        for side in (plane > 0, plane <= 0):
            rows = np.flatnonzero(side)
            most = min(_NEAREST, len(rows) - 1)
            chosen.append(rows[np.argpartition(np.abs(plane[rows]), most)[: most + 1]])
    return np.unique(np.concatenate(chosen))


def _round_scores(planes: Planes, X: Floats) -> Planes:
    """Planes with the fewest digits that give each row of X the same largest score."""
    branch = planes.branch(X)
    for digits in range(1, MOST_DIGITS + 1):
        few = replace(
            planes,
            weights=significant(planes.weights, digits),
            offsets=significant(planes.offsets, digits),
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
    return threshold_between(scores[~above].max(), scores[above].min())


def threshold_between(low: float, high: float) -> float | None:
    """Simplest threshold between two scores; None if they are too close, or one is infinite."""
    if not np.isfinite(high - low):
        return None
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


def significant(weights: Floats, digits: int) -> Floats:
    """Numbers with so many significant digits."""
    few = [float(f"{weight:.{digits - 1}e}") for weight in weights.ravel()]
    return np.array(few).reshape(weights.shape)


def _whole(planes: Planes, sums: Callable[[Planes], Floats], above: Mask) -> Planes:
    """The same planes with whole weights, if a power of ten gives them and none is large."""
    weights = whole_weights(planes.weights)
    if weights is None:
        return planes
    whole = replace(planes, weights=weights)
    offsets = _thresholds_between(sums(whole), above)
    return planes if offsets is None else replace(whole, offsets=offsets)


def whole_weights(weights: Floats) -> Floats | None:
    """Weights that a power of ten makes whole, without a common factor; None if one is large."""
    for power in range(0, 7):
        raised = weights * 10.0**power
        rounded = np.round(raised)
        if np.abs(rounded).max() > _LARGEST_WHOLE:
            break
        if np.allclose(raised, rounded, rtol=1e-9, atol=0.0):
            return np.asarray(rounded / np.gcd.reduce(np.abs(rounded).astype(int), axis=None))
    return None
