"""Feature minimization of a table in parts: features of some rows, planes and bounds of all.

The features are those that the search finds on the rows of the sample. Their planes are those of
all rows, with the proof of a table in parts. Where the objective is bounded, the bound is (1 +
error_increase) times the best objective of all rows and all features; while the planes of the
chosen features exceed it, features are sought again with less room.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from planetree.arrays import Indices
from planetree.clock import Clock
from planetree.distributed import Partitions
from planetree.separators.partitioned import PartedProblem, set_parted_solution
from planetree.separators.quadratic import QuadraticSeparator
from planetree.separators.robust import RobustSeparator
from planetree.solvers.partitioned import PartitionedSolution
from planetree.table import Table

_TRIES = 4  # with half the room each time, then all features
_ROUNDING = 1e-9  # of an objective: one above the limit by no more meets it


class FitsSparsePartitions:
    """What lets a SparseSeparator fit a table in parts."""

    def _fit_partitions(self: Any, partitions: Partitions) -> Any:
        self._check_parameters()
        separator = RobustSeparator() if self.separator is None else self.separator
        if not isinstance(separator, (RobustSeparator, QuadraticSeparator)):
            raise ValueError(
                "A table in parts is fitted by the programs of RobustSeparator and "
                f"QuadraticSeparator, but the separator is {separator!r}. Fit "
                "planetree.distributed.sample(partitions, n)."
            )
        for name in ("exact", "monotonic_cst"):
            if getattr(self, name):
                raise ValueError(
                    f"{name} needs all rows at once, so a table in parts is fitted without it. "
                    f"Leave it out, or fit planetree.distributed.sample(partitions, n)."
                )
        rows = PartedProblem(separator, self, partitions, Clock(self.time_limit))
        features, found, limit = _chosen(self, rows)
        set_parted_solution(self, rows, found, depth=4)
        self.features_: Indices = features
        self.n_features_used_: int = len(features)
        self.error_bound_: float = limit
        self.search_bound_: float = 0.0
        self.proved_: bool = False
        self.n_features_bound_: int = min(1, len(features))
        return self


def _chosen(model: Any, rows: PartedProblem) -> tuple[Indices, PartitionedSolution, float]:
    """Features, their planes by all rows, and what the objective was allowed to be."""
    if model.n_features is not None or model.feature_price is not None:
        features = _of_sample(clone(model), rows)
        return features, rows.solve(_terms_of(features, rows)), np.inf
    best = rows.solve()
    limit = (1.0 + model.error_increase) * best.objective
    limit += _ROUNDING * max(1e-3, best.objective)
    for attempt in range(_TRIES):
        room = model.error_increase * 0.5**attempt
        features = _of_sample(clone(model).set_params(error_increase=room), rows)
        found = rows.solve(_terms_of(features, rows))
        if found.objective <= limit or rows.clock.is_over:
            return features, found, limit
    return np.unique(rows.terms.columns), best, limit


def _of_sample(model: Any, rows: PartedProblem) -> Indices:
    """Features that are found on the rows of the sample."""
    seen = rows.seen
    cells, codes, weights = seen.some_rows
    table = Table(cells, seen.columns, seen.named)
    found: Indices = model.fit(table, seen.classes[codes], weights).features_
    return np.sort(found)


def _terms_of(features: Indices, rows: PartedProblem) -> Indices:
    return np.flatnonzero(np.isin(rows.terms.columns, features))
