"""Scores of training rows: as `predict` makes them, and in twice the digits of a double.

A plane of large numbers is rounded where it is written down. What is said of it is said of the
rounded plane, so its scores may not be rounded once more where their terms cancel.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Mask
from planetree.planes import Planes
from planetree.separators.problem import Problem

_SPLITTER = 2.0**27 + 1.0  # divides the digits of a double in two halves


def training_scores(planes: Planes, problem: Problem) -> Floats:
    """Scores of the rows of a problem to the last bit of those that `predict` makes of them.

    It adds the terms in the order of columns, in which those of the problem need not stand.
    """
    order = problem.terms.places()
    weights = np.ascontiguousarray(planes.weights[:, order])
    numbers = np.full(len(order), -1)
    return _core.plane_scores(problem.E, weights, planes.offsets, order, numbers)


def predicts_all(planes: Planes, problem: Problem) -> bool:
    """Whether `predict` takes every row that counts for its class."""
    right = planes.branch_of(training_scores(planes, problem)) == problem.codes
    return bool(np.all(right | (problem.weights == 0)))


class _SignedScores(NamedTuple):
    """Scores on the right side of a plane: each is the sum of its two parts."""

    high: Floats
    low: Floats

    @property
    def least(self) -> float:
        """The least of them."""
        return float((self.high + self.low).min())

    def sum_of_least(self, some: Mask) -> float:
        """The least of some rows plus the least of the others, rounded once or twice."""
        parts = []
        for rows in (some, ~some):
            high, low = self.high[rows], self.low[rows]
            i = np.lexsort((low, high))[0]
            parts += [float(high[i]), float(low[i])]
        return math.fsum(parts)

    def mean(self, weights: Floats) -> float:
        """Their mean, weighted, rounded once or twice."""
        parts = [*_product(weights, self.high), weights * self.low]
        return math.fsum(np.concatenate(parts).tolist()) / math.fsum(weights.tolist())


def signed_scores(E: Floats, signs: Floats, weights: Floats, offset: float) -> _SignedScores:
    """Scores `signs * (E weights - offset)`.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.scores import signed_scores
    >>> E = np.array([[1e15, 1.0], [1e15, 3.0]])
    >>> signed_scores(E, np.array([-1.0, 1.0]), np.array([0.1, 0.1]), 1e14).high.round(3)
    array([-0.106,  0.306])
    """
    high, low = np.full(len(E), -offset), np.zeros(len(E))
    for j in np.flatnonzero(weights):
        power = int(np.frexp(np.abs(E[:, j]).max())[1])  # so that splitting does not overflow
        product, rest = _product(np.ldexp(E[:, j], -power), np.ldexp(weights[j], power))
        total = high + product
        turned = total - high
        error = (high - (total - turned)) + (product - turned)
        low += error + rest
        high = total
    total = high + low
    return _SignedScores(signs * total, signs * (low - (total - high)))


def _product(a: Floats, b: Floats | float) -> tuple[Floats, Floats]:
    """A product and its rounding error (Dekker)."""
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


def _upper_half(a: Floats | float) -> Floats:
    scaled = _SPLITTER * np.asarray(a)
    return scaled - (scaled - a)
