"""Text with delimiters as a pyarrow table: CSV, TSV, and the data of formats that declare columns.

pyarrow reads the cells. What it refuses is looked for again by the csv module of Python, which
knows the line. Cells of text are trimmed; a column of text whose trimmed cells are all numbers or
missing is numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.survey import (
    LONGEST_LINE,
    MAX_SIZE,
    Survey,
    lines_of,
    open_bytes,
    survey,
)

__all__ = ["Dialect", "Text", "read_cells", "read_delimited"]

_MISSING = ("", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null", "-nan", "-NaN")
_DELIMITERS = ",;\t|"
_DATES = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M")
_DECIMAL_COMMA = re.compile(r"(?:^|;)\s*[-+]?\d+,\d+\s*(?:;|$)", re.MULTILINE)


class Dialect(NamedTuple):
    """How cells are written: what stands between them, around them, in numbers and for missing."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    decimal: str = "."
    missing: tuple[str, ...] = _MISSING


class Text(NamedTuple):
    """Text that can be opened more than once; its first `skip` rows are not data.

    `line` is the number of its first line in the file, for messages.
    """

    path: Path
    open: Callable[[], Any]
    encoding: str = "utf-8"
    skip: int = 0
    line: int = 1


def read_delimited(
    path: Path,
    *,
    text_columns: Sequence[str] = (),
    missing: Sequence[str] = (),
    encoding: str | None = None,
    header: bool = True,
    max_size: int = MAX_SIZE,
) -> tuple[Any, list[str]]:
    """Read a CSV or TSV file as a pyarrow table, with notes on what was not plain.

    Parameters
    ----------
    path : Path
    text_columns : sequence of str
        Columns that are text whatever their cells look like.
    missing : sequence of str
        Further words for a missing cell.
    encoding : str, optional
        Detected unless given.
    header : bool
        Whether the first row has the names.
    max_size : int
        Most bytes that a compressed file may unpack to.
    """
    look = survey(path, encoding, max_size)
    dialect = _dialect_of(look, path)._replace(missing=(*_MISSING, *missing))
    text = Text(path, lambda: open_bytes(path), look.encoding, int(header))
    names, notes = _names_of(_first_row(text, dialect), path, header)
    if look.guessed:
        notes.append(f"{path} is not UTF-8; read as {look.encoding} (or say --encoding).")
    return read_cells(text, names, text_columns, dialect), notes


def _dialect_of(look: Survey, path: Path) -> Dialect:
    """Delimiter that divides the first line most, and a decimal comma beside semicolons."""
    beginning = look.beginning.decode(look.encoding, "ignore")
    line = next((each for each in lines_of(beginning) if each), "")
    if path.name.split(".")[1:2] == ["tsv"]:
        return Dialect("\t")
    counts = {mark: len(next(csv.reader([line], delimiter=mark))) for mark in _DELIMITERS}
    delimiter = max(_DELIMITERS, key=counts.__getitem__)
    has_comma = delimiter == ";" and _DECIMAL_COMMA.search(beginning)
    return Dialect(delimiter, decimal="," if has_comma else ".")


def _names_of(row: list[str], path: Path, header: bool) -> tuple[list[str], list[str]]:
    """Names of the columns, with a note on those that have none."""
    if not header:
        return [f"x{j}" for j in range(len(row))], []
    names = [name.strip() for name in row]
    unnamed = [j for j, name in enumerate(names) if not name]
    for j in unnamed:
        names[j] = f"column {j + 1}"
    refuse_duplicates(names, path)
    notes = [f"Column {j + 1} has no name and is called {names[j]!r}." for j in unnamed[:3]]
    return names, notes


def refuse_duplicates(names: Sequence[str], path: Path) -> None:
    """Raise if two columns have the same name."""
    first: dict[str, int] = {}
    for j, name in enumerate(names):
        if name in first:
            raise FileError(
                f"{path} names two columns {name!r}: the {first[name] + 1}. and the {j + 1}. "
                "Rename one of them."
            )
        first[name] = j


