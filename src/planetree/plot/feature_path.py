"""Accuracy against features: the error of the best planes with at most so many features."""

from __future__ import annotations

from typing import Any

from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

from planetree.separators import FeaturePath

__all__ = ["feature_path"]


def feature_path(path: FeaturePath, ax: Any = None) -> Any:
    """Draw the error for every number of features.

    Parameters
    ----------
    path : FeaturePath
        Of `SparseSeparator.feature_path`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_iris
    >>> from planetree import SparseSeparator, plot
    >>> path = SparseSeparator().feature_path(*load_iris(return_X_y=True))
    >>> plot.feature_path(path).get_xlabel()
    'features'
    """
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot(path.n_features, path.errors, marker="o", markersize=4)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="features", ylabel="error (average violation)", ylim=(0, None))
    return ax
