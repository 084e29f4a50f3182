"""What the user asks of the features: which may be used, which must be, their costs and signs.

Columns are given by name or by number, values for columns as an array or as a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, factor_of, product_code
from planetree.separators.problem import Problem
from planetree.table import Column, Terms, column_numbers, column_values
from planetree.words import Wording


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
    products : tuple of pairs of int
        Columns whose products are features too; they follow those of the columns.
    """

    columns: Indices
    required: frozenset[int]
    costs: Floats
    signs: Floats
    products: tuple[tuple[int, int], ...] = ()

    @property
    def always(self) -> frozenset[int]:
        """Features that every set may as well hold: required, or free of cost."""
        return self.required | frozenset(np.flatnonzero(self.costs == 0).tolist())

    def with_products(self, terms: Terms) -> FeatureRules:
        """Rules with the products among some terms, each of which costs as its dearer factor."""
        pairs = zip(terms.columns.tolist(), map(factor_of, terms.categories.tolist()), strict=True)
        products = tuple(pair for pair in pairs if pair[1] >= 0)
        place = {int(j): i for i, j in enumerate(self.columns)}
        costs = [max(self.costs[place[a]], self.costs[place[b]]) for a, b in products]
        return self._replace(
            costs=np.append(self.costs, costs),
            signs=np.append(self.signs, np.zeros(len(products))),
            products=products,
        )

    def terms_kept(self, terms: Terms) -> Indices:
        """Terms of the columns that may be used."""
        factors = np.array([factor_of(c) for c in terms.categories.tolist()], dtype=np.intp)
        kept = np.isin(terms.columns, self.columns)
        return np.flatnonzero(kept & ((factors < 0) | np.isin(factors, self.columns)))

    def owners(self, terms: Terms) -> Indices:
        """The feature that each term belongs to: its column, or the product itself."""
        place = {pair: len(self.columns) + i for i, pair in enumerate(self.products)}
        pairs = zip(terms.columns.tolist(), map(factor_of, terms.categories.tolist()), strict=True)
        columns = np.searchsorted(self.columns, terms.columns).tolist()
        found = [place.get(pair, own) for pair, own in zip(pairs, columns, strict=True)]
        return np.array(found, dtype=np.intp)

    def columns_of(self, features: Iterable[int]) -> Indices:
        """The columns that some features read."""
        n, found = len(self.columns), set[int]()
        for j in features:
            found.update(self.products[j - n] if j >= n else (int(self.columns[j]),))
        return np.array(sorted(found), dtype=np.intp)

    def name(self, feature: int, columns: Sequence[Column]) -> str:
        """Name of a feature: of its column, or of the product."""
        n, wording = len(self.columns), Wording(columns)
        if feature < n:
            return str(columns[self.columns[feature]].name)
        column, factor = self.products[feature - n]
        return wording.term(column, product_code(factor))


def read_rules(estimator: Any) -> FeatureRules:
    """Rules of an estimator that knows its `columns_`."""
    _refuse_contradictions(estimator)
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
            f"monotonic_cst is set for {names}, which hold categories. Only number columns can "
            "be monotonic."
        )


def _refuse_contradictions(estimator: Any) -> None:
    """Raise where parameters ask for two things at once."""
    if estimator.n_features is not None and estimator.feature_price is not None:
        raise ValueError("Give n_features or feature_price, not both.")
    if estimator.feature_price is not None and estimator.algorithm == "published":
        raise ValueError(
            "The paper has no algorithm for priced features. Use algorithm='greedy' with "
            "feature_price, or leave feature_price out."
        )
    if estimator.n_features is not None and estimator.feature_costs is not None:
        raise ValueError(
            "n_features limits the number of features, whatever they cost. Leave out "
            "n_features or feature_costs."
        )
