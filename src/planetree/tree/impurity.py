"""Impurity times weight of class weights n_1 ... n_k, n in all: what decisions are chosen by.

    Gini       n - sum_c n_c^2 / n
    entropy    n ln n - sum_c n_c ln n_c        (nats)

- both are 0 where one class has all the weight, and no decision raises them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from planetree.arrays import Floats, Indices, Mask


def entropy(class_weights: Floats) -> Floats:
    """Weight times entropy in nats of class weights along the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.impurity import entropy
    >>> float(entropy(np.array([2.0, 2.0])) / np.log(2))
    4.0
    """
    total = class_weights.sum(axis=-1)
    return xlogy(total, total) - xlogy(class_weights, class_weights).sum(axis=-1)


def _gini(class_weights: Floats) -> Floats:
    """Weight times Gini's index of class weights along the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.impurity import _gini
    >>> float(_gini(np.array([3.0, 1.0])))
    1.5
    """
    total = class_weights.sum(axis=-1)
    squares = (class_weights**2).sum(axis=-1)
    return np.asarray(total - squares / np.where(total > 0, total, 1.0))


def effective_classes(class_weights: Floats) -> float:
    """How many equally heavy classes have as much entropy; none without weight.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.impurity import effective_classes
    >>> round(effective_classes(np.array([3.0, 3.0, 3.0, 0.0])), 9)
    3.0
    """
    total = float(class_weights.sum())
    return float(np.exp(entropy(class_weights) / total)) if total > 0 else 0.0


IMPURITIES = {"gini": _gini, "entropy": entropy}


def telling_gaps(X: Floats, codes: Indices, weights: Floats, least: float) -> Mask:
    """Columns of which knowing where they are missing removes more than so much entropy.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.impurity import telling_gaps
    >>> X = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, 5.0], [np.nan, 7.0]])
    >>> telling_gaps(X, np.array([0, 0, 1, 1]), np.ones(4), 1.0)
    array([False,  True])
    """
    lost = np.isnan(X)
    some = np.flatnonzero(lost.any(axis=0) & ~lost.all(axis=0))
    classes = np.eye(int(codes.max()) + 1)[codes] * weights[:, None]
    inside, total = lost[:, some].T @ classes, classes.sum(axis=0)
    gain = entropy(total) - entropy(inside) - entropy(np.maximum(total - inside, 0.0))
    return np.isin(np.arange(X.shape[1]), some[gain > least])
