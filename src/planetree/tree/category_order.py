"""Orders in which the categories of a column are divided.

Of two classes, the best division of categories into two parts is a cut in the order of their class
shares (Breiman and others 1984). Of many categories most have few rows, so their shares are drawn
toward those of all rows.
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.separators.sparse.feature_search import coarse

MANY_VALUES = 32  # categories above which a column has no terms: a bound of time, not tuned
_SHRINKAGE = 5.0  # rows of all shares that those of a category are mixed with: not tuned


def category_orders(table: Floats, many: bool) -> list[Indices]:
    """Orders in which categories are divided, of the weights of their classes.

    By the share of the commonest class; of many categories and more than two classes, also along
    the direction in which the shares of all classes differ most.
    """
    totals, weights = table.sum(axis=0), table.sum(axis=1, keepdims=True)
    shrinkage = _SHRINKAGE if many else 0.0
    shares = (table + shrinkage * totals / totals.sum()) / (weights + shrinkage)
    found = [shares[:, totals.argmax()]]
    if many and np.count_nonzero(totals) > 2:
        found.append(coarse(_widest(shares - totals / totals.sum(), weights)))
    return [np.lexsort((np.arange(len(table)), each)) for each in found]


def _widest(shares: Floats, weights: Floats) -> Floats:
    """Places of rows along the direction in which they differ most, by powers of their products."""
    products = (weights[:, :, None] * shares[:, :, None] * shares[:, None, :]).sum(axis=0)
    direction = products[products.diagonal().argmax()]
    for _ in range(50):
        direction = (products * direction).sum(axis=1)
        direction = direction / max(np.abs(direction).max(), np.finfo(float).tiny)
    return np.asarray((shares * direction).sum(axis=1))
