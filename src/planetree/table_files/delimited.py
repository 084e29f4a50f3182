"""Text with delimiters as a pyarrow table: CSV, TSV, and the data of formats that declare columns.

pyarrow reads the cells. What it refuses is looked for again by the csv module of Python, which
knows the line. Cells of text are trimmed; a column of text whose trimmed cells are all numbers or
missing is numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.cells import (
    Typed,
    classes_of,
    codes_or_integers,
    numbers_or_text,
    trimmed,
)
from planetree.table_files.survey import (
    LONGEST_LINE,
    PLAIN,
    Reading,
    Survey,
    open_bytes,
    survey,
)

MISSING = ("", "?", "NA", "N/A", "#N/A", "n/a", "NaN", "nan", "NULL", "null", "-nan", "-NaN")
_DELIMITERS = ",;\t|"
_DATES = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M")
_DECIMAL_COMMA = re.compile(r"(?:^|;)\s*[-+]?\d+,\d+\s*(?:;|$)", re.MULTILINE)


class Dialect(NamedTuple):
    """How cells are written: what stands between them, around them, in numbers and for missing."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    decimal: str = "."
    missing: tuple[str, ...] = MISSING


class Text(NamedTuple):
    """Text that can be opened more than once; its first `skip` rows are not data.

    `line` is the number of its first line in the file, for messages.
    """

    path: Path
    open: Callable[[], Any]
    encoding: str = "utf-8"
    skip: int = 0
    line: int = 1


class _Delimited(NamedTuple):
    """A text with delimiters: its table, what was not plain, and its rows as they are written."""

    frame: Any
    notes: list[str]
    records: list[str]
    delimiter: str
    decimals: dict[str, str]
    encoding: str


def read_delimited(path: Path, reading: Reading, text: Sequence[str]) -> _Delimited:
    """Read a CSV or TSV file as a pyarrow table."""
    look = survey(path, reading)
    dialect = _dialect_of(look, path, reading.delimiter)._replace(
        missing=(*MISSING, *reading.missing)
    )
    source = Text(path, lambda: open_bytes(path), look.encoding, int(reading.header))
    names, notes = _names_of(_first_row(source, dialect), path, reading.header)
    names = [reading.renamed.get(name, name) for name in names]
    refuse_duplicates(names, path)
    if look.guessed:
        notes.append(f"{path} is not UTF-8; read as {look.encoding} (change it with --encoding).")
    target = [reading.target] if reading.target in names and reading.target not in text else []
    other = [name for name in names if reading.decimal_of(name, dialect.decimal) != dialect.decimal]
    as_text = [*dict.fromkeys([*text, *target, *other])]
    frame = _read_arrow(source, names, as_text, dialect)
    if look.coded:
        frame = _with_codes(source, frame, as_text, reading.numbers, dialect)
    frame, more, decimals = _tidy(frame, text, dialect, reading)
    records = _records(source, names, dialect) if reading.keep else []
    return _Delimited(frame, notes + more, records, dialect.delimiter, decimals, look.encoding)


def _with_codes(
    source: Text, frame: Any, text: Sequence[str], numbers: Sequence[str], dialect: Dialect
) -> Any:
    """The frame with its whole numbers as text again: zeros before them may mean something."""
    from pyarrow import types

    whole = [
        name
        for name, kind in zip(frame.column_names, frame.schema.types, strict=True)
        if types.is_integer(kind) and name not in numbers
    ]
    if not whole:
        return frame
    return _read_arrow(source, frame.column_names, [*text, *whole], dialect)


