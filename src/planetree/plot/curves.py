"""Curves and bars: errors against features, a search, how much columns count, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from sklearn.utils.validation import check_is_fitted

from planetree.arrays import Indices
from planetree.parameters import check_argument, choice
from planetree.separators import FeaturePath
from planetree.statistics import class_calibration, wilson_interval

_MEASURES = {
    "fitness": "fitness",
    "accuracy": "accuracy on held-out rows",
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
    """Draw a bar for each column that counts, the largest on top; weights of 0 are left out.

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
    sizes = np.asarray(weights, dtype=float)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] != 0][:n_shown]
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
    check_argument("measure", measure, choice(*_MEASURES))
    ax = plt.subplots()[1] if ax is None else ax
    history = selector.history_
    leader = _fittest_so_far(history["fitness"])
    ax.plot(history["evaluation"], history[measure], ".", alpha=0.3, label="subset")
    ax.plot(history["evaluation"], history[measure][leader], label="fittest so far")
    ax.set(xlabel="evaluation", ylabel=_MEASURES[measure])
    ax.legend()
    return ax


def calibration(y: Any, probabilities: Any, classes: Any = None, ax: Axes | None = None) -> Axes:
    """Draw how often rows are of a class against the probability that they were given.

    On the diagonal a probability is worth what it says. A point is the rows of about the same
    probability, as large as they are many, with a 95% interval of what is so. For two classes it
    is the probability of the second; for more, that of the likeliest class.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Classes of rows, best of ones that the model has not seen.
    probabilities : array of shape (n_rows, n_classes)
        What `predict_proba` gives them, or `cross_val_predict(..., method="predict_proba")`.
    classes : array of shape (n_classes,), optional
        Labels of the columns, `classes_` of the model; by default those in y, in order.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_predict
    >>> from planetree import PlaneTreeClassifier, plot
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> shares = cross_val_predict(PlaneTreeClassifier(), X, y, method="predict_proba")
    >>> plot.calibration(y, shares).get_xlabel()
    'probability of 1'
    """
    y, shares = np.asarray(y), np.asarray(probabilities, dtype=np.float64)
    names = np.unique(y) if classes is None else np.asarray(classes)
    if shares.shape != (len(y), len(names)):
        raise ValueError(
            f"probabilities must have the shape {(len(y), len(names))}, a row for each of y and a "
            f"column for each class, but they have {shares.shape}."
        )
    two, is_so = len(names) == 2, y[:, None] == names
    codes = np.where(is_so.any(axis=1), is_so.argmax(axis=1), -1)
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1)
    for point in class_calibration(shares, codes):
        share = point.n_right / point.n_rows
        ax.plot([point.predicted] * 2, wilson_interval(share, point.n_rows), color="C0", alpha=0.5)
        ax.plot(
            point.predicted,
            share,
            "o",
            color="C0",
            markersize=3 + 9 * (point.n_rows / len(y)) ** 0.5,
        )
    counted = str(names[1]) if two else "the likeliest class"
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_xlabel(f"probability of {counted}", parse_math=False)
    ax.set_ylabel(f"share of {names[1] if two else 'right answers'}", parse_math=False)
    return ax


def _fittest_so_far(fitness: Any) -> Indices:
    """For each evaluation, the number of the first that is as fit as any up to it."""
    best = np.maximum.accumulate(fitness)
    first = np.concatenate([[True], best[1:] > best[:-1]])
    return np.asarray(np.maximum.accumulate(np.where(first, np.arange(len(best)), 0)))
