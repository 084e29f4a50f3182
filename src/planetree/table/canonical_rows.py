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

The work on every cell is done in the core (`cpp/core/canonical_rows.cpp`). The core of hinge
programs merges and sorts rows in the same way (`cpp/hinge/program.cpp`), so that they are not
sorted twice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats, Hashes, Indices, cells_of, mix_bits
from planetree.planes import Planes, Split
from planetree.table.table import Table


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

    def given_cells(self, read: Indices, at: Any = slice(None)) -> Floats:
        """Some columns of rows in the order and the units of their table; the others are 0."""
        X = np.zeros((len(self.codes[at]), len(self.columns)), order="F")
        place = np.argsort(self.columns)
        for j in read.tolist():  # columns that are never written take no memory
            factor = np.ldexp(1.0, self.exponents[place[j]])
            np.multiply(self.table.values[:, place[j]][at], factor, out=X[:, j])
        return X

    def part(self, chosen: Indices) -> Canonical:
        """Some of the rows; `which` is -1 for rows of the table that are none of them."""
        return self._replace(table=self.table.take(chosen), **_parts(self, chosen))

    def whole(self) -> Canonical:
        """All rows with all cells."""
        return self

    def of_columns(self, read: Indices) -> Canonical:
        """The rows with the cells of some columns of their table: others may be 0."""
        X, places = self.table.values, np.argsort(self.columns)[read]
        values = cells_of(X, np.arange(len(X)), places)
        return self._replace(table=replace(self.table, values=values))

    def in_units(self) -> Table:
        """Canonical rows in the units of the table."""
        return replace(self.table, values=self.table.values * np.ldexp(1.0, self.exponents))

    def given_columns(self, found: NDArray[Any]) -> NDArray[Any]:
        """What was found of each canonical column, the last axis, in the order of the table."""
        given = np.empty_like(found)
        given[..., self.columns] = found
        return given

    def split(self, split: Split) -> Split:
        """Decision in the columns and units of the table; a cut keeps its weight of 1."""
        if not isinstance(split, Planes):
            return replace(split, column=int(self.columns[split.column]))
        of_terms = split.exponents(self.exponents)
        weights, offsets = np.ldexp(split.weights, -of_terms), split.offsets.copy()
        for p in range(len(offsets) if split.rule != "argmax" else 0):
            used = np.flatnonzero(split.weights[p])
            if len(used) == 1 and abs(split.weights[p, used[0]]) == 1.0:
                weights[p] = split.weights[p]
                offsets[p] = np.ldexp(offsets[p], of_terms[used[0]])
        found = split.renumbered(self.columns)
        return replace(found, weights=weights, offsets=offsets)


class RowOrder(NamedTuple):
    """Canonical rows whose cells still stand in their table: of many rows, few cells are copied.

    Parameters
    ----------
    table : Table
        As it was given.
    first : array of shape (n_rows,)
        A row of the table that holds the cells of each row.
    codes, weights, which, order, columns, exponents, draws
        Those of `Canonical`.
    """

    table: Table
    first: Indices
    codes: Indices
    weights: Floats
    which: Indices
    order: Indices
    columns: Indices
    exponents: Indices
    draws: Floats

    def part(self, chosen: Indices) -> Canonical:
        """Some of the rows with all cells."""
        return self._replace(first=self.first[chosen], **_parts(self, chosen)).whole()

    def whole(self) -> Canonical:
        """All rows with all cells."""
        return self._with_cells(self._cells(np.arange(len(self.columns))))

    def of_columns(self, read: Indices) -> Canonical:
        """All rows with the cells of some columns of their table; others are 0: no memory."""
        places = np.argsort(self.columns)[read]
        values = np.zeros((len(self.first), len(self.columns)), order="F")
        for place, cells in zip(places.tolist(), self._cells(places).T, strict=True):
            values[:, place] = cells
        return self._with_cells(values)

    def _cells(self, places: Indices) -> Floats:
        """Cells of some canonical columns."""
        exponents = np.empty_like(self.exponents)
        exponents[self.columns] = self.exponents
        return _core.scaled_cells(self.table.values, exponents, self.first, self.columns[places])

    def _with_cells(self, values: Floats) -> Canonical:
        columns = tuple(self.table.columns[j] for j in self.columns.tolist())
        return Canonical(Table(values, columns), *self[2:])


