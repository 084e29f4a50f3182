"""A decision with its points: one, two or three features are drawn, more are summed to a score.

one feature       histograms of the classes, with the threshold
two features      points, with the line where the decision changes
three features    points in space, with the plane
otherwise         histograms of the scores, with the threshold at 0
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from planetree.planes import Planes
from planetree.table import read_rows

__all__ = ["decision"]

Array = NDArray[np.float64]


def decision(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw the decision of a fitted separator with two classes, and the rows it is shown.

    Parameters
    ----------
    model : fitted separator with one plane
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)
    ax : matplotlib Axes, optional
        With `projection="3d"` for a decision with three number columns.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_breast_cancer
    >>> from planetree import SparseSeparator, plot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparseSeparator(n_features=2).fit(X, y)
    >>> ax = plot.decision(model, X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('worst area', 'worst smoothness')
    """
    planes = model.planes_
    if len(planes.offsets) != 1:
        raise ValueError(
            f"decision draws one plane, but {type(model).__name__} has {len(planes.offsets)}. "
            "Fit it to two classes."
        )
    rows, labels = read_rows(model, X), np.asarray(y)
    used = np.flatnonzero(planes.weights[0])
    draw = {1: _threshold, 2: _line, 3: _plane}.get(len(used), _scores)
    if (planes.categories[used] >= 0).any():
        draw = _scores
    if ax is None:
        flat = {} if draw is not _plane else {"projection": "3d"}
        ax = plt.subplots(subplot_kw=flat)[1]
    draw(ax, _Drawn(model, planes, rows, labels, used))
    ax.legend()
    return ax


class _Drawn:
    """What is drawn: the plane's used columns, their names, and the rows of each class."""

    def __init__(
        self, model: Any, planes: Planes, rows: Array, labels: NDArray[Any], used: NDArray[np.intp]
    ) -> None:
        self.points = rows[:, planes.columns[used]]
        self.scores = planes.scores(rows)[:, 0]
        self.weights, self.offset = planes.weights[0, used], planes.offsets[0]
        self.names = [model.term_names_[t] for t in used]
        self.groups = [(str(label), labels == label) for label in model.classes_]


def _histograms(ax: Any, values: Array, drawn: _Drawn, threshold: float) -> None:
    finite = values[np.isfinite(values)]
    bins = np.histogram_bin_edges(finite, bins=30)
    for label, chosen in drawn.groups:
        ax.hist(values[chosen], bins=bins, alpha=0.6, label=label)
    ax.axvline(threshold, color="black")
    ax.set_ylabel("rows")


def _threshold(ax: Any, drawn: _Drawn) -> None:
    _histograms(ax, drawn.points[:, 0], drawn, drawn.offset / drawn.weights[0])
    ax.set_xlabel(drawn.names[0])


def _scores(ax: Any, drawn: _Drawn) -> None:
    _histograms(ax, drawn.scores, drawn, 0.0)
    ax.set_xlabel("score")


def _line(ax: Any, drawn: _Drawn) -> None:
    for label, chosen in drawn.groups:
        ax.scatter(*drawn.points[chosen].T, s=12, alpha=0.7, label=label)
    limits = ax.get_xlim(), ax.get_ylim()
    a, b = drawn.weights
    on_it = np.array([a, b]) * drawn.offset / (a * a + b * b)
    ax.axline(on_it, on_it + np.array([b, -a]), color="black")
    ax.set(xlabel=drawn.names[0], ylabel=drawn.names[1], xlim=limits[0], ylim=limits[1])


def _plane(ax: Any, drawn: _Drawn) -> None:
    for label, chosen in drawn.groups:
        ax.scatter(*drawn.points[chosen].T, s=12, alpha=0.7, label=label)
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
    ax.set(xlabel=drawn.names[0], ylabel=drawn.names[1], zlabel=drawn.names[2])
