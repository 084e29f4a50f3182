"""Some rows of a large file as a file of their own, written as they are there.

Every row has the same chance, by a seed. Rows of text are copied byte for byte, so that the smaller
file is read as the large one is. The first row of a text, which most often has the names, is always
taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Indices
from planetree.exceptions import FileError
from planetree.files import write_file
from planetree.table_files.pieces import file_pieces
from planetree.table_files.survey import LONGEST_LINE

_CHUNK = 1 << 22  # bytes that are looked through together
_TEXTS = (".csv", ".tsv")
_PARQUET = (".parquet", ".pq")


class _Rows(NamedTuple):
    """Whole rows of a text, and where each of them ends."""

    content: bytes
    ends: Indices


def is_sampled(path: str | Path, size: int) -> bool:
    """Whether a file is larger than a size in memory, and `write_sample` can take rows of it.

    Parameters
    ----------
    path : str or Path
    size : int
        Bytes of a text, or of the numbers of a Parquet file.
    """
    path, kind = Path(path), Path(path).suffix.lower()
    if not path.is_file():
        return False
    if kind in _PARQUET:
        return path.stat().st_size > size or _parquet_cells(path) * 8 > size
    if kind not in _TEXTS or path.stat().st_size <= size:
        return False
    with path.open("rb") as file:
        beginning = file.read(LONGEST_LINE)
    return b"\n" in beginning and b"\0" not in beginning


def _parquet_cells(path: Path) -> int:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        about = parquet.read_metadata(path)
    except (pa.ArrowException, OSError):
        return 0  # whoever reads it says what is wrong
    return int(about.num_rows * about.num_columns)


def write_sample(path: str | Path, out: str | Path, n_rows: int, seed: int = 0) -> int:
    r"""Write rows of a text with delimiters, or of Parquet, to another file; count all its rows.

    Parameters
    ----------
    path, out : str or Path
    n_rows : int
        How many; all if there are fewer.
    seed : int

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from planetree.table_files import write_sample
    >>> with TemporaryDirectory() as folder:
    ...     path, out = Path(folder) / "table.csv", Path(folder) / "some.csv"
    ...     _ = path.write_text("size,class\n" + "1,a\n" * 1000)
    ...     write_sample(path, out, 50), len(out.read_text().splitlines())
    (1000, 51)
    """
    path, out = Path(path), Path(out)
    if path.suffix.lower() in _PARQUET:
        return _write_parquet(path, out, n_rows, seed)
    with path.open("rb") as file:
        total = sum(len(rows.ends) for rows in _rows_of(file)) - 1
    if total < 1:
        raise FileError(f"{path} has no rows.")
    chosen = np.concatenate([[0], 1 + _drawn(total, n_rows, seed)])
    write_file(out, _chosen_rows(path, chosen))
    return total


def _drawn(total: int, n_rows: int, seed: int) -> Indices:
    """Rows that are taken, in order."""
    found = np.random.default_rng(seed).choice(total, min(n_rows, total), replace=False)
    return np.sort(found)


def _rows_of(file: Any) -> Iterator[_Rows]:
    """Whole rows, some megabytes at a time: a row ends outside of quotes, if it ever does."""
    rest = b""
    while chunk := file.read(_CHUNK):
        content = (rest + chunk).lstrip(b"\r\n") if not rest else rest + chunk
        ends = _ends(content, quotes=len(content) <= 2 * LONGEST_LINE)
        last = int(ends[-1]) if len(ends) else 0
        if last:
            yield _Rows(content[:last], ends)
        rest = content[last:]
    if rest:
        yield _Rows(rest + b"\n", np.array([len(rest) + 1]))


def _ends(content: bytes, quotes: bool) -> Indices:
    """Places after the line breaks that end rows."""
    cells = np.frombuffer(content, dtype=np.uint8)
    breaks = cells == ord("\n")
    if quotes and b'"' in content:
        breaks &= np.cumsum(cells == ord('"')) % 2 == 0
    return np.flatnonzero(breaks) + 1


def _chosen_rows(path: Path, chosen: Indices) -> Iterator[bytes]:
    """Rows of a text by their numbers, which are in order."""
    first = 0
    with path.open("rb") as file:
        for content, ends in _rows_of(file):
            from_here, to_here = np.searchsorted(chosen, [first, first + len(ends)])
            own = chosen[from_here:to_here]
            starts = np.concatenate([[0], ends[:-1]])
            for i in (own - first).tolist():
                yield content[starts[i] : ends[i]]
            first += len(ends)


def _write_parquet(path: Path, out: Path, n_rows: int, seed: int) -> int:
    """The same of Parquet, piece by piece."""
    import pyarrow as pa
    from pyarrow import parquet

    total = parquet.read_metadata(path).num_rows
    chosen, first, taken = _drawn(total, n_rows, seed), 0, []
    for piece in file_pieces(path):
        frame = piece.read()
        own = chosen[(chosen >= first) & (chosen < first + len(frame))] - first
        taken.append(frame.take(own))
        first += len(frame)
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.concat_tables(taken), sink)
    write_file(out, sink.getvalue().to_pybytes())
    return int(total)
