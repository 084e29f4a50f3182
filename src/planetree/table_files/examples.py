"""What is learned from: the columns of a table, the class and the weight of each row.

A column that no model can use is left out, and said: dates, text with so many values that it is a
name rather than a category, columns without a value. Rows without a class are left out too.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.exceptions import ColumnError, FileError
from planetree.table_files.frame import DataFile, read_file
from planetree.table_files.kinds import (
    class_labels,
    kind_of,
    mistaken_for_text,
    row_weights,
    why_unusable,
)
from planetree.table_files.survey import MAX_SIZE

__all__ = ["Examples", "Reading", "labels_for", "read_examples", "read_rows_for"]


class Reading(NamedTuple):
    """How to read a file: columns that are categories or ignored, how it is written, how large."""

    categorical: Sequence[str] = ()
    ignore: Sequence[str] = ()
    missing: Sequence[str] = ()
    encoding: str | None = None
    header: bool = True
    max_size: int = MAX_SIZE

    def file(self, path: str | Path, text_columns: Sequence[str]) -> DataFile:
        """Read a file so."""
        return read_file(
            path,
            text_columns=text_columns,
            missing=self.missing,
            encoding=self.encoding,
            header=self.header,
            max_size=self.max_size,
        )


PLAIN = Reading()


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
    weights: NDArray[np.float64] | None
    target: str
    left_out: dict[str, str]
    notes: tuple[str, ...]

    def kinds(self) -> dict[str, str]:
        """For each column to learn from, what it holds."""
        return {name: kind_of(self.frame.column(name)) for name in self.frame.column_names}

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
    reading: Reading = PLAIN,
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
    reading : Reading
    """
    file = reading.file(path, reading.categorical)
    names = file.frame.column_names
    target = target or file.target or (names[-1] if str(path).endswith(".arff") else None)
    if target is None:
        raise ColumnError(f"Say which column holds the class, with --target: {some(names)}.")
    for name in (target, *reading.categorical, *reading.ignore, sample_weight):
        refuse_unknown(name, names, path)
    frame = with_class(file.frame, target, path)
    taken = {target, sample_weight, *reading.ignore}
    features, left_out = usable(frame, taken, reading.categorical)
    taken |= {*reading.categorical}
    if not features.column_names:
        why = "".join(f"; {name!r} holds {reason}" for name, reason in left_out.items())
        raise FileError(f"{path} has no column to learn from{why}.")
    return Examples(
        features,
        class_labels(frame.column(target), target),
        row_weights(frame.column(sample_weight), sample_weight) if sample_weight else None,
        target,
        left_out,
        tuple(file.notes + notes_on(frame, taken, len(file.frame) - len(frame))),
    )


def with_class(frame: Any, target: str, path: str | Path) -> Any:
    """Rows that have a class."""
    labels = frame.column(target)
    if labels.null_count == len(frame):
        raise FileError(f"Column {target!r} of {path} has no values.")
    return frame.filter(labels.is_valid()) if labels.null_count else frame


def usable(
    frame: Any, taken: set[str | None], categorical: Sequence[str]
) -> tuple[Any, dict[str, str]]:
    """Columns to learn from that are not taken, and for each of the others why not."""
    features = frame.select([name for name in frame.column_names if name not in taken])
    reasons = {
        name: why_unusable(features.column(name), name in categorical)
        for name in features.column_names
    }
    left_out = {name: why for name, why in reasons.items() if why}
    return features.drop_columns(list(left_out)), left_out


def notes_on(frame: Any, taken: set[str | None], n_unlabeled: int) -> list[str]:
    """What a reader would want to know of rows, and of columns that are not taken."""
    notes = [f"{n_unlabeled} row(s) without a class are left out."] if n_unlabeled else []
    for name in frame.column_names:
        cell = mistaken_for_text(frame.column(name)) if name not in taken else ""
        if cell:
            notes.append(
                f"Column {name!r} is taken for text because of cells such as {cell!r}; if that "
                f"means a missing number, say --missing {cell!r}."
            )
    return notes


def refuse_unknown(name: str | None, names: Sequence[str], path: str | Path) -> None:
    """Raise if a column that was named is not there."""
    if name is not None and name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Its columns are {some(names)}."
        raise ColumnError(f"{path} has no column {name!r}.{hint}")


def some(names: Sequence[str], limit: int = 12) -> str:
    """Names in a line, at most `limit` of them."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(map(repr, names[:limit])) + more


def read_rows_for(model: Any, path: str | Path, reading: Reading = PLAIN) -> tuple[Any, DataFile]:
    """Columns that a fitted model reads, in a file that may have more, and the whole file.

    Parameters
    ----------
    model : fitted estimator
    path : str or Path
    reading : Reading
    """
    text = [c.name for c in model.columns_ if c.categories and isinstance(c.categories[0], str)]
    file = reading.file(path, text)
    names = [column.name for column in model.columns_]
    gone = [name for name in names if name not in file.frame.column_names]
    if gone:
        raise FileError(f"{path} lacks {len(gone)} column(s) that the model reads: {some(gone)}.")
    return file.frame.select(names), file


def labels_for(
    model: Any, file: DataFile, target: str | None, path: str | Path
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
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
    target = target or file.target
    if target is None:
        raise ColumnError(f"Say which column holds the class, with --target: {some(names)}.")
    refuse_unknown(target, names, path)
    column = file.frame.column(target)
    known = np.asarray(column.is_valid().to_numpy(), dtype=bool)
    classes = {str(label): label for label in model.classes_.tolist()}
    cells = class_labels(column.drop_null(), target, fewest=1)
    strange = sorted({str(cell) for cell in cells.tolist()} - set(classes))
    if strange:
        raise FileError(
            f"Column {target!r} of {path} holds {some(strange)}, which the model does not know; "
            f"its classes are {some(list(classes))}."
        )
    return np.array([classes[str(cell)] for cell in cells.tolist()]), known
