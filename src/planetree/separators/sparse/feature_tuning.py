"""The number of features by a tuning set: rows that the planes were not fitted to decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

__all__ = ["best_on_tuning_set"]


def best_on_tuning_set(
    separator: Any,
    subsets: Iterable[tuple[int, ...]],
    fitted_to: tuple[Any, Any],
    tuning: tuple[Any, Any],
) -> int:
    """Size of the set of features whose planes err least on the tuning set, the least of equals."""
    used = sorted(set(subsets), key=len)
    errors = [1.0 - _with(separator, each).fit(*fitted_to).score(*tuning) for each in used]
    return len(used[int(np.argmin(errors))])


def _with(separator: Any, features: tuple[int, ...]) -> Any:
    """The separator of the planes with given features."""
    given = {"n_features": len(features), "required_features": list(features)}
    free = {"feature_price": None, "feature_costs": None, "exact": False}
    return clone(separator).set_params(algorithm="greedy", **given, **free)
