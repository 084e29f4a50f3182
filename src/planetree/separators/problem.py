"""What a separator solves: the terms of the rows, normalized, with their classes and weights.

Linear programs do not care for units, but floating point does. With a center m and a scale s for
each term, a plane of the normalized terms z = (x - m) / s is a plane of x:

    w.z - gamma  =  (w / s).x  -  (gamma + (w / s).m)

so `to_planes` states in the user's units what was found in normalized ones. A term with one value
has z = 0 and scale 1.

- columns in units of 1e-12 or 1e12 give the same normalized terms: they are first scaled by a
  power of two, which rounds nothing;
- weights count as repetition of rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, encode
from planetree.table import Terms, read_training

__all__ = ["Problem", "read_problem", "standardize", "to_planes"]

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """Normalized terms of the training rows, their class codes and weights."""

    Z: Array
    codes: NDArray[np.intp]
    weights: Array
    terms: Terms
    center: Array
    scale: Array


def read_problem(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Problem:
    """Read what `fit` was given; at least one term must tell some rows apart."""
    table, codes, weights = read_training(estimator, X, y, sample_weight)
    terms = table.terms()
    E = encode(table.values, terms.columns, terms.categories)
    Z, center, scale = standardize(E, weights)
    if not Z.any():
        raise ValueError(
            f"Every row of X has the same features, so {type(estimator).__name__} can draw no "
            "plane between the classes. Add a column that differs between rows."
        )
    return Problem(Z, codes, weights, terms, center, scale)


def refuse_more_than_two_classes(estimator: Any) -> None:
    """Raise unless the classes that a two-class separator was given are two."""
    labels = estimator.classes_.tolist()
    if len(labels) > 2:
        raise ValueError(
            f"Only binary classification is supported. {type(estimator).__name__} separates two "
            f"classes, but y holds {len(labels)}: {labels}. For more than two, use RobustSeparator."
        )


def standardize(E: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Terms with mean 0 and standard deviation 1, and the center and scale that made them so.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import standardize
    >>> standardize(np.array([[1e12, 7.0], [3e12, 7.0]]), np.ones(2))
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([2.e+12, 7.e+00]), array([1.e+12, 1.e+00]))
    """
    top, bottom = E.max(axis=0), E.min(axis=0)
    _, exponent = np.frexp(np.maximum(np.abs(top), np.abs(bottom)))
    Z = np.ldexp(E, -exponent)
    mean = weights @ Z / weights.sum()
    Z -= mean
    spread = np.sqrt(np.einsum("i,ij,ij->j", weights, Z, Z) / weights.sum())
    center, scale = np.ldexp(mean, exponent), np.ldexp(spread, exponent)
    constant = (top == bottom) | (scale < np.finfo(float).tiny)
    spread[constant], scale[constant], center[constant] = 1.0, 1.0, top[constant]
    Z[:, constant] = 0.0
    Z /= spread
    return Z, center, scale


def to_planes(W: Array, gammas: Array, problem: Problem, rule: str = "slabs") -> Planes:
    """Planes of the user's units from planes `W z - gammas` of the normalized terms."""
    W = np.atleast_2d(W) / problem.scale
    offsets = np.atleast_1d(gammas) + W @ problem.center
    return Planes(W, offsets, rule, problem.terms.columns, problem.terms.categories)
