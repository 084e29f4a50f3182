"""What the user asks of the features: which may be used, which must be, their costs and signs.

Columns are given by name or by number, values for columns as an array or as a dict.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.separators.problem import Problem
from planetree.table import column_numbers, column_values

__all__ = ["FeatureRules", "read_rules", "refuse_signs"]


class FeatureRules(NamedTuple):
    """Rules for the columns that may be used.

    Parameters
    ----------
    columns : array of int
        The columns that may be used; the others of the fields number them from 0.
    required : frozenset of int
    costs : array of float
    signs : array of float
        1, -1 or 0: above zero, below zero, or either.
    """

    columns: Indices
    required: frozenset[int]
    costs: Floats
    signs: Floats

    @property
    def always(self) -> frozenset[int]:
        """Features that every set may as well hold: required, or free of cost."""
        return self.required | frozenset(np.flatnonzero(self.costs == 0).tolist())


def read_rules(estimator: Any) -> FeatureRules:
    """Rules of an estimator that knows its `columns_`."""
    names = [column.name for column in estimator.columns_]
    excluded = column_numbers(estimator.excluded_features, names, "excluded_features")
    required = column_numbers(estimator.required_features, names, "required_features")
    if excluded & required:
        both = sorted(names[j] for j in excluded & required)
        raise ValueError(f"Features are both required and excluded: {both}. Choose one for each.")
    columns = np.array([j for j in range(len(names)) if j not in excluded], dtype=np.intp)
    if not len(columns):
        raise ValueError("excluded_features leaves no feature to choose from. Exclude fewer.")
    costs = column_values(estimator.feature_costs, 1.0, names, "feature_costs")
    if not (costs >= 0).all():
        raise ValueError(f"feature_costs must not be negative, but they are {costs.tolist()}.")
    signs = column_values(estimator.monotonic_cst, 0.0, names, "monotonic_cst")
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must hold -1, 0 or 1 per column, not {signs.tolist()}.")
    numbers = frozenset(int(j) for j in np.searchsorted(columns, sorted(required)))
    return FeatureRules(columns, numbers, costs[columns], signs[columns])


def refuse_signs(estimator: Any, problem: Problem, signs: Floats) -> None:
    """Raise where the sign of a weight, given a term, has no meaning."""
    if signs.any() and len(estimator.classes_) > 2:
        raise ValueError(
            f"monotonic_cst needs two classes, but y holds {len(estimator.classes_)}: "
            f"{estimator.classes_.tolist()}. "
        )
    wrong = problem.terms.columns[(problem.terms.categories >= 0) & (signs != 0)]
    if len(wrong):
        names = sorted({str(estimator.columns_[j].name) for j in wrong})
        raise ValueError(
            f"monotonic_cst is set for {names}, which hold categories. More and less mean "
            "something in number columns only."
        )
