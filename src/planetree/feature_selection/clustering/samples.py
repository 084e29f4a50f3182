"""The training samples of a clustering selector, each different one once, in an order of its own.

Constraints ask something of every sample, so a sample that is there three times asks nothing more
than one that is there once; in means it counts three times. Samples are sorted by what they are:
the programs are then the same, bit for bit, however the rows were ordered or repeated. So are the
classes: their codes here say which place a class has by its samples, not by its name.

A category is as many 0-1 terms as it has values. What a program weighs is the column:

    distance of two samples in a column  =  sum of (a_t - b_t)^2 over the terms t of the column.

A missing value is NaN in all terms of its column, and `known` says where there is none. Means are
those of the known values. Two samples are compared in the columns that both know; if these are q of
p columns, their distance is p / q times the sum over them (Dixon 1979; scikit-learn's
`nan_euclidean_distances`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask
from planetree.separators.problem import pose_canonical
from planetree.table import Terms, read_training

_LARGEST = 1e100  # beyond it a squared distance may be no number


class Samples(NamedTuple):
    """The different training samples: their terms, class codes and weights.

    `distinct[i]` is the sample that row `rows[i]` of the given table is; the table has `n_rows`
    rows, of which those of weight 0 are no samples. `order[c]` is the place in `classes_` of the
    class with code c, and `columns` are those of the table in the order of the programs. `known`
    says which terms have a value.
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
    columns: Indices
    known: Mask

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
        return len(self.columns)

    def class_means(self) -> Floats:
        """Weighted mean of the terms in each class: C of the paper, one row a class.

        Of known values; NaN where a class has none.
        """
        members = (self.codes == k for k in range(self.n_classes))
        return np.array([known_means(self.values[at], self.weights[at]) for at in members])

    def class_weights(self) -> Floats:
        """Weight of each sample in each class, one row a class; 0 in classes that it is not of."""
        return (self.codes == np.arange(self.n_classes)[:, None]) * self.weights

    def known_columns(self) -> Mask:
        """Which columns each sample has a value of."""
        starts = np.append(True, self.terms.columns[1:] != self.terms.columns[:-1])
        return self.known[:, starts]

    def by_column(self, of_terms: Floats) -> Floats:
        """Sum over the terms of each column."""
        columns = self.terms.columns
        if len(columns) == self.n_columns:
            return of_terms
        starts = np.flatnonzero(np.append(True, columns[1:] != columns[:-1]))
        return np.add.reduceat(of_terms, starts, axis=-1)

    def by_term(self, of_columns: Floats) -> Floats:
        """The number of its column for each term."""
        return of_columns[np.argsort(self.columns)[self.terms.columns]]

    def given_columns(self, of_columns: Any) -> Any:
        """What there is of each column, in the order of the table."""
        return of_columns[np.argsort(self.columns)]

    def given_terms(self, of_terms: NDArray[Any]) -> NDArray[Any]:
        """What there is of each term, along the last axis, in the order of the table."""
        return of_terms[..., self.terms.places()]

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


def known_means(values: Floats, weights: Floats) -> Floats:
    """Weighted mean of each term over the samples that have it; NaN where none has."""
    known = ~np.isnan(values)
    if known.all():
        return weights / weights.sum() @ values
    with np.errstate(invalid="ignore"):
        return np.asarray(weights @ np.nan_to_num(values) / (weights @ known))


def read_samples(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Samples:
    """Read what `fit` was given; see `planetree.table.read_training` for what it sets."""
    training = read_training(estimator, X, y, sample_weight, missing=True)
    problem, found = pose_canonical(estimator, training)
    size = np.nanmax(np.abs(problem.E))
    if not 1 / _LARGEST < size < _LARGEST:
        raise ValueError(
            f"The largest absolute value in X is {size:g}, too far from 1 for squared distances in "
            f"floating point. {type(estimator).__name__} needs X in other units."
        )
    return Samples(
        values=problem.E,
        codes=problem.codes,
        weights=problem.weights,
        terms=problem.terms,
        scale=problem.scale,
        distinct=found.which,
        rows=np.flatnonzero(training.counted),
        n_rows=len(training.counted),
        order=found.order,
        columns=found.columns,
        known=~np.isnan(problem.E),
    )


def known_factors(samples: Samples) -> Floats:
    """All columns over those that two samples both have; infinite where there are none."""
    known = samples.known_columns().astype(float)
    with np.errstate(divide="ignore"):
        return samples.n_columns / (known @ known.T)


def sums_over_known(rows: Floats, row: Floats) -> Floats:
    """Squared distance of each row from one, over the terms that both have, row by row."""
    return np.asarray(np.nansum((rows - row) ** 2, axis=1))


def joint_factors(columns: Indices, samples: Floats, row: Floats) -> Floats:
    """All columns over those that a row and each sample both have; infinite where none."""
    starts = np.unique(columns, return_index=True)[1]
    joint = (~np.isnan(samples[:, starts])) @ (~np.isnan(row[starts])).astype(float)
    with np.errstate(divide="ignore"):
        return np.asarray(len(starts) / joint)
