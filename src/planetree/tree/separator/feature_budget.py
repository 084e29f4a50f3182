"""A budget of features for a whole tree: what one decision reads, the others may read for nothing.

Each decision is that of a `SparseSeparator` to which features that the tree reads already cost next
to nothing (one with `n_features` counts them all the same). If it asks for more new features than
the budget has left, those with the largest standardized weights are granted, and it chooses again
without the rest.

- a tree never reads more features than its budget, whatever the order of its splits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.separators import SparseSeparator
from planetree.table import Column, Table

__all__ = ["FeatureBudget"]

NEXT_TO_NOTHING = 1e-6  # of the cost of a feature


class FeatureBudget:
    """Features that a tree reads, and how many more it may.

    Parameters
    ----------
    limit : int
    separator : SparseSeparator
        Its required features are read from the start.
    columns : sequence of Column
    """

    def __init__(self, limit: int, separator: SparseSeparator, columns: tuple[Column, ...]) -> None:
        self.limit = limit
        self.n_columns = len(columns)
        names = {column.name: j for j, column in enumerate(columns)}
        required = separator.required_features or ()
        self.used: set[int] = {names[each] if isinstance(each, str) else each for each in required}

    def spend(self, features: NDArray[np.intp]) -> None:
        """Count the features of a decision."""
        self.used.update(features.tolist())

    def fit(
        self,
        separator: SparseSeparator,
        table: Table,
        codes: NDArray[np.intp],
        weights: NDArray[np.float64],
    ) -> SparseSeparator:
        """Fit a separator so that its new features are within what is left."""
        left = self.limit - len(self.used)
        unused = [j for j in range(self.n_columns) if j not in self.used]
        own = tuple(separator.excluded_features or ())
        separator.set_params(excluded_features=own if left > 0 else (*own, *unused))
        if separator.n_features is None:
            separator.set_params(feature_costs=self._costs(separator.feature_costs))
        separator.fit(table, codes, sample_weight=weights)
        new = [j for j in separator.planes_.features.tolist() if j not in self.used]
        if len(new) > left:
            granted = sorted(new, key=lambda j: -_size(separator, j))[:left]
            refused = [j for j in unused if j not in granted]
            separator.set_params(excluded_features=(*own, *refused))
            separator.fit(table, codes, sample_weight=weights)
        return separator

    def _costs(self, given: Any) -> Any:
        """Costs of the features, next to nothing for those in use."""
        if given is None or isinstance(given, Mapping):
            base = {} if given is None else dict(given)
            return {**base, **dict.fromkeys(sorted(self.used), NEXT_TO_NOTHING)}
        costs = np.array(given, dtype=float)
        costs[sorted(self.used)] *= NEXT_TO_NOTHING
        return costs


def _size(separator: SparseSeparator, column: int) -> float:
    """Sum of the standardized weights of a column."""
    weights = np.abs(separator.planes_.weights).sum(axis=0) * separator.scale_
    return float(weights[separator.planes_.columns == column].sum())
