"""Separators of tables in parts (`planetree.distributed`): the same program, proved over all rows.

The curve of the probabilities is fitted to the rows of the sample.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, encode
from planetree.clock import Clock, warn_of_time_limit
from planetree.distributed import Partitions
from planetree.distributed.gap_filling import fill_gaps
from planetree.distributed.partitions import Overview
from planetree.exceptions import AccuracyWarning
from planetree.planes import Planes
from planetree.progress import tell_reader
from planetree.separators.problem import Problem, fills_gaps
from planetree.solvers.partitioned import (
    PartitionedHinges,
    PartitionedSolution,
    PartitionedSquares,
    run_together,
)
from planetree.table import Table, Terms, read_costs

_ONLY = {  # values of parameters that rows in parts are fitted with
    "products": None,
    "refine_offset": False,
    "solver": "newton",
    "validation_fraction": None,
    "warm_start": False,
}
_SAMPLE = 100_000  # rows: enough for a plane near the best one, few enough to solve at once


def fit_partitions(estimator: Any, partitions: Partitions, clock: Clock) -> None:
    """Set on a RobustSeparator or QuadraticSeparator what fitting a table in parts gives."""
    rows = PartedProblem(estimator, estimator, partitions, clock)
    found = rows.solve()
    if found.status == "inaccurate" and rows.told.tells_all:
        _fit_at_hand(estimator, rows, found)
    else:
        set_parted_solution(estimator, rows, found)


def _fit_at_hand(estimator: Any, rows: PartedProblem, found: PartitionedSolution) -> None:
    """Fit in memory: there is an exact proof where few rows lie on planes in many ways."""
    cells, codes, weights = rows.told.some_rows
    table = Table(cells, rows.told.columns, rows.told.named)
    estimator.fit(table, rows.told.classes[codes], weights)
    estimator.n_reads_, estimator.n_bytes_gathered_ = found.n_reads, found.n_bytes


class PartedProblem:
    """The program of a separator over a table in parts, for all terms or some of them.

    Parameters
    ----------
    separator : RobustSeparator or QuadraticSeparator
    estimator : classifier
        Who asks; it is told its columns and classes.
    partitions : Partitions
    clock : Clock
    """

    def __init__(
        self, separator: Any, estimator: Any, partitions: Partitions, clock: Clock
    ) -> None:
        _refuse_options(separator)
        fills = fills_gaps(estimator) or fills_gaps(separator)
        self.separator: Any = separator
        self.clock: Clock = clock
        self.told: Overview = partitions.overview(_SAMPLE, missing=fills)
        seen = self.seen = fill_gaps(self.told) if fills else self.told
        declare_columns(estimator, seen)
        center, scale = seen.moments
        if not scale.any():
            raise ValueError(
                f"Every row has the same features, so {type(estimator).__name__} cannot draw a "
                "plane between the classes. Add a column that differs between rows."
            )
        cells, codes, weights = seen.some_rows
        self.terms: Terms = seen.terms
        E = np.ascontiguousarray(encode(cells, self.terms.columns, self.terms.categories))
        scale = np.where(scale > 0, scale, 1.0)
        self.problem: Problem = Problem(E, codes, weights, self.terms, center, scale)
        self.n_reads: int = seen.n_reads
        self.n_bytes: int = seen.n_bytes

    def solve(self, chosen: Indices | None = None) -> PartitionedSolution:
        """Best planes of some terms, with a weight for every term."""
        n = len(self.terms.columns)
        chosen = np.arange(n) if chosen is None else chosen
        some = self.problem.of_terms(chosen)
        program = self._program(some, chosen)
        programs = {0: program.solve(some.E, some.codes.astype(np.int32), some.weights)}
        views: dict[int, Any] = {} if len(chosen) == n else {0: _SomeTerms(chosen)}
        program.tell = tell_reader
        given = self.seen.engine, self.seen.coded_parts, programs
        found: PartitionedSolution = run_together(*given, views=views)[0][0]
        weights = np.zeros((len(found.weights), n))
        weights[:, chosen] = found.weights
        self.n_reads += found.n_reads
        self.n_bytes += found.n_bytes
        return found._replace(weights=weights, n_reads=self.n_reads, n_bytes=self.n_bytes)

    @property
    def is_quadratic(self) -> bool:
        """Whether violations are squared."""
        return hasattr(self.separator, "l2")

    @property
    def charged(self) -> float:
        """Share of the errors in what is minimized; the rest is the price of weights."""
        return 1.0 if self.is_quadratic else 1.0 - self.separator.perturbation

    def _program(self, problem: Problem, chosen: Indices) -> PartitionedHinges | PartitionedSquares:
        separator, totals = self.separator, self.seen.class_weights
        uniform = separator.weighting == "uniform"
        charges = np.full(len(totals), 1.0 / totals.sum()) if uniform else 1.0 / totals
        costs = separator.costs
        kind = PartitionedSquares if self.is_quadratic else PartitionedHinges
        return kind(
            self.charged * charges,
            totals,
            problem.center,
            problem.scale,
            separator.l2 if self.is_quadratic else separator.perturbation,
            None if costs is None else read_costs(costs, self.seen.classes),
            [
                np.searchsorted(chosen, union)
                for union in _unions(self.terms)
                if np.isin(union, chosen).all()
            ],
            clock=self.clock,
        )


class _SomeTerms(NamedTuple):
    """Rows with some of their terms."""

    chosen: Indices

    def __call__(self, rows: Any) -> tuple[Floats, Any, Floats]:
        E, codes, weights = rows
        return np.ascontiguousarray(E[:, self.chosen]), codes, weights


def _refuse_options(separator: Any) -> None:
    """Raise for what needs all rows at once."""
    for name, none in _ONLY.items():
        if getattr(separator, name, none) not in (none, None):
            raise ValueError(
                f"{name} needs all rows at once, so a table in parts is fitted without it. Set "
                f"{name}={none!r}, or fit planetree.distributed.sample(partitions, n)."
            )


def _unions(terms: Terms) -> list[Indices]:
    """Terms of columns that have one for each category: just one of them is 1 in every row."""
    columns, sizes = np.unique(terms.columns[terms.categories >= 0], return_counts=True)
    several = columns[sizes != 1]
    return [np.flatnonzero(terms.columns == column) for column in several]


def declare_columns(estimator: Any, seen: Overview) -> None:
    """Set on an estimator what it learned about columns and classes, and that alone."""
    classes, name = seen.classes, type(estimator).__name__
    if len(classes) < 2:
        raise ValueError(f"The parts hold one class, {classes.tolist()}. {name} needs two.")
    for attribute in [each for each in vars(estimator) if each.endswith("_")]:
        delattr(estimator, attribute)
    estimator.columns_, estimator.classes_ = seen.columns, classes
    estimator.n_features_in_ = len(seen.columns)
    if seen.named:
        estimator.feature_names_in_ = np.array([c.name for c in seen.columns], dtype=object)


def set_parted_solution(
    estimator: Any, rows: PartedProblem, found: PartitionedSolution, depth: int = 5
) -> None:
    """Set what planes of a table in parts make of an estimator; warn where they are not best.

    Warnings point at the line of code that is so many calls above.
    """
    terms, two = rows.terms, len(estimator.classes_) == 2
    rule = "slabs" if two else "argmax"
    planes = Planes(found.weights, found.offsets, rule, terms.columns, terms.categories)
    estimator._set_planes(planes, rows.problem)
    estimator.error_ = found.error / rows.charged
    estimator.objective_, estimator.bound_ = found.objective, found.bound
    estimator.gap_, estimator.status_ = found.gap, found.status
    estimator.separable_ = found.error == 0.0 and found.n_wrong == 0
    estimator.n_iter_ = found.n_steps
    estimator.n_reads_, estimator.n_bytes_gathered_ = found.n_reads, found.n_bytes
    name, left = type(estimator).__name__, f"and a gap of {found.gap:.2g} is left"
    told = f"{name} keeps the best planes found so far, {left}"
    if found.status == "time_limit":
        warn_of_time_limit(told, stacklevel=depth + 1)
    elif found.status == "interrupted":
        told = f"{name} was interrupted: it keeps the best planes found so far, {left}."
        warnings.warn(told, AccuracyWarning, stacklevel=depth)
    elif found.status == "inaccurate":
        warnings.warn(f"{told}.", AccuracyWarning, stacklevel=depth)
