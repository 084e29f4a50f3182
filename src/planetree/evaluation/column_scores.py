"""How much each column counts in a fitted model, in one number.

A selector's own weights or powers where it has them; else, for planes, the sum over the planes of
|weight| times the standard deviation of the term, so that units do not matter; else 1 for a column
that is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.planes import Planes
from planetree.tree import fitted_tree

__all__ = ["column_order", "scores_of", "support_of"]

_OWN = ("scores_", "weights_")


def scores_of(model: Any) -> Floats:
    """Weight of each column in a fitted model.

    Examples
    --------
    >>> from planetree import RobustSeparator
    >>> from planetree.evaluation.column_scores import scores_of
    >>> model = RobustSeparator().fit([[0, 5], [1, 5], [2, 5], [3, 5]], [0, 0, 1, 1])
    >>> (scores_of(model) > 0).tolist()
    [True, False]
    """
    n_columns = len(model.columns_)
    for name in _OWN:
        own = getattr(model, name, None)
        if own is not None and np.shape(own) == (n_columns,):
            return np.asarray(own, dtype=np.float64)
    if hasattr(model, "tree_"):
        scales = getattr(model, "_scales", {})
        return sum((_moved(s, n_columns, scales) for s in model.tree_.splits), np.zeros(n_columns))
    if hasattr(model, "planes_"):
        terms = zip(model.planes_.columns.tolist(), model.planes_.categories.tolist(), strict=True)
        scales = dict(zip(terms, model.scale_.tolist(), strict=True))
        return _moved(model.planes_, n_columns, scales)
    return support_of(model).astype(np.float64)


def column_order(model: Any) -> list[int]:
    """Columns in the order of the model's own ranks, or of their weights."""
    key = model.ranking_ if hasattr(model, "ranking_") else -scores_of(model)
    order: list[int] = np.argsort(key, kind="stable").tolist()
    return order


def _moved(split: Any, n_columns: int, scales: Any) -> Floats:
    """How much each column moves the scores of a decision; 1 for the column of a lookup."""
    found = np.zeros(n_columns)
    if isinstance(split, Planes):
        terms = zip(split.columns.tolist(), split.categories.tolist(), strict=True)
        spread = np.array([scales.get(term, 1.0) for term in terms])
        sizes = np.abs(split.weights).sum(axis=0) * spread
        total = sizes.sum()
        np.add.at(found, split.columns, sizes / total if total > 0 else sizes)
    elif split is not None:
        found[split.column] = 1.0
    return found


def support_of(model: Any) -> Mask:
    """Which columns a fitted model selects, or reads."""
    if hasattr(model, "get_support"):
        return np.asarray(model.get_support())
    used = model.features_ if hasattr(model, "features_") else fitted_tree(model).tree.features
    support = np.zeros(len(model.columns_), dtype=bool)
    support[used] = True
    return support
