"""What a person asks of the columns of a tree, and whether a tree keeps to it.

    required    each is read by some decision
    excluded    none is read
    groups      of each group all columns are read, or none
    costs       what measuring a column costs, in prices of a term: a way from the root pays each
                column once, at the first decision that reads it

Columns are given by name or by number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats
from planetree.table import Canonical, column_numbers, column_values

_OF_COLUMNS = (
    "max_features_total",
    "monotonic_cst",
    "required_features",
    "excluded_features",
    "feature_groups",
    "feature_costs",
    "teacher",
)


class ColumnRules(NamedTuple):
    """Rules for the columns of a tree, by their numbers.

    Parameters
    ----------
    required, excluded : frozenset of int
    groups : tuple of frozenset of int
    costs : array of shape (n_columns,)

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.constraints.column_rules import ColumnRules
    >>> rules = ColumnRules(frozenset({2}), frozenset(), (frozenset({0, 1}),), np.zeros(3))
    >>> rules.lacking({0}), rules.halves({0})
    (frozenset({2}), [frozenset({0, 1})])
    """

    required: frozenset[int]
    excluded: frozenset[int]
    groups: tuple[frozenset[int], ...]
    costs: Floats

    @property
    def are_free(self) -> bool:
        """Whether any set of columns will do."""
        return not self.required and not self.groups

    def lacking(self, read: Iterable[int]) -> frozenset[int]:
        """Required columns that are not among those read."""
        return self.required - frozenset(read)

    def halves(self, read: Iterable[int]) -> list[frozenset[int]]:
        """Groups of which some columns are read, but not all."""
        found = frozenset(read)
        return [group for group in self.groups if group & found and not group <= found]

    def hold(self, read: frozenset[int]) -> bool:
        """Whether the columns that are read are all that must be, and no parts of groups."""
        return not self.lacking(read) and not self.halves(read)

    def requiring(self, more: frozenset[int]) -> ColumnRules:
        """The same rules with more required columns, and the groups that these are in."""
        required, before = self.required | more, frozenset[int]()
        while required != before:
            before = required
            required = required.union(*(group for group in self.groups if group & required))
        return self._replace(required=required)

    def of(self, places: Any) -> ColumnRules:
        """The rules for columns in another order: column j stands at `places[j]`."""

        def moved(columns: frozenset[int]) -> frozenset[int]:
            return frozenset(int(places[j]) for j in columns)

        costs = np.empty_like(self.costs)
        costs[places] = self.costs
        groups = tuple(map(moved, self.groups))
        return ColumnRules(moved(self.required), moved(self.excluded), groups, costs)


def _read_column_rules(estimator: Any) -> ColumnRules:
    """Rules of an estimator that knows its `columns_`."""
    _refuse_rules_with_products(estimator)
    names = [column.name for column in estimator.columns_]
    required = column_numbers(estimator.required_features, names, "required_features")
    excluded = column_numbers(estimator.excluded_features, names, "excluded_features")
    groups = _groups(estimator.feature_groups, names)
    costs = column_values(estimator.feature_costs, 0.0, names, "feature_costs")
    if not (costs >= 0).all():
        raise ValueError(f"feature_costs must not be negative, but they are {costs.tolist()}.")
    rules = ColumnRules(frozenset(required), frozenset(excluded), groups, costs)
    rules = rules.requiring(frozenset())
    both = sorted(names[j] for j in rules.required & rules.excluded)
    if both:
        raise ValueError(
            f"Features both required, by themselves or by their groups, and excluded: {both}. "
            "Choose one for each."
        )
    total, n_required = estimator.max_features_total, len(rules.required)
    if total is not None and n_required > total:
        raise ValueError(
            f"max_features_total is {total}, but {n_required} features are required, by "
            "themselves or by their groups. Require fewer, or allow more."
        )
    barred = [group for group in groups if group & rules.excluded]  # none of them, then
    rules = rules._replace(excluded=rules.excluded.union(*barred))
    if len(rules.excluded) == len(names):
        raise ValueError("excluded_features leaves no feature to choose from. Exclude fewer.")
    return rules


def _groups(given: Any, names: list[Any]) -> tuple[frozenset[int], ...]:
    if given is None:
        return ()
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"feature_groups must be lists of columns, but it is {given!r}.")
    return tuple(frozenset(column_numbers(each, names, "feature_groups")) for each in given)


def _refuse_rules_with_products(estimator: Any) -> None:
    """Raise where columns have rules and products are terms: the rules say nothing of these."""
    given = [name for name in _OF_COLUMNS if getattr(estimator, name, None) is not None]
    if getattr(estimator, "products", None) is not None and given:
        raise ValueError(
            f"products cannot be combined with {given[0]}, which applies to single columns. Omit "
            "one of them."
        )


def column_rules(estimator: Any, rows: Canonical) -> ColumnRules:
    """What an estimator asks of its columns, in canonical order."""
    return _read_column_rules(estimator).of(np.argsort(rows.columns))
