"""Large files: what all of their rows hold, read in parts, and a sample of rows to work with.

A table that is larger than `_LARGE` is never held whole. Its missing cells, its ranges and its
classes are counted over all rows, piece by piece; so are distinct cells, exactly up to `_KEPT`,
beyond by the smallest of their hashes: if the `_KEPT`-th of them lies at a share h of all hashes,
there are about (_KEPT - 1) / h distinct cells, within some percent. The model, the rows that are
shown and all figures are of the sample, and the page says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from planetree.arrays import Floats, Hashes, mix_bits
from planetree.studio.project import project_folder
from planetree.table_files import Reading, is_sampled, write_sample
from planetree.table_files.cells import not_numbers
from planetree.table_files.pieces import FilePiece, file_pieces

_LARGE = 48 << 20  # bytes
_BLOCK = 8 << 20  # bytes of text that are read together
_SAMPLE_ROWS, _SAMPLE_BYTES = 50_000, 16 << 20
_KEPT = 2048  # hashes of a column
_MOST_CLASSES = 100


@dataclass
class WholeColumn:
    """What all cells of a column are.

    Parameters
    ----------
    kinds : set of str
        Types that pieces of the column have.
    missing : int
    low, high : float
        Of numbers.
    word : str
        A cell of text among cells that are numbers; empty if there is none.
    hashes : array
        The smallest ones, in order.
    """

    kinds: set[str] = field(default_factory=set)
    missing: int = 0
    low: float = np.inf
    high: float = -np.inf
    word: str = ""
    hashes: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    @property
    def is_exact(self) -> bool:
        """Whether distinct cells were counted, not estimated."""
        return len(self.hashes) < _KEPT

    @property
    def distinct(self) -> int:
        """Distinct cells; two digits of them if there are many."""
        if self.is_exact:
            return len(self.hashes)
        found = (_KEPT - 1) / (float(self.hashes[-1]) / 2.0**64)
        return int(float(f"{found:.1e}"))

    def add(self, cells: Any) -> None:
        """Count the cells of a piece."""
        self.kinds.add(str(cells.type))
        self.missing += cells.null_count
        values = cells.drop_null().unique()
        numbers = _as_numbers(values)
        if numbers is not None and len(numbers):
            self.low = min(self.low, float(numbers.min()))
            self.high = max(self.high, float(numbers.max()))
        if not self.word and str(values.type) == "string":
            self.word = _word_among_numbers(values)
        found = np.unique(np.concatenate([self.hashes, _hashes(values, numbers)]))
        self.hashes = found[:_KEPT]


@dataclass
class WholeTable:
    """What all rows of a large file are."""

    rows: int = 0
    columns: dict[str, WholeColumn] = field(default_factory=dict)
    classes: Counter[str] = field(default_factory=Counter)

    def add(self, frame: Any, target: str | None) -> None:
        """Count the rows of a piece."""
        self.rows += len(frame)
        for name in frame.column_names:
            self.columns.setdefault(name, WholeColumn()).add(frame.column(name))
        if target in frame.column_names and len(self.classes) <= _MOST_CLASSES:
            counts = frame.column(target).drop_null().value_counts().to_pylist()
            self.classes.update({str(each["values"]): each["counts"] for each in counts})

    def names_rows(self, name: str) -> bool:
        """Whether a column has whole numbers that run on, about a different one in each row."""
        column = self.columns[name]
        is_whole = bool(column.kinds) and all("int" in kind for kind in column.kinds)
        runs_on = column.high - column.low < 1.5 * self.rows
        return is_whole and runs_on and not column.missing and column.distinct > 0.9 * self.rows


def _word_among_numbers(values: Any) -> str:
    """A value that is no number, where at least four in five are; else none."""
    strange = not_numbers(values)
    return str(strange[0].as_py()) if 0 < 5 * len(strange) <= len(values) else ""


def _as_numbers(values: Any) -> Floats | None:
    if not str(values.type).startswith(("int", "uint", "float", "double", "halffloat")):
        return None
    return np.asarray(values.cast("double").to_numpy(zero_copy_only=False), dtype=np.float64)


def _hashes(values: Any, numbers: Floats | None) -> Hashes:
    """A number of 64 bits for each value, as if at random; equal values have the same."""
    if numbers is not None:
        return mix_bits((numbers + 0.0).view(np.uint64))  # there is a zero with a sign
    texts = (str(cell).encode("utf-8", "surrogatepass") for cell in values.to_pylist())
    digests = b"".join(blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def is_large(path: Path) -> bool:
    """Whether a file is surveyed in parts, and worked with by a sample."""
    return is_sampled(path, _LARGE)


def pieces_of(path: Path, header: bool) -> Iterator[FilePiece]:
    """Pieces of a file that are small enough to be held."""
    return file_pieces(path, _BLOCK, header)


def whole_table(path: Path, reading: Reading, text: tuple[str, ...]) -> WholeTable:
    """Survey a file in parts."""
    found = WholeTable()
    for piece in pieces_of(path, reading.header):
        found.add(piece.read(reading, text), reading.target)
    return found


def sample_path(table: Path) -> Path:
    """Where the sample of a large file is."""
    return project_folder(table) / f"sample{table.suffix}"


def sample_of(table: Path) -> Path:
    """A file with some rows of a large one, written unless it is there."""
    out = sample_path(table)
    if not out.is_file() or out.stat().st_mtime_ns < table.stat().st_mtime_ns:
        out.parent.mkdir(exist_ok=True)
        write_sample(table, out, sample_rows(table))
    return out


def sample_rows(table: Path) -> int:
    """Rows of a sample: fewer of them where they are long."""
    if table.suffix.lower() not in (".csv", ".tsv"):
        return _SAMPLE_ROWS
    with table.open("rb") as file:
        beginning = file.read(1 << 20)
    length = len(beginning) / max(1, beginning.count(b"\n"))
    return min(_SAMPLE_ROWS, max(1_000, int(_SAMPLE_BYTES / length)))
