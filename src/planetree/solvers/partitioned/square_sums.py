"""Squared violations of one part of the rows, and a bound of all from sums that merge.

    F(z)  =  1/2 sum_c charge_c max(0, 1 - s_c z)^2  +  l2/2 sum_a |w_a - mean of all w|^2

For any a >= 0, with u = sum_c a_c s_c, no z has less than

    sum_c (a_c - a_c^2 / (2 charge_c))  -  u z  +  l2/2 sum_a |w_a - mean|^2

whose last two terms are at least -|u|^2 / (2 l2), or must balance where weights cost nothing.
Multipliers a_c = charge_c max(0, 1 - s_c z) almost do. With G = sum charge_c s_c s_c' over the rows
that lack more than a hair, those that balance exactly differ from them by no more than sqrt(charge)
eta each and by eta in the norm sum d_c^2 / charge_c, where eta^2 = u G^-1 u. The least eigenvalue
of G is bounded by a Cholesky factorization of G less a multiple of 1.

- all sums are of single rows, so those of parts add up; the pulls are known as two doubles with
  what they may be off, and every bound counts the rounding of what it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Mask
from planetree.solvers.partitioned.implied_terms import ImpliedTerms
from planetree.solvers.partitioned.merging import added_sums
from planetree.solvers.partitioned.passes import (
    GroupSum,
    RawPlanes,
    count_wrong,
    rows_digest,
)

_EPSILON = float(np.finfo(np.float64).eps)
_CHUNK = 20_000  # rows whose products are summed at once
_NOTHING = 1e-9  # rows that lack no more have no multipliers: they are at their margin
_HAIR = 1e-7  # rows that lack no more keep their multipliers
_UP = 1.0 + 1e-6  # covers the rounding of all that is rounded up


class Normal(NamedTuple):
    """What normalizes the terms."""

    center: Floats
    scale: Floats


class SquareSums(NamedTuple):
    """Squared violations of planes over rows.

    Parameters
    ----------
    error : float
        Half the charged squares, rounded up.
    least_margin : float
    n_wrong : int
    sums : dict of GroupSum by class and rival
        Of multipliers times rows, and of multipliers.
    dual : GroupSum
        Of a - a^2 / (2 charge), and of a.
    hessian : array of shape (n_blocks, n_terms + 1, n_blocks, n_terms + 1)
        G, in normalized terms.
    least : float
        Of the square roots of charges times what the rows of G lack.
    slopes : float
        Sum over these rows of charge (1 - a / charge)^2.
    depth : int
        How many numbers were added up one after the other in G, at most.
    class_weights : array of shape (n_classes,)
    low, high : arrays of shape (n_terms,)
    implied : boolean array
        Which terms that may be implied are so here.
    digest : int
    """

    error: float
    least_margin: float
    n_wrong: int
    sums: dict[tuple[int, int], GroupSum]
    dual: GroupSum
    hessian: Floats
    least: float
    slopes: float
    depth: int
    class_weights: Floats
    low: Floats
    high: Floats
    implied: Mask
    digest: int


def squares_of_part(
    rows: Any, z: Floats, planes: RawPlanes, charges: Floats, normal: Normal, implied: ImpliedTerms
) -> SquareSums:
    """Sums of a part at planes, which are given in normalized units and in those of the rows.

    The value is that of the latter; any multipliers prove a bound, and those of the former round
    less.
    """
    E, codes, weights = rows
    k = len(charges)
    table = weights[:, None] * charges[codes]
    short, hessian, depth = _violations(E, codes, table, z, normal)
    a, kept = table * short, short > _HAIR
    error, least_margin = 0.0, np.inf
    if len(E):
        _, error, least_margin = _core.value_of_planes(E, codes, table, *planes)
    return SquareSums(
        error,
        least_margin,
        count_wrong(E, codes, planes, k) if len(E) else 0,
        _sums(E, codes, a),
        _summed((1.0 - short / 2).ravel()[:, None], a.ravel()),
        hessian,
        float((short * np.sqrt(table))[kept].min(initial=np.inf)),
        float((table * (np.abs(1.0 - short) + 4 * _EPSILON) ** 2)[kept].sum()),
        depth,
        np.bincount(codes, weights, k).astype(np.float64),
        E.min(axis=0, initial=np.inf),
        E.max(axis=0, initial=-np.inf),
        implied.hold(E),
        rows_digest(E, codes, weights),
    )


def _summed(E: Floats, a: Floats) -> GroupSum:
    """Sum of all rows, times their multipliers."""
    one = np.zeros(len(a), dtype=np.int32)
    return GroupSum(*(part[0] for part in _core.group_sums(np.ascontiguousarray(E), one, a, 1)))


def _sums(E: Floats, codes: NDArray[np.int32], a: Floats) -> dict[tuple[int, int], GroupSum]:
    """Sums of rows times multipliers, by class and rival."""
    found, k = {}, a.shape[1] + 1
    for slot in range(k - 1):
        own = np.ascontiguousarray(a[:, slot])
        group = np.where(own > 0, codes, -1).astype(np.int32)
        parts = _core.group_sums(E, group, own, k)
        for c in np.unique(group[group >= 0]).tolist():
            found[c, slot + (slot >= c)] = GroupSum(*(part[c] for part in parts))
    return found


def _pairs_of(k: int) -> Iterator[tuple[int, int, int]]:
    """Classes, their rivals, and the places of these."""
    return ((own, slot + (slot >= own), slot) for own in range(k) for slot in range(k - 1))


def _violations(
    E: Floats, codes: NDArray[np.int32], table: Floats, z: Floats, normal: Normal
) -> tuple[Floats, Floats, int]:
    """What rows lack against their rivals, G, and how deep its sums are."""
    k, width = table.shape[1] + 1, E.shape[1] + 1
    blocks = 1 if k == 2 else k - 1
    short, out, depth = np.empty(table.shape), np.zeros((blocks, width, blocks, width)), 0
    for first in range(0, len(E), _CHUNK):
        at = slice(first, first + _CHUNK)
        Z = np.column_stack([(E[at] - normal.center) / normal.scale, np.full(len(E[at]), -1.0)])
        lack = 1.0 - _margins(Z @ z.T, codes[at])
        short[at] = np.where(lack > _NOTHING, lack, 0.0)
        depth += 1
        for own, rival, slot in _pairs_of(k):
            rows = (codes[at] == own) & (short[at, slot] > _HAIR)
            part = (Z[rows] * table[at, slot][rows, None]).T @ Z[rows]
            _add_block(out, part, own, rival, k)
    return short, out, 2 * k * depth + min(len(E), _CHUNK)


def _margins(scores: Floats, codes: NDArray[np.int32]) -> Floats:
    """By how much each row beats each rival; the first class of many has no scores of its own."""
    if scores.shape[1] == 1:
        return np.where(codes[:, None] == 1, scores, -scores)
    scores = np.column_stack([np.zeros(len(scores)), scores])
    own = np.take_along_axis(scores, codes[:, None].astype(np.intp), axis=1)
    rivals = np.arange(scores.shape[1]) != codes[:, None]
    return (own - scores)[rivals].reshape(len(codes), -1)


def _add_block(out: Floats, part: Floats, own: int, rival: int, k: int) -> None:
    """Add what rows of a class against a rival curve; the first class of many has no block."""
    if k == 2:
        out[0, :, 0] += part
        return
    for a, b, sign in ((own, own, 1), (rival, rival, 1), (own, rival, -1), (rival, own, -1)):
        if a and b:
            out[a - 1, :, b - 1] += sign * part


def merged_squares(parts: Sequence[SquareSums]) -> SquareSums:
    """All parts together."""
    keys = sorted({key for each in parts for key in each.sums})
    sums = {key: added_sums([each.sums[key] for each in parts if key in each.sums]) for key in keys}
    error = math.fsum(each.error for each in parts)
    return parts[0]._replace(
        error=math.nextafter(error, math.inf) if error else 0.0,
        least_margin=min(each.least_margin for each in parts),
        n_wrong=sum(each.n_wrong for each in parts),
        sums=sums,
        dual=added_sums([each.dual for each in parts]),
        hessian=np.sum([each.hessian for each in parts], axis=0),
        least=min(each.least for each in parts),
        slopes=sum(each.slopes for each in parts),
        depth=max(each.depth for each in parts) + len(parts),
        low=np.min([each.low for each in parts], axis=0),
        high=np.max([each.high for each in parts], axis=0),
        implied=np.all([each.implied for each in parts], axis=0),
    )


def pulls(found: SquareSums, normal: Normal) -> tuple[Floats, Floats]:
    """What the multipliers pull at the normalized unknowns, and how far that may be off.

    Both have the shape (n_blocks, n_terms + 1).
    """
    blocks, width = found.hessian.shape[:2]
    k = 2 if blocks == 1 else blocks + 1
    exact = [[Fraction(0)] * width for _ in range(k)]
    error = np.zeros((k, width))
    for (own, rival), sums in found.sums.items():
        for c, sign in ((own, 1), (rival, -1)):
            error[c] += sums.error
            for j in range(width):
                exact[c][j] += sign * (Fraction(float(sums.high[j])) + Fraction(float(sums.low[j])))
    out, off = np.zeros((blocks, width)), np.zeros((blocks, width))
    for b in range(blocks):
        c = b + k - blocks
        whole, whole_error = exact[c][-1], error[c, -1]
        out[b, -1], off[b, -1] = -float(whole), whole_error
        for j in range(width - 1):
            center, scale = float(normal.center[j]), float(normal.scale[j])
            out[b, j] = float((exact[c][j] - Fraction(center) * whole) / Fraction(scale))
            off[b, j] = (error[c, j] + abs(center) * whole_error) / scale
    return out, off * _UP


def proved_bound(found: SquareSums, normal: Normal, l2: float, free: Mask) -> float:
    """What no planes have less than, in exact arithmetic; 0 where nothing is proved.

    Parameters
    ----------
    found : SquareSums
        Of all rows.
    normal : Normal
    l2 : float
    free : boolean array of shape (n_terms,)
        Terms that others imply in every row: their weights are not needed.
    """
    u, off = pulls(found, normal)
    blocks, width = u.shape
    must = np.zeros((blocks, width), dtype=bool)
    must[:, -1] = True
    if l2 == 0:
        must[:, :-1] = ~free
    size = (np.abs(u) + off)[must] * _UP
    eta = _distance(found, size, must.ravel())
    if eta is None or not found.least >= 1.001 * eta:
        return 0.0
    spread = 1.0 + 4 * _EPSILON
    whole = float(found.dual.high[0] + found.dual.low[0]) - float(found.dual.error[0]) * spread
    multipliers = float(found.dual.high[1] + found.dual.error[1])
    rounding = 8 * _EPSILON * (multipliers + 2 * found.error) * _UP
    loss = (eta * np.sqrt(found.slopes) + eta**2 / 2) * _UP
    bound = whole - abs(whole) * 2 * _EPSILON - rounding - loss
    if l2 > 0:
        diagonal = found.hessian.reshape(blocks * width, -1).diagonal().reshape(blocks, width)
        bound -= _gain_of_weights(u[:, :-1], (off + eta * np.sqrt(diagonal) * _UP)[:, :-1], l2)
    return max(0.0, float(bound))


def _distance(found: SquareSums, size: Floats, must: Mask) -> float | None:
    """Eta: how far balanced multipliers are from those found; None if that is not known."""
    n = len(must)
    gram = found.hessian.reshape(n, n)[np.ix_(must, must)]
    diagonal = gram.diagonal().copy()
    if np.any((diagonal <= 0) & (size > 0)):
        return None
    felt = diagonal > 0
    gram, diagonal, size = gram[np.ix_(felt, felt)], diagonal[felt], size[felt]
    n = len(diagonal)
    if not n:
        return 0.0
    unit = gram / np.sqrt(np.outer(diagonal, diagonal))
    rounding, shift = n * (found.depth + 2.0 * n + 32) * _EPSILON, 0.1
    while shift > 2 * rounding:
        try:
            np.linalg.cholesky(unit - shift * np.eye(n))
        except np.linalg.LinAlgError:
            shift /= 10
            continue
        return float(np.sqrt((size**2 / diagonal).sum() / (shift - rounding)) * _UP) + 1e-290
    return None


def _gain_of_weights(u: Floats, off: Floats, l2: float) -> float:
    """What weights may gain from the pull of the multipliers, every class's plane counted."""
    first = np.abs(u.sum(axis=0)) + off.sum(axis=0) + 4 * _EPSILON * np.abs(u).sum(axis=0)
    return float(((np.abs(u) + off) ** 2).sum() + (first**2).sum()) / (2 * l2) * (1 + 1e-12)
