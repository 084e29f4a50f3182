"""Columns and how much each counts, as bars, the largest on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

__all__ = ["ranking"]


def ranking(
    names: Sequence[str], weights: Sequence[float], ax: Any = None, *, n_shown: int = 40
) -> Any:
    """Draw a bar for each column.

    Parameters
    ----------
    names : sequence of str
    weights : sequence of float
    ax : matplotlib Axes, optional
    n_shown : int
        How many columns to draw, those with the largest weights.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from planetree import plot
    >>> ax = plot.ranking(["age", "dose"], [0.2, 0.7])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['dose', 'age']
    """
    order = np.argsort(-np.asarray(weights, dtype=float), kind="stable")[:n_shown]
    if ax is None:
        ax = plt.subplots(figsize=(6.4, 1.0 + 0.25 * len(order)), layout="constrained")[1]
    places = np.arange(len(order))
    ax.barh(places, [weights[i] for i in order], height=0.7)
    ax.set_yticks(places, [str(names[i]) for i in order])
    ax.invert_yaxis()
    ax.set_xlabel("weight")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
