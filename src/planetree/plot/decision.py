"""A decision with its points: one, two or three features are drawn, more are summed to a score.

one feature       histograms of the classes, with the threshold
two features      points, with the line where the decision changes
three features    points in space, with the plane
otherwise         histograms of the scores, with the threshold at 0

Histograms of a graded decision have its gray zone as a stripe, and above them the curve of the
probability of each class (of two, the second) for a row that comes there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from planetree.arrays import Floats, Indices
from planetree.planes import Planes
from planetree.tree.inspection.rows_in_tree import RowsInTree, rows_in_tree
from planetree.words import unsure_within


def decision(model: Any, X: Any, y: Any, ax: Any = None, *, node: int = 0) -> Any:
    """Draw one decision by a plane, of a separator or of a tree, and the rows that come to it.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)
    ax : matplotlib Axes, optional
        With `projection="3d"` for a decision with three number columns.
    node : int
        Node of a tree whose decision is drawn; 0 is the first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import SparseSeparator, plot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSeparator(n_features=2).fit(X, y)
    >>> ax = plot.decision(model, X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('worst area', 'worst smoothness')
    """
    shown = rows_in_tree(model, X, y)
    planes = _plane_of(shown, node)
    used = np.flatnonzero(planes.weights[0])
    draw = {1: _threshold, 2: _line, 3: _plane}.get(len(used), _scores)
    if (planes.categories[used] != -1).any():
        draw = _scores
    if ax is None:
        flat = {} if draw is not _plane else {"projection": "3d"}
        ax = plt.subplots(subplot_kw=flat)[1]
    drawn = _Drawn(shown, node, planes, used)
    draw(ax, drawn)
    class_legend(ax, ax.get_legend_handles_labels()[0], shown.classes)
    return ax


def _plane_of(shown: RowsInTree, node: int) -> Planes:
    """The one plane of a node."""
    inner = np.flatnonzero(shown.tree.n_branches).tolist()
    if node not in inner:
        raise ValueError(f"node must be one of the decisions {inner[:20]}, but it is {node!r}.")
    split = shown.tree.splits[node]
    if not isinstance(split, Planes):
        raise ValueError(f"Node {node} looks up a category: it has no plane to draw.")
    if len(split.offsets) != 1:
        place = f" at node {node}" if len(inner) > 1 else ""
        raise ValueError(
            f"decision draws one plane, but {shown.fitted.owner} has {len(split.offsets)}{place}. "
            "Fit it to two classes, or use plot.tree."
        )
    return split


class _Drawn:
    """What is drawn: the plane's used columns, their names, and the rows of each class."""

    def __init__(self, shown: RowsInTree, node: int, planes: Planes, used: Indices) -> None:
        visit = shown.visits[node]
        chosen = np.arange(0) if visit is None else visit.rows
        rows, codes = shown.rows[chosen], shown.codes[chosen]
        self.points = rows[:, planes.columns[used]]
        self.scores = planes.scores(rows)[:, 0]
        self.weights, self.offset = planes.weights[0, used], planes.offsets[0]
        self.names = [str(shown.columns[planes.columns[t]].name) for t in used]
        self.planes = planes
        self.below = shown.tree.leaf_distributions[shown.tree.children_of(node)]
        self.groups = [(name, codes == code) for code, name in enumerate(shown.classes)]


def class_legend(ax: Any, handles: list[Any], names: list[str], **look: Any) -> None:
    """Names of the classes; matplotlib would skip those that begin with an underscore."""
    legend = ax.legend(handles, [str(i) for i in range(len(handles))], **look)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, parse_math=False)


def _histograms(ax: Any, values: Floats, drawn: _Drawn, threshold: float) -> None:
    finite = values[np.isfinite(values)]
    bins = np.histogram_bin_edges(finite, bins=30)
    for code, (_, chosen) in enumerate(drawn.groups):
        ax.hist(values[chosen & np.isfinite(values)], bins=bins, alpha=0.6, label=f"{code}")
    ax.axvline(threshold, color="black")
    ax.set_ylabel("rows")


def _curve(ax: Any, drawn: _Drawn, unit: float, threshold: float) -> None:
    """The gray zone, and probabilities on an axis of their own; a score of 1 is `unit` wide."""
    reach = unsure_within(drawn.planes) * abs(unit)
    if reach == 0:
        return
    first, last = ax.get_xlim()
    at = np.linspace(first, last, 201)
    shares = drawn.planes.shares_of(((at - threshold) / unit)[:, None]) @ drawn.below
    beside = ax.twinx()
    beside.axvspan(threshold - reach, threshold + reach, color="0.5", alpha=0.2, linewidth=0)
    for code in [1] if len(drawn.groups) == 2 else range(len(drawn.groups)):
        beside.plot(at, shares[:, code], color=f"C{code % 10}")
    beside.set(ylim=(0, 1.02), ylabel="probability", xlim=ax.get_xlim())


def _threshold(ax: Any, drawn: _Drawn) -> None:
    threshold = drawn.offset / drawn.weights[0]
    _histograms(ax, drawn.points[:, 0], drawn, threshold)
    _curve(ax, drawn, 1.0 / drawn.weights[0], threshold)
    ax.set_xlabel(drawn.names[0], parse_math=False)


def _scores(ax: Any, drawn: _Drawn) -> None:
    _histograms(ax, drawn.scores, drawn, 0.0)
    _curve(ax, drawn, 1.0, 0.0)
    ax.set_xlabel("score")


def _line(ax: Any, drawn: _Drawn) -> None:
    for code, (_, chosen) in enumerate(drawn.groups):
        ax.scatter(*drawn.points[chosen].T, s=12, alpha=0.7, label=f"{code}")
    limits = ax.get_xlim(), ax.get_ylim()
    a, b = drawn.weights
    on_it = np.array([a, b]) * drawn.offset / (a * a + b * b)
    ax.axline(on_it, on_it + np.array([b, -a]), color="black")
    ax.set(xlim=limits[0], ylim=limits[1])
    ax.set_xlabel(drawn.names[0], parse_math=False)
    ax.set_ylabel(drawn.names[1], parse_math=False)


def _plane(ax: Any, drawn: _Drawn) -> None:
    for code, (_, chosen) in enumerate(drawn.groups):
        ax.scatter(*drawn.points[chosen].T, s=12, alpha=0.7, label=f"{code}")
    low, high = np.nanmin(drawn.points, axis=0), np.nanmax(drawn.points, axis=0)
    # The axis along which the plane is flattest over the box of the points is solved for.
    up = int(np.argmax(np.abs(drawn.weights) * (high - low)))
    across = [axis for axis in range(3) if axis != up]
    grid = np.meshgrid(*(np.linspace(low[axis], high[axis], 40) for axis in across))
    level = (
        drawn.offset - sum(drawn.weights[axis] * g for axis, g in zip(across, grid, strict=True))
    ) / drawn.weights[up]
    level[(level < low[up]) | (level > high[up])] = np.nan
    surface = dict(zip([*across, up], [*grid, level], strict=True))
    ax.plot_surface(*(surface[axis] for axis in range(3)), color="gray", alpha=0.35)
    labels = (ax.set_xlabel, ax.set_ylabel, ax.set_zlabel)
    for set_label, name in zip(labels, drawn.names, strict=True):
        set_label(name, parse_math=False)
