"""Whether probabilities are worth what they say: the reliability diagram."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from planetree.statistics import calibration_points, wilson_interval

__all__ = ["calibration"]


def calibration(y: Any, probabilities: Any, classes: Any = None, ax: Axes | None = None) -> Axes:
    """Draw how often rows are of a class against the probability that they were given.

    On the diagonal a probability is worth what it says. A point is the rows of about the same
    probability, as large as they are many, with a 95 % interval of what is so. For two classes it
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
    two = len(names) == 2
    answers = np.ones(len(y), dtype=np.intp) if two else shares.argmax(axis=1)
    said = shares[np.arange(len(y)), answers]
    ax = plt.subplots()[1] if ax is None else ax
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1)
    for point in calibration_points(said, names[answers] == y):
        share = point.n_right / point.n_rows
        ax.plot([point.said] * 2, wilson_interval(share, point.n_rows), color="C0", alpha=0.5)
        ax.plot(
            point.said, share, "o", color="C0", markersize=3 + 9 * (point.n_rows / len(y)) ** 0.5
        )
    counted = str(names[1]) if two else "the likeliest class"
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_xlabel(f"probability of {counted}", parse_math=False)
    ax.set_ylabel(f"share of {names[1] if two else 'right answers'}", parse_math=False)
    return ax
