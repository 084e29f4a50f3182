"""Which features a ranking selects: so many of the first, or those with a high enough score."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from planetree.arrays import Indices

__all__ = ["checked_count", "order_of", "ranks_of"]


def checked_count(asked: Any, n_features: int, name: str = "n_features_to_select") -> int:
    """How many features are asked for: a number of them, or a share.

    Examples
    --------
    >>> from planetree.feature_selection.ranking.ranks import checked_count
    >>> checked_count(0.5, 21), checked_count(3, 21)
    (10, 3)
    """
    is_count = isinstance(asked, Integral) and not isinstance(asked, bool)
    if is_count and 1 <= asked <= n_features:
        return int(asked)
    is_share = isinstance(asked, Real) and not isinstance(asked, Integral)
    if is_share and 0 < asked <= 1:
        return max(1, int(n_features * asked))
    raise ValueError(
        f"{name} must be a count from 1 to n_features = {n_features}, or a share above 0 and at "
        f"most 1.0, but it is {asked!r}."
    )


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
