"""A file of any known kind as one pyarrow table, by the end of its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.declared import TARGET, read_declared
from planetree.table_files.delimited import MISSING, read_delimited, refuse_duplicates
from planetree.table_files.survey import (
    PACKED,
    PLAIN,
    Reading,
    open_bytes,
    refuse_size,
    spooled,
    survey,
)


class DataFile(NamedTuple):
    """A table from disk.

    Parameters
    ----------
    frame : pyarrow.Table
    target : str or None
        The column of the class, where the format says which it is.
    notes : list of str
        What the reader should know.
    records : list of str
        Rows of CSV or TSV as they are written, the names first, if they are kept.
    delimiter : str
        What stands between their cells.
    decimals : dict
        Decimal mark of each column of CSV or TSV whose numbers show one.
    encoding : str
        Of CSV or TSV.
    """

    frame: Any
    target: str | None
    notes: list[str]
    records: Sequence[str] = ()
    delimiter: str = ","
    decimals: Mapping[str, str] = MappingProxyType({})
    encoding: str = ""


def read_file(path: str | Path, reading: Reading = PLAIN, text: Sequence[str] = ()) -> DataFile:
    r"""Read CSV, TSV, Excel, JSON lines, Parquet, Feather, ARFF or C4.5's .names with .data.

    Parameters
    ----------
    path : str or Path
        A pipe, or "-" for standard input, is CSV or TSV, packed or not, or Parquet, Feather or
        Excel, known by their first bytes.
    reading : Reading
    text : sequence of str
        Columns that are text whatever their cells look like.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from planetree.table_files import read_file
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("size;class\n1,5;a\nNA;b\n")
    ...     read_file(path).frame.to_pydict()
    {'size': [1.5, None], 'class': ['a', 'b']}
    """
    path = Path(path)
    if str(path) == "-" or path.is_fifo():
        with spooled(path) as copy:
            return read_file(copy, reading, text)
    _refuse_no_file(path)
    kind = (path.with_suffix("").suffix if path.suffix in PACKED else path.suffix).lower()
    is_c45 = kind in (".names", ".data", ".test") and path.with_suffix(".names").is_file()
    if kind in _TYPED:
        return DataFile(_read_typed(path, kind, reading, text), None, [])
    if is_c45 or kind == ".arff":
        return DataFile(read_declared(path, reading, text), TARGET if is_c45 else None, [])
    found = read_delimited(path, reading, text)
    return DataFile(found.frame, None, *found[1:])


def _refuse_no_file(path: Path) -> None:
    """Raise unless there is a file."""
    if path.is_dir():
        raise FileError(f"{path} is a folder, not a table.")
    if not path.exists():
        raise FileError(f"There is no file {path}.")


def _read_typed(path: Path, kind: str, reading: Reading, text_columns: Sequence[str]) -> Any:
    """Table of a file whose cells have types, with the columns that should be text as text."""
    import pyarrow as pa

    try:
        frame = _TYPED[kind](path, reading)
    except (pa.ArrowException, OSError) as error:  # pyarrow says of damaged pages that I/O failed
        raise FileError(
            f"{path} is not a valid {_NAMES.get(kind, kind)} file: {str(error).splitlines()[0]}"
        ) from error
    frame = frame.rename_columns([reading.renamed.get(n, n) for n in frame.column_names])
    refuse_duplicates(frame.column_names, path)
    if len(frame) == 0:
        raise FileError(f"{path} has no rows.")
    for j, name in enumerate(frame.column_names):
        if name in text_columns and not pa.types.is_dictionary(frame.column(j).type):
            frame = frame.set_column(j, name, frame.column(j).cast(pa.string()))
    return frame


def _read_parquet(path: Path, reading: Reading) -> Any:
    """Table of a Parquet file, if it is not too large."""
    from pyarrow import parquet

    about = parquet.read_metadata(path)
    groups = (about.row_group(g).total_byte_size for g in range(about.num_row_groups))
    if max(sum(groups), 8 * about.num_rows * about.num_columns) > reading.max_size:
        refuse_size(path, reading.max_size)
    return parquet.read_table(path)


def _read_feather(path: Path, reading: Reading) -> Any:
    """Table of a Feather file, if it is not too large."""
    from pyarrow import feather

    frame = feather.read_table(path)
    if frame.nbytes > reading.max_size:
        refuse_size(path, reading.max_size)
    return frame


def _read_json_lines(path: Path, reading: Reading) -> Any:
    """Table of a file with a JSON object a line."""
    from pyarrow import json

    survey(path, reading)
    with open_bytes(path) as stream:
        return json.read_json(stream)


def _read_excel(path: Path, reading: Reading) -> Any:
    """Table of a sheet of an Excel file: the first row has the names."""
    import pyarrow as pa
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
    except CalamineError as error:
        raise FileError(f"{path} is not a valid Excel file: {error}") from error
    sheet = reading.sheet or book.sheet_names[0]
    if sheet not in book.sheet_names:
        raise FileError(f"{path} has no sheet {sheet!r}; it has {', '.join(book.sheet_names)}.")
    rows = book.get_sheet_by_name(sheet).to_python()
    if not rows:
        raise FileError(f"{path} is empty.")
    head = [f"x{j}" for j in range(len(rows[0]))]
    if reading.header:
        head, rows = (
            [str(name).strip() or f"column {j + 1}" for j, name in enumerate(rows[0])],
            rows[1:],
        )
    refuse_duplicates(head, path)
    missing = {*MISSING, *reading.missing}
    columns = zip(*rows, strict=True) if rows else [()] * len(head)
    return pa.table({n: _excel_cells(c, missing) for n, c in zip(head, columns, strict=True)})


def _excel_cells(cells: Sequence[Any], missing: set[str]) -> Any:
    """A column of a sheet: of one type, else text."""
    import pyarrow as pa

    known = [None if str(cell).strip() in missing else cell for cell in cells]
    if len({type(cell) for cell in known} - {type(None)}) > 1:
        known = [None if cell is None else _excel_text(cell) for cell in known]
    return pa.array(known)


def _excel_text(cell: Any) -> str:
    """A cell as text, a whole number without its decimal point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


_TYPED: dict[str, Callable[[Path, Reading], Any]] = {
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
    ".feather": _read_feather,
    ".arrow": _read_feather,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".xlsx": _read_excel,
}
_NAMES = {".parquet": "Parquet", ".feather": "Feather", ".jsonl": "JSON lines", ".xlsx": "Excel"}
