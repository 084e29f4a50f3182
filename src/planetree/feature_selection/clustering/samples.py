"""The training samples of a clustering selector, each different one once, in an order of its own.

Constraints ask something of every sample, so a sample that is there three times asks nothing more
than one that is there once; in means it counts three times. Samples are sorted by what they are:
the programs are then the same, bit for bit, however the rows were ordered or repeated. So are the
classes: their codes here say which place a class has by its samples, not by its name.

A category is as many 0-1 terms as it has values. What a program weighs is the column:

    distance of two samples in a column  =  sum of (a_t - b_t)^2 over the terms t of the column.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.separators.canonical import content
from planetree.separators.problem import pose_problem
from planetree.table import Terms, different, read_training

__all__ = ["Samples", "read_samples"]


_LARGEST = 1e100  # beyond it a squared distance may be no number


class Samples(NamedTuple):
    """The different training samples: their terms, class codes and weights.

    `distinct[i]` is the sample that row `rows[i]` of the given table is; the table has `n_rows`
    rows, of which those of weight 0 are no samples. `order[c]` is the place in `classes_` of the
    class with code c.
    """

    values: Floats
    codes: Indices
    weights: Floats
    terms: Terms
    scale: Floats
    distinct: Indices
    rows: Indices
    n_rows: int
    order: Indices

    def as_given(self, of_classes: Floats) -> Floats:
        """What there is of each class, in the order of `classes_`."""
        return of_classes[np.argsort(self.order)]

    @property
    def n_classes(self) -> int:
        """How many classes the samples have."""
        return int(self.codes.max()) + 1

    @property
    def n_columns(self) -> int:
        """How many columns the table has."""
        return int(self.terms.columns[-1]) + 1

    def class_means(self) -> Floats:
        """Weighted mean of the terms in each class: C of the paper, one row a class."""
        member = self.codes == np.arange(self.n_classes)[:, None]
        shares = member * self.weights
        return shares / shares.sum(axis=1, keepdims=True) @ self.values

    def by_column(self, of_terms: Floats) -> Floats:
        """Sum over the terms of each column."""
        columns = self.terms.columns
        if len(columns) == self.n_columns:
            return of_terms
        starts = np.searchsorted(columns, np.arange(self.n_columns))
        return np.add.reduceat(of_terms, starts, axis=-1)

    def by_term(self, of_columns: Floats) -> Floats:
        """The number of its column for each term."""
        return of_columns[self.terms.columns]

    def rows_of(self, chosen: NDArray[Any]) -> Indices:
        """Rows of the given table that are among the chosen samples (a mask, or indices)."""
        mask = np.zeros(len(self.codes), dtype=bool)
        mask[chosen] = True
        return self.rows[mask[self.distinct]]

    def spread(self, of_samples: Floats) -> Floats:
        """The number of its sample for each row of the given table, 0 for a row of weight 0."""
        of_rows = np.zeros(self.n_rows)
        of_rows[self.rows] = of_samples[self.distinct]
        return of_rows

    def first_rows(self) -> Indices:
        """First row of the given table that is each sample."""
        return self.rows[np.unique(self.distinct, return_index=True)[1]]


def read_samples(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Samples:
    """Read what `fit` was given; see `planetree.table.read_training` for what it sets."""
    training = read_training(estimator, X, y, sample_weight)
    problem = pose_problem(estimator, training)
    size = np.abs(problem.E).max()
    if not 1 / _LARGEST < size < _LARGEST:
        raise ValueError(
            f"The largest value of X is {size:g} in size, too far from 1 for squared distances in "
            f"floating point. Give {type(estimator).__name__} X in other units."
        )
    scaled = np.ldexp(problem.E, -np.frexp(np.abs(problem.E).max(axis=0))[1])  # rounds nothing
    first, distinct = different(np.column_stack([scaled, problem.codes]))
    weights = np.bincount(distinct, problem.weights).astype(np.float64)
    order = _class_order(scaled[first], problem.codes[first], weights)
    codes = np.argsort(order)[problem.codes[first]]
    place = _sorted_by_class(scaled[first], codes)
    first, codes, weights = first[place], codes[place], weights[place]
    distinct = np.argsort(place)[distinct]
    return Samples(
        values=problem.E[first],
        codes=codes,
        weights=weights,
        terms=problem.terms,
        scale=problem.scale,
        distinct=distinct,
        rows=np.flatnonzero(training.counted),
        n_rows=len(training.counted),
        order=order,
    )


def _class_order(rows: Floats, codes: Indices, weights: Floats) -> Indices:
    """Classes in an order that depends on their rows and weights, not on their names.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.clustering.samples import _class_order
    >>> _class_order(np.array([[0.0], [2.0], [0.0]]), np.array([1, 0, 1]), np.ones(3)).tolist()
    [0, 1]
    """

    def of_class(code: int) -> tuple[list[bytes], bytes]:
        return content(rows[codes == code], weights[codes == code])

    return np.array(sorted(range(int(codes.max()) + 1), key=of_class), dtype=np.intp)


def _sorted_by_class(rows: Floats, codes: Indices) -> Indices:
    """Order in which rows that are sorted stay so, and equal ones stand by their class."""
    new = np.append(False, np.any(rows[1:] != rows[:-1], axis=1))
    return np.lexsort((codes, np.cumsum(new)))
