"""Where the rows of one partition come from: each part reads itself, as often as it is asked.

A part is small and can be sent to another process: it holds a path, a query or a task, never rows
that were read from it. Frames that are in memory already are the exception.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from planetree.table_files.folders import FragmentPiece, dataset_pieces, path_pieces
from planetree.table_files.pieces import FilePiece

_SLICE = 1_000_000  # rows of a lazy frame that are read together


class Part(Protocol):
    """A part of a table: its name for messages, and its rows."""

    @property
    def name(self) -> str:
        """For messages."""

    def read(self) -> Any:
        """Frame of all columns, or a tuple of arrays."""


@dataclass(frozen=True, eq=False)
class FramePart:
    """A frame, or a tuple of arrays, in memory."""

    name: str
    rows: Any

    def read(self) -> Any:
        """The frame itself."""
        return self.rows


@dataclass(frozen=True, eq=False)
class _FilePart:
    """Some row groups of a Parquet file, a whole file of text, or a part of a Dataset."""

    name: str
    piece: FilePiece | FragmentPiece

    def read(self) -> Any:
        """Table of these rows."""
        return self.piece.read()


@dataclass(frozen=True, eq=False)
class _LazyPart:
    """Consecutive rows of a lazy frame of polars."""

    name: str
    frame: Any
    first: int
    count: int

    def read(self) -> Any:
        """Frame of these rows: the query runs for them alone."""
        return self.frame.slice(self.first, self.count).collect()


@dataclass(frozen=True, eq=False)
class TaskPart:
    """Partitions of Dask collections: a frame, or blocks of rows, weights and labels."""

    name: str
    tasks: tuple[Any, ...]

    def read(self) -> Any:
        """What the tasks give, computed here; engines with a cluster send the tasks there."""
        import dask

        return as_rows(dask.compute(*self.tasks, scheduler="synchronous"))

    def with_rows(self, rows: Any) -> FramePart:
        """The same with its rows at hand."""
        return FramePart(self.name, rows)


def first_source(item: Any) -> Any:
    """What rows come from in the end, below all that makes something else of them."""
    while hasattr(item, "source"):
        item = item.source
    return item


def as_rows(found: tuple[Any, ...]) -> Any:
    """A frame as it is; blocks of arrays as a tuple."""
    return found[0] if len(found) == 1 else found


def parts_of(source: Any) -> Iterator[Part]:
    """Parts of whatever rows may come from; raises with a list of what is taken."""
    kind = f"{type(source).__module__.split('.')[0]}.{type(source).__name__}"
    if isinstance(source, (str, os.PathLike)):
        return (_FilePart(piece.name, piece) for piece in path_pieces(Path(source)))
    if kind == "polars.LazyFrame":
        return _of_lazy(source)
    if hasattr(source, "get_fragments"):  # a pyarrow Dataset
        return (_FilePart(piece.name, piece) for piece in dataset_pieces(source))
    if hasattr(source, "to_delayed") or (
        isinstance(source, tuple) and source and hasattr(source[0], "to_delayed")
    ):
        return _of_dask(source)
    if isinstance(source, list):
        return (FramePart(f"part {i}", each) for i, each in enumerate(source))
    raise TypeError(
        f"open_partitions cannot read {kind}. It takes a folder, a file or a pattern of Parquet or "
        "CSV files, a pyarrow Dataset, a polars LazyFrame, a Dask DataFrame, a tuple of Dask "
        "Arrays (X, y) or (X, y, weights), or a list of frames."
    )


def _of_lazy(frame: Any) -> Iterator[Part]:
    polars = sys.modules["polars"]  # whose frame it is
    total = frame.select(polars.len()).collect().item()
    for first in range(0, max(total, 1), _SLICE):
        yield _LazyPart(f"rows from {first}", frame, first, _SLICE)


def _of_dask(source: Any) -> Iterator[Part]:
    if not isinstance(source, tuple):
        blocks = source.to_delayed()
        if getattr(blocks, "ndim", 1) == 1:
            yield from (TaskPart(f"partition {i}", (b,)) for i, b in enumerate(blocks))
            return
        raise TypeError(
            "A Dask Array alone has no labels: give a tuple of Dask Arrays, (X, y) or "
            "(X, y, weights)."
        )
    if not all(hasattr(each, "rechunk") for each in source):
        raise TypeError(
            "A tuple must hold Dask Arrays. Give one Dask DataFrame that has the column of the "
            "classes, for instance X.assign(y=y), and name it: open_partitions(frame, target='y')."
        )
    X, *others = source
    X = X.rechunk({1: -1})
    if any(each.chunks[0] != X.chunks[0] for each in others):
        others = [each.rechunk({0: X.chunks[0]}) for each in others]
    columns = [X.to_delayed()[:, 0], *(each.to_delayed().ravel() for each in others)]
    for i, blocks in enumerate(zip(*columns, strict=True)):
        yield TaskPart(f"block {i}", tuple(blocks))
