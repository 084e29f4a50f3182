"""Rows whose columns are declared before: what they are called, and which values they may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.delimited import Dialect, Text, read_cells, refuse_duplicates

__all__ = ["Declaration", "DeclaredFile", "read_declared"]


class Declaration(NamedTuple):
    """A column: "number", "text", "date" or "ignore", and the values it may have, if listed."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


class DeclaredFile(NamedTuple):
    """Declared columns, which of them is the class if that is known, and the rows."""

    columns: list[Declaration]
    target: str | None
    text: Text
    dialect: Dialect


def read_declared(file: DeclaredFile, text_columns: Sequence[str] = ()) -> Any:
    """Rows as a pyarrow table, whose columns with listed values know all of them."""
    path = file.text.path
    names = [column.name for column in file.columns]
    refuse_duplicates(names, path)
    text = [c.name for c in file.columns if c.kind == "text" or c.name in text_columns]
    frame = read_cells(file.text, names, text, file.dialect)
    for j, column in enumerate(file.columns):
        if column.values:
            frame = frame.set_column(j, column.name, listed(frame.column(j), column, file.text))
        elif column.kind == "number" and column.name not in text:
            frame = frame.set_column(j, column.name, numbers(frame.column(j), column, path))
    return frame.drop_columns([c.name for c in file.columns if c.kind == "ignore"])


def listed(cells: Any, column: Declaration, text: Text) -> Any:
    """Cells as places in the list of values; refuse one that is not among them."""
    import pyarrow as pa
    from pyarrow import compute

    values = pa.array(list(dict.fromkeys(column.values)), pa.string())
    cells = cells.combine_chunks()
    codes = compute.index_in(cells, value_set=values)
    strange = compute.filter(cells, compute.and_(compute.is_null(codes), compute.is_valid(cells)))
    if len(strange):
        more = ", ..." if len(column.values) > 8 else ""
        raise FileError(
            f"{text.path} holds {strange[0].as_py()!r} in column {column.name!r}, which is "
            f"declared to be one of {', '.join(column.values[:8])}{more}."
        )
    return pa.DictionaryArray.from_arrays(codes, values)


def numbers(cells: Any, column: Declaration, path: Any) -> Any:
    """Cells as numbers; refuse one that is none."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_string(cells.type):
        return cells.cast(pa.float64())
    plain = compute.match_substring_regex(cells, r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
    strange = compute.filter(cells, compute.invert(plain))
    raise FileError(
        f"{path} holds {strange[0].as_py()!r} in column {column.name!r}, which is declared to be "
        "numbers."
    )