def _first_row(text: Text, dialect: Dialect) -> list[str]:
    """Cells of the first row that has any."""
    with text.open() as stream:
        for row in _rows_of(stream, text, dialect):
            if row:
                return row
    raise FileError(f"{text.path} is empty.")


def _rows_of(stream: Any, text: Text, dialect: Dialect) -> Any:
    """Rows of a text one by one; the reader knows its line."""
    csv.field_size_limit(4 * LONGEST_LINE)
    return csv.reader(
        io.TextIOWrapper(stream, text.encoding, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape or None,
        doublequote=not dialect.escape,
    )


def read_cells(text: Text, names: list[str], text_columns: Sequence[str], dialect: Dialect) -> Any:
    """Read the rows of a text as a pyarrow table.

    Parameters
    ----------
    text : Text
    names : list of str
    text_columns : sequence of str
        Columns that are text whatever their cells look like.
    dialect : Dialect
    """
    from pyarrow import ArrowInvalid, string
    from pyarrow import csv as arrow

    try:
        with text.open() as stream:
            frame = arrow.read_csv(
                stream,
                arrow.ReadOptions(
                    column_names=names,
                    skip_rows_after_names=text.skip,
                    block_size=2 * LONGEST_LINE,
                    encoding="utf-8" if text.encoding == "utf-8-sig" else text.encoding,
                ),
                arrow.ParseOptions(
                    delimiter=dialect.delimiter,
                    quote_char=dialect.quote or False,
                    escape_char=dialect.escape or False,
                    newlines_in_values=True,
                ),
                arrow.ConvertOptions(
                    column_types={name: string() for name in text_columns},
                    null_values=list(dialect.missing),
                    timestamp_parsers=[arrow.ISO8601, *_DATES],
                    decimal_point=dialect.decimal,
                ),
            )
    except ArrowInvalid as error:
        raise FileError(_diagnosis(text, len(names), dialect, error)) from error
    if len(frame) == 0:
        raise FileError(f"{text.path} has names of columns, but no rows.")
    return _tidy(frame, text_columns, dialect)


def _diagnosis(text: Text, n_columns: int, dialect: Dialect, error: Exception) -> str:
    """What is wrong with a text that pyarrow refuses, and in which line."""
    with text.open() as stream:
        rows = _rows_of(stream, text, dialect)
        line = text.line
        try:
            for row in rows:
                if row and len(row) != n_columns:
                    return (
                        f"Line {line} of {text.path} has {len(row)} cell(s), but there are "
                        f"{n_columns} columns. Is a delimiter or a quote missing, or one too many?"
                    )
                line = text.line + rows.line_num
        except csv.Error:
            return f"The row that begins in line {line} of {text.path} does not end: {error}"
    return f"{text.path} cannot be read: {str(error).splitlines()[0]}"


def _tidy(frame: Any, text_columns: Sequence[str], dialect: Dialect) -> Any:
    """The frame with text trimmed, words for missing cells taken, and numbers that this leaves."""
    from pyarrow import types

    for j, name in enumerate(frame.column_names):
        column, is_text = frame.column(j), name in text_columns
        if types.is_string(column.type):
            frame = frame.set_column(j, name, _tidy_text(column, is_text, dialect.missing))
        elif types.is_null(column.type):
            frame = frame.set_column(j, name, column.cast("string" if is_text else "double"))
    return frame


def _tidy_text(column: Any, is_text: bool, missing: Sequence[str]) -> Any:
    """A column of text trimmed, or the numbers that it turns out to hold."""
    import pyarrow as pa
    from pyarrow import compute

    trimmed = compute.utf8_trim_whitespace(column)
    gone = compute.is_in(trimmed, value_set=pa.array(missing, pa.string()))
    text = compute.if_else(gone, pa.scalar(None, pa.string()), trimmed)
    if is_text:
        return text
    try:
        return text.cast(pa.float64())
    except pa.ArrowInvalid:
        return text
