"""Checks of a table before anything is learned from it: leaks, identifiers, very unequal classes.

A column gives the class away if it alone, without a model, tells it almost always: with few values,
each of which has one class (at least five rows a value), or with many, if along them the class
changes no more often than there are classes. Of n rows, half a percent may be exceptions.

A column of different whole numbers names the row rather than describing it if they run without
gaps, or if the name of the column says so.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.table import Column, Table

_FEWEST_ROWS = 30  # fewer rows are separated by some column easily
_EXCEPTIONS = 0.005  # share of rows
_ROWS_A_VALUE = 5  # a column with as many rows a value is no identifier
_UNEQUAL = 0.05  # share of the rarest of two classes; of k classes 2/k of it
_IDENTIFIER = re.compile(r"(^|[\W_])(id|key|nr|no|number|index|uuid)$|[a-z]ID$", re.IGNORECASE)


def check_data(X: Any, y: Any) -> list[str]:
    """Say what in a table is likely to mislead, in sentences; none if nothing is.

    Parameters
    ----------
    X : frame, array or Table
    y : array of shape (n_rows,)

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.evaluation.checks import check_data
    >>> y = np.arange(60) % 2
    >>> check_data(np.column_stack([np.sin(y * 7), np.cos(np.arange(60))]), y)
    ["Column 'x0' alone predicts the class almost perfectly. Unless you will know it before ..."]
    """
    table = X if isinstance(X, Table) else Table.read(X)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    notes = _unequal(classes, codes)
    if len(codes) < _FEWEST_ROWS or len(classes) < 2:
        return notes
    for column, cells in zip(table.columns, table.values.T, strict=True):
        found = _suspicion(column, cells, classes, codes)
        if found:
            notes.append(
                f"Column {column.name!r} {found} Unless you will know it before the class, "
                f"drop it: --ignore {column.name!r} (in Python, drop the column)."
            )
    return notes


def _unequal(classes: NDArray[Any], codes: Indices) -> list[str]:
    """A hint where the rarest class is very rare."""
    shares = np.bincount(codes) / len(codes)
    rare = int(shares.argmin())
    if len(classes) < 2 or shares[rare] >= _UNEQUAL * 2 / len(classes):
        return []
    return [
        f"Classes are very unequal: {classes[rare]!s} is {shares[rare]:.2%} of the rows, so the "
        "error says little. Check the recall and precision of each class. To give the rare class "
        "more weight, use --class-weight balanced (in Python also costs=)."
    ]


def _suspicion(column: Column, cells: Floats, classes: NDArray[Any], codes: Indices) -> str:
    """Why a column is likely to mislead; empty if it is not."""
    values, which = np.unique(cells, return_inverse=True)
    if _is_copy(column, values, which, classes, codes):
        return "is a copy of the class."
    if _names_rows(column, cells, len(values)):
        return "has a different whole number in every row, like an identifier."
    n_rare = len(codes) - int(np.bincount(codes).max())
    exceptions = _n_exceptions(column, which, len(values), codes)
    if exceptions <= _EXCEPTIONS * len(codes) and n_rare > 5 + exceptions:
        return "alone predicts the class almost perfectly."
    return ""


def _is_copy(
    column: Column, values: Floats, which: Indices, classes: NDArray[Any], codes: Indices
) -> bool:
    """Whether the cells are the labels themselves."""
    if np.isnan(values).any() or len(values) != len(classes):
        return False
    names = [int(value) if value.is_integer() else value for value in values.tolist()]
    if column.categories is not None:
        names = [column.categories[code] for code in names]
    labels = [str(each) for each in classes.tolist()]
    return [labels[c] for c in codes] == [str(names[v]) for v in which]


def _names_rows(column: Column, cells: Floats, n_values: int) -> bool:
    """Whether the cells are different whole numbers that run on, or are called so."""
    if column.categories is not None or n_values < len(cells) or np.isnan(cells).any():
        return False
    if (cells != np.floor(cells)).any():
        return False
    runs_on = cells.max() - cells.min() < 1.5 * len(cells)
    return bool(runs_on or _IDENTIFIER.search(column.name))


def _n_exceptions(column: Column, which: Indices, n_values: int, codes: Indices) -> float:
    """Rows that the column would put into another class than theirs, at the least."""
    n, k = len(codes), int(codes.max()) + 1
    counts = np.bincount(which * k + codes, minlength=n_values * k).reshape(n_values, k)
    impure = n - float(counts.max(axis=1).sum())
    if n_values * _ROWS_A_VALUE <= n:
        return impure
    if column.categories is not None:
        return float(n)
    changes = np.count_nonzero(np.diff(counts.argmax(axis=1)))
    return impure + (changes - (k - 1)) / 2
