"""Training rows in the one form that tables share which say the same.

Equal rows of a class are one row with the sum of their weights. Columns of numbers are multiplied
by powers of two that bring their largest value into [1/2, 1), which rounds nothing. Columns and
rows stand in an order that depends on their cells alone, classes from the heaviest down; of classes
that weigh the same, the order depends on which rows they have. Separators and trees are fitted to
these rows, and what they find is told in the columns, units and classes of the table.

Columns are told apart by keys: that of a column sums up its cells mixed with the keys of their
rows, that of a row its cells mixed with the keys of their columns, in turns. Sums have no order.

- whatever is computed from canonical rows is the same, to the last bit, for rows and columns in any
  order, for a row of weight k and k rows, for columns times powers of two, and for any names of the
  classes;
- ties between classes are decided by the canonical order: `class_order_` of a fitted tree;
- two classes that hold the same rows with the same weights cannot be told apart by content, nor can
  two columns that hold the same cells: only their places in the table order them.

The core of hinge programs merges and sorts rows in the same way (`cpp/hinge/program.cpp`), so that
they are not sorted twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.planes import Planes, Split
from planetree.table.table import Table, different

_Hashes = NDArray[np.uint64]

_LARGEST_EXPONENT = 500  # of columns that are scaled: the products must stay normal numbers
_CHUNK = 4096  # rows whose columns stay in the cache
_MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, with no pattern in its bits
_ROUNDS = 3  # of keys; columns that three do not tell apart were alike in all tables we tried


class Canonical(NamedTuple):
    """Canonical rows, and what tells of them in the terms of the table.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
        Class of each row by its place in `order`.
    weights : array of shape (n_rows,)
    which : array of int
        Canonical row of each row of the table.
    order : array of shape (n_classes,)
        Class codes of the table in canonical order.
    columns : array of shape (n_columns,)
        Columns of the table in canonical order.
    exponents : array of shape (n_columns,)
        Powers of two by which the canonical columns were divided.
    draws : array of shape (n_rows,)
        A number between 0 and 1 for each row, drawn by its cells.
    """

    table: Table
    codes: Indices
    weights: Floats
    which: Indices
    order: Indices
    columns: Indices
    exponents: Indices
    draws: Floats

    @property
    def swapped(self) -> bool:
        """Whether two classes changed places."""
        return bool(self.order[0] == 1)

    def part(self, chosen: Indices) -> Canonical:
        """Some of the rows; `which` is -1 for rows of the table that are none of them."""
        place = np.full(len(self.codes), -1)
        place[chosen] = np.arange(len(chosen))
        return self._replace(
            table=self.table.take(chosen),
            codes=self.codes[chosen],
            weights=self.weights[chosen],
            which=place[self.which],
            draws=self.draws[chosen],
        )

    def in_units(self) -> Table:
        """Canonical rows in the units of the table."""
        return replace(self.table, values=np.ldexp(self.table.values, self.exponents))

    def given_columns(self, found: NDArray[Any]) -> NDArray[Any]:
        """What was found of each canonical column, the last axis, in the order of the table."""
        given = np.empty_like(found)
        given[..., self.columns] = found
        return given

    def split(self, split: Split) -> Split:
        """Decision in the columns and units of the table; a cut keeps its weight of 1."""
        if not isinstance(split, Planes):
            return replace(split, column=int(self.columns[split.column]))
        of_terms = self.exponents[split.columns]
        weights, offsets = np.ldexp(split.weights, -of_terms), split.offsets.copy()
        for p in range(len(offsets) if split.rule != "argmax" else 0):
            used = np.flatnonzero(split.weights[p])
            if len(used) == 1 and abs(split.weights[p, used[0]]) == 1.0:
                weights[p] = split.weights[p]
                offsets[p] = np.ldexp(offsets[p], of_terms[used[0]])
        columns = self.columns[split.columns]
        return replace(split, weights=weights, offsets=offsets, columns=columns)


def canonical(
    table: Table,
    codes: Indices,
    weights: Floats,
    *,
    n_classes: int,
    keep_classes: bool = False,
    keep_columns: bool = False,
    parts: Indices | None = None,
) -> Canonical:
    """Canonical rows of a table.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    weights : array of shape (n_rows,)
    n_classes : int
    keep_classes, keep_columns : bool
        Whether classes, or columns, keep their order, for those who name them by number.
    parts : array of shape (n_rows,), optional
        Rows of different parts stay apart.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table, canonical
    >>> table = Table.read([[6.0], [4.0], [6.0]])
    >>> rows = canonical(table, np.array([1, 0, 1]), np.ones(3), n_classes=2)
    >>> rows.table.values.ravel(), rows.weights, rows.order
    (array([0.75, 0.5 ]), array([2., 1.]), array([1, 0]))
    """
    exponents = _exponents_of(table)
    cells = _scaled(table.values, exponents)
    first, group, merged = _merged(cells, codes, weights, n_classes, parts)
    cells, codes = cells[first], codes[first]
    columns = np.arange(len(exponents))
    if not keep_columns:
        columns = _column_order(replace(table, values=cells), codes, merged, n_classes)
        cells = np.ascontiguousarray(cells[:, columns])
    hashes = _hashes(cells, None if parts is None else parts[first])
    order = np.arange(n_classes)
    if not keep_classes:
        order = _class_order(hashes, codes, merged, n_classes)
    place = np.argsort(order)
    sequence = np.lexsort((place[codes], hashes))
    return Canonical(
        Table(cells[sequence], tuple(table.columns[j] for j in columns.tolist())),
        place[codes[sequence]],
        merged[sequence],
        np.argsort(sequence)[group],
        order,
        columns,
        exponents[columns],
        np.ldexp((_mix(hashes[sequence]) >> np.uint64(11)).astype(np.float64) + 0.5, -53),
    )


def canonical_columns(table: Table, codes: Indices, weights: Floats) -> Indices:
    """Columns of a table in canonical order."""
    return canonical(table, codes, weights, n_classes=int(codes.max()) + 1).columns


def _stir(keys: _Hashes) -> _Hashes:
    """Keys stirred in place, so that sums of them tell apart what goes into them."""
    keys *= _MIXER
    keys ^= keys >> np.uint64(29)
    return keys


def _mix(keys: _Hashes) -> _Hashes:
    """Keys of which each bit depends on all bits (the finalizer of splitmix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))


