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

LARGEST_EXPONENT = 500  # of columns that are scaled: the products must stay normal numbers
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
    """

    table: Table
    codes: Indices
    weights: Floats
    which: Indices
    order: Indices
    exponents: Indices

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
    values = table.values * np.ldexp(1.0, -exponents) + 0.0  # one zero, not two
    values[np.isnan(values)] = np.nan  # and one NaN
    kind = kinds_of(values if parts is None else np.column_stack([values, parts]))
    n_kinds = int(kind.max(initial=-1)) + 1
    groups, first, which = np.unique(codes * n_kinds + kind, return_index=True, return_inverse=True)
    of_groups = Groups(groups // n_kinds, groups % n_kinds, sums(which, weights))
    order = np.arange(n_classes) if keep_classes else class_order(of_groups, n_classes)
    place = np.empty(n_classes, dtype=np.intp)
    place[order] = np.arange(n_classes)
    sequence = np.lexsort((place[of_groups.codes], of_groups.kinds))
    number = np.empty_like(sequence)
    number[sequence] = np.arange(len(sequence))
    return Canonical(
        Table(np.ascontiguousarray(values[first[sequence]]), table.columns),
        place[of_groups.codes[sequence]],
        of_groups.weights[sequence],
        number[which],
        order,
        exponents,
    )


class Groups(NamedTuple):
    """Equal rows of one class, by class and then by cells: class, number of the cells, weight."""

    codes: Indices
    kinds: Indices
    weights: Floats


def kinds_of(values: Floats) -> Indices:
    """Number of each row among the different rows, in an order that depends on cells alone."""
    mixed = np.zeros(len(values), dtype=np.uint64)
    for column in np.ascontiguousarray(values.T).view(np.uint64):
        mixed = (mixed ^ column) * MIXER
        mixed ^= mixed >> np.uint64(29)
    _, first, kind = np.unique(mixed, return_index=True, return_inverse=True)
    alike = len(first) == len(values) or np.array_equal(values[first[kind]], values, equal_nan=True)
    return kind if alike else different(values)[1]


def exponents_of(table: Table) -> Indices:
    """Power of two above the largest number of each column; 0 for categories and extreme ones."""
    high = np.fmax.reduce(table.values, axis=0, initial=0.0)
    low = np.fmin.reduce(table.values, axis=0, initial=0.0)
    exponents = np.frexp(np.maximum(high, -low))[1].astype(np.intp)
    scaled = np.array([column.categories is None for column in table.columns], dtype=bool)
    return np.where(scaled & (np.abs(exponents) < LARGEST_EXPONENT), exponents, 0)


def class_order(groups: Groups, n_classes: int) -> Indices:
    """Classes from the heaviest down; of equally heavy ones, by their rows."""
    bounds = np.searchsorted(groups.codes, np.arange(n_classes + 1))
    keys = []
    for start, end in pairwise(bounds.tolist()):
        weights = groups.weights[start:end]
        content = groups.kinds[start:end].astype(np.int64).tobytes() + weights.tobytes()
        rows = hashlib.blake2b(content, digest_size=16).digest()
        keys.append((-float(weights.sum()), rows))
    return np.array(sorted(range(n_classes), key=keys.__getitem__), dtype=np.intp)


def sums(which: Indices, weights: Floats) -> Floats:
    """Sum of the weights of each group, in an order that does not depend on that of the rows."""
    ordered = np.lexsort((weights, which))
    return np.bincount(which[ordered], weights[ordered]).astype(np.float64)


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
