"""Planes for every number of features, and which number errs least on a tuning set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from planetree.arrays import Floats, Indices


class FeaturePath(NamedTuple):
    """The best planes known for every number of features.

    Parameters
    ----------
    n_features : array of int
        At most so many features.
    errors : array of float
        The average violation.
    objectives : array of float
        What was minimized, which never grows along the path; without a perturbation, the errors.
    features : list of tuples
        The columns that are used, fewer where more would gain nothing.
    """

    n_features: Indices
    errors: Floats
    objectives: Floats
    features: list[tuple[int, ...]]


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
