"""Principles of clustering for `CentroidSelector`, as linear inequalities in the weights.

A principle represents each class by a point. Whatever the principle, every sample must be at least
as near to the point of its own class as to that of any other, (2) of Busygin & Pardalos (2005): the
selector writes these rows itself, and classifies by the nearest point. Beyond that, a principle may
ask one thing more of the weights x for each sample j, a row h_j:

    h_j x  >=  0.

k-means    The point is the mean of the class. Nothing more is asked.
k-medoids  The point is the sample m of the class with the least sum of distances from the others
           when all weights are 1. It must stay so in the weights found: for each sample j of it

               sum_l w_l sum_i [(a_il - a_ij)^2 - (a_il - a_im)^2] x_i  >=  0

           over the samples l of the class, of weight w_l. Both sums are linear in x.

Any object with the two methods of `Principle` is one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.feature_selection.clustering.samples import known_means


class Principle(Protocol):
    """What `CentroidSelector(principle=...)` asks for.

    Both methods get the different training samples: `values` of shape (n_samples, n_terms), NaN
    where missing, a category as 0-1 terms; their class `codes`, from 0; and their `weights`.
    """

    def points(self, values: Floats, codes: Indices, weights: Floats) -> Floats:
        """The point of each class, of shape (n_classes, n_terms), NaN where it is unknown."""

    def rows(self, values: Floats, codes: Indices, weights: Floats) -> Floats | None:
        """Row h_j of each sample, of shape (n_samples, n_terms); None where nothing is asked."""


class _Means:
    """k-means: a class is its mean."""

    def points(self, values: Floats, codes: Indices, weights: Floats) -> Floats:
        return np.array([known_means(values[at], weights[at]) for at in _classes(codes)])

    def rows(self, values: Floats, codes: Indices, weights: Floats) -> None:
        return None


class _Medoids:
    """k-medoids: a class is its most central sample; a value that this lacks is the mean's."""

    def points(self, values: Floats, codes: Indices, weights: Floats) -> Floats:
        found = []
        for at in _classes(codes):
            medoid = values[at][_sums(values[at], weights[at]).sum(axis=1).argmin()]
            mean = known_means(values[at], weights[at])
            found.append(np.where(np.isnan(medoid), mean, medoid))
        return np.array(found)

    def rows(self, values: Floats, codes: Indices, weights: Floats) -> Floats:
        rows = np.zeros(values.shape)
        for at in _classes(codes):
            sums = _sums(values[at], weights[at])
            rows[at] = sums - sums[sums.sum(axis=1).argmin()]
        return rows


PRINCIPLES: dict[str, Principle] = {"k_means": _Means(), "k_medoids": _Medoids()}


def _known_squares(values: Floats, others: Floats) -> Floats:
    """Squared differences term by term, 0 where one is missing, times all over known terms."""
    squares = (values - others) ** 2
    known = ~np.isnan(squares)
    if known.all():
        return squares
    n_known = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    return np.where(known, squares, 0.0) * (squares.shape[-1] / n_known)


def _classes(codes: Indices) -> list[Mask]:
    return [codes == k for k in range(int(codes.max()) + 1)]


def _sums(values: Floats, weights: Floats) -> Floats:
    """Sum of squared differences of each sample from all, term by term."""
    return np.array([weights @ _known_squares(values, each) for each in values])
