"""A table in parts, and what all of it is: columns, classes, moments, and some of its rows.

The first read surveys every part by itself; the results merge, whatever the partitioning:

- a column is numbers in every part, or categories in every part: their labels are joined;
- weights, means and squared deviations merge in pairs (Chan, Golub & LeVeque 1979), so that
  rounding does not grow with the number of parts;
- some rows are taken by the lowest hashes of their content: the same rows for any partitioning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices, Mask, encode
from planetree.distributed.engines import Engine, current_engine
from planetree.distributed.parts import Part, parts_of
from planetree.distributed.survey import (
    RARE,
    Moments,
    PartSurvey,
    counted_rows,
    merged_columns,
    merged_moments,
    refuse_mixed_labels,
    survey_part,
)
from planetree.progress import reading_display
from planetree.table import Column, ColumnRanges, Table, Terms
from planetree.table.labels import read_classes
from planetree.table.sources import refuse_lazy
from planetree.table.training import codes_among

_LARGEST = np.uint64(2**64 - 1)


class _SomeRows(NamedTuple):
    """Rows of a table in parts: what `fit` takes, in this order."""

    X: Table
    y: NDArray[Any]
    sample_weight: Floats


@dataclass(frozen=True, eq=False)
class Partitions:
    """A table in parts, with the columns of its classes and weights.

    Parameters
    ----------
    parts : tuple of Part
    target : str or None
        Column of the classes; None where parts are tuples of arrays.
    weight : str or None
        Column of the weights.

    Examples
    --------
    >>> from planetree.distributed import open_partitions
    >>> open_partitions([([[0.0]], ["a"]), ([[1.0]], ["b"])])
    Partitions(2 parts, target=None, weight=None)
    """

    is_in_parts: ClassVar[bool] = True  # see `table.sources`

    parts: tuple[Part, ...]
    target: Any = None
    weight: Any = None

    @property
    def n_parts(self) -> int:
        """How many parts there are; no `len`, which others take for that of the rows."""
        return len(self.parts)

    def __repr__(self) -> str:
        return f"Partitions({self.n_parts} parts, target={self.target!r}, weight={self.weight!r})"

    def __array__(self, *given: Any, **named: Any) -> Any:
        """Refuse to load everything: pipelines and cross-validation come here."""
        refuse_lazy(self, "A pipeline, a cross-validation or another library")

    def overview(self, n_sample: int, *, missing: bool = False, enough: bool = False) -> Overview:
        """Read everything once: columns, classes, moments and about `n_sample` rows.

        Where parts are so uneven that these are fewer, and `enough` are wanted, all is read again.
        """
        engine, limit = current_engine(), 4 * n_sample // self.n_parts + 1000
        for n_reads, most in enumerate((limit, n_sample + 1), start=1):
            given = (self.target, self.weight, most, missing)
            told = [each for each in engine.run(survey_part, self.parts, *given) if each]
            names = [column.name for column in told[0].columns] if told else []
            told = [each.in_order(names) for each in told]
            found = Overview(self, engine, told, n_sample, n_reads)
            if found.has_enough or not enough:
                break
        return found


@dataclass(frozen=True, eq=False)
class Overview:
    """What the first read found; every later read is of its `coded_parts`."""

    partitions: Partitions
    engine: Engine
    surveys: list[PartSurvey]
    n_sample: int
    n_reads: int = 1

    def __post_init__(self) -> None:
        if not self.surveys:
            raise ValueError("The partitions hold no rows that count.")

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Names and categories of all parts together."""
        return merged_columns(self.surveys)

    @property
    def named(self) -> bool:
        """Whether the columns are those of frames."""
        return self.surveys[0].named

    @cached_property
    def terms(self) -> Terms:
        """What a linear model reads."""
        return Table(np.empty((0, len(self.columns))), self.columns).terms()

    @cached_property
    def classes(self) -> NDArray[Any]:
        """Labels of the classes, sorted."""
        refuse_mixed_labels(self.surveys, self.partitions.target)
        labels = [label for each in self.surveys for label in each.labels.tolist()]
        read_classes(np.array(labels, dtype=object))  # refuses text beside numbers
        kind = np.result_type(*(each.labels.dtype for each in self.surveys))
        return read_classes(np.array(labels, dtype=kind)).labels

    @cached_property
    def class_weights(self) -> Floats:
        """Weight of each class."""
        shares: list[list[float]] = [[] for _ in self.classes]
        for each in self.surveys:
            for code, weight in zip(
                codes_among(each.labels, self.classes), each.class_weights, strict=True
            ):
                shares[code].append(float(weight))
        return np.array([math.fsum(part) for part in shares])

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of each term; the latter is 0 where a term has one value."""
        parts = [_term_moments(each, self.columns, self.terms) for each in self.surveys]
        found = merged_moments(parts)
        varies = found.low < found.high
        scale = np.where(varies, np.sqrt(found.squares / found.weight), 0.0)
        self._refuse_extremes(varies & ~((scale > 0) & np.isfinite(scale)))
        return np.where(scale > 0, found.mean, found.high), scale

    @cached_property
    def ranges(self) -> ColumnRanges:
        """What the columns held; NaN for categories, and for columns without a known cell."""
        numbers = np.array([column.categories is None for column in self.columns])
        found = merged_moments([each.moments for each in self.surveys])
        known = numbers & (found.low <= found.high)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.sqrt(found.squares / found.weight)
        low, high, deviation = (
            np.where(known, each, np.nan) for each in (found.low, found.high, deviation)
        )
        whole = known & np.all([each.whole for each in self.surveys], axis=0)
        lost = 1.0 - found.weight / self.class_weights.sum()
        return ColumnRanges(low, high, deviation, whole, np.maximum(0.0, lost))

    @property
    def n_bytes(self) -> int:
        """What came here of the rows."""
        found = (v for each in self.surveys for v in (*each, *each.moments))
        return sum(v.nbytes for v in found if isinstance(v, np.ndarray))

    @property
    def tells_all(self) -> bool:
        """Whether `some_rows` are all rows of the table, equal ones as one."""
        n_told = len(np.unique(np.concatenate([each.hashes for each in self.surveys])))
        return self._last_hash == _LARGEST and n_told <= self.n_sample

    def _refuse_extremes(self, terms: Mask) -> None:
        """Raise if the squares of some numbers are no numbers."""
        if terms.any():
            name = self.columns[self.terms.columns[np.argmax(terms)]].name
            raise ValueError(
                f"The numbers of column {name!r} are too large, or differ too little, for a table "
                "in parts: their squares overflow or vanish. Multiply the column by a power of 10."
            )

    @cached_property
    def some_rows(self) -> tuple[Floats, Indices, Floats]:
        """Cells, class codes and weights of the rows with the lowest hashes, by these.

        Equal rows are one: they have one hash, so that all or none of them would be taken. Some
        more rows of classes that would have few are at the end.
        """
        cells = np.concatenate([each.cells_as(self.columns) for each in self.surveys])
        weights = np.concatenate([each.weights for each in self.surveys])
        hashes = np.concatenate([each.hashes for each in self.surveys])
        own = (codes_among(each.labels, self.classes)[each.codes] for each in self.surveys)
        codes = np.concatenate(list(own))
        hashes, order, which = np.unique(hashes, return_index=True, return_inverse=True)
        weights = np.bincount(which.ravel(), weights).astype(np.float64)
        n = min(self.n_sample, int(np.searchsorted(hashes, self._last_hash, side="right")))
        rare = [order[n:][codes[order[n:]] == c] for c in self._rare_classes(codes[order[:n]])]
        order = np.concatenate([order[:n], *(rows[:RARE] for rows in rare)])
        return cells[order], codes[order], weights[which.ravel()[order]]

    @property
    def _last_hash(self) -> np.uint64:
        """Up to here, no part has a row that it did not tell of."""
        cut = [e.hashes[e.n_lowest - 1] for e in self.surveys if e.n_lowest < e.n_distinct]
        return min(cut, default=_LARGEST)

    @property
    def has_enough(self) -> bool:
        """Whether the rows with the lowest hashes of all were found, as many as were asked for."""
        last, hashes = self._last_hash, np.concatenate([each.hashes for each in self.surveys])
        return last == _LARGEST or len(np.unique(hashes[hashes <= last])) >= self.n_sample

    def _rare_classes(self, codes: Indices) -> Indices:
        return np.flatnonzero(np.bincount(codes, minlength=len(self.classes)) < RARE)

    @property
    def coded_parts(self) -> list[_CodedPart]:
        """The parts, each of which gives its rows as terms, class codes and weights."""
        return self._parts_with(self.terms, self.classes, None)

    def cell_parts(self, factors: Floats, order: Indices | None = None) -> list[_CodedPart]:
        """The same with cells in the place of terms, gaps kept, and weights times the factors.

        Classes may be coded in another order than that of `classes`.
        """
        order = np.arange(len(factors)) if order is None else order
        return self._parts_with(None, self.classes[order], factors[order])

    def _parts_with(
        self, terms: Terms | None, classes: NDArray[Any], factors: Floats | None
    ) -> list[_CodedPart]:
        own = self.partitions
        schema = _Schema(own.target, own.weight, self.columns, terms, classes, factors)
        return [_CodedPart(part, schema) for part in own.parts]


class _Schema(NamedTuple):
    """How the rows of a part become numbers."""

    target: Any
    weight: Any
    columns: tuple[Column, ...]
    terms: Terms | None
    classes: NDArray[Any]
    factors: Floats | None


@dataclass(frozen=True, eq=False)
class _CodedPart:
    """A part that gives its rows as terms, class codes and weights."""

    source: Part
    schema: _Schema

    def with_rows(self, rows: Any) -> _CodedPart:
        """The same with its rows at hand."""
        source: Any = self.source  # one that has tasks at its end
        return replace(self, source=source.with_rows(rows))

    def rows(self) -> tuple[Floats, NDArray[np.int32], Floats]:
        """Terms or cells, class codes and weights of the rows that count."""
        target, weight, columns, terms, classes, factors = self.schema
        X, labels, weights = counted_rows(self.source, target, weight)
        if len(labels) == 0:
            width = len(columns) if terms is None else len(terms.columns)
            return np.empty((0, width)), np.empty(0, dtype=np.int32), weights
        owner = f"The part {self.source.name}"
        table = Table.read(X, columns, owner=owner, missing=terms is None)
        found = read_classes(labels)
        codes = codes_among(found.labels, classes)[found.codes].astype(np.int32)
        weights = weights if factors is None else weights * factors[codes]
        if terms is None:
            return np.ascontiguousarray(table.values), codes, weights
        E = np.ascontiguousarray(encode(table.values, terms.columns, terms.categories))
        return E, codes, weights


def open_partitions(source: Any, target: Any = None, weight: Any = None) -> Partitions:
    """A table in parts, for `fit`: nothing is read yet but names and sizes.

    Parameters
    ----------
    source : path, pattern, pyarrow Dataset, polars LazyFrame, Dask DataFrame, Dask Arrays, or list
        Parquet files are read by row groups; a Dask collection by its partitions, inside tasks. A
        tuple of Dask Arrays, or a list of tuples, is (X, y) or (X, y, weights).
    target : str
        Column of the classes; not for arrays.
    weight : str, optional
        Column that says how many times each row counts.

    Examples
    --------
    >>> import pandas as pd
    >>> from planetree import RobustSeparator
    >>> from planetree.distributed import open_partitions
    >>> parts = [pd.DataFrame({"size": [0.0, 3.0], "kind": ["a", "b"]}),
    ...          pd.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]})]
    >>> model = RobustSeparator().fit(open_partitions(parts, target="kind"))
    >>> print(model.to_text(graded=False))
    if size > 1.5: b
    otherwise: a
    """
    parts = tuple(parts_of(source))
    if not parts:
        raise ValueError("There is no part: the source is empty.")
    arrays = isinstance(getattr(parts[0], "rows", None), tuple) or isinstance(source, tuple)
    if target is None and not arrays:
        raise ValueError("target must name the column of the classes.")
    return Partitions(parts, target, weight)


@reading_display()
def sample(partitions: Partitions, n: int) -> _SomeRows:
    """`n` rows of a table in parts, or all if it has fewer: the same for any partitioning.

    They are those with the lowest hashes of their content, in the order of these. Equal rows are
    one, and their weights are added. Missing cells are kept.

    Parameters
    ----------
    partitions : Partitions
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree import C45Classifier
    >>> from planetree.distributed import open_partitions, sample
    >>> X = np.arange(100.0)[:, None]
    >>> parts = open_partitions([(X[:70], X[:70, 0] > 40), (X[70:], X[70:, 0] > 40)])
    >>> C45Classifier().fit(*sample(parts, 50)).n_leaves_
    2
    """
    found = partitions.overview(n, missing=True, enough=True)
    cells, codes, weights = found.some_rows
    X = Table(cells[:n], found.columns, found.named)
    return _SomeRows(X, found.classes[codes[:n]], weights[:n])


def _term_moments(survey: PartSurvey, columns: Sequence[Column], terms: Terms) -> Moments:
    """Moments of the terms of a part, from those of its columns and the weights of categories."""
    weight = float(survey.class_weights.sum())
    rows = [
        survey.of_number(j) if c < 0 else survey.of_category(j, columns[j].categories[c], weight)
        for j, c in zip(terms.columns.tolist(), terms.categories.tolist(), strict=True)
    ]
    return Moments(np.full(len(rows), weight), *np.array(rows, dtype=float).reshape(-1, 4).T)
