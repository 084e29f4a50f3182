"""Training rows in a form that order, repetition, units and the names of classes do not change.

Equal rows of a class are one row with the sum of their weights. Columns of numbers are multiplied
by powers of two that bring their largest value into [1/2, 1), which rounds nothing. Rows stand in
an order that depends on their cells alone, classes from the heaviest down; of classes that weigh
the same, the order depends on which rows they have. A tree is grown from these rows and then told
in the units and classes of the table.

- whatever is computed from canonical rows is the same, to the last bit, for rows in any order, for
  a row of weight k and k rows, for columns times powers of two, and for any names of the classes;
- ties between classes are decided by the canonical order: `class_order_` of a fitted tree;
- two classes that hold the same rows with the same weights cannot be told apart by content: only
  their names order them.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, Split
from planetree.table import Table, different
from planetree.tree.tree import Tree

__all__ = ["Canonical", "canonical", "names_classes", "split_in_units"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Hashes = NDArray[np.uint64]

LARGEST_EXPONENT = 500  # of columns that are scaled: the products must stay normal numbers
CHUNK = 4096  # rows whose columns stay in the cache
MIXER = np.uint64(0x9E3779B97F4A7C15)  # odd, with no pattern in its bits
CLASS_PARAMETERS = {"class_weight", "costs", "monotonic_cst"}


class Canonical(NamedTuple):
    """Canonical rows, and what tells a tree of theirs in the terms of the table.

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
    exponents : array of shape (n_columns,)
        Powers of two by which the columns were divided.
    draws : array of shape (n_rows,)
        A number between 0 and 1 for each row, drawn by its cells.
    """

    table: Table
    codes: Indices
    weights: Floats
    which: Indices
    order: Indices
    exponents: Indices
    draws: Floats

    def restore(self, tree: Tree) -> Tree:
        """Tree of canonical rows in the units and classes of the table."""
        class_weights = np.empty_like(tree.class_weights)
        class_weights[:, self.order] = tree.class_weights
        splits = tuple(
            None if split is None else split_in_units(split, self.exponents)
            for split in tree.splits
        )
        predicted = self.order[tree.predicted]
        return replace(tree, splits=splits, class_weights=class_weights, predicted=predicted)


def canonical(
    table: Table,
    codes: Indices,
    weights: Floats,
    *,
    n_classes: int,
    keep_classes: bool = False,
    parts: Indices | None = None,
) -> Canonical:
    """Canonical rows of a table.

    Parameters
    ----------
    table : Table
    codes : array of shape (n_rows,)
    weights : array of shape (n_rows,)
    n_classes : int
    keep_classes : bool
        Whether classes keep their order, for those who name them by number.
    parts : array of shape (n_rows,), optional
        Rows of different parts stay apart.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table import Table
    >>> from planetree.tree.canonical import canonical
    >>> table = Table.read([[6.0], [4.0], [6.0]])
    >>> rows = canonical(table, np.array([1, 0, 1]), np.ones(3), n_classes=2)
    >>> rows.table.values.ravel(), rows.weights, rows.order
    (array([0.75, 0.5 ]), array([2., 1.]), array([1, 0]))
    """
    exponents = exponents_of(table)
    values, mixed = scaled(table.values, exponents)
    kind = kinds_of(values, mixed, parts)
    key = kind * n_classes + codes
    by_key = np.lexsort((weights, key))  # sums must not depend on the order of the rows
    starts = np.diff(key[by_key], prepend=-1) > 0
    group = np.cumsum(starts) - 1
    first = by_key[starts]
    merged = np.bincount(group, weights[by_key]).astype(np.float64)
    order = np.arange(n_classes)
    if not keep_classes:
        order = class_order(codes[first], kind[first], merged, n_classes)
    place = np.argsort(order)
    sequence = np.lexsort((place[codes[first]], kind[first]))
    which = np.empty_like(group)
    which[by_key] = np.argsort(sequence)[group]
    first = first[sequence]
    return Canonical(
        Table(_rows(values, first), table.columns),
        place[codes[first]],
        merged[sequence],
        which,
        order,
        exponents,
        draws_of(mixed[first]),
    )


def _rows(values: Floats, which: Indices) -> Floats:
    """Some rows, copied bit by bit so that Ctrl-C is heard in large tables."""
    rows = np.empty((len(which), values.shape[1]))
    for start in range(0, len(which), CHUNK):
        rows[start : start + CHUNK] = values[which[start : start + CHUNK]]
    return rows


def scaled(values: Floats, exponents: Indices) -> tuple[Floats, Hashes]:
    """Columns divided by powers of two, and a number of each row that depends on its cells."""
    factors, divided = np.ldexp(1.0, -exponents), np.empty(values.shape)
    mixed = np.zeros(len(values), dtype=np.uint64)
    for start in range(0, len(values), CHUNK):
        rows = slice(start, start + CHUNK)
        cells = values[rows] * factors + 0.0  # one zero, not two
        cells[np.isnan(cells)] = np.nan  # and one NaN
        divided[rows] = cells
        for column in np.ascontiguousarray(cells.T).view(np.uint64):
            mixed[rows] = (mixed[rows] ^ column) * MIXER
            mixed[rows] ^= mixed[rows] >> np.uint64(29)
    return divided, mixed


def kinds_of(values: Floats, mixed: Hashes, parts: Indices | None) -> Indices:
    """Number of each row among the different rows, in an order that depends on cells alone."""
    if parts is not None:
        mixed = (mixed ^ parts.astype(np.uint64)) * MIXER
    _, first, kind = np.unique(mixed, return_index=True, return_inverse=True)
    if len(first) == len(values):
        return kind
    cells = values if parts is None else np.column_stack([values, parts])
    alike = np.array_equal(cells[first[kind]], cells, equal_nan=True)
    return kind if alike else different(cells)[1]


def draws_of(mixed: Hashes) -> Floats:
    """Numbers between 0 and 1 that look random, from numbers that do not."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return np.ldexp((mixed >> np.uint64(11)).astype(np.float64) + 0.5, -53)


