"""The calibration chart: what was said against what was so, with intervals."""

from __future__ import annotations

from planetree.reporting.html import Markup, tag
from planetree.reporting.measures import Calibration, Point
from planetree.reporting.sections import section
from planetree.statistics import wilson_interval
from planetree.tree.inspection.rows_in_tree import Shown

__all__ = ["calibration_section"]

LEFT, TOP, WIDE, TALL = 64.0, 12.0, 360.0, 240.0


def calibration_section(shown: Shown, found: Calibration) -> Markup:
    """What the shares or scores of a model are worth."""
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
    return section("calibration", "Calibration", chart(found, said, counted), lead=lead)


def chart(found: Calibration, said: str, counted: str) -> Markup:
    """Points with intervals."""
    low, high = (0.0, 1.0) if found.are_shares else ends(found.points)
    most = max(point.n_rows for point in found.points)
    diagonal = line(LEFT, TOP + TALL, LEFT + WIDE, TOP, "diagonal") if found.are_shares else ""
    parts = [point_mark(point, low, high, most) for point in found.points]
    middle, side = LEFT + WIDE / 2, TOP + TALL / 2
    return tag(
        "svg",
        grid(low, high),
        diagonal,
        *parts,
        text(middle, TOP + TALL + 36, said),
        text(0, 0, f"share of {counted}"[:40], transform=f"translate(11 {side}) rotate(-90)"),
        viewBox=f"0 0 {LEFT + WIDE + 14:g} {TOP + TALL + 44:g}",
        class_="chart",
        role="img",
        aria_label="Calibration: what was said against what was so",
    )


def ends(points: list[Point]) -> tuple[float, float]:
    """Range of the scores, a little wider."""
    low, high = points[0].said, points[-1].said
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def point_mark(point: Point, low: float, high: float, most: int) -> Markup:
    """A point, as large as it has rows, with its interval and a title that says all."""
    share = point.n_right / point.n_rows
    x = LEFT + WIDE * (point.said - low) / (high - low)
    bottom, top = (TOP + TALL * (1 - end) for end in wilson_interval(share, point.n_rows))
    said = (
        f"{point.n_rows} rows, said {point.said:.3g}: {point.n_right} are so ({100 * share:.1f} %)"
    )
    radius = 3.0 + 6.0 * (point.n_rows / most) ** 0.5
    return tag(
        "g",
        tag("title", said),
        line(x, bottom, x, top, "interval"),
        tag("circle", cx=f"{x:.1f}", cy=f"{TOP + TALL * (1 - share):.1f}", r=f"{radius:.1f}"),
        class_="point",
    )


def grid(low: float, high: float) -> Markup:
    """Lines at every quarter, with numbers."""
    parts = []
    for quarter in range(5):
        x, y = LEFT + WIDE * quarter / 4, TOP + TALL * (1 - quarter / 4)
        value = low + (high - low) * quarter / 4
        parts.append(line(LEFT, y, LEFT + WIDE, y, "grid"))
        parts.append(text(x, TOP + TALL + 18, f"{value:.3g}"))
        parts.append(text(LEFT - 6, y + 4, f"{25 * quarter} %", text_anchor="end"))
    return tag("g", *parts)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A line of some kind."""
    at = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return tag("line", class_=kind, **{name: f"{value:.1f}" for name, value in at.items()})


def text(x: float, y: float, said: str, **attributes: str) -> Markup:
    """Words at a place, in the middle unless told otherwise."""
    given = {"text_anchor": "middle", "class_": "small", **attributes}
    return tag("text", said, x=f"{x:.1f}", y=f"{y:.1f}", **given)
