"""The files of a folder, of a pattern, or of a pyarrow Dataset, as pieces.

A folder that is named `year=2024` says the value of a column for all files below it, which do not
hold it themselves: Hive, Spark, Dask and pyarrow write tables so. The column is one of whole
numbers if all folders name some, else of text.

- files and folders whose names begin with a dot or an underscore are no part of a table;
- of a Dataset only the columns of its schema are read, and a filter is never lost: it is refused.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from planetree.table_files.pieces import FilePiece, file_pieces

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, eq=False)
class FragmentPiece:
    """A part of a Dataset that is no file of this machine.

    Parameters
    ----------
    name : str
    fragment : pyarrow.dataset.Fragment
    schema : pyarrow.Schema
    """

    name: str
    fragment: Any
    schema: Any

    def read(self) -> Any:
        """Table of the rows."""
        return self.fragment.to_table(schema=self.schema, use_threads=False)


def path_pieces(path: Path) -> Iterator[FilePiece]:
    """Pieces of the files of a folder or a pattern, or of one file."""
    names, base = _files(path)
    if not names:
        raise FileNotFoundError(f"There is no file {path}. Give a folder, a file or a pattern.")
    named = [_named_values(name.relative_to(base).parent) for name in names]
    for name, constants in zip(names, _of_one_type(named), strict=True):
        yield from (replace(each, constants=constants) for each in file_pieces(name))


def _files(path: Path) -> tuple[list[Path], Path]:
    """Files in order, and the folder below which the names of folders tell something."""
    if path.is_dir():
        found = (each for each in path.rglob("*") if each.is_file())
        return sorted(each for each in found if not _is_aside(each.relative_to(path))), path
    fixed = [each for each in (path, *path.parents) if not glob.has_magic(str(each))]
    base = next((each for each in fixed if each.is_dir()), Path())
    return [Path(name) for name in sorted(glob.glob(str(path), recursive=True))], base


def _is_aside(path: Path) -> bool:
    return any(each[0] in "._" for each in path.parts)


def _named_values(folder: Path) -> dict[str, str | None]:
    """What the names of folders say of columns."""
    pairs = (each.partition("=") for each in folder.parts)
    told = {unquote(key): unquote(value) for key, equals, value in pairs if key and equals}
    return {key: None if value == _NO_VALUE else value for key, value in told.items()}


def _of_one_type(named: Sequence[dict[str, str | None]]) -> list[tuple[tuple[str, Any], ...]]:
    """The same with whole numbers where all files have some."""
    told: dict[str, list[str]] = {}
    for each in named:
        for key, value in each.items():
            told.setdefault(key, []).extend([] if value is None else [value])
    whole = {key for key, values in told.items() if values and all(map(_is_whole, values))}
    return [
        tuple((key, int(v) if v is not None and key in whole else v) for key, v in each.items())
        for each in named
    ]


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and text.isascii()


def dataset_pieces(dataset: Any) -> Iterator[FilePiece | FragmentPiece]:
    """Pieces of a pyarrow Dataset."""
    from pyarrow.dataset import get_partition_keys

    for fragment in _fragments(dataset):
        constants = tuple(sorted(get_partition_keys(fragment.partition_expression).items()))
        if not _is_local(fragment):
            several = hasattr(fragment, "split_by_row_group")
            pieces = fragment.split_by_row_group() if several else [fragment]
            for i, each in enumerate(pieces):
                name = f"{getattr(each, 'path', 'a table in memory')}, piece {i}"
                yield FragmentPiece(name, each, dataset.schema)
            continue
        columns = tuple(dataset.schema.names)
        for piece in file_pieces(Path(fragment.path)):
            yield replace(piece, constants=constants, columns=columns)


def _fragments(dataset: Any) -> list[Any]:
    try:
        return list(dataset.get_fragments())
    except ValueError as error:
        raise ValueError(
            "A pyarrow Dataset that is filtered does not give its files. Give the Dataset without "
            "its filter, or polars.scan_pyarrow_dataset(dataset).filter(...)."
        ) from error


def _is_local(fragment: Any) -> bool:
    from pyarrow.fs import LocalFileSystem

    return isinstance(getattr(fragment, "filesystem", None), LocalFileSystem)
