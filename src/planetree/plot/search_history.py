"""How a genetic search went: every subset it looked at, and the fittest so far."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from sklearn.utils.validation import check_is_fitted

__all__ = ["search_history"]

LABELS = {
    "fitness": "fitness",
    "accuracy": "accuracy on rows left out",
    "size": "nodes, average of the folds",
    "features": "features in the subset",
}


def search_history(selector: Any, measure: str = "fitness", ax: Any = None) -> Any:
    """Draw a measure of every subset in the order of the search, and of the fittest so far.

    Parameters
    ----------
    selector : GeneticSelector
        A fitted one.
    measure : {"fitness", "accuracy", "size", "features"}
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_iris
    >>> from planetree import GeneticSelector, plot
    >>> selector = GeneticSelector(n_evaluations=50, population_size=10, random_state=0)
    >>> plot.search_history(selector.fit(*load_iris(return_X_y=True))).get_ylabel()
    'fitness'
    """
    check_is_fitted(selector, "history_")
    if measure not in LABELS:
        raise ValueError(f"measure must be one of {list(LABELS)}, but it is {measure!r}.")
    ax = plt.subplots()[1] if ax is None else ax
    history = selector.history_
    leader = fittest_so_far(history["fitness"])
    ax.plot(history["evaluation"], history[measure], ".", alpha=0.3, label="subset")
    ax.plot(history["evaluation"], history[measure][leader], label="fittest so far")
    ax.set(xlabel="evaluation", ylabel=LABELS[measure])
    ax.legend()
    return ax


def fittest_so_far(fitness: Any) -> Any:
    """For each evaluation, the number of the first that is as fit as any up to it.

    Examples
    --------
    >>> from planetree.plot.search_history import fittest_so_far
    >>> fittest_so_far([0.5, 0.4, 0.7, 0.7]).tolist()
    [0, 0, 2, 2]
    """
    best = np.maximum.accumulate(fitness)
    first = np.concatenate([[True], best[1:] > best[:-1]])
    return np.maximum.accumulate(np.where(first, np.arange(len(best)), 0))
