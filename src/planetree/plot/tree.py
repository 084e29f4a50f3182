"""The tree, from left to right: at each node what is asked, who comes there, and their shares.

A decision shows its rows along its plane (`tree.inspection.rows_in_tree`), stacked by class, with
the line where its ways part and a gray band where it is unsure; one that no line shows has a bar
for each way. The stripe below is the share of each class. A way is as thick as it has rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path

from planetree.arrays import Floats
from planetree.parameters import check_argument, count, optional
from planetree.plot.decision import class_legend
from planetree.tree.inspection.rows_in_tree import RowsInTree, rows_in_tree
from planetree.tree.text import rows_text
from planetree.words import typeset

_INCHES_A_LEVEL, _INCHES_A_LEAF = 3.1, 1.15
_WIDTH, _HALF = 0.66, 0.6  # of a decision, in levels and in leaves
_LEAF_HALF = 0.34
_MAX_LINES, _LINE_LETTERS = 3, 28
_MAX_ENDS = 40  # of a drawing that nobody asked to be deeper: 46 inches
_HIGHLIGHT = "black"


def tree(
    model: Any,
    X: Any,
    y: Any,
    *,
    max_depth: int | None = None,
    row: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a fitted tree with its rows; a separator is a tree of one decision.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes
    X : array or frame of shape (n_rows, n_columns)
        The rows to show.
    y : array of shape (n_rows,)
    max_depth : int, optional
        Decisions in a row that are drawn; what lies below is summed up. By default all of them, of
        a large tree as many as leave 40 ends to look at.
    row : int, optional
        Number of a row of X whose way is highlighted.
    ax : matplotlib Axes, optional
        By default that of a new figure large enough for the tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import C45Classifier, plot
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot.tree(C45Classifier().fit(X, y), X, y, max_depth=2, row=0)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', '2']
    """
    shown = rows_in_tree(model, X, y)
    check_argument("max_depth", max_depth, optional(count(0)))
    layout = _folded(shown) if max_depth is None else _Layout(shown, max_depth)
    if ax is None:
        size = (_INCHES_A_LEVEL * (layout.n_levels - 0.2), max(2.4, _INCHES_A_LEAF * layout.n_ends))
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    way = set() if row is None else _nodes_of(shown, row)
    for node in layout.places:
        if node:
            _draw_edge(ax, layout, node, on=node in way)
    for node in layout.places:
        _draw_node(ax, layout, node, on=node in way)
    ax.set(xlim=(-0.05, layout.n_levels - 0.3), ylim=(layout.n_ends - 0.3, -0.7))
    ax.set_axis_off()
    _add_legend(ax, shown)
    return ax


def _folded(shown: RowsInTree) -> _Layout:
    """The deepest layout that still can be looked at."""
    layouts = (_Layout(shown, depth) for depth in range(shown.tree.depth, 0, -1))
    return next((each for each in layouts if each.n_ends <= _MAX_ENDS), _Layout(shown, 1))


def _nodes_of(shown: RowsInTree, row: int) -> set[int]:
    """Nodes that a row reaches, in whole or in part."""
    if not -len(shown.rows) <= row < len(shown.rows):
        raise ValueError(f"row must number one of the {len(shown.rows)} rows of X, not {row!r}.")
    return {visit.node for visit in shown.tree.visits(shown.rows[[row]])}


class _Layout:
    """Where each node that is drawn is: its level from the left, its height among the ends."""

    def __init__(self, shown: RowsInTree, max_depth: int) -> None:
        self.shown = shown
        self.places: dict[int, tuple[int, float]] = {}
        self.ways: dict[int, tuple[int, int]] = {}  # parent and branch
        self.open: set[int] = set()
        self.n_ends = 0
        pending = [(0, 0)]
        while pending:
            node, level = pending.pop()
            self.places[node] = (level, float(self.n_ends))
            children = shown.tree.children_of(node).tolist()
            if not children or level == max_depth:
                self.n_ends += 1
                continue
            self.open.add(node)
            self.ways |= {child: (node, b) for b, child in enumerate(children)}
            pending.extend((child, level + 1) for child in reversed(children))
        for node in reversed(list(self.places)):
            if node in self.open:
                ends = [self.places[child][1] for child in shown.tree.children_of(node)[[0, -1]]]
                self.places[node] = (self.places[node][0], float(np.mean(ends)))
        self.n_levels = 1 + max(level for level, _ in self.places.values())

    def leaves_below(self, node: int) -> int:
        """How many leaves a node stands for."""
        tree, pending, found = self.shown.tree, [node], 0
        while pending:
            children = tree.children_of(pending.pop()).tolist()
            pending.extend(children)
            found += not children
        return found


def _draw_edge(ax: Axes, layout: _Layout, node: int, on: bool) -> None:
    """The way to a node, with its name."""
    parent, branch = layout.ways[node]
    (level, from_y), (_, to_y) = layout.places[parent], layout.places[node]
    x1, x2 = level + _WIDTH, level + 1.0
    bend = x1 + 0.55 * (x2 - x1)
    counts, words = layout.shown.counts, layout.shown.words[parent]
    share = counts[node].sum() / max(1.0, counts[0].sum())
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    curve = Path([(x1, from_y), (bend, from_y), (x1, to_y), (x2, to_y)], codes)
    color = _HIGHLIGHT if on else "0.8"
    ax.add_patch(
        PathPatch(curve, fill=False, edgecolor=color, linewidth=1.0 + 6.0 * share, zorder=1)
    )
    assert words is not None
    below = to_y > from_y
    ax.text(
        x2 - 0.02,
        to_y + (0.08 if below else -0.08),
        _cut(typeset(words.ways[branch]), 16),
        ha="right",
        va="top" if below else "bottom",
        fontsize=7.5,
        parse_math=False,
    )


