"""A file of any known kind as one pyarrow table, by the end of its name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.declared import TARGET, read_arff, read_c45
from planetree.table_files.delimited import read_delimited, refuse_duplicates
from planetree.table_files.survey import MAX_SIZE, PACKED, refuse_size, spooled

__all__ = ["DataFile", "read_file"]


class DataFile(NamedTuple):
    """A table from disk.

    Parameters
    ----------
    frame : pyarrow.Table
    target : str or None
        The column of the class, where the format says which it is.
    notes : list of str
        What the reader should know.
    """

    frame: Any
    target: str | None
    notes: list[str]


def read_file(
    path: str | Path,
    *,
    text_columns: Sequence[str] = (),
    missing: Sequence[str] = (),
    encoding: str | None = None,
    header: bool = True,
    max_size: int = MAX_SIZE,
) -> DataFile:
    r"""Read CSV, TSV, Parquet, ARFF or C4.5's .names with .data.

    Parameters
    ----------
    path : str or Path
        A pipe, or "-" for standard input, is CSV or TSV.
    text_columns : sequence of str
        Columns that are text whatever their cells look like.
    missing : sequence of str
        Further words for a missing cell; of CSV and TSV.
    encoding : str, optional
        Of text; detected unless given.
    header : bool
        Whether the first row of CSV or TSV has the names.
    max_size : int
        Most bytes that a compressed file, or Parquet, may unpack to.

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
    as_text = partial(
        read_delimited, text_columns=text_columns, missing=missing, encoding=encoding, header=header
    )
    if str(path) == "-" or path.is_fifo():
        with spooled(path) as copy:
            frame, notes = as_text(copy)
        return DataFile(frame, None, notes)
    _refuse_no_file(path)
    kind = (path.with_suffix("").suffix if path.suffix in PACKED else path.suffix).lower()
    if kind in (".parquet", ".pq"):
        return DataFile(_read_parquet(path, text_columns, max_size), None, [])
    if kind == ".arff":
        return DataFile(read_arff(path, text_columns, encoding, max_size), None, [])
    if kind in (".names", ".data", ".test") and path.with_suffix(".names").is_file():
        return DataFile(read_c45(path, text_columns, encoding, max_size), TARGET, [])
    frame, notes = as_text(path, max_size=max_size)
    return DataFile(frame, None, notes)


def _refuse_no_file(path: Path) -> None:
    """Raise unless there is a file."""
    if path.is_dir():
        raise FileError(f"{path} is a folder, not a table.")
    if not path.exists():
        raise FileError(f"There is no file {path}.")


def _read_parquet(path: Path, text_columns: Sequence[str], max_size: int) -> Any:
    """Table of a Parquet file, with the columns that should be text as text."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(path)
        groups = (about.row_group(g).total_byte_size for g in range(about.num_row_groups))
        if max(sum(groups), 8 * about.num_rows * about.num_columns) > max_size:
            refuse_size(path, max_size)
        frame = parquet.read_table(path)
    except pa.ArrowException as error:
        raise FileError(f"{path} is no Parquet file: {str(error).splitlines()[0]}") from error
    refuse_duplicates(frame.column_names, path)
    if len(frame) == 0:
        raise FileError(f"{path} has no rows.")
    for j, name in enumerate(frame.column_names):
        if name in text_columns and not pa.types.is_dictionary(frame.column(j).type):
            frame = frame.set_column(j, name, frame.column(j).cast(pa.string()))
    return frame
