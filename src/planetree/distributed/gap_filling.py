"""Missing cells of a table in parts, filled as those of a table in memory (`table.imputation`).

What fills a column of numbers is its weighted median. Some rows tell a few values around it; one
read adds up the weights between these; another gathers the values between the two that have the
median between them, and no others. So the median is exact, and few values come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.distributed.partitions import Overview
from planetree.distributed.survey import Moments, PartSurvey, merged_moments
from planetree.table import Column
from planetree.table.imputation import OWN_CATEGORY

_BINS = 512  # between values of some rows
_SPREAD = 3.0  # standard deviations of a median of some rows, times the root of their number


@dataclass(frozen=True, eq=False)
class _FilledOverview(Overview):
    """An overview of a table whose gaps are filled."""

    filled: tuple[Column, ...] = ()
    n_more_bytes: int = 0

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Names and categories, with what fills gaps."""
        return self.filled

    @property
    def n_bytes(self) -> int:
        """What came here of the rows."""
        return super().n_bytes + self.n_more_bytes


class _Between(NamedTuple):
    """Of a column in a part: weights below and between some values, or what is between two.

    `above` is the least value above them.
    """

    values: Floats
    weights: Floats
    above: float


def fill_gaps(seen: Overview) -> Overview:
    """The overview of a table with its gaps filled; two more reads where it has numbers."""
    fills, n_bytes = _medians(seen)
    columns = tuple(_with_fill(j, seen, fills.get(j, 0.0)) for j in range(len(seen.columns)))
    surveys = [_filled_survey(each, columns) for each in seen.surveys]
    return _FilledOverview(
        seen.partitions, seen.engine, surveys, seen.n_sample, seen.n_reads + 2 * bool(fills),
        columns, n_bytes,
    )  # fmt: skip


def _with_fill(j: int, seen: Overview, median: float) -> Column:
    """A column with what fills its gaps."""
    column = seen.columns[j]
    if column.categories is None:
        return replace(column, fill=median)
    if any(each.gaps[j] for each in seen.surveys):
        categories, code = _with_own_category(column.categories)
        return replace(column, categories=categories, fill=float(code))
    totals = [
        sum(dict(zip(each.columns[j].categories or (), each.category_weights[j], strict=True)).get(
            label, 0.0) for each in seen.surveys)
        for label in column.categories
    ]  # fmt: skip
    return replace(column, fill=float(np.argmax(totals)))


def _with_own_category(categories: tuple[Any, ...]) -> tuple[tuple[Any, ...], int]:
    """Categories with that of gaps, and its code."""
    if OWN_CATEGORY in categories:
        return categories, categories.index(OWN_CATEGORY)
    return (*categories, OWN_CATEGORY), len(categories)


def _filled_survey(survey: PartSurvey, columns: Sequence[Column]) -> PartSurvey:
    """What the survey of a part would be, were its gaps filled."""
    own, weights, cells = list(survey.columns), list(survey.category_weights), survey.cells.copy()
    total = float(survey.class_weights.sum())
    known = survey.moments
    lost = np.where(survey.gaps, np.maximum(0.0, total - known.weight), 0.0)
    point = np.array([column.fill if column.categories is None else 0.0 for column in columns])
    added = merged_moments([known, Moments(lost, point, np.zeros(len(point)), point, point)])
    for j, column in enumerate(columns):
        if not survey.gaps[j]:
            continue
        gaps = np.isnan(cells[:, j])
        if column.categories is None:
            cells[gaps, j] = column.fill
            continue
        categories, code = _with_own_category(own[j].categories or ())
        found = np.zeros(len(categories))
        found[: len(weights[j])] = weights[j]
        found[code] += max(0.0, total - float(weights[j].sum()))
        own[j], weights[j] = replace(own[j], categories=categories), found
        cells[gaps, j] = code
    moments = Moments(*(np.where(survey.gaps, a, b) for a, b in zip(added, known, strict=True)))
    return survey._replace(
        columns=tuple(own), category_weights=tuple(weights), moments=moments, cells=cells
    )


