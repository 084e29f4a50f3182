"""Files that are read piece by piece: row groups of Parquet, blocks of large CSV, or as a whole.

A block of a CSV file ends where a row ends: after a line break with an even number of quotes before
it, for cells may hold line breaks between quotes. One look through the file finds these places, and
a block is read with the line of the names before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from planetree.exceptions import FileError
from planetree.table_files.frame import read_file
from planetree.table_files.survey import PLAIN, Reading

_ROWS = 500_000  # of a piece: row groups are joined up to about as many
_BLOCK = 1 << 26  # bytes of text that are read together
_LINED = (".csv", ".tsv")  # files whose rows are lines, but for quotes
_COPIED = 1 << 20  # bytes that are copied at a time


class _Block(NamedTuple):
    """Bytes of a text, and how many at its beginning name the columns."""

    head: int
    start: int
    end: int


@dataclass(frozen=True)
class FilePiece:
    """Row groups of a Parquet file, a block of a text, or a file as a whole.

    Parameters
    ----------
    path : str
    groups : tuple of int, or None
        Row groups; None for the whole file, or a block of it.
    size, changed : int
        Bytes of the file, and when it changed last, in nanoseconds.
    block : tuple of int, optional
        Bytes of the names, and where the rows begin and end.
    constants : tuple of pairs
        Columns of one value that the file does not hold.
    columns : tuple of str, optional
        All that are wanted; None for all there are.
    """

    path: str
    groups: tuple[int, ...] | None
    size: int
    changed: int
    block: _Block | None = None
    constants: tuple[tuple[str, Any], ...] = ()
    columns: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """For messages."""
        if self.block is not None:
            return f"{self.path}, bytes {self.block.start} to {self.block.end}"
        return self.path if self.groups is None else f"{self.path}, row groups {self.groups}"

    def read(self, reading: Reading = PLAIN, text: Sequence[str] = ()) -> Any:
        """Table of the rows; an error if the file is another than when it was opened.

        Parameters
        ----------
        reading : Reading
            How a text is written.
        text : sequence of str
            Columns that are text whatever their cells look like.
        """
        if self.groups is not None:
            return self._completed(self._of_groups(Path(self.path)))
        with self.as_file() as own:
            try:
                return self._completed(read_file(own, reading, text).frame)
            except FileError as error:
                raise FileError(str(error).replace(str(own), self.name)) from error

    def _completed(self, frame: Any) -> Any:
        """The table with the columns that the file lacks, and those alone that are wanted."""
        import pyarrow as pa

        for name, value in self.constants:
            if name not in frame.column_names:
                kind = pa.int64() if isinstance(value, int) else pa.string()
                frame = frame.append_column(name, pa.repeat(pa.scalar(value, kind), len(frame)))
        if self.columns is None:
            return frame
        return frame.select([name for name in self.columns if name in frame.column_names])

    @contextmanager
    def as_file(self) -> Iterator[Path]:
        """A file with the rows of the piece, until the context ends."""
        path = Path(self.path)
        self._refuse_changes(path)
        if self.groups is None and self.block is None:
            yield path
            return
        with TemporaryDirectory() as home:
            beside = Path(home) / f"block{path.suffix}"
            if self.block is not None:
                _copy_block(path, self.block, beside)
            else:
                from pyarrow import parquet

                parquet.write_table(self._of_groups(path), beside)
            yield beside

    def _refuse_changes(self, path: Path) -> None:
        if (self.size, self.changed) != _state(path):
            raise FileError(f"{self.path} has changed since it was opened: open it again.")

    def _of_groups(self, path: Path) -> Any:
        from pyarrow import parquet

        self._refuse_changes(path)
        with parquet.ParquetFile(path) as opened:
            wanted = None if self.columns is None else list(self.columns)
            groups = list(self.groups or ())
            return opened.read_row_groups(groups, columns=wanted, use_threads=False)


def _copy_block(path: Path, block: _Block, beside: Path) -> None:
    """Write the names and the rows of a block to a file of their own."""
    with open(path, "rb") as source, open(beside, "wb") as copy:
        copy.write(source.read(block.head))
        source.seek(block.start)
        for first in range(block.start, block.end, _COPIED):
            copy.write(source.read(min(_COPIED, block.end - first)))


def file_pieces(path: Path, block: int | None = None, header: bool = True) -> Iterator[FilePiece]:
    """Pieces of one file.

    Parameters
    ----------
    path : Path
    block : int, optional
        Bytes of a text that are read together.
    header : bool
        Whether the first row of a text has the names.
    """
    block = _BLOCK if block is None else block
    if path.suffix.lower() not in (".parquet", ".pq"):
        state = _state(path)
        is_cut = path.suffix.lower() in _LINED and state[0] > block
        blocks = _blocks(path, block, header) if is_cut else [None]
        yield from (FilePiece(str(path), None, *state, block) for block in blocks)
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


def _blocks(path: Path, size: int, header: bool) -> list[_Block | None]:
    """Blocks of a text, in order; none of one whose letters may take two bytes."""
    with open(path, "rb") as source:
        if b"\0" in source.read(1000):
            return [None]
        source.seek(0)
        ends = list(_row_ends(source, size))
    head, *ends = ends if header or not ends else [0, *ends[1:]]
    return [_Block(head, *each) for each in zip([head, *ends[:-1]], ends, strict=True)] or [None]


def _row_ends(source: Any, size: int) -> Iterator[int]:
    """Where the first row ends, then others about a block apart, and the last."""
    at, parity, first, last = 0, 0, True, 0
    begun = 0
    while chunk := source.read(_COPIED):
        cells = np.frombuffer(chunk, dtype=np.uint8)
        breaks = cells == ord("\n")
        if parity or b'"' in chunk:
            between = np.cumsum(cells == ord('"')) + parity
            breaks &= between % 2 == 0
            parity = int(between[-1]) % 2
        breaks = np.flatnonzero(breaks)
        if first and len(breaks):
            first, begun = False, at + int(breaks[0]) + 1
            yield begun
        if len(breaks):
            last = at + int(breaks[-1]) + 1
        at += len(chunk)
        if not first and last - begun >= size:
            begun = last
            yield begun
    if at > begun or first:
        yield at


def _state(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    return about.st_size, about.st_mtime_ns


def stream_tables(reader: Any) -> Iterator[Any]:
    """Tables of the batches of an Arrow stream, one after the other; they come once."""
    import pyarrow as pa

    return (pa.Table.from_batches([batch]) for batch in reader)
