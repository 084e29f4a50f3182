"""Files that are read piece by piece: row groups of Parquet, whole files of any other kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planetree.exceptions import FileError
from planetree.table_files.frame import read_file

_ROWS = 500_000  # of a piece: row groups are joined up to about as many


@dataclass(frozen=True)
class FilePiece:
    """Row groups of a Parquet file, or a file as a whole.

    Parameters
    ----------
    path : str
    groups : tuple of int, or None
        Row groups; None for the whole file.
    size, changed : int
        Bytes of the file, and when it changed last, in nanoseconds.
    """

    path: str
    groups: tuple[int, ...] | None
    size: int
    changed: int

    @property
    def name(self) -> str:
        """For messages."""
        return self.path if self.groups is None else f"{self.path}, row groups {self.groups}"

    def read(self) -> Any:
        """Table of the rows; an error if the file is another than when it was opened."""
        path = Path(self.path)
        if (self.size, self.changed) != _state(path):
            raise FileError(f"{self.path} has changed since it was opened: open it again.")
        if self.groups is None:
            return read_file(path).frame
        from pyarrow import parquet

        with parquet.ParquetFile(path) as opened:
            return opened.read_row_groups(list(self.groups), use_threads=False)


def file_pieces(path: Path) -> Iterator[FilePiece]:
    """Pieces of one file."""
    if path.suffix.lower() not in (".parquet", ".pq"):
        yield FilePiece(str(path), None, *_state(path))
        return
    import pyarrow as pa
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise FileError(
            f"{path} is not a valid Parquet file: {str(error).splitlines()[0]}"
        ) from error
    groups: list[int] = []
    rows = 0
    for group in range(about.num_row_groups):
        groups.append(group)
        rows += about.row_group(group).num_rows
        if rows >= _ROWS or group == about.num_row_groups - 1:
            yield FilePiece(str(path), tuple(groups), *_state(path))
            groups, rows = [], 0


def dataset_pieces(dataset: Any) -> Iterator[FilePiece]:
    """Pieces of the files of a pyarrow Dataset."""
    for name in dataset.files:
        yield from file_pieces(Path(name))


def _state(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    return about.st_size, about.st_mtime_ns
