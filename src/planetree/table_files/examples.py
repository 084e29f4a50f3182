"""What is learned from: the columns of a table, the class and the weight of each row.

A column that no model can use is left out, and said: dates, text with so many values that it is a
name rather than a category, columns without a value. Rows without a class are left out too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Mask
from planetree.exceptions import ColumnError, FileError
from planetree.parameters import listed
from planetree.table_files.cells import not_numbers, spellings
from planetree.table_files.frame import DataFile, read_file
from planetree.table_files.survey import PLAIN, Reading

_MOST_CATEGORIES = 100  # more distinct texts than a person would read as categories
_MOST_CLASSES = 100  # more distinct labels than classes that a table is likely to have


@dataclass(frozen=True, eq=False)
class Examples:
    r"""Rows with their classes.

    Parameters
    ----------
    frame : pyarrow.Table
        The columns to learn from.
    labels : array of shape (n_rows,)
    weights : array of shape (n_rows,) or None
    target : str
        The column that the labels come from.
    left_out : dict
        For each column that is not used, why.
    notes : tuple of str
        What else the reader should know.
    group : list, optional
        Cells of the column to count errors by.
    decimals : mapping of str
        Decimal mark of each column to learn from whose numbers show one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from planetree.table_files import read_examples
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("size,day,class\n1.5,2020-01-31,a\n2.5,2020-02-01,b\n")
    ...     found = read_examples(path, "class")
    >>> found.frame.column_names, found.labels.tolist(), found.left_out
    (['size'], ['a', 'b'], {'day': 'dates or times'})
    """

    frame: Any
    labels: NDArray[Any]
    weights: Floats | None
    target: str
    left_out: dict[str, str]
    notes: tuple[str, ...]
    group: list[Any] | None = None
    decimals: Mapping[str, str] = field(default_factory=dict)

    def kinds(self) -> dict[str, str]:
        """For each column to learn from, what it holds."""
        return {name: _kind(self.frame.column(name)) for name in self.frame.column_names}

    def n_missing(self) -> dict[str, int]:
        """For each column with missing cells, how many."""
        counts = {name: self.frame.column(name).null_count for name in self.frame.column_names}
        return {name: count for name, count in counts.items() if count}

    def class_counts(self) -> dict[str, int]:
        """How many rows each class has, the most frequent first."""
        labels, counts = np.unique(self.labels, return_counts=True)
        order = np.argsort(-counts, kind="stable").tolist()
        return {str(labels[i]): int(counts[i]) for i in order}


def read_examples(
    path: str | Path,
    target: str | None,
    *,
    sample_weight: str | None = None,
    group: str | None = None,
    reading: Reading = PLAIN,
    file: DataFile | None = None,
) -> Examples:
    """Read the rows of a file with their classes.

    Parameters
    ----------
    path : str or Path
    target : str or None
        The column of the class; None where the format says which it is, or for the last column of
        an ARFF file.
    sample_weight : str, optional
        The column of the weights.
    group : str, optional
        The column to count errors by; it may be one to learn from, too.
    reading : Reading
    file : DataFile, optional
        What `read_file` gave for the same path, target and reading.
    """
    if file is None:
        file = read_file(path, reading._replace(target=target), reading.categorical)
    if reading.dates:
        file = file._replace(frame=_with_dates(file.frame, target))
    names = file.frame.column_names
    target = target or file.target or (names[-1] if str(path).endswith(".arff") else None)
    target = _named_target(target, names)
    for name in (target, *reading.categorical, *reading.ignore, sample_weight, group):
        refuse_unknown_column(name, names, path)
    frame = _with_class(file.frame, target, path)
    taken = {target, sample_weight, *reading.ignore}
    features, left_out = _usable(frame, taken, reading.categorical)
    taken |= {*reading.categorical}
    if not features.column_names:
        cells = {name: _cell_of_text(frame.column(name)) for name in left_out}
        why = "".join(
            f"; {name!r} holds {reason}" + (f", because of {cells[name]!r}" if cells[name] else "")
            for name, reason in left_out.items()
        )
        raise FileError(f"{path} has no column to learn from{why}.")
    return Examples(
        features,
        _class_labels(frame.column(target), target),
        _row_weights(frame.column(sample_weight), sample_weight) if sample_weight else None,
        target,
        left_out,
        tuple(file.notes + _notes_on(frame, taken, len(file.frame) - len(frame))),
        None if group is None else frame.column(group).to_pylist(),
        {name: mark for name, mark in file.decimals.items() if name in features.column_names},
    )


def _with_class(frame: Any, target: str, path: str | Path) -> Any:
    """Rows that have a class."""
    labels = frame.column(target)
    if labels.null_count == len(frame):
        raise FileError(f"Column {target!r} of {path} has no values.")
    return frame.filter(labels.is_valid()) if labels.null_count else frame


def _usable(
    frame: Any, taken: set[str | None], categorical: Sequence[str]
) -> tuple[Any, dict[str, str]]:
    """Columns to learn from that are not taken, and for each of the others why not."""
    features = frame.select([name for name in frame.column_names if name not in taken])
    reasons = {
        name: _why_unusable(features.column(name), name in categorical)
        for name in features.column_names
    }
    left_out = {name: why for name, why in reasons.items() if why}
    return features.drop_columns(list(left_out)), left_out


def _notes_on(frame: Any, taken: set[str | None], n_unlabeled: int) -> list[str]:
    """What a reader would want to know of rows, and of columns that are not taken."""
    from pyarrow import types

    plural = "row has no class and was" if n_unlabeled == 1 else "rows have no class and were"
    notes = [f"{n_unlabeled} {plural} skipped."] if n_unlabeled else []
    for name, kind in zip(frame.column_names, frame.schema.types, strict=True):
        alike = spellings(frame.column(name)) if types.is_string(kind) else []
        if alike:
            both = " and ".join(map(repr, alike))
            notes.append(f"Column {name!r} holds {both}, which count as different values.")
        if types.is_temporal(kind) and name not in taken:
            notes.append(f"Column {name!r} holds dates; --dates turns them into numbers.")
        cell = _cell_of_text(frame.column(name)) if name not in taken else ""
        if cell:
            notes.append(
                f"Column {name!r} is read as text because of cells such as {cell!r}; if that "
                f"means a missing number, use --missing {cell!r}."
            )
    return notes


def refuse_unknown_column(name: str | None, names: Sequence[str], path: str | Path) -> None:
    """Raise if a column that was named is not there."""
    if name is not None and name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Its columns are {listed(names)}."
        raise ColumnError(f"{path} has no column {name!r}.{hint}")


def _named_target(target: str | None, names: Sequence[str]) -> str:
    """The column to predict; raise where nothing says which it is."""
    if target is None:
        raise ColumnError(f"Name the column to predict with --target: {listed(names)}.")
    return target


def read_rows_for(
    model: Any, path: str | Path, reading: Reading, read: Sequence[int]
) -> tuple[Any, DataFile]:
    """Columns of a fitted model in a file that may have more, and the whole file.

    Parameters
    ----------
    model : fitted estimator
    path : str or Path
    reading : Reading
    read : sequence of int
        Columns that the model reads; others may be lacking.
    """
    text = [c.name for c in model.columns_ if c.categories and isinstance(c.categories[0], str)]
    numbers = [column.name for column in model.columns_ if column.categories is None]
    decimals = getattr(model, "decimals_", {})
    file = read_file(path, reading._replace(numbers=numbers, decimals=decimals), text)
    frame = file.frame
    for name, (of, part) in _date_parts([*numbers, *text]).items():
        if of in frame.column_names and name not in frame.column_names:
            frame = frame.append_column(name, _date_part(frame.column(of), part))
    names = [column.name for column in model.columns_]
    gone = [names[j] for j in read if names[j] not in frame.column_names]
    if gone:
        columns = "a column" if len(gone) == 1 else f"{len(gone)} columns"
        raise FileError(f"{path} lacks {columns} that the model reads: {listed(gone)}.")
    return frame.select([name for name in names if name in frame.column_names]), file


_PART = re.compile(r"(.+): (year|month|weekday|days since (\d{4}-\d{2}-\d{2}))")


def _date_parts(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Of names such as 'sent: month' the column and what is taken of its dates."""
    found = {name: _PART.fullmatch(name) for name in names}
    return {name: (part[1], part[2]) for name, part in found.items() if part}


