"""Error against features: a curve for each ranking, on its first feature, its first two, ..."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

__all__ = ["nested_subset_errors"]


def nested_subset_errors(curves: Mapping[str, Any], ax: Any = None) -> Any:
    """Draw a curve for each ranking or classifier.

    Parameters
    ----------
    curves : mapping of names to arrays
        Errors with the first d features, d = 1, 2, ..., as `planetree.nested_subset_errors`
        returns them.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from planetree import plot
    >>> ax = plot.nested_subset_errors({"Tree": [0.3, 0.2, 0.1], "SFS": [0.3, 0.15, 0.1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Tree', 'SFS']
    """
    ax = plt.subplots()[1] if ax is None else ax
    for (name, errors), marker in zip(curves.items(), "os^Dv*" * len(curves), strict=False):
        n_features = np.arange(1, len(errors) + 1)
        ax.plot(n_features, errors, marker=marker, markersize=4, label=name)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="features", ylabel="test error", ylim=(0, None))
    ax.legend()
    return ax
