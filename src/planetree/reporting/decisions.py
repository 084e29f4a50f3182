"""How sure each decision is: its rows along it, and below them the curve from score to probability.

The curve is that of a row that comes to the decision: the shares with which it takes the ways,
times what lies there. The stripe is the gray zone, where the share of a way runs from 10 % to 90 %.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planetree.reporting.charts import Frame
from planetree.reporting.html import Markup, section, tag
from planetree.tree.inspection.rows_in_tree import RowsInTree
from planetree.words import typeset

__all__ = ["curves_section"]

_MOST = 24  # decisions that are drawn: the first ones, as many as a page holds
_STEPS = 121  # places of a curve


def curves_section(shown: RowsInTree) -> Markup | str:
    """Histogram and curve of each graded decision; nothing where all are hard."""
    found: list[Markup] = []
    for place, node in enumerate(np.flatnonzero(shown.tree.n_branches).tolist(), 1):
        chart = _chart(shown, node) if len(found) < _MOST else None
        words = shown.words[node]
        if chart is not None and words is not None:
            asked = f"{place}. {typeset(' '.join(words.lines[:6]))}"
            asked += " …" if len(words.lines) > 6 else ""
            unsure = tag("p", f"{typeset(words.ways[-1])}, {words.unsure}", class_="quiet")
            found.append(tag("figure", tag("h3", asked), unsure, chart))
    if not found:
        return ""
    which = shown.classes[1] if len(shown.classes) == 2 else "each class"
    return section(
        "curves",
        "How sure each decision is",
        tag("div", *found, class_="columns"),
        lead=f"Above, the rows that come to a decision, by class. Below, the probability of "
        f"{which} for a row that comes there. In the gray zone a decision is unsure: it gives the "
        "other way 10 % or more of the row.",
    )


def _chart(shown: RowsInTree, node: int) -> Markup | None:
    """Rows along a decision, and the probability below; None where no one number tells it."""
    seen, found = shown.histogram(node)
    if seen is None or found is None:
        return None
    n_bins = found.counts.shape[1]
    edges = found.low + found.width * np.arange(n_bins + 1)
    at = np.linspace(edges[0], edges[-1], _STEPS)
    curve = shown.curve(node, at)
    if curve is None:
        return None
    frame = Frame(edges[0], edges[-1], height=130.0, top=112.0)
    above = replace(frame, top=12.0, height=90.0)
    codes = [1] if len(shown.classes) == 2 else range(len(shown.classes))
    zones = [each.band(*ends) for each in (above, frame) for ends in seen.zones]
    lines = [
        each.line((t, 0), (t, 1), "threshold") for each in (above, frame) for t in seen.thresholds
    ]
    which = shown.classes[1] if len(shown.classes) == 2 else "each class"
    return frame.chart(
        "Rows along the decision, and the curve from score to probability",
        seen.name,
        f"probability of {which}",
        frame.grid(frame.numbers()),
        *zones,
        *above.bars(edges, found.counts),
        *lines,
        *(frame.path(at, curve[:, code], code) for code in codes),
    )
