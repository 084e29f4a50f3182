"""Impurity times weight of class weights n_1 ... n_k, n in all: what decisions are chosen by.

    Gini       n - sum_c n_c^2 / n
    entropy    n ln n - sum_c n_c ln n_c        (nats)

- both are 0 where one class has all the weight, and no decision raises them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from planetree.arrays import Floats

__all__ = ["IMPURITIES", "entropy", "gini"]


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


def gini(class_weights: Floats) -> Floats:
    """Weight times Gini's index of class weights along the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.impurity import gini
    >>> float(gini(np.array([3.0, 1.0])))
    1.5
    """
    total = class_weights.sum(axis=-1)
    squares = (class_weights**2).sum(axis=-1)
    return np.asarray(total - squares / np.where(total > 0, total, 1.0))


IMPURITIES = {"gini": gini, "entropy": entropy}