def _parts(rows: Canonical | RowOrder, chosen: Indices) -> dict[str, Any]:
    """What tells of some rows."""
    place = np.full(len(rows.codes), -1)
    place[chosen] = np.arange(len(chosen))
    which = np.append(place, -1)[rows.which]
    some = {name: getattr(rows, name)[chosen] for name in ("codes", "weights", "draws")}
    return {"which": which, **some}


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
    asked: dict[str, Any] = {"keep_classes": keep_classes, "keep_columns": keep_columns}
    found = canonical_order(table, codes, weights, n_classes=n_classes, parts=parts, **asked)
    return found.whole()


def canonical_order(
    table: Table,
    codes: Indices,
    weights: Floats,
    *,
    n_classes: int,
    keep_classes: bool = False,
    keep_columns: bool = False,
    parts: Indices | None = None,
) -> RowOrder:
    """Canonical rows of a table, before their cells are copied; as `canonical` is asked for them.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table, canonical_order
    >>> table = Table.read([[6.0, 1.0], [4.0, 0.5], [6.0, 1.0]])
    >>> rows = canonical_order(table, np.array([1, 0, 1]), np.ones(3), n_classes=2)
    >>> rows.of_columns(np.array([0])).given_cells(np.array([0]))
    array([[6., 0.],
           [4., 0.]])
    """
    values = np.ascontiguousarray(table.values)
    first, which, merged, hashes, columns, exponents = _merged(
        table, values, codes, weights, n_classes, parts, keep_columns
    )
    codes, order = codes[first], np.arange(n_classes)
    if not keep_classes:
        order = _class_order(hashes, codes, merged, n_classes)
    place = np.argsort(order)
    codes = place[codes]
    if not keep_classes and (hashes[1:] == hashes[:-1]).any():  # classes share some rows
        sequence = np.lexsort((codes, hashes))
        first, codes, merged = first[sequence], codes[sequence], merged[sequence]
        hashes, which = hashes[sequence], np.argsort(sequence)[which]
    return RowOrder(
        replace(table, values=values),
        first,
        codes,
        merged,
        which,
        order,
        columns,
        exponents[columns],
        np.ldexp((mix_bits(hashes) >> np.uint64(11)).astype(np.float64) + 0.5, -53),
    )


def canonical_columns(table: Table, codes: Indices, weights: Floats) -> Indices:
    """Columns of a table in canonical order."""
    return canonical(table, codes, weights, n_classes=int(codes.max()) + 1).columns


def _merged(
    table: Table,
    values: Floats,
    codes: Indices,
    weights: Floats,
    n_classes: int,
    parts: Indices | None,
    keep_columns: bool,
) -> tuple[Indices, Indices, Floats, Hashes, Indices, Indices]:
    """A row of each kind and class, the kind of each row, weights, hashes, columns, exponents."""
    categories = [-1 if each.categories is None else len(each.categories) for each in table.columns]
    first, which, merged, hashes, columns, exponents = _core.merged_rows(
        values,
        np.ascontiguousarray(codes, dtype=np.int64),
        np.ascontiguousarray(weights, dtype=np.float64),
        n_classes,
        np.array(categories, dtype=np.int64),
        None if parts is None else np.ascontiguousarray(parts, dtype=np.int64),
        keep_columns,
    )
    places = (each.view(np.intp) for each in (first, which, columns, exponents))
    first, which, columns, exponents = places
    return first, which, merged, hashes, columns, exponents


def _class_order(hashes: Hashes, codes: Indices, weights: Floats, n_classes: int) -> Indices:
    """Classes from the heaviest down; of equally heavy ones, by their rows, which are sorted."""
    few = n_classes <= 2**16  # numbers of 16 bits are sorted without comparing them
    by_class = np.argsort(codes.astype(np.uint16) if few else codes, kind="stable")
    bounds = np.searchsorted(codes[by_class], np.arange(n_classes + 1))
    rows = [by_class[start:end] for start, end in pairwise(bounds.tolist())]
    totals = [float(weights[each].sum()) for each in rows]
    tied = {total for total, n in Counter(totals).items() if n > 1}

    def key(c: int) -> tuple[float, bytes]:
        if totals[c] not in tied:
            return -totals[c], b""
        content = hashes[rows[c]].tobytes() + weights[rows[c]].tobytes()
        return -totals[c], hashlib.blake2b(content, digest_size=16).digest()

    return np.array(sorted(range(n_classes), key=key), dtype=np.intp)
