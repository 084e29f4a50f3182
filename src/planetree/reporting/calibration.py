"""What the probabilities of a model are worth, as a chart with intervals.

A model is calibrated if of the rows to which it gives a probability p of a class, a share p is of
that class. For two classes the probability is that of the second; for more, that of the likeliest
class. Which rows make a point is said in `planetree.statistics`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.reporting.charts import PERCENT, Frame
from planetree.reporting.html import Markup, section, tag
from planetree.reporting.probabilities import RowProbabilities
from planetree.statistics import CalibrationPoint, calibration_points, wilson_interval

__all__ = ["calibration_section"]


class _Calibration(NamedTuple):
    """Points, and how far probabilities are from what is so."""

    points: list[CalibrationPoint]
    brier: float
    error: float


def _calibration(given: RowProbabilities) -> _Calibration:
    """What the probabilities of a model are worth."""
    shares, codes, k = given.shares, given.codes, given.shares.shape[1]
    answers = np.ones(len(codes), dtype=np.intp) if k == 2 else shares.argmax(axis=1)
    said = shares[np.arange(len(codes)), answers]
    points = calibration_points(said, codes == answers)
    brier = float(np.mean(np.sum((shares - np.eye(k)[codes]) ** 2, axis=1)))
    apart = sum(abs(point.said * point.n_rows - point.n_right) for point in points)
    return _Calibration(points, brier, apart / len(codes))


def calibration_section(classes: list[str], given: RowProbabilities | None) -> Markup:
    """Whether probabilities are worth what they say."""
    if given is None:
        lead = "This model gives classes without probabilities, so there is nothing to calibrate."
        return section("calibration", "Calibration", lead=lead)
    found, two = _calibration(given), len(classes) == 2
    counted = classes[1] if two else "right answers"
    lead = (
        f"Of {given.rows}. On the diagonal a probability is worth what it says: each point is rows "
        f"of about the same one, its height the share of {counted}, the bars 95 % intervals. On "
        f"average they are {100 * found.error:.1f} points apart. Log loss {given.log_loss:.3f}, "
        f"Brier score {found.brier:.3f} (0 is perfect)."
    )
    frame = Frame()
    most = max(point.n_rows for point in found.points)
    chart = frame.chart(
        "Calibration: what was said against what was so",
        f"probability of {counted}" if two else "probability of the likeliest class",
        f"share of {counted}",
        frame.grid(PERCENT),
        frame.line((0, 0), (1, 1), "diagonal"),
        *(_point_mark(frame, point, most) for point in found.points),
    )
    return section("calibration", "Calibration", chart, lead=lead)


def _point_mark(frame: Frame, point: CalibrationPoint, most: int) -> Markup:
    """A point, as large as it has rows, with its interval and a title that says all."""
    share = point.n_right / point.n_rows
    low, high = wilson_interval(share, point.n_rows)
    said = (
        f"{point.n_rows} rows, said {point.said:.3g}: {point.n_right} are so ({100 * share:.1f} %)"
    )
    radius = 3.0 + 6.0 * (point.n_rows / most) ** 0.5
    return tag(
        "g",
        tag("title", said),
        frame.line((point.said, low), (point.said, high), "interval"),
        tag(
            "circle", cx=f"{frame.x(point.said):.1f}", cy=f"{frame.y(share):.1f}", r=f"{radius:.1f}"
        ),
        class_="point",
    )
