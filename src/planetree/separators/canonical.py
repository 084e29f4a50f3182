"""One form for a table of two classes, whatever its order, repetitions, class names and units.

- equal rows of one class are one row, with the sum of their weights, taken from the least on;
- columns are compared after a power of two brought them near 1, which rounds nothing, and rows are
  sorted by what they hold;
- which class comes first is decided by the rows of the classes, not by their names.

What is computed from it is the same, bit for bit, for all tables with one form. Only two classes
with the same rows cannot be told apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.planes import Planes
from planetree.separators.problem import Array, Problem, distinct_rows

__all__ = ["Canonical", "as_given", "canonical", "content"]


class Canonical(NamedTuple):
    """The problem in its one form, and whether its classes changed places."""

    problem: Problem
    swapped: bool


def canonical(problem: Problem) -> Canonical:
    """Bring a problem of two classes to its one form."""
    exponents = np.frexp(np.abs(problem.E).max(axis=0))[1]
    scaled = np.ldexp(problem.E, -exponents) + 0.0  # one zero, not two
    parts = [_merged(scaled, problem, code) for code in (0, 1)]
    keys = [content(scaled[rows], weights) for rows, weights in parts]
    swapped = keys[0] > keys[1]
    if swapped:
        parts.reverse()
    rows = np.concatenate([part[0] for part in parts])
    weights = np.concatenate([part[1] for part in parts])
    codes = np.repeat([0, 1], [len(part[0]) for part in parts])
    E = np.ascontiguousarray(problem.E[rows] + 0.0)
    center, scale = _core.column_moments(E, weights)
    scale = np.where(scale > 0, scale, 1.0)
    return Canonical(Problem(E, codes, weights, problem.terms, center, scale), swapped)


def content(rows: Array, weights: Array) -> tuple[list[bytes], bytes]:
    """What a class holds, to compare it with others: the same in any order of rows and columns.

    Each row should be there once, with its weight. Columns come first by their values in order,
    then by these rows themselves.
    """
    columns = sorted(column.tobytes() for column in np.sort(rows, axis=0).T)
    return [np.sort(weights).tobytes(), *columns], np.column_stack([rows, weights]).tobytes()


def as_given(planes: Planes, swapped: bool) -> Planes:
    """Planes in the order of the classes as they were given.

    A row on a plane stays with its class: it counts as below, so the plane turned around is one
    step of floating point lower.
    """
    if not swapped:
        return planes
    offsets = np.nextafter(-planes.offsets, -np.inf)
    return replace(planes, weights=-planes.weights, offsets=offsets)


def _merged(scaled: Array, problem: Problem, code: int) -> tuple[NDArray[np.intp], Array]:
    """Rows of a class, each once and sorted by what they hold, and their weights."""
    rows = np.flatnonzero(problem.codes == code)
    rows = rows[np.argsort(problem.weights[rows], kind="stable")]
    first, kind = distinct_rows(scaled[rows])
    return rows[first], np.bincount(kind, problem.weights[rows]).astype(np.float64)
