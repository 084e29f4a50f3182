"""Curves and bars: errors against features, the course of a search, how much columns count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Indices
from planetree.separators import FeaturePath

__all__ = ["feature_path", "ranking", "search_history", "subset_error_curves"]

_MEASURES = {
    "fitness": "fitness",
    "accuracy": "accuracy on rows left out",
    "size": "nodes, average of the folds",
    "features": "features in the subset",
}


def feature_path(path: FeaturePath, ax: Axes | None = None) -> Axes:
    """Draw the error of the best planes with at most so many features, for every number of them.

    Parameters
    ----------
    path : FeaturePath
        Of `SparseSeparator.feature_path`.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import SparseSeparator, plot
    >>> path = SparseSeparator().feature_path(*load_iris(return_X_y=True))
    >>> plot.feature_path(path).get_xlabel()
    'features'
    """
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot(path.n_features, path.errors, marker="o", markersize=4)
    return _against_features(ax, "error (average violation)")


def subset_error_curves(curves: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw a curve for each ranking or classifier: its error on the first feature, two, and so on.

    Parameters
    ----------
    curves : mapping of names to arrays
        Errors with the first d features, d = 1, 2, ..., as `planetree.nested_subset_errors`
        returns them.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> from planetree import plot
    >>> ax = plot.nested_subset_errors({"Tree": [0.3, 0.2, 0.1], "SFS": [0.3, 0.15, 0.1]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Tree', 'SFS']
    """
    ax = plt.subplots()[1] if ax is None else ax
    for (name, errors), marker in zip(curves.items(), "os^Dv*" * len(curves), strict=False):
        n_features = np.arange(1, len(errors) + 1)
        ax.plot(n_features, errors, marker=marker, markersize=4, label=name)
    ax.legend()
    return _against_features(ax, "test error")


def _against_features(ax: Axes, measure: str) -> Axes:
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="features", ylabel=measure, ylim=(0, None))
    return ax


def ranking(
    names: Sequence[str], weights: Sequence[float], ax: Axes | None = None, *, n_shown: int = 40
) -> Axes:
    """Draw a bar for each column, the largest on top.

    Parameters
    ----------
    names : sequence of str
    weights : sequence of float
    ax : matplotlib Axes, optional
    n_shown : int
        How many columns to draw, those with the largest weights.

    Examples
    --------
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


def search_history(selector: Any, measure: str = "fitness", ax: Axes | None = None) -> Axes:
    """Draw a measure of every subset in the order of the search, and of the fittest so far.

    Parameters
    ----------
    selector : GeneticSelector
        A fitted one.
    measure : {"fitness", "accuracy", "size", "features"}
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from planetree import GeneticSelector, plot
    >>> selector = GeneticSelector(n_evaluations=50, population_size=10, random_state=0)
    >>> plot.search_history(selector.fit(*load_iris(return_X_y=True))).get_ylabel()
    'fitness'
    """
    check_is_fitted(selector, "history_")
    if measure not in _MEASURES:
        raise ValueError(f"measure must be one of {list(_MEASURES)}, but it is {measure!r}.")
    ax = plt.subplots()[1] if ax is None else ax
    history = selector.history_
    leader = _fittest_so_far(history["fitness"])
    ax.plot(history["evaluation"], history[measure], ".", alpha=0.3, label="subset")
    ax.plot(history["evaluation"], history[measure][leader], label="fittest so far")
    ax.set(xlabel="evaluation", ylabel=_MEASURES[measure])
    ax.legend()
    return ax


def _fittest_so_far(fitness: Any) -> Indices:
    """For each evaluation, the number of the first that is as fit as any up to it."""
    best = np.maximum.accumulate(fitness)
    first = np.concatenate([[True], best[1:] > best[:-1]])
    return np.asarray(np.maximum.accumulate(np.where(first, np.arange(len(best)), 0)))
