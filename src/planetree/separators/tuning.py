"""Rows held back to say when a solver should stop.

Requiring the exact minimum can fit the rows too well. So part of them is kept as a tuning set, and
the solver stops when the accuracy on it falls: Bennett (1993), section 6.3.2.

- which rows are held back depends on their values alone, so neither the order of rows or columns,
  nor repetition, nor the names of classes, nor a unit that is a power of two changes the result;
- every class keeps at least one distinct row to be learned from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.separators.problem import Problem, canonical_terms
from planetree.solvers import HingeSolution

__all__ = ["before_accuracy_falls", "tuning_rows"]


def tuning_rows(problem: Problem, fraction: float) -> Mask:
    """Rows to hold back: a share of the distinct rows of each class, always the same ones.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.problem import read_problem
    >>> from planetree.separators.tuning import tuning_rows
    >>> from sklearn.dummy import DummyClassifier
    >>> problem = read_problem(DummyClassifier(), np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    >>> int(tuning_rows(problem, 0.3).sum())
    2
    """
    rows = canonical_terms(problem, keep_classes=True)
    held_back = np.zeros(len(rows.codes), dtype=bool)
    for code in np.unique(rows.codes):
        mine = np.flatnonzero(rows.codes == code)
        mine = mine[np.argsort(rows.draws[mine], kind="stable")]
        held_back[mine[: min(max(1, round(fraction * len(mine))), len(mine) - 1)]] = True
    return held_back[rows.which]


def before_accuracy_falls(
    rounds: Iterator[HingeSolution], Z: Floats, codes: Indices, weights: Floats
) -> HingeSolution:
    """The last planes before the accuracy on a tuning set decreases (section 6.3.2)."""
    best, most = next(rounds), -1.0
    for solution in chain([best], rounds):
        right = _winners(Z @ solution.weights.T - solution.offsets) == codes
        accuracy = float(np.average(right, weights=weights))
        if accuracy < most:
            return replace(best, status="early_stopping")
        best, most = solution, accuracy
    return best


def _winners(scores: Floats) -> Indices:
    """Class of each row by its scores."""
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