def _medians(seen: Overview) -> tuple[dict[int, float], int]:
    """Weighted medians of the columns of numbers that have any, and the bytes that came here."""
    known = merged_moments([each.moments for each in seen.surveys])
    edges = {
        j: _edges(j, seen)
        for j, column in enumerate(seen.columns)
        if column.categories is None and known.low[j] <= known.high[j]
    }
    if not edges:
        return {}, 0
    factors = np.ones(len(seen.classes))
    parts = seen.cell_parts(factors)
    told = seen.engine.run(_weights_between, parts, edges)
    ends, halves = {}, {}
    for j, cuts in edges.items():
        between = np.sum([each[j].weights for each in told], axis=0)
        reached = np.cumsum(between)
        halves[j] = reached[-1] / 2
        at = int(np.searchsorted(reached, halves[j]))
        limits = np.concatenate([[-np.inf], cuts, [np.inf]])
        ends[j] = limits[at], limits[at + 1], float(reached[at] - between[at])
    found = seen.engine.run(_values_between, parts, {j: each[:2] for j, each in ends.items()})
    medians = {
        j: _median([each[j] for each in found], ends[j][2], halves[j], ends[j][1]) for j in edges
    }
    n_bytes = sum(v.nbytes for each in (*told, *found) for own in each.values() for v in own[:2])
    return medians, n_bytes


def _edges(j: int, seen: Overview) -> Floats:
    """Values around the median of a column in some rows, sorted."""
    cells, _, weights = seen.some_rows
    own = ~np.isnan(cells[:, j])
    values, weights = cells[own, j], weights[own]
    if not len(values):
        return np.empty(0)
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(weights[order]) / weights.sum()
    off = _SPREAD / np.sqrt(len(values))
    first, last = np.searchsorted(reached, [0.5 - off, 0.5 + off])
    inner = values[max(0, int(first) - 1) : int(last) + 1]
    return np.unique(inner[np.linspace(0, len(inner) - 1, _BINS).astype(np.intp)])


def _known(rows: Any, j: int) -> tuple[Floats, Floats]:
    X, _, weights = rows
    there = ~np.isnan(X[:, j])
    return X[there, j], weights[there]


def _weights_between(part: Any, edges: dict[int, Floats]) -> dict[int, _Between]:
    """Weights up to each of some values, above the one before it, and of what is above all."""
    rows, found = part.rows(), {}
    for j, cuts in edges.items():
        values, weights = _known(rows, j)
        place: Indices = np.searchsorted(cuts, values)
        totals = np.bincount(place, weights, len(cuts) + 1).astype(np.float64)
        found[j] = _Between(np.empty(0), totals, np.inf)
    return found


def _values_between(part: Any, ends: dict[int, tuple[float, float]]) -> dict[int, _Between]:
    """Different values above the lower end and up to the upper one, with their weights."""
    rows, found = part.rows(), {}
    for j, (low, high) in ends.items():
        values, weights = _known(rows, j)
        inner = (values > low) & (values <= high)
        own, places = np.unique(values[inner], return_inverse=True)
        totals = np.bincount(places.ravel(), weights[inner], len(own)).astype(np.float64)
        above = values[values > high].min(initial=np.inf)
        found[j] = _Between(own, totals, float(above))
    return found


def _median(found: Sequence[_Between], below: float, half: float, high: float) -> float:
    """Least value with half the weight up to it, or the middle of two where it is exactly half."""
    values, places = np.unique(np.concatenate([f.values for f in found]), return_inverse=True)
    weights = np.bincount(places.ravel(), np.concatenate([f.weights for f in found]))
    reached = below + np.cumsum(weights)
    first, last = (int(np.searchsorted(reached, half, side=side)) for side in ("left", "right"))
    above = min(each.above for each in found)
    top = values[last] if last < len(values) else (above if np.isfinite(above) else values[-1])
    return float(values[min(first, len(values) - 1)] / 2 + top / 2)