def _cut(text: str, n_letters: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= n_letters else text[: n_letters - 1] + "…"


def _draw_node(ax: Axes, layout: _Layout, node: int, on: bool) -> None:
    """The card of a node."""
    x, y = layout.places[node]
    is_open = node in layout.open
    half, width = (_HALF, _WIDTH) if is_open else (_LEAF_HALF, 0.8 * _WIDTH)
    card = FancyBboxPatch(
        (x, y - half),
        width,
        2 * half,
        boxstyle="round,pad=0,rounding_size=0.04",
        facecolor="white",
        edgecolor=_HIGHLIGHT if on else "0.75",
        linewidth=1.8 if on else 0.8,
        zorder=2,
    )
    ax.add_patch(card)
    counts = layout.shown.counts[node]
    _draw_shares(ax, counts, x + 0.03, y + half - 0.12, width - 0.06)
    if is_open:
        _draw_decision(ax, layout.shown, node, x, y)
    else:
        _draw_end(ax, layout, node, x, y)


def _draw_shares(ax: Axes, counts: Floats, x: float, y: float, width: float) -> None:
    """A stripe divided among the classes."""
    ends = np.append(0.0, np.cumsum(counts)) / max(counts.sum(), 1e-300)
    for code, (start, end) in enumerate(pairwise(ends)):
        look: dict[str, Any] = {"facecolor": f"C{code % 10}", "zorder": 3}
        ax.add_patch(Rectangle((x + width * start, y), width * (end - start), 0.07, **look))


def _draw_end(ax: Axes, layout: _Layout, node: int, x: float, y: float) -> None:
    """A leaf, or a node below which nothing is drawn."""
    shown, code = layout.shown, layout.shown.fitted.codes[node]
    counts = shown.counts[node]
    label = _cut(shown.classes[code], 22)
    if shown.tree.n_branches[node]:
        label = f"{layout.leaves_below(node)} leaves"
    share = f", {counts[code] / counts.sum():.1%}" if counts.sum() else ""
    plain: dict[str, Any] = {"va": "center", "zorder": 4, "parse_math": False}
    ax.text(x + 0.03, y - 0.15, label, fontsize=8.5, fontweight="bold", **plain)
    said = f"{rows_text(float(counts.sum()))}{share if not shown.tree.n_branches[node] else ''}"
    ax.text(x + 0.03, y + 0.07, said, fontsize=7.5, color="0.35", **plain)


def _draw_decision(ax: Axes, shown: RowsInTree, node: int, x: float, y: float) -> None:
    """What is asked, and the rows along it."""
    words = shown.words[node]
    assert words is not None
    lines = [_cut(typeset(line), _LINE_LETTERS) for line in words.lines]
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"and {len(lines) - _MAX_LINES + 1} more"]
    text = "\n".join(lines)
    plain: dict[str, Any] = {"va": "top", "zorder": 4, "parse_math": False}
    ax.text(x + 0.03, y - _HALF + 0.06, text, fontsize=7.5, fontweight="bold", **plain)
    _draw_rows(ax, shown, node, (x + 0.03, y + _HALF - 0.17), (_WIDTH - 0.06, 0.42))


def _draw_rows(
    ax: Axes, shown: RowsInTree, node: int, corner: tuple[float, float], size: tuple[float, float]
) -> None:
    """Bars of the rows of a node, with a line where its ways part."""
    if shown.visits[node] is None:
        return
    seen, found = shown.histogram(node)
    bars = shown.counts[shown.tree.children_of(node)].T if found is None else found.counts
    _draw_bars(ax, bars, corner, size)
    if seen is None or found is None:
        return
    for zone in seen.zones:
        low, high = np.clip((np.array(zone) - found.low) / (found.width * bars.shape[1]), 0, 1)
        place = (corner[0] + size[0] * low, corner[1] - size[1])
        gray: dict[str, Any] = {"facecolor": "0.5", "alpha": 0.25, "zorder": 2.5}
        ax.add_patch(Rectangle(place, size[0] * (high - low), size[1], **gray))
    for threshold in seen.thresholds:
        at = corner[0] + size[0] * (threshold - found.low) / (found.width * bars.shape[1])
        ax.plot([at, at], [corner[1], corner[1] - size[1]], color="black", linewidth=1.2, zorder=4)


def _draw_bars(
    ax: Axes, counts: Floats, corner: tuple[float, float], size: tuple[float, float]
) -> None:
    """Stacked bars, a row of counts a class."""
    step, tallest = size[0] / counts.shape[1], max(counts.sum(axis=0).max(), 1e-300)
    tops = corner[1] - size[1] * np.cumsum(counts, axis=0) / tallest
    heights = size[1] * counts / tallest
    for code, i in zip(*np.nonzero(counts), strict=True):
        place = (corner[0] + (i + 0.05) * step, tops[code, i])
        look: dict[str, Any] = {"facecolor": f"C{code % 10}", "zorder": 3}
        ax.add_patch(Rectangle(place, 0.9 * step, heights[code, i], **look))


def _add_legend(ax: Axes, shown: RowsInTree) -> None:
    """The color of each class, above the tree."""
    marks = [Rectangle((0, 0), 1, 1, facecolor=f"C{c % 10}") for c in range(len(shown.classes))]
    place: dict[str, Any] = {
        "loc": "lower left",
        "bbox_to_anchor": (0.0, 1.0),
        "borderaxespad": 0.0,
    }
    look: dict[str, Any] = {"ncols": min(6, len(marks)), "frameon": False, "fontsize": 8}
    class_legend(ax, marks, shown.classes, **place, **look)
