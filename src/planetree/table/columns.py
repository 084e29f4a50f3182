"""One column of a table: numbers, or codes into a list of labels.

A column is read once, into an array of numbers as they came or into `Codes`, where label
`labels[codes[i]]` stands in row i, code -1 is a missing cell, and code -2 a category that training
did not have. To read it against labels that were declared earlier, its own labels are looked up and
the codes follow: a label is compared once, not once a row.

As floats, a missing cell is NaN and a category that training did not have is -1.

Parameters of estimators give columns by name or by number, and values for columns as an array or a
dict: one way for all.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices

_Labels = tuple[Any, ...]


class Codes(NamedTuple):
    """Labels of a column; `declared` if they stand whether or not a row has them."""

    codes: Indices
    labels: _Labels
    declared: bool


Content = NDArray[Any] | Codes

_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_KINDS: list[tuple[str, tuple[type, ...]]] = [
    ("bool", (bool, np.bool_)),
    ("text", (str,)),
    ("date", _DATES),  # before numbers: numpy's timedelta64 is also a signed integer
    ("complex", (complex, np.complexfloating)),
]
NEW_CODE = -2  # the code of a category that training did not have
_REFUSED = ("date", "complex", "bytes", "nested")


def place(name: str, row: int) -> str:
    """Where a cell is, in words."""
    return f"column {name!r}, row {row} (counting from 0)"


def refuse_kind(kind: str, name: str, row: int, value: object) -> NoReturn:
    """Raise the error for a cell that is neither a number nor a label."""
    found = f"{place(name, row)} holds {value!r}"
    if kind == "date":
        raise ValueError(
            f"Dates and times are not numbers: {found}. Convert the column first, for instance to "
            "days since a fixed date, or to columns for the year, the month and the weekday."
        )
    if kind == "complex":
        raise ValueError(
            f"Complex data not supported: {found}. Give the real and the imaginary part as two "
            "columns."
        )
    if kind == "bytes":
        raise TypeError(f"Bytes are not text: {found}. Decode the column first.")
    raise TypeError(
        f"A cell's argument must be a string or a real number, not {type(value).__name__!r}: "
        f"{found}. Spread nested values over columns of their own."
    )


def read_values(values: NDArray[Any], name: str) -> Content:
    """Content of a one-dimensional array of any dtype."""
    kind = values.dtype.kind
    if kind in "iuf":
        return as_floats(values) if values.dtype.itemsize > 8 else values
    if kind == "b":
        return Codes(values.astype(np.intp), (False, True), declared=True)
    if kind in "UT":
        return _read_labels(values.tolist())
    if kind == "O":
        return _read_objects(values.tolist(), name)
    refuse_kind(
        {"c": "complex", "S": "bytes", "M": "date", "m": "date"}.get(kind, "nested"),
        name,
        0,
        values[0],
    )


def as_floats(values: Any) -> Floats:
    """Numbers as float64 in C order, itself if it is so already; infinite if they are too large."""
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float64, order="C")


def without_signals(cells: list[Any]) -> list[Any]:
    """Cells in which a decimal that may not even be compared, a signaling NaN, is missing."""
    if Decimal not in set(map(type, cells)):
        return cells
    return [None if isinstance(cell, Decimal) and cell.is_snan() else cell for cell in cells]


def _read_objects(cells: list[Any], name: str) -> Content:
    """Content of a list of Python objects: numbers, booleans or text, any of them missing."""
    cells = without_signals(cells)
    kinds = cell_kinds(cells)
    found = set(kinds.values())
    for kind in _REFUSED:
        if kind in found:
            row = next(i for i, cell in enumerate(cells) if kinds[type(cell)] == kind)
            refuse_kind(kind, name, row, cells[row])
    if found >= {"number", "text"} or found >= {"number", "bool"}:
        cells = [None if kinds[type(cell)] == "number" and cell != cell else cell for cell in cells]
        kinds = cell_kinds(cells)
        found = set(kinds.values())
    if "text" in found:
        _refuse_a_mixture(cells, kinds, name)
        return _read_labels(cells)
    if "bool" in found and "number" not in found:
        codes = [-1 if kinds[type(cell)] == "missing" else int(cell) for cell in cells]
        return Codes(np.array(codes, dtype=np.intp), (False, True), declared=True)
    return _read_numbers(cells, kinds, name)


def cell_kinds(cells: list[Any]) -> dict[type, str]:
    """What the cells are to a table, by their Python types."""
    return {kind: _kind_of(kind) for kind in set(map(type, cells))}


def _kind_of(kind: type) -> str:
    """What a cell of this Python type is to a table."""
    for word, types in _KINDS:
        if issubclass(kind, types):
            return word
    if issubclass(kind, (numbers.Real, Decimal, np.number)):
        return "number"
    if kind.__name__ in ("NoneType", "NAType"):
        return "missing"
    return "bytes" if issubclass(kind, bytes) else "nested"


def _refuse_a_mixture(cells: list[Any], kinds: dict[type, str], name: str) -> None:
    """Raise if a column of text also holds numbers or booleans."""
    words = [kinds[type(cell)] for cell in cells] if len(kinds) > 1 else []
    other = next((i for i, word in enumerate(words) if word in ("number", "bool")), None)
    if other is not None:
        text = words.index("text")
        raise ValueError(
            f"A column is numbers or text, not both: {place(name, other)} holds {cells[other]!r}, "
            f"but row {text} holds {cells[text]!r}. Make it all numbers, with NaN for missing, or "
            "all text."
        )


def _read_numbers(cells: list[Any], kinds: dict[type, str], name: str) -> Floats:
    """Cells as float64: missing as NaN, decimals and integers of any size rounded."""
    if "missing" in kinds.values():
        cells = [np.nan if kinds[type(cell)] == "missing" else cell for cell in cells]
    try:
        return np.array(cells, dtype=np.float64)
    except OverflowError:
        largest = int(np.finfo(np.float64).max)
        row = next(i for i, cell in enumerate(cells) if abs(cell) > largest)
        raise ValueError(f"Too large for a float64: the number in {place(name, row)}.") from None


def _read_labels(cells: list[Any]) -> Codes:
    """Codes of text in sorted order of the labels; whatever is no text is missing."""
    labels = tuple(sorted(str(cell) for cell in dict.fromkeys(cells) if isinstance(cell, str)))
    return Codes(look_up(cells, labels), labels, declared=False)


def look_up(cells: Sequence[Any], labels: Sequence[Any]) -> Indices:
    """Position of each cell among the labels, -1 where it is not one of them."""
    code = {label: i for i, label in enumerate(labels)}
    return np.fromiter(map(code.get, cells, repeat(-1)), dtype=np.intp, count=len(cells))


def in_order(content: Codes) -> Codes:
    """The same column with its labels sorted."""
    labels = tuple(sorted(content.labels))
    return content._replace(
        codes=take(look_up(content.labels, labels), content.codes), labels=labels
    )


def take(table: NDArray[Any], codes: Indices) -> NDArray[Any]:
    """Entry of the table for each code; -1 for a missing one and -2 for a new one, as they are."""
    return np.append(table, (NEW_CODE, -1))[codes]


def declare(content: Content) -> tuple[NDArray[Any], _Labels | None]:
    """Numbers of a column, and its categories; one without any is numbers that are not known."""
    if isinstance(content, Codes):
        codes = np.maximum(content.codes, -1)  # nothing is new to training
        return _as_floats(codes), content.labels or None
    return content, None


def observed(codes: Floats, labels: _Labels) -> tuple[Floats, _Labels]:
    """The column with only those labels that some row has."""
    used = np.unique(codes[~np.isnan(codes)]).astype(np.intp)
    new = np.full(len(labels) + 1, np.nan)
    new[used] = np.arange(len(used))
    return new[as_codes(codes)], tuple(labels[c] for c in used)


def align(
    content: Content, categories: _Labels | None, name: str
) -> tuple[NDArray[Any], dict[Any, int]]:
    """Numbers of a column as training coded it, and the first row of each category new to it."""
    if categories is None:
        return _as_numbers(content, name), {}
    codes, labels, _ = content if isinstance(content, Codes) else _distinct(content)
    known = look_up(labels, categories)
    aligned = take(np.where(known < 0, NEW_CODE, known), codes)
    if np.all(known >= 0) or np.array_equal(aligned < 0, codes < 0):
        return _as_floats(aligned), {}
    rows = np.flatnonzero((aligned < 0) & (codes >= 0))
    first, at = np.unique(codes[rows], return_index=True)
    return _as_floats(aligned), {labels[c]: int(rows[i]) for c, i in zip(first, at, strict=True)}


def _distinct(values: NDArray[Any]) -> Codes:
    """Codes of a column of numbers, whose labels are the numbers themselves."""
    known = ~np.isnan(values)
    codes = np.full(len(values), -1, dtype=np.intp)
    labels, codes[known] = np.unique(values[known], return_inverse=True)
    return Codes(codes, tuple(labels.tolist()), declared=False)


def as_codes(floats: NDArray[Any]) -> Indices:
    """Codes from floats, -1 for NaN."""
    return np.nan_to_num(floats, nan=-1).astype(np.intp)


def _as_floats(codes: Indices) -> Floats:
    """Codes as floats: missing as NaN, new as -1."""
    return np.where(codes == -1, np.nan, np.maximum(codes, -1))


def _as_numbers(content: Content, name: str) -> NDArray[Any]:
    """Numbers of a column that held numbers in training."""
    if not isinstance(content, Codes):
        return content
    codes, labels, _ = content
    rows = np.flatnonzero(codes >= 0)
    if not len(rows):
        return np.full(len(codes), np.nan)
    if any(not isinstance(label, (numbers.Real, np.bool_)) for label in labels):
        strange = [c for c, label in enumerate(labels) if not _reads_as_number(label)]
        row = int(rows[np.isin(codes[rows], strange)][0] if strange else rows[0])
        raise ValueError(
            f"Numbers are expected, as in training: {place(name, row)} holds "
            f"{labels[codes[row]]!r}."
        )
    return np.append(np.array(labels, dtype=np.float64), np.nan)[codes]


def _reads_as_number(label: Any) -> bool:
    """Whether a label is a number, or text that says one."""
    try:
        float(label)
    except (TypeError, ValueError):
        return False
    return True


def column_numbers(features: Any, names: list[Any], parameter: str) -> set[int]:
    """Numbers of columns that are given by name or number; none if nothing is given.

    Examples
    --------
    >>> from planetree.table import column_numbers
    >>> column_numbers(["dose", 0], ["age", "dose"], "excluded_features")
    {0, 1}
    """
    if features is None:
        return set()
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise ValueError(
            f"{parameter} must be a sequence of column names or numbers, but it is {features!r}."
        )
    return {column_number(feature, names, parameter) for feature in features}


def column_number(feature: Any, names: list[Any], parameter: str) -> int:
    """Number of a column that is given by its name or number."""
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    is_number = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
    if is_number and 0 <= feature < len(names):
        return int(feature)
    raise ValueError(f"{parameter} names {feature!r}, but the columns are {names}.")


def column_values(values: Any, default: float, names: list[Any], parameter: str) -> Floats:
    """Numbers for all columns, from an array or from a dict by name or number."""
    if isinstance(values, Mapping):
        given = {column_number(key, names, parameter): value for key, value in values.items()}
        values = [given.get(j, default) for j in range(len(names))]
    try:
        numbers = np.array([default] * len(names) if values is None else values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{parameter} must hold numbers, but it is {values!r}.") from error
    if numbers.shape != (len(names),) or not np.isfinite(numbers).all():
        raise ValueError(
            f"{parameter} must hold one finite number for each of {len(names)} columns, but it "
            f"is {values!r}."
        )
    return numbers