def _with_dates(frame: Any, target: str | None) -> Any:
    """The frame with numbers in the place of dates; their names say from when days count."""
    from pyarrow import compute, types

    for name, kind in zip(frame.column_names, frame.schema.types, strict=True):
        dates = frame.column(name)
        if types.is_temporal(kind) and name != target and dates.null_count < len(dates):
            first = compute.min(dates.cast("date32")).as_py().isoformat()
            for part in ("year", "month", "weekday", f"days since {first}"):
                frame = frame.append_column(f"{name}: {part}", _date_part(dates, part))
            frame = frame.drop_columns([name])
    return frame


def _date_part(dates: Any, part: str) -> Any:
    """Year, month, weekday from 1 for Monday, or days since a date, as numbers."""
    import pyarrow as pa
    from pyarrow import compute, types

    if not types.is_temporal(dates.type):
        raise FileError(f"The {part} is computed from dates, but the column has none.")
    days = dates.cast("date32")
    if part == "weekday":
        return compute.day_of_week(days, count_from_zero=False).cast("double")
    if part in ("year", "month"):
        return getattr(compute, part)(days).cast("double")
    start = pa.scalar(part.removeprefix("days since ")).cast("date32").cast("int32")
    return compute.subtract(days.cast("int32"), start).cast("double")


