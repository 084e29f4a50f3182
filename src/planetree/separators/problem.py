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

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.planes import Planes, encode
from planetree.table import Terms, Training, read_training

__all__ = [
    "Problem",
    "class_ranks",
    "class_totals",
    "distinct_rows",
    "merge_rows",
    "pose_problem",
    "read_problem",
    "refuse_more_than_two_classes",
    "to_planes",
]

Array = NDArray[np.float64]

BITS = 40  # of a scale that do not depend on the order of rows


class Problem(NamedTuple):
    """Terms of the training rows with what normalizes them, their class codes and weights."""

    E: Array
    codes: NDArray[np.intp]
    weights: Array
    terms: Terms
    center: Array
    scale: Array

    def of_terms(self, terms: NDArray[np.intp]) -> Problem:
        """Problem with some of the terms."""
        if len(terms) == len(self.scale):
            return self
        kept = Terms(self.terms.columns[terms], self.terms.categories[terms])
        E = np.ascontiguousarray(self.E[:, terms])
        return self._replace(E=E, terms=kept, center=self.center[terms], scale=self.scale[terms])

    @property
    def normalized(self) -> Array:
        """Normalized terms: mean 0 and standard deviation 1, or 0 where a term has one value."""
        return (self.E - self.center) / self.scale


def read_problem(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> Problem:
    """Read what `fit` was given; at least one term must tell some rows apart."""
    return pose_problem(estimator, read_training(estimator, X, y, sample_weight))


def pose_problem(estimator: Any, training: Training) -> Problem:
    """Problem of what `fit` learns from; at least one term must tell some rows apart."""
    table, codes, weights, _ = training
    terms = table.terms()
    E = np.ascontiguousarray(encode(table.values, terms.columns, terms.categories))
    center, scale = _core.column_moments(E, weights, BITS)
    if not scale.all():
        if not scale.any():
            raise ValueError(
                f"Every row of X has the same features, so {type(estimator).__name__} can draw no "
                "plane between the classes. Add a column that differs between rows."
            )
        scale = np.where(scale > 0, scale, 1.0)
    return Problem(E, codes, weights, terms, center, scale)


def class_ranks(problem: Problem, totals: Array | None = None) -> NDArray[np.intp]:
    """Place of each class in an order that depends on its rows, not on its name.

    Classes stand by their weight, which may be given, then by the means of their normalized terms.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import Problem, class_ranks
    >>> E, codes = np.array([[1.0], [2.0], [3.0]]), np.array([0, 0, 1])
    >>> class_ranks(Problem(E, codes, np.ones(3), None, np.zeros(1), np.ones(1)))
    array([1, 0])
    """
    totals = class_totals(problem) if totals is None else totals
    keys: list[Any] = totals.tolist()
    if len(set(keys)) < len(keys):
        E, codes, weights, _, center, scale = problem
        sums = _core.class_sums(E, codes, weights, center, len(totals))
        means = np.floor(sums / totals[:, None] / scale * 2.0**20 + 1 / 3)
        keys = list(zip(keys, means.tolist(), strict=True))
    return np.argsort(sorted(range(len(keys)), key=keys.__getitem__))


def class_totals(problem: Problem) -> Array:
    """Weight of each class, rounded once."""
    totals = np.bincount(problem.codes, problem.weights).astype(np.float64)
    if (problem.weights == np.floor(problem.weights)).all() and totals.max() < 2.0**53:
        return totals  # whole numbers are added without rounding
    k = len(totals)
    return np.array([math.fsum(problem.weights[problem.codes == c]) for c in range(k)])


def merge_rows(problem: Problem) -> Problem:
    """Give equal rows of one class once, with the sum of their weights, in an order of their own.

    Whatever is computed from it does not depend on the order or the repetition of rows, not even by
    its rounding.
    """
    first, where = distinct_rows(np.column_stack([problem.codes, problem.E]))
    E, codes = np.ascontiguousarray(problem.E[first]), problem.codes[first]
    weights = np.bincount(where, problem.weights).astype(np.float64)
    center, scale = _core.column_moments(E, weights, BITS)
    scale = np.where(scale > 0, scale, 1.0)
    return Problem(E, codes, weights, problem.terms, center, scale)


def distinct_rows(X: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First row of each kind, in an order that depends on the numbers alone; the kind of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import distinct_rows
    >>> first, kind = distinct_rows(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]]))
    >>> len(first), bool(kind[0] == kind[2])
    (2, True)
    """
    bits = np.ascontiguousarray(X + 0.0)  # one zero, not two
    rows = bits.view(np.dtype((np.void, bits.strides[0]))).ravel()
    _, first, kind = np.unique(rows, return_index=True, return_inverse=True)
    return first, kind.ravel()


def refuse_more_than_two_classes(estimator: Any) -> None:
    """Raise unless the classes that a two-class separator was given are two."""
    labels = estimator.classes_.tolist()
    if len(labels) > 2:
        raise ValueError(
            f"Only binary classification is supported. {type(estimator).__name__} separates two "
            f"classes, but y holds {len(labels)}: {labels}. For more than two, use RobustSeparator."
        )


def to_planes(W: Array, gammas: Array, problem: Problem, rule: str = "slabs") -> Planes:
    """Planes of the user's units from planes `W z - gammas` of the normalized terms."""
    W = np.atleast_2d(W) / problem.scale
    offsets = np.atleast_1d(gammas) + W @ problem.center
    return Planes(W, offsets, rule, problem.terms.columns, problem.terms.categories)