def _exponents_of(table: Table) -> Indices:
    """Power of two above the largest number of each column; 0 for categories and extreme ones."""
    high = np.fmax.reduce(table.values, axis=0, initial=0.0)
    low = np.fmin.reduce(table.values, axis=0, initial=0.0)
    exponents = np.frexp(np.maximum(high, -low))[1].astype(np.intp)
    numbers = np.array([column.categories is None for column in table.columns], dtype=bool)
    return np.where(numbers & (np.abs(exponents) < _LARGEST_EXPONENT), exponents, 0)


def _scaled(values: Floats, exponents: Indices) -> Floats:
    """Columns divided by powers of two, with one zero, not two, and one NaN."""
    factors, cells = np.ldexp(1.0, -exponents), np.empty(values.shape)
    for start in range(0, len(values), _CHUNK):
        rows = slice(start, start + _CHUNK)
        np.multiply(values[rows], factors, out=cells[rows])
        cells[rows] += 0.0
        cells[rows][np.isnan(cells[rows])] = np.nan
    return cells


def _chunks(cells: Floats) -> Iterator[tuple[slice, _Hashes]]:
    """Rows and the bits of their cells, column by column, as many as stay in the cache."""
    for start in range(0, len(cells), _CHUNK):
        rows = slice(start, start + _CHUNK)
        yield rows, np.ascontiguousarray(cells[rows].T).view(np.uint64)


def _hashes(cells: Floats, parts: Indices | None = None) -> _Hashes:
    """A number of each row that depends on its cells, in the order of the columns, and its part."""
    hashes = np.zeros(len(cells), dtype=np.uint64) if parts is None else parts.astype(np.uint64)
    for rows, columns in _chunks(cells):
        for column in columns:
            _stir(np.bitwise_xor(hashes[rows], column, out=hashes[rows]))
    return hashes


def _merged(
    cells: Floats, codes: Indices, weights: Floats, n_classes: int, parts: Indices | None
) -> tuple[Indices, Indices, Floats]:
    """First row of each kind and class, the one of these that each row is, and their weights."""
    key = _kinds_of(cells, _hashes(cells, parts), parts) * n_classes + codes
    by_key = np.lexsort((weights, key))  # sums must not depend on the order of the rows
    starts = np.diff(key[by_key], prepend=-1) > 0
    group = np.empty_like(key)
    group[by_key] = np.cumsum(starts) - 1
    merged = np.bincount(group[by_key], weights[by_key]).astype(np.float64)
    return by_key[starts], group, merged


def _kinds_of(cells: Floats, hashes: _Hashes, parts: Indices | None) -> Indices:
    """Number of each row among the different rows."""
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) == len(cells):
        return kind
    cells = cells if parts is None else np.column_stack([cells, parts])
    alike = np.array_equal(cells[first[kind]], cells, equal_nan=True)
    return kind if alike else different(cells)[1]


def _column_order(table: Table, codes: Indices, weights: Floats, n_classes: int) -> Indices:
    """Columns by their keys, which depend on what they hold in which rows of which classes."""
    by_weight = np.argsort(weights)
    totals = np.bincount(codes[by_weight], weights[by_weight], n_classes).astype(np.float64)
    rows = _mix(weights.view(np.uint64) ^ _mix(totals[codes].view(np.uint64)))
    keys = np.array([len(column.categories or ()) for column in table.columns], dtype=np.uint64)
    for _ in range(_ROUNDS):
        for part, columns in _chunks(table.values):
            keys += _stir(columns ^ rows[part]).sum(axis=1, dtype=np.uint64)
        keys = _mix(keys)
        if len(np.unique(keys)) == len(keys):
            break
        for part, columns in _chunks(table.values):
            rows[part] += _stir(columns ^ keys[:, None]).sum(axis=0, dtype=np.uint64)
        classes = np.zeros(n_classes, dtype=np.uint64)
        np.add.at(classes, codes, _mix(rows))
        rows = _mix(rows ^ _mix(classes)[codes])
    return np.argsort(keys, kind="stable")


def _class_order(hashes: _Hashes, codes: Indices, weights: Floats, n_classes: int) -> Indices:
    """Classes from the heaviest down; of equally heavy ones, by their rows."""
    by_class = np.lexsort((hashes, codes))
    bounds = np.searchsorted(codes[by_class], np.arange(n_classes + 1))
    keys = []
    for start, end in pairwise(bounds.tolist()):
        rows = by_class[start:end]
        content = hashes[rows].tobytes() + weights[rows].tobytes()
        digest = hashlib.blake2b(content, digest_size=16).digest()
        keys.append((-float(weights[rows].sum()), digest))
    return np.array(sorted(range(n_classes), key=keys.__getitem__), dtype=np.intp)