def labels_for(
    model: Any, file: DataFile, target: str | None, path: str | Path
) -> tuple[NDArray[Any], Mask]:
    """Labels of the rows that have one, as the model has them, and which rows these are.

    Parameters
    ----------
    model : fitted classifier
    file : DataFile
    target : str or None
        The column of the class; None where the format says which it is.
    path : str or Path
        The file, for messages.
    """
    names = file.frame.column_names
    target = _named_target(target or file.target, names)
    refuse_unknown_column(target, names, path)
    column = file.frame.column(target)
    known = np.asarray(column.is_valid().to_numpy(), dtype=bool)
    classes = {str(label): label for label in model.classes_.tolist()}
    cells = _class_labels(column.drop_null(), target, fewest=1)
    found, codes = np.unique(cells, return_inverse=True)
    strange = sorted({str(cell) for cell in found.tolist()} - set(classes))
    if strange:
        raise FileError(
            f"Column {target!r} of {path} holds {listed(strange)}, which the model does not know; "
            f"its classes are {listed(classes)}."
        )
    return np.array([classes[str(cell)] for cell in found.tolist()])[codes], known


def _kind(column: Any) -> str:
    """What a column holds, in a word."""
    from pyarrow import types

    kind = column.type
    if types.is_boolean(kind):
        return "yes or no"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_dictionary(kind):
        return f"{len(column.chunk(0).dictionary)} categories"
    return f"{_n_distinct(column)} categories"


def _n_distinct(column: Any) -> int:
    """How many different values a column has."""
    return len(column.drop_null().unique())


def _why_unusable(column: Any, declared: bool) -> str:
    """Why no model can use a column, in words; empty if one can."""
    from pyarrow import types

    kind = column.type
    if types.is_temporal(kind):
        return "dates or times"
    if types.is_nested(kind) or types.is_binary(kind):
        return f"neither numbers nor text ({kind})"
    if column.null_count == len(column):
        return "no values"
    if declared or not (types.is_string(kind) or types.is_large_string(kind)):
        return ""
    count, rows = _n_distinct(column), len(column) - column.null_count
    if count > _MOST_CATEGORIES or (count > 20 and count > rows / 2):
        return f"text with {count} different values"
    return ""


def _cell_of_text(column: Any) -> str:
    """A cell that keeps a column from being numbers, where most of its cells are."""
    from pyarrow import types

    if not types.is_string(column.type):
        return ""
    strange = not_numbers(column)
    n_cells = len(column) - column.null_count
    return str(strange[0].as_py()) if 0 < 2 * len(strange) < n_cells else ""


def _class_labels(column: Any, name: str, fewest: int = 2) -> NDArray[Any]:
    """Labels of a column without missing cells: whole numbers, booleans or text."""
    from pyarrow import types

    kind = column.type
    if types.is_temporal(kind) or types.is_nested(kind):
        raise FileError(f"Column {name!r} holds {kind}, which cannot be a class.")
    labels = np.array(column.to_pylist()) if types.is_dictionary(kind) else column.to_numpy()
    if labels.dtype.kind == "f" and np.all(labels == np.floor(labels)):
        labels = labels.astype(np.int64)
    count = _n_distinct(column)
    if count < fewest:
        raise FileError(f"Column {name!r} holds one class only: {labels[0]!s}. Two are needed.")
    numbers = labels.dtype.kind in "iuf"
    if (numbers and count > _MOST_CLASSES) or count > max(_MOST_CLASSES, len(labels) / 2):
        what = "numbers" if numbers else "texts"
        raise FileError(
            f"Column {name!r} holds {count} different {what}, which are not classes. Choose "
            "another column, or group its values into a few classes."
        )
    return labels.astype(str) if labels.dtype.kind == "O" else labels


def _row_weights(column: Any, name: str) -> Floats:
    """Weights of rows, all of them known and none negative."""
    if _kind(column) != "numbers" or column.null_count:
        found = "missing cells" if column.null_count else _kind(column)
        raise FileError(
            f"Column {name!r} holds {found}; weights must be numbers, with none missing."
        )
    weights = np.asarray(column.to_numpy(), dtype=np.float64)
    if not (np.all(weights >= 0) and np.all(np.isfinite(weights)) and weights.sum() > 0):
        raise FileError(f"Column {name!r} holds {weights.min():g}; weights must not be negative.")
    return weights
