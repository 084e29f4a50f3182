"""The heat map of a selection: samples and features, both ordered by class.

A cell shows how far a value is above or below its feature's mean, in standard deviations. Samples
are columns, features rows, as papers on microarrays show them. With a consistent biclustering the
bright blocks lie on the diagonal: the features of a class are high in its samples.

Within a class, samples keep their order; features are sorted by how much higher they are in their
class than elsewhere, the clearest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Floats, Indices
from planetree.table import read_labels, read_rows

_COLOR_LIMIT = 2.5  # standard deviations
_NAMED = 40  # as many rows or columns have room for their names


def heatmap(selector: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Draw the selected features of samples, samples and features ordered by class.

    Parameters
    ----------
    selector : fitted selector
        With `support_`; where it has `feature_classes_` too, those order the features, otherwise
        each feature belongs to the class in which its mean is largest.
    X : array or frame of shape (n_rows, n_columns)
    y : array of shape (n_rows,)
        Class of each row.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> from planetree import BiclusteringSelector
    >>> from planetree.plot import heatmap
    >>> X = [[9.0, 1.0, 8.0], [7.0, 2.0, 1.0], [1.0, 8.0, 2.0], [2.0, 9.0, 5.0]]
    >>> y = ["a", "a", "b", "b"]
    >>> ax = heatmap(BiclusteringSelector().fit(X, y), X, y)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0', 'x2', 'x1']
    """
    check_is_fitted(selector, "support_")
    values = read_rows(selector, X)
    codes = read_labels(selector, y, len(values))
    selected = np.flatnonzero(selector.support_)
    classes, rises = _classes_of(selector, values, codes)
    features = selected[np.lexsort([-rises[selected], classes[selected]])]
    samples = np.argsort(codes, kind="stable")
    ax = plt.subplots(layout="constrained")[1] if ax is None else ax
    _draw(ax, _standardized(values)[np.ix_(samples, features)].T)
    _mark_classes(ax, codes[samples], classes[features])
    _label_axes(ax, selector, features, codes[samples])
    return ax


def _classes_of(selector: Any, values: Floats, codes: Indices) -> tuple[Indices, Floats]:
    """Class of each feature, and how much higher it is there than elsewhere."""
    present = np.unique(codes)
    means = np.array([_standardized(values)[codes == k].mean(axis=0) for k in present])
    if hasattr(selector, "feature_classes_"):
        classes = np.searchsorted(selector.classes_, selector.feature_classes_)
    else:
        classes = present[means.argmax(axis=0)]
    own = np.array([means[present == k, i].sum() for i, k in enumerate(classes)])
    return classes, own


def _standardized(values: Floats) -> Floats:
    """Columns with mean 0 and deviation 1, or 0 where a column has one value."""
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _draw(ax: Axes, cells: Floats) -> None:
    """Draw the cells with a color bar."""
    limits: dict[str, Any] = {"vmin": -_COLOR_LIMIT, "vmax": _COLOR_LIMIT}
    image = ax.imshow(cells, aspect="auto", interpolation="nearest", cmap="RdBu_r", **limits)
    ax.figure.colorbar(image, ax=ax).set_label("standard deviations from the feature's mean")


def _mark_classes(ax: Axes, of_samples: Indices, of_features: Indices) -> None:
    """Draw lines where the class changes."""
    for at in np.flatnonzero(np.diff(of_samples)):
        ax.axvline(at + 0.5, color="black", linewidth=1.0)
    for at in np.flatnonzero(np.diff(of_features)):
        ax.axhline(at + 0.5, color="black", linewidth=1.0)


def _label_axes(ax: Axes, selector: Any, features: Indices, codes: Indices) -> None:
    """Name the classes below their samples, and the features where there is room."""
    present = np.unique(codes)
    middles = [np.flatnonzero(codes == k).mean() for k in present]
    ax.set_xticks(middles, [str(selector.classes_[k]) for k in present], parse_math=False)
    ax.set_xlabel(f"{len(codes)} samples")
    ax.set_ylabel(f"{len(features)} features")
    if len(features) <= _NAMED:
        names = [selector.columns_[i].name for i in features]
        ax.set_yticks(range(len(names)), names, parse_math=False)
    else:
        ax.set_yticks([])
