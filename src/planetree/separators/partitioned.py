"""Separators of tables in parts (`planetree.distributed`): the same program, proved over all rows.

The curve of the probabilities is fitted to the rows of the sample.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from planetree.arrays import Indices
from planetree.clock import Clock, warn_of_time_limit
from planetree.distributed import Partitions
from planetree.distributed.partitions import Overview
from planetree.exceptions import AccuracyWarning
from planetree.planes import Planes, encode
from planetree.separators.problem import Problem
from planetree.solvers.partitioned import PartitionedHinges, PartitionedSolution
from planetree.table import Terms, read_costs

__all__ = ["fit_partitions"]

_SAMPLE = 100_000  # rows: enough for a plane near the best one, few enough to solve at once


def fit_partitions(
    estimator: Any, partitions: Partitions, y: Any, sample_weight: Any, clock: Clock
) -> None:
    """Set on a RobustSeparator what fitting a table in parts gives."""
    if y is not None or sample_weight is not None:
        raise ValueError(
            "Partitions hold their classes and weights: name them in open_partitions(source, "
            "target=..., weight=...), and call fit without y and sample_weight."
        )
    if estimator.products is not None:
        raise ValueError(
            "products needs all rows at once, so a table in parts is fitted without them. Set "
            "products=None, or fit planetree.distributed.sample(partitions, n)."
        )
    if estimator.refine_offset:
        raise ValueError(
            "refine_offset needs all rows at once, so a table in parts is fitted without it. Set "
            "refine_offset=False, or fit planetree.distributed.sample(partitions, n)."
        )
    seen = partitions.overview(_SAMPLE)
    _declare(estimator, seen)
    center, scale = seen.moments
    if not scale.any():
        raise ValueError(
            f"Every row has the same features, so {type(estimator).__name__} can draw no plane "
            "between the classes. Add a column that differs between rows."
        )
    cells, codes, weights = seen.some_rows
    terms = seen.terms
    E = np.ascontiguousarray(encode(cells, terms.columns, terms.categories))
    problem = Problem(E, codes, weights, terms, center, np.where(scale > 0, scale, 1.0))
    found = _program(estimator, seen, problem, clock).solve(E, codes.astype(np.int32), weights)
    _set_solution(estimator, problem, found)


def _program(estimator: Any, seen: Overview, problem: Problem, clock: Clock) -> PartitionedHinges:
    totals, share = seen.class_weights, 1.0 - estimator.perturbation
    uniform = estimator.weighting == "uniform"
    charges = np.full(len(totals), 1.0 / totals.sum()) if uniform else 1.0 / totals
    costs = None if estimator.costs is None else read_costs(estimator.costs, seen.classes)
    return PartitionedHinges(
        seen.engine,
        seen.coded_parts,
        share * charges,
        totals,
        problem.center,
        problem.scale,
        estimator.perturbation,
        costs,
        _unions(seen.terms),
        n_reads=1,
        clock=clock,
    )


def _unions(terms: Terms) -> list[Indices]:
    """Terms of columns that have one for each category: just one of them is 1 in every row."""
    columns, sizes = np.unique(terms.columns[terms.categories >= 0], return_counts=True)
    several = columns[sizes != 1]
    return [np.flatnonzero(terms.columns == column) for column in several]


def _declare(estimator: Any, seen: Overview) -> None:
    classes, name = seen.classes, type(estimator).__name__
    if len(classes) < 2:
        raise ValueError(f"The parts hold one class, {classes.tolist()}. {name} needs two.")
    for attribute in [each for each in vars(estimator) if each.endswith("_")]:
        delattr(estimator, attribute)
    estimator.columns_, estimator.classes_ = seen.columns, classes
    estimator.n_features_in_ = len(seen.columns)
    if seen.named:
        estimator.feature_names_in_ = np.array([c.name for c in seen.columns], dtype=object)


def _set_solution(estimator: Any, problem: Problem, found: PartitionedSolution) -> None:
    terms, two = problem.terms, len(estimator.classes_) == 2
    rule = "slabs" if two else "argmax"
    planes = Planes(found.weights, found.offsets, rule, terms.columns, terms.categories)
    estimator._set_planes(planes, problem)
    estimator.error_ = found.error / (1.0 - estimator.perturbation)
    estimator.objective_, estimator.bound_ = found.objective, found.bound
    estimator.gap_, estimator.status_ = found.gap, found.status
    estimator.separable_ = found.error == 0.0 and found.n_wrong == 0
    estimator.n_iter_ = found.n_steps
    estimator.n_reads_, estimator.n_bytes_gathered_ = found.n_reads, found.n_bytes
    told = f"{type(estimator).__name__} keeps the best planes found so far, and a gap of "
    if found.status == "time_limit":
        warn_of_time_limit(f"{told}{found.gap:.2g} is left", stacklevel=6)
    elif found.status == "inaccurate":
        warnings.warn(f"{told}{found.gap:.2g} is left.", AccuracyWarning, stacklevel=5)
