"""What is done to one part of the rows: functions that a worker can run, with results that merge.

A row stands alone or in a group. The groups are those of a few `Stage`s: planes, and how far from
all of its kinks a row must be to join the group of its class and its sides there. Rows that later
planes find on another side than their group have left it (`Departure`). Which group a row is in
depends on the row alone, so every read finds the same.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Mask
from planetree.solvers.partitioned.implied_terms import ImpliedTerms

_Keys = NDArray[np.int64]
_NONE = ImpliedTerms()
_STAGE = 50  # bits for the class and the sides of a group
_MOST_STRAYS = 50_000  # of a part: where there are more, the grouping is a bad one


class RawPlanes(NamedTuple):
    """Weights and offsets in the units of the rows: one plane for two classes, else one a class."""

    weights: Floats
    offsets: Floats


class Stage(NamedTuple):
    """Rows farther than `reach` from all kinks of the planes are in a group."""

    planes: RawPlanes
    reach: float


class Departure(NamedTuple):
    """Rows of groups from `stage` on that are on another side of these planes stand alone."""

    planes: RawPlanes
    stage: int


class Grouping(NamedTuple):
    """All that decides which group a row is in."""

    n_classes: int
    stages: tuple[Stage, ...]
    departures: tuple[Departure, ...] = ()


class GroupSum(NamedTuple):
    """Sums of weight times row and of the weights, as two doubles, with a bound on their error."""

    high: Floats
    low: Floats
    error: Floats


class Band(NamedTuple):
    """Rows that stand alone."""

    E: Floats
    codes: NDArray[np.int32]
    weights: Floats


class _Summary(NamedTuple):
    """All of a part but its rows that stand alone.

    The least and largest numbers of its terms are among it, and which terms are implied.
    """

    n_alone: int
    sums: dict[int, GroupSum]
    class_weights: Floats
    low: Floats
    high: Floats
    implied: Mask
    digest: int


class _Split(NamedTuple):
    band: Band
    summary: _Summary


class Check(NamedTuple):
    """A part at given planes: its error, rounded up; strays, with the groups that they leave.

    Of too many strays only their number is told.
    """

    error: float
    least_margin: float
    n_wrong: int
    n_strays: int
    strays: Band
    keys: _Keys
    digest: int


class _NewtonSums(NamedTuple):
    """Value, gradient and Hessian of the smoothed hinges of a band, and how many are how near."""

    value: float
    gradient: Floats
    hessian: Floats
    near: Floats


def residuals(E: Floats, codes: NDArray[np.int32], planes: RawPlanes, n_classes: int) -> Floats:
    """Margin of each row against each rival, less 1: the same bits among any other rows."""
    n = E.shape[1]
    scores = _core.plane_scores(E, *planes, np.arange(n), np.full(n, -1))
    if n_classes == 2:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])[:, None] - 1
    own = np.take_along_axis(scores, codes[:, None].astype(np.intp), axis=1)
    rivals = np.arange(n_classes) != codes[:, None]
    return (own - scores)[rivals].reshape(len(E), n_classes - 1) - 1


def _sides(codes: NDArray[np.int32], apart: Floats) -> _Keys:
    """Key of a class and the sides of all its kinks."""
    bits = (apart > 0) @ (1 << np.arange(apart.shape[1], dtype=np.int64))
    found: _Keys = (codes.astype(np.int64) << apart.shape[1]) | bits
    return found


def _keys(E: Floats, codes: NDArray[np.int32], grouping: Grouping) -> _Keys:
    """Group of each row, -1 for those that stand alone."""
    keys, k = np.full(len(E), -1, dtype=np.int64), grouping.n_classes
    for number, (planes, reach) in enumerate(grouping.stages):
        apart = residuals(E, codes, planes, k)
        far = (keys < 0) & (np.abs(apart).min(axis=1, initial=np.inf) > reach)
        keys[far] = (number << _STAGE) | _sides(codes[far], apart[far])
    for planes, stage in grouping.departures:
        grouped = keys >> _STAGE >= stage
        grouped &= keys >= 0
        keys[grouped & _strayed(E, codes, keys, planes, k)] = -1
    return keys


def _strayed(E: Floats, codes: NDArray[np.int32], keys: _Keys, planes: RawPlanes, k: int) -> Mask:
    """Rows of groups that are on another side of some kink."""
    sides = keys & ((1 << _STAGE) - 1)
    moved: Mask = (keys >= 0) & (_sides(codes, residuals(E, codes, planes, k)) != sides)
    return moved


def sums_of(E: Floats, keys: _Keys, weights: Floats) -> dict[int, GroupSum]:
    """Sums of the rows of each group."""
    groups, places = np.unique(keys[keys >= 0], return_inverse=True)
    group = np.full(len(keys), -1, dtype=np.int32)
    group[keys >= 0] = places.ravel()
    found = _core.group_sums(np.ascontiguousarray(E), group, weights, len(groups))
    return {int(key): GroupSum(*(part[g] for part in found)) for g, key in enumerate(groups)}


def split_part(rows: Any, grouping: Grouping, implied: ImpliedTerms) -> _Split:
    """Sums of the groups of a part, and its rows that stand alone."""
    E, codes, weights = rows
    return _split(E, codes, weights, grouping, implied)


def _split(
    E: Floats, codes: Any, weights: Floats, grouping: Grouping, implied: ImpliedTerms = _NONE
) -> _Split:
    keys = _keys(E, codes, grouping)
    alone = keys < 0
    band = Band(np.ascontiguousarray(E[alone]), codes[alone], weights[alone])
    summary = _Summary(
        len(band.weights),
        sums_of(E, keys, weights),
        np.bincount(codes, weights, grouping.n_classes).astype(np.float64),
        E.min(axis=0, initial=np.inf),
        E.max(axis=0, initial=-np.inf),
        implied.hold(E),
        rows_digest(E, codes, weights),
    )
    return _Split(band, summary)


def band_of(split: _Split) -> Band:
    """The rows that stand alone, kept where they are."""
    return split.band


def summary_of(split: _Split) -> _Summary:
    """All but these rows."""
    return split.summary


def groups_of_band(band: Band, grouping: Grouping) -> tuple[Band, dict[int, GroupSum]]:
    """A band split again by further stages."""
    found = _split(*band, grouping)
    return found.band, found.summary.sums


def check_part(
    rows: Any, grouping: Grouping, planes: RawPlanes, charges: Floats, is_band: bool = False
) -> Check:
    """Error of planes over a part or band, and its rows on another side than their group."""
    E, codes, weights = rows
    k = grouping.n_classes
    if len(E) == 0:
        none = Band(E, codes, weights)
        return Check(0.0, np.inf, 0, 0, none, np.empty(0, np.int64), rows_digest(E, codes, weights))
    keys = _keys(E, codes, grouping)
    strays = np.flatnonzero(_strayed(E, codes, keys, planes, k))
    few = strays if len(strays) <= _MOST_STRAYS else strays[:0]
    found = Band(np.ascontiguousarray(E[few]), codes[few], weights[few])
    error, least, n_wrong = 0.0, np.inf, 0
    if not is_band:
        table = weights[:, None] * charges[codes]
        error, _, least = _core.value_of_planes(E, codes, table, *planes)
        n_wrong = count_wrong(E, codes, planes, k)
    digest = 0 if is_band else rows_digest(E, codes, weights)
    return Check(error, least, n_wrong, len(strays), found, keys[few], digest)


def count_wrong(E: Floats, codes: NDArray[np.int32], planes: RawPlanes, k: int) -> int:
    """How many rows the planes take for another class."""
    n = E.shape[1]
    scores = _core.plane_scores(E, *planes, np.arange(n), np.full(n, -1))
    said = scores[:, 0] > 0 if k == 2 else scores.argmax(axis=1)
    return int(np.count_nonzero(said != codes))


def rows_digest(E: Floats, codes: Any, weights: Floats) -> int:
    """Checksum of rows, by which a change shows."""
    found = 0
    for each in (E, codes, weights):
        found = zlib.crc32(np.ascontiguousarray(each).data, found)
    return found


def newton_sums(
    band: Band, center: Floats, scale: Floats, z: Floats, charges: Floats, h: float, edges: Floats
) -> _NewtonSums:
    """Of two classes, at z in normalized terms: hinges smoothed within h of their kinks."""
    E, codes, weights = band
    A = np.column_stack([(E - center) / scale, np.full(len(E), -1.0)])
    sign = np.where(codes == 1, 1.0, -1.0)
    c, r = weights * charges[codes, 0], sign * (A @ z) - 1
    inside = np.clip(h - r, 0, 2 * h)
    slope = -c * np.clip((h - r) / (2 * h), 0, 1) * sign
    at = np.flatnonzero(np.abs(r) < h)
    hessian = (A[at] * (c[at] / (2 * h))[:, None]).T @ A[at]
    value = float(c @ (inside**2 / (4 * h) + np.maximum(0, -h - r)))
    return _NewtonSums(value, slope @ A, hessian, np.histogram(np.abs(r), edges)[0].astype(float))
