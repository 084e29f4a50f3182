"""What the shares or scores of a model are worth on the rows shown, as a chart with intervals.

A model that gives shares is calibrated if of the rows to which it gives a share p of a class, a
share p is of that class. For two classes the share is that of the second; for more, that of the
class answered. Rows of one share make a point; more than `MAX_POINTS` different shares are put
together, about as many rows to a point. A model that gives no shares is asked for its scores
instead: for two classes the score itself, for more how far the largest is above the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.reporting.html import Markup, section, tag
from planetree.statistics import wilson_interval
from planetree.tree.inspection.rows_in_tree import RowsInTree

__all__ = ["calibration_section"]

_LEFT, _TOP, _WIDE, _TALL = 64.0, 12.0, 360.0, 240.0
_MAX_POINTS = 10  # deciles


class _Point(NamedTuple):
    """Rows of about the same share or score: their mean, how many they are, how many are so."""

    said: float
    n_rows: int
    n_right: int


class _Calibration(NamedTuple):
    """Points, whether they are shares or scores, and what is counted."""

    points: list[_Point]
    are_shares: bool
    of_class: int | None
    brier: float | None


def _calibration(shown: RowsInTree, answers: Indices) -> _Calibration:
    """What the shares or the scores of a model are worth on the rows shown."""
    codes, two = shown.codes, len(shown.classes) == 2
    right = codes == (1 if two else answers)
    if shown.gives_shares:
        shares = shown.model.predict_proba(shown.table)
        said = shares[:, 1] if two else shares[np.arange(len(codes)), answers]
        true = np.eye(len(shown.classes))[codes]
        brier = float(np.mean(np.sum((shares - true) ** 2, axis=1)))
    else:
        said, brier = _margins(shown), None
    return _Calibration(_points(said, right), shown.gives_shares, 1 if two else None, brier)


def _margins(shown: RowsInTree) -> Floats:
    """Score of each row: signed for two classes, else how far the largest is above the next."""
    if hasattr(shown.model, "planes_"):
        scores = shown.model.planes_.scores(shown.rows)
        if scores.shape[1] > 1 and shown.model.planes_.rule == "argmax":
            ordered = np.sort(scores, axis=1)
            return np.asarray(ordered[:, -1] - ordered[:, -2])
        if scores.shape[1] == 1:
            return np.asarray(scores[:, 0])
    return np.empty(0)


def _points(said: Floats, right: Mask) -> list[_Point]:
    """Rows put together by what was said of them, from the least up."""
    if not len(said):
        return []
    values, which = np.unique(said, return_inverse=True)
    if len(values) > _MAX_POINTS:
        ranks = np.argsort(np.argsort(said, kind="stable"), kind="stable")
        first = np.full(len(values), len(said))
        np.minimum.at(first, which, ranks)  # equal shares stay together
        _, which = np.unique((first * _MAX_POINTS // len(said))[which], return_inverse=True)
    groups = [which == group for group in range(which.max() + 1)]
    return [_Point(float(said[g].mean()), int(g.sum()), int(right[g].sum())) for g in groups]


def calibration_section(shown: RowsInTree, answers: Indices) -> Markup:
    """What the shares or scores of a model are worth."""
    found = _calibration(shown, answers)
    counted = "right answers" if found.of_class is None else shown.classes[found.of_class]
    if not found.points:
        lead = (
            "This model gives classes without shares or scores, so there is nothing to calibrate."
        )
        return section("calibration", "Calibration", lead=lead)
    if found.are_shares:
        lead = (
            f"On the diagonal a share is worth what it says. Of the rows in a point, the height is "
            f"the share of {counted}; the bars are 95 % intervals. "
        )
        lead += f"Brier score {found.brier:.3f} (0 is perfect)."
    else:
        lead = (
            f"This model gives scores, not shares. Of the rows with about the same score, the "
            f"height is the share of {counted}; the bars are 95 % intervals."
        )
    said = "share given"
    if not found.are_shares:
        said = "score" if found.of_class is not None else "largest score, less the next"
    return section("calibration", "Calibration", _chart(found, said, counted), lead=lead)


def _chart(found: _Calibration, said: str, counted: str) -> Markup:
    """Points with intervals."""
    low, high = (0.0, 1.0) if found.are_shares else _ends(found.points)
    most = max(point.n_rows for point in found.points)
    diagonal = (
        _line(_LEFT, _TOP + _TALL, _LEFT + _WIDE, _TOP, "diagonal") if found.are_shares else ""
    )
    parts = [_point_mark(point, low, high, most) for point in found.points]
    middle, side = _LEFT + _WIDE / 2, _TOP + _TALL / 2
    return tag(
        "svg",
        _grid(low, high),
        diagonal,
        *parts,
        _text(middle, _TOP + _TALL + 36, said),
        _text(0, 0, f"share of {counted}"[:40], transform=f"translate(11 {side}) rotate(-90)"),
        viewBox=f"0 0 {_LEFT + _WIDE + 14:g} {_TOP + _TALL + 44:g}",
        class_="chart",
        role="img",
        aria_label="Calibration: what was said against what was so",
    )


def _ends(points: list[_Point]) -> tuple[float, float]:
    """Range of the scores, a little wider."""
    low, high = points[0].said, points[-1].said
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _point_mark(point: _Point, low: float, high: float, most: int) -> Markup:
    """A point, as large as it has rows, with its interval and a title that says all."""
    share = point.n_right / point.n_rows
    x = _LEFT + _WIDE * (point.said - low) / (high - low)
    bottom, top = (_TOP + _TALL * (1 - end) for end in wilson_interval(share, point.n_rows))
    said = (
        f"{point.n_rows} rows, said {point.said:.3g}: {point.n_right} are so ({100 * share:.1f} %)"
    )
    radius = 3.0 + 6.0 * (point.n_rows / most) ** 0.5
    return tag(
        "g",
        tag("title", said),
        _line(x, bottom, x, top, "interval"),
        tag("circle", cx=f"{x:.1f}", cy=f"{_TOP + _TALL * (1 - share):.1f}", r=f"{radius:.1f}"),
        class_="point",
    )


def _grid(low: float, high: float) -> Markup:
    """Lines at every quarter, with numbers."""
    parts = []
    for quarter in range(5):
        x, y = _LEFT + _WIDE * quarter / 4, _TOP + _TALL * (1 - quarter / 4)
        value = low + (high - low) * quarter / 4
        parts.append(_line(_LEFT, y, _LEFT + _WIDE, y, "grid"))
        parts.append(_text(x, _TOP + _TALL + 18, f"{value:.3g}"))
        parts.append(_text(_LEFT - 6, y + 4, f"{25 * quarter} %", text_anchor="end"))
    return tag("g", *parts)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A line of some kind."""
    at = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", class_=kind, **{name: f"{value:.1f}" for name, value in at.items()})


def _text(x: float, y: float, said: str, **attributes: str) -> Markup:
    """Words at a place, in the middle unless told otherwise."""
    given = {"text_anchor": "middle", "class_": "small", **attributes}
    return tag("text", said, x=f"{x:.1f}", y=f"{y:.1f}", **given)
