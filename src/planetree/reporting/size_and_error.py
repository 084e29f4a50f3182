"""Methods as points: the terms of a model to the right, its error up, with its 95% interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planetree.reporting.charts import Frame
from planetree.reporting.html import Markup, tag

_APART = 13.0  # least distance of two names, in the units of the drawing


class MethodPoint(NamedTuple):
    """A method: its error with the ends of its interval, its terms, whether none is better."""

    name: str
    error: float
    low: float
    high: float
    terms: float
    undominated: bool


def size_and_error(points: Sequence[MethodPoint]) -> Markup:
    """The drawing; nothing is wider than its frame.

    Examples
    --------
    >>> from planetree.reporting import MethodPoint, size_and_error
    >>> size_and_error([MethodPoint("c45", 0.1, 0.05, 0.2, 12.0, True)]).count("<circle")
    1
    """
    top = max(point.high for point in points) or 1.0
    most = max(1.0, max(point.terms for point in points))
    frame = Frame(0.0, 1.25 * most, width=620.0, height=320.0)  # room for names at the right
    up = [f"{100 * top * quarter / 4:.3g}%" for quarter in range(5)]
    heights = _name_heights(frame, points, top)
    marks = [
        tag(
            "g",
            tag("title", f"{p.name}: error {p.error:.1%} ({p.low:.1%} to {p.high:.1%})"),
            frame.line((p.terms, p.low / top), (p.terms, p.high / top), "interval"),
            tag("circle", cx=frame.x(p.terms), cy=frame.y(p.error / top), r=4.5),
            frame.text(frame.x(p.terms) + 9, heights[p.name], p.name, text_anchor="start"),
            class_="point front" if p.undominated else "point",
        )
        for p in points
    ]
    label = "Error of each method against the number of its terms"
    return frame.chart(
        label, "terms (average over the folds)", "error", frame.grid(frame.numbers(), up), *marks
    )


def _name_heights(frame: Frame, points: Sequence[MethodPoint], top: float) -> dict[str, float]:
    """Where each name stands: beside its point, or below the name above it if they would meet."""
    found: dict[str, float] = {}
    placed: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda each: -each.error):
        x, y = frame.x(point.terms), frame.y(point.error / top) + 4
        while any(abs(x - a) < 110 and abs(y - b) < _APART for a, b in placed):
            y += 1.0
        placed.append((x, y))
        found[point.name] = y
    return found
