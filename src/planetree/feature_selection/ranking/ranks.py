"""Which features a ranking selects: so many of the first, or those with a high enough score."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from planetree.arrays import Indices
from planetree.parameters import check_parameters, choice, count, either, number

__all__ = ["count_to_select", "order_of", "ranks_of"]


def count_to_select(estimator: Any, default: int, *words: str) -> int:
    """How many features `n_features_to_select` asks for: so many, or this share of all.

    It may be None or one of some words, too; then it is the default.
    """
    n, asked = estimator.n_features_in_, estimator.n_features_to_select
    allowed = either(count(1, n), number(above=0, most=1), choice(*words, None))
    check_parameters(estimator, n_features_to_select=allowed)
    if not isinstance(asked, Real):
        return default
    return int(asked) if isinstance(asked, Integral) else max(1, int(n * asked))


def ranks_of(order: Indices) -> Indices:
    """Rank of each feature, 1 for the first, from the features in order.

    Examples
    --------
    >>> from planetree.feature_selection.ranking.ranks import order_of, ranks_of
    >>> ranks_of([2, 0, 1]).tolist(), order_of([2, 3, 1]).tolist()
    ([2, 3, 1], [2, 0, 1])
    """
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def order_of(ranks: Indices) -> Indices:
    """Features in order from the rank of each; of equal ranks the first feature first."""
    return np.argsort(ranks, kind="stable")
