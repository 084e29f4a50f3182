"""What a separator solves: the terms of the rows, normalized, with their classes and weights.

Linear programs do not care for units, but floating point does. With a center m and a scale s for
each term, a plane of the normalized terms z = (x - m) / s is a plane of x:

    w.z - gamma  =  (w / s).x  -  (gamma + (w / s).m)

so `to_planes` states in the user's units what was found in normalized ones. A term with one value
has z = 0 and scale 1.

- columns in units of 1e-12 or 1e12 give the same normalized terms: sums are taken of numbers that
  a power of two has brought near 1, which rounds nothing;
- weights count as repetition of rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import (
    Floats,
    Indices,
    encode,
    exponents_of_terms,
    factor_of,
    renumbered_terms,
)
from planetree.planes import Planes
from planetree.table import (
    Canonical,
    Column,
    Table,
    Terms,
    Training,
    canonical,
    product_terms,
    read_training,
)

_BITS = 40  # of a scale that do not depend on the order of rows
_LARGEST_FACTOR = 1e150  # the square of a larger number is none
_LEAST_SCALE = 1e-290  # a column that varies less is constant: its weight would be infinite


class Problem(NamedTuple):
    """Terms of the training rows with what normalizes them, their class codes and weights."""

    E: Floats
    codes: Indices
    weights: Floats
    terms: Terms
    center: Floats
    scale: Floats

    def of_terms(self, terms: Indices) -> Problem:
        """Problem with some of the terms, in the order given."""
        if np.array_equal(terms, np.arange(len(self.scale))):
            return self
        kept = Terms(self.terms.columns[terms], self.terms.categories[terms])
        E = _core.take_columns(self.E, np.asarray(terms, dtype=np.int64))
        return self._replace(E=E, terms=kept, center=self.center[terms], scale=self.scale[terms])

    def turned(self, swapped: bool) -> Problem:
        """Problem of two classes with their codes exchanged, if they were."""
        return self._replace(codes=1 - self.codes) if swapped else self

    @property
    def normalized(self) -> Floats:
        """Normalized terms: mean 0 and standard deviation 1, or 0 where a term has one value."""
        Z = self.E - self.center
        Z /= self.scale
        return Z


def read_problem(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Problem:
    """Read what `fit` was given; at least one term must tell some rows apart."""
    training = read_filled(estimator, X, y, sample_weight)
    return pose(estimator, *training[:3], products=getattr(estimator, "products", None))


def read_filled(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Training:
    """Read what `fit` was given, sparse or not, and fill missing values if that is asked for."""
    impute = fills_gaps(estimator)
    return read_training(estimator, X, y, sample_weight, sparse=True, impute=impute)


def takes_gaps(estimator: Any) -> bool:
    """Whether an estimator fills missing values: as it was fitted, or as it will be."""
    columns = getattr(estimator, "columns_", None)
    if columns is None:
        return fills_gaps(estimator)
    return any(column.fill is not None for column in columns)


def fills_gaps(estimator: Any) -> bool:
    """Whether an estimator, or the one it wraps, fills missing values."""
    inner = getattr(estimator, "separator", None)
    return "impute" in (getattr(each, "missing", None) for each in (estimator, inner))


def read_canonical(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Problem, Canonical]:
    """The problem of the canonical rows of what `fit` was given, in its units, and these rows."""
    return pose_canonical(estimator, read_filled(estimator, X, y, sample_weight))


def pose_canonical(estimator: Any, training: Training) -> tuple[Problem, Canonical]:
    """Problem of the canonical rows of what `fit` learns from, and these rows."""
    table, codes, weights, _ = training
    rows = canonical(table, codes, weights, n_classes=len(estimator.classes_))
    problem = pose(estimator, rows.in_units(), rows.codes, rows.weights)
    terms = Terms(rows.columns[problem.terms.columns], problem.terms.categories)
    return problem._replace(terms=terms), rows


def pose(
    estimator: Any, table: Table, codes: Indices, weights: Floats, products: Any = None
) -> Problem:
    """Problem of rows that were read; at least one term must tell some of them apart."""
    terms = terms_with_products(table, products)
    E = np.ascontiguousarray(encode(table.values, terms.columns, terms.categories))
    center, scale = _known_moments(E, weights)
    scale[scale < _LEAST_SCALE] = 0.0
    if not scale.all():
        if not scale.any():
            raise ValueError(
                f"Every row of X has the same features, so {type(estimator).__name__} cannot draw "
                "a plane between the classes. Add a column that differs between rows."
            )
        scale = np.where(scale > 0, scale, 1.0)
    return Problem(E, codes, weights, terms, center, scale)


def terms_with_products(table: Table, products: Any) -> Terms:
    """Terms of a table, and products of its columns that are asked for."""
    if products is None:
        return table.terms()
    found = product_terms(products, table.columns)
    return table.terms().joined(without_overflow(found, table))


def without_overflow(terms: Terms, table: Table) -> Terms:
    """The terms; raise if a product of two columns may overflow, because a cell is too large."""
    factors = np.union1d(terms.columns, [factor_of(code) for code in terms.categories.tolist()])
    for j in factors.astype(np.intp).tolist():
        largest = np.fmax.reduce(np.abs(table.values[:, j]), initial=0.0)
        if largest > _LARGEST_FACTOR:
            raise ValueError(
                f"Column {table.columns[j].name!r} holds a number of size {largest:.3g}, and "
                f"products of numbers beyond {_LARGEST_FACTOR:g} overflow. Divide the column by a "
                "constant, or omit it from products."
            )
    return terms


def _known_moments(E: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of each term over the rows that have it."""
    center, scale = _core.column_moments(E, weights, _BITS)
    for t in np.flatnonzero(np.isnan(center)):
        known, center[t], scale[t] = ~np.isnan(E[:, t]), 0.0, 0.0
        if known.any():
            moments = _core.column_moments(E[known, t : t + 1], weights[known], _BITS)
            center[t], scale[t] = moments[0][0], moments[1][0]
    return center, scale