def _records(source: Text, names: list[str], dialect: Dialect) -> list[str]:
    """Rows as they are written, the names first."""
    seen: list[str] = []
    found: list[str] = []

    def noted(lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            seen.append(line)
            yield line

    with source.open() as stream:
        lines = io.TextIOWrapper(stream, source.encoding, newline="")
        for row in _reader(noted(lines), dialect):
            if row:
                found.append("".join(seen).strip("\r\n"))
            seen.clear()
    head = [] if source.skip else [dialect.delimiter.join(names)]
    return head + found


def _dialect_of(look: Survey, path: Path, given: str | None = None) -> Dialect:
    """Delimiter that divides the first line most, and a decimal comma beside semicolons."""
    beginning = look.beginning.decode(look.encoding, "ignore")
    found = re.search(r"[^\r\n]+", beginning)
    line = found[0] if found else ""
    if given is None and path.name.split(".")[1:2] == ["tsv"]:
        return Dialect("\t")
    counts = {mark: len(next(_reader([line], Dialect(mark)))) for mark in _DELIMITERS}
    delimiter = given or max(_DELIMITERS, key=counts.__getitem__)
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
                f"{path} has two columns named {name!r}: columns {first[name] + 1} and {j + 1}. "
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
    return _reader(io.TextIOWrapper(stream, text.encoding, newline=""), dialect)


def _reader(lines: Iterable[str], dialect: Dialect) -> Any:
    """Rows of lines, in a dialect."""
    csv.field_size_limit(4 * LONGEST_LINE)
    return csv.reader(
        lines,
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
    return _tidy(_read_arrow(text, names, text_columns, dialect), text_columns, dialect)[0]


def _read_arrow(text: Text, names: list[str], text_columns: Sequence[str], dialect: Dialect) -> Any:
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
        raise FileError(f"{text.path} has column names but no rows.")
    return frame


def _diagnosis(text: Text, n_columns: int, dialect: Dialect, error: Exception) -> str:
    """What is wrong with a text that pyarrow refuses, and in which line."""
    with text.open() as stream:
        rows = _rows_of(stream, text, dialect)
        line = text.line
        try:
            for row in rows:
                if row and len(row) != n_columns:
                    return (
                        f"Line {line} of {text.path} has {_counted(len(row), 'cell')}, but there "
                        f"should be one for each of {_counted(n_columns, 'column')}. Is there a "
                        "delimiter or quote missing or extra?"
                    )
                line = text.line + rows.line_num
        except csv.Error:
            return f"The row that begins in line {line} of {text.path} does not end: {error}"
    return f"{text.path} cannot be read: {str(error).splitlines()[0]}"


def _tidy(
    frame: Any, text: Sequence[str], dialect: Dialect, reading: Reading = PLAIN
) -> tuple[Any, list[str], dict[str, str]]:
    """The frame with text trimmed, missing cells and numbers found, notes, and decimal marks."""
    from pyarrow import types

    notes: list[str] = []
    decimals: dict[str, str] = {}
    for j, name in enumerate(frame.column_names):
        found: list[str] = []
        column = frame.column(j)
        if types.is_null(column.type):
            column = column.cast("string" if name in text else "double")
        elif not types.is_string(column.type):
            decimals |= {name: dialect.decimal} if types.is_floating(column.type) else {}
            continue
        elif name == reading.target and name not in text:
            column, found = classes_of(column, name, dialect.missing, reading.missing)
        else:
            column = trimmed(column, dialect.missing)
            if name not in text:
                decimal = reading.decimal_of(name, dialect.decimal)
                column, found, point = _typed(column, name, decimal, name in reading.numbers)
                decimals |= {name: point} if point else {}
                found += _note_of_decimal(name, decimal, point, dialect.decimal, reading)
        frame = frame.set_column(j, name, column)
        notes += found
    return frame, notes, decimals


def _note_of_decimal(
    name: str, wanted: str, found: str | None, usual: str, reading: Reading
) -> list[str]:
    """Say that a column is read as in training although the file looks otherwise, or is not."""
    if found is None or wanted == usual or reading.decimal is not None:
        return []
    marks = {".": "decimal points", ",": "decimal commas"}
    if found == wanted:
        return [
            f"Column {name!r} is read with {marks[wanted]}, as in training; --decimal "
            f"'{usual}' reads {marks[usual]}."
        ]
    return [f"Column {name!r} had {marks[wanted]} in training, but has {marks[found]} here."]


def _typed(column: Any, name: str, decimal: str, is_number: bool) -> Typed:
    """What a column of trimmed text holds."""
    from pyarrow import compute

    whole = compute.all(compute.match_substring_regex(column, r"^[-+]?\d{1,18}$")).as_py()
    if whole and not is_number:
        return codes_or_integers(column, name)
    return numbers_or_text(column, name, decimal)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