def exponents_of(table: Table) -> Indices:
    """Power of two above the largest number of each column; 0 for categories and extreme ones."""
    high = np.fmax.reduce(table.values, axis=0, initial=0.0)
    low = np.fmin.reduce(table.values, axis=0, initial=0.0)
    exponents = np.frexp(np.maximum(high, -low))[1].astype(np.intp)
    scaled = np.array([column.categories is None for column in table.columns], dtype=bool)
    return np.where(scaled & (np.abs(exponents) < LARGEST_EXPONENT), exponents, 0)


def class_order(codes: Indices, kinds: Indices, weights: Floats, n_classes: int) -> Indices:
    """Classes from the heaviest down; of equally heavy ones, by their rows."""
    by_class = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[by_class], np.arange(n_classes + 1))
    keys = []
    for start, end in pairwise(bounds.tolist()):
        rows = by_class[start:end]
        content = kinds[rows].astype(np.int64).tobytes() + weights[rows].tobytes()
        keys.append(
            (-float(weights[rows].sum()), hashlib.blake2b(content, digest_size=16).digest())
        )
    return np.array(sorted(range(n_classes), key=keys.__getitem__), dtype=np.intp)


def split_in_units(split: Split, exponents: Indices) -> Split:
    """Decision of scaled columns in the units of the table; a cut keeps its weight of 1."""
    if not isinstance(split, Planes):
        return split
    of_terms = exponents[split.columns]
    weights, offsets = np.ldexp(split.weights, -of_terms), split.offsets.copy()
    for p in range(len(offsets) if split.rule != "argmax" else 0):
        used = np.flatnonzero(split.weights[p])
        if len(used) == 1 and abs(split.weights[p, used[0]]) == 1.0:
            weights[p] = split.weights[p]
            offsets[p] = np.ldexp(offsets[p], of_terms[used[0]])
    return replace(split, weights=weights, offsets=offsets)


def names_classes(separator: Any) -> bool:
    """Whether parameters of a separator name classes by their number."""
    for name, value in separator.get_params().items():
        last = name.split("__")[-1]
        if (last in CLASS_PARAMETERS and value is not None) or (
            last == "topology" and value in ("first", "second")
        ):
            return True
    return False