def terms_by_content(problem: Problem) -> Problem:
    """The problem with its terms in an order that depends on what they hold, not on their places.

    Means in units of the standard deviation tell most terms apart; if some are equal, the canonical
    order of columns does.
    """
    shares = problem.center / problem.scale
    order = np.argsort(shares)
    if not (np.diff(shares[order]) > 0).all():
        order = canonical_terms(problem).columns
    return problem.of_terms(order)


def class_ranks(problem: Problem, totals: Floats | None = None) -> Indices:
    """Place of each class in an order that depends on its rows, not on its name.

    Classes stand by their weight, which may be given, then by the means of their normalized terms,
    largest first; if these are the same, in canonical order.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import Problem, class_ranks
    >>> E, codes = np.array([[1.0], [2.0], [3.0]]), np.array([0, 0, 1])
    >>> class_ranks(Problem(E, codes, np.ones(3), None, np.zeros(1), np.ones(1))).tolist()
    [1, 0]
    """
    totals = class_totals(problem) if totals is None else totals
    E, codes, weights, _, center, scale = problem
    ranks = _core.class_ranks(E, codes, weights, totals, center, scale)
    if ranks.max() == len(ranks) - 1:
        return ranks
    given = canonical_terms(problem).order
    return np.argsort(given[np.argsort(ranks[given], kind="stable")])


def class_totals(problem: Problem) -> Floats:
    """Weight of each class, rounded once."""
    n_classes = int(problem.codes.max()) + 1
    return _core.class_totals(problem.codes, problem.weights, n_classes)


def canonical_terms(
    problem: Problem, *, keep_classes: bool = False, keep_columns: bool = False
) -> Canonical:
    """Canonical rows of the terms of a problem, its classes and terms in canonical order or not."""
    table = Table(problem.E, tuple(Column(str(j)) for j in range(problem.E.shape[1])))
    n_classes = int(problem.codes.max()) + 1
    return canonical(
        table,
        problem.codes,
        problem.weights,
        n_classes=n_classes,
        keep_classes=keep_classes,
        keep_columns=keep_columns,
    )


def merge_rows(problem: Problem) -> Problem:
    """Give equal rows of one class once, with the sum of their weights, in an order of their own.

    Whatever is computed from it does not depend on the order or the repetition of rows, not even by
    its rounding.
    """
    rows = canonical_terms(problem, keep_classes=True, keep_columns=True)
    E = np.ascontiguousarray(rows.in_units().values)
    center, scale = _core.column_moments(E, rows.weights, _BITS)
    scale = np.where(scale > 0, scale, 1.0)
    return Problem(E, rows.codes, rows.weights, problem.terms, center, scale)


def to_planes(W: Floats, gammas: Floats, problem: Problem, rule: str = "slabs") -> Planes:
    """Planes of the user's units from planes `W z - gammas` of the normalized terms."""
    W = np.atleast_2d(W) / problem.scale
    offsets = np.atleast_1d(gammas) + W @ problem.center
    return Planes(W, offsets, rule, problem.terms.columns, problem.terms.categories)


def turned(weights: Floats, offsets: Floats, ranks: Indices) -> tuple[Floats, Floats]:
    """Planes of ranked classes for the classes themselves, or back with the inverse of the ranks.

    One plane looks the other way if its two classes change places.
    """
    if len(offsets) > 1:
        return weights[ranks], offsets[ranks]
    sign = 1.0 if ranks[0] == 0 else -1.0
    return sign * weights + 0.0, sign * offsets + 0.0


def in_term_order(planes: Planes) -> Planes:
    """The same planes, their terms in the order of columns and categories."""
    order = Terms(planes.columns, planes.categories).places()
    columns, categories = planes.columns[order], planes.categories[order]
    return replace(planes, weights=planes.weights[:, order], columns=columns, categories=categories)


def as_given(planes: Planes, swapped: bool) -> Planes:
    """Planes in the order of the classes as they were given.

    A row on a plane stays with its class: it counts as below, so the plane turned around is one
    step of floating point lower.
    """
    if not swapped:
        return planes
    offsets = np.nextafter(-planes.offsets, -np.inf)
    return replace(planes, weights=-planes.weights, offsets=offsets)


def term_scales(
    rows: Canonical, weights: Floats, cells: Floats | None = None, terms: Terms | None = None
) -> dict[tuple[int, int], float]:
    """Standard deviation of each term over the rows that have it, by column and category.

    Parameters
    ----------
    rows : Canonical
    weights : array of shape (n_rows,)
    cells : array of shape (n_rows, n_terms), optional
        The terms of the canonical rows, where they are encoded already.
    terms : Terms, optional
        Which these are; by default all of the table.
    """
    columns, categories = rows.table.terms() if terms is None else terms
    if cells is None:
        cells = np.ascontiguousarray(encode(rows.table.values, columns, categories))
    scales = _core.column_moments(cells, weights)[1]
    for t in np.flatnonzero(np.isnan(cells).any(axis=0)).tolist():
        known = ~np.isnan(cells[:, t])
        there = np.ascontiguousarray(cells[known, t, None])
        scales[t] = _core.column_moments(there, weights[known])[1][0] if known.any() else 0.0
    scales = np.ldexp(scales, exponents_of_terms(columns, categories, rows.exponents))
    named = renumbered_terms(columns, categories, rows.columns)
    keys = zip(*(each.tolist() for each in named), strict=True)
    return dict(zip(keys, scales.tolist(), strict=True))
