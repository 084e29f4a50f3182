"""Charts as SVG: a frame with a grid, and lines, points and words in it.

Methods are points: the terms of a model to the right, its error up, with its 95% interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats
from planetree.reporting.html import Markup, tag

PERCENT = [f"{25 * quarter}%" for quarter in range(5)]


@dataclass(frozen=True)
class Frame:
    """A rectangle whose corners are numbers: x from `low` to `high`, y from 0 to 1.

    Parameters
    ----------
    low, high : float
    left, top, width, height : float
        Where it is drawn.
    """

    low: float = 0.0
    high: float = 1.0
    left: float = 64.0
    top: float = 12.0
    width: float = 360.0
    height: float = 240.0

    def x(self, value: float) -> float:
        """Place of a number, at the nearest end if it lies beyond."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + self.width * min(1.0, max(0.0, share))

    def y(self, share: float) -> float:
        """Place of a share."""
        return self.top + self.height * (1.0 - share)

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> Markup:
        """A line between two points (x, y)."""
        at = {"x1": self.x(start[0]), "y1": self.y(start[1])}
        return tag("line", class_=kind, **at, x2=self.x(end[0]), y2=self.y(end[1]))

    def path(self, x: Floats, y: Floats, code: int) -> Markup:
        """A line through points, in the color of a class."""
        places = zip(x.tolist(), y.tolist(), strict=True)
        points = " L".join(f"{self.x(a):.1f} {self.y(b):.1f}" for a, b in places)
        stroke = f"stroke:var(--class-{code % 10})"
        return tag("path", d=f"M{points}", class_="curve", style=stroke)

    def band(self, low: float, high: float, kind: str = "zone") -> Markup:
        """A stripe from top to bottom."""
        left, right = self.x(low), self.x(high)
        return _box(left, self.top, right - left, self.height, class_=kind)

    def bars(self, edges: Floats, counts: Floats) -> list[Markup]:
        """Stacked bars between edges, a row of counts a class; the tallest fills the frame."""
        tops = np.cumsum(counts, axis=0) / max(float(counts.sum(axis=0).max()), 1e-300)
        found = []
        for code, i in zip(*np.nonzero(counts), strict=True):
            bottom = tops[code - 1, i] if code else 0.0
            left, right = self.x(edges[i]), self.x(edges[i + 1])
            y, height = self.y(tops[code, i]), self.height * (tops[code, i] - bottom)
            fill = f"fill:var(--class-{code % 10})"
            found.append(_box(left + 0.4, y, right - left - 0.8, height, style=fill))
        return found

    def text(self, x: float, y: float, said: str, **attributes: str) -> Markup:
        """Words at a place of the drawing, in the middle unless told otherwise."""
        given = {"text_anchor": "middle", "class_": "small", **attributes}
        return tag("text", said, x=float(x), y=float(y), **given)

    def grid(self, across: Sequence[str], up: Sequence[str] = PERCENT) -> Markup:
        """Lines at even steps up, with words below and at the left."""
        parts = []
        for place, said in enumerate(up):
            share = place / (len(up) - 1)
            parts.append(self.line((self.low, share), (self.high, share), "grid"))
            parts.append(self.text(self.left - 6, self.y(share) + 4, said, text_anchor="end"))
        for place, said in enumerate(across):
            x = self.left + self.width * place / (len(across) - 1)
            parts.append(self.text(x, self.top + self.height + 18, said))
        return tag("g", *parts)

    def numbers(self) -> list[str]:
        """Words for the quarters from low to high."""
        return [f"{self.low + (self.high - self.low) * quarter / 4:.4g}" for quarter in range(5)]

    def chart(self, label: str, below: str, beside: str, *content: Markup | str) -> Markup:
        """The whole drawing, with words for its axes."""
        side = self.top + self.height / 2
        return tag(
            "svg",
            *content,
            self.text(self.left + self.width / 2, self.top + self.height + 36, below),
            self.text(0, 0, beside[:40], transform=f"translate(11 {side}) rotate(-90)"),
            viewBox=f"0 0 {self.left + self.width + 26:g} {self.top + self.height + 44:g}",
            class_="chart",
            role="img",
            aria_label=label,
        )


def _box(x: float, y: float, width: float, height: float, **look: str) -> Markup:
    return tag("rect", **look, x=x, y=y, width=max(0.0, width), height=max(0.0, height))


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
