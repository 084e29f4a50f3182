r"""Files that declare their columns: what these are called, and which values they may have.

ARFF, the format of Weka, has @attribute declarations, then rows of cells below @data. Names and
values may stand in quotes. The rows `{3 x, 7 y}` of sparse ARFF are not read.

    @attribute 'petal width' numeric
    @attribute class {setosa, versicolor, 'v. virginica'}

Of C4.5's files, stem.names declares the classes and the columns, and stem.data has the rows: a cell
for each column and then the class, which is called `class`. A backslash takes away the meaning of
the next character.

    sunny days, rainy days.           | the classes; a stroke begins a comment
    temperature: continuous.
    outlook: sunny, overcast, rain.
    day: ignore.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planetree.exceptions import FileError
from planetree.table_files.cells import not_numbers
from planetree.table_files.delimited import Dialect, Text, read_cells, refuse_duplicates
from planetree.table_files.survey import Reading, lines_of, open_bytes, survey

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,]+?)\s*(?:,|$)")
_KINDS = {"numeric": "number", "real": "number", "integer": "number", "string": "text"}
TARGET = "class"
_COMMENT = re.compile(r"(?<!\\)\|.*")
_CONTINUED = re.compile(r"((?<!\\)[,:])\s*\n\s*")
_END = re.compile(r"(?<!\\)\.(?:\s+|$)|\n")
_ROW_END = re.compile(r"[ \t]*\.?[ \t]*\r?$", re.MULTILINE)


class _Declaration(NamedTuple):
    """A column: "number", "text", "date" or "ignore", and the values it may have, if listed."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


class _DeclaredFile(NamedTuple):
    """Declared columns, and the rows."""

    columns: list[_Declaration]
    text: Text
    dialect: Dialect


def read_declared(path: Path, reading: Reading, text_columns: Sequence[str]) -> Any:
    """Read ARFF, or stem.names with the rows of `path` or of stem.data, as a pyarrow table.

    Columns with listed values know all of them.
    """
    is_arff = path.with_suffix("").suffix == ".arff" or path.suffix.lower() == ".arff"
    file = (_open_arff if is_arff else _open_c45)(path, reading)
    path = file.text.path
    names = [column.name for column in file.columns]
    refuse_duplicates(names, path)
    text = [c.name for c in file.columns if c.kind == "text" or c.name in text_columns]
    frame = read_cells(file.text, names, text, file.dialect)
    for j, column in enumerate(file.columns):
        if column.values:
            frame = frame.set_column(
                j, column.name, _among_values(frame.column(j), column, file.text)
            )
        elif column.kind == "number" and column.name not in text:
            frame = frame.set_column(j, column.name, _as_numbers(frame.column(j), column, path))
    return frame.drop_columns([c.name for c in file.columns if c.kind == "ignore"])


def _among_values(cells: Any, column: _Declaration, text: Text) -> Any:
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


def _as_numbers(cells: Any, column: _Declaration, path: Any) -> Any:
    """Cells as numbers; refuse one that is none."""
    import pyarrow as pa

    if not pa.types.is_string(cells.type):
        return cells.cast(pa.float64())
    raise FileError(
        f"{path} holds {not_numbers(cells)[0].as_py()!r} in column {column.name!r}, which is "
        "declared to be numbers."
    )


def _open_arff(path: Path, reading: Reading) -> _DeclaredFile:
    """Read what an ARFF file declares, and find its rows."""
    lines = lines_of(_whole_text(path, reading))
    columns: list[_Declaration] = []
    for number, line in enumerate(lines, 1):
        word = line.strip()
        if word.lower().startswith("@data"):
            rows = [row if not row.lstrip().startswith("%") else "" for row in lines[number:]]
            return _DeclaredFile(columns, _arff_rows(rows, path, number + 1), _arff_dialect(rows))
        if word.lower().startswith("@attribute"):
            columns.append(_arff_column(word, number, path))
    raise FileError(f"{path} has no line @data, which comes before the rows of an ARFF file.")


def _arff_column(line: str, number: int, path: Path) -> _Declaration:
    """What an @attribute line says."""
    found = _ATTRIBUTE.match(line)
    name, kind = (found[1], found[2].strip()) if found else ("", "")
    if kind.startswith("{") and kind.endswith("}"):
        values = tuple(_unquoted(value) for value in _VALUE.findall(kind[1:-1]))
        return _Declaration(_unquoted(name), "text", values)
    word = kind.split()[0].lower() if kind else ""
    if word == "date":
        return _Declaration(_unquoted(name), "date")
    if word not in _KINDS:
        raise FileError(
            f"Line {number} of {path} is not a declaration that planetree knows: {line[:60]!r}. "
            "A column is numeric, string, date or {a, list, of, values}."
        )
    return _Declaration(_unquoted(name), _KINDS[word])


def _unquoted(word: str) -> str:
    """A name or value without its quotes."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def _arff_rows(rows: list[str], path: Path, line: int) -> Text:
    """The rows as a text, lines of comments empty."""
    if any(row.lstrip().startswith("{") for row in rows):
        raise FileError(
            f"{path} is sparse ARFF, with rows in braces, which planetree does not read."
        )
    data = "\n".join(rows).encode()
    return Text(path, lambda: io.BytesIO(data), line=line)


def _arff_dialect(rows: list[str]) -> Dialect:
    """Cells are quoted as the first quote is."""
    quote = next((mark for row in rows for mark in row if mark in "'\""), "'")
    return Dialect(",", quote, "\\", missing=("?", ""))


def _open_c45(path: Path, reading: Reading) -> _DeclaredFile:
    """Read what stem.names declares, and find the rows of `path`, or of stem.data."""
    names = path.with_suffix(".names")
    data = path.with_suffix(".data") if path.suffix == ".names" else path
    for needed in (names, data):
        if not needed.is_file():
            raise FileError(f"There is no {needed}, which must accompany C4.5's {path.name}.")
    classes, *statements = _statements(_whole_text(names, reading)) or [""]
    if not classes or not statements:
        raise FileError(f"{names} does not declare classes and columns, as a .names file does.")
    columns = [_c45_column(statement, names) for statement in statements]
    columns.append(_Declaration(TARGET, "text", tuple(_parts(classes, ","))))
    rows = _ROW_END.sub("", _COMMENT.sub("", _whole_text(data, reading))).encode()
    text = Text(data, lambda: io.BytesIO(rows))
    return _DeclaredFile(columns, text, Dialect(",", "", "\\", missing=("?", "")))


def _whole_text(path: Path, reading: Reading) -> str:
    """All of a text."""
    look = survey(path, reading)
    with open_bytes(path) as stream:
        return str(stream.read().decode(look.encoding))


def _statements(text: str) -> list[str]:
    """Statements of a .names file, without comments."""
    joined = _CONTINUED.sub(r"\1 ", _COMMENT.sub("", "\n".join(lines_of(text))))
    return [part.strip() for part in _END.split(joined) if part.strip()]


def _parts(text: str, mark: str) -> list[str]:
    """Parts between marks that no backslash precedes."""
    parts = re.split(rf"(?<!\\){mark}", text)
    return [re.sub(r"\\(.)", r"\1", part.strip()) for part in parts]


def _c45_column(statement: str, path: Path) -> _Declaration:
    """What a statement says of a column."""
    name, *rest = re.split(r"(?<!\\):", statement, maxsplit=1)
    name = _parts(name, ",")[0]
    if not rest or not rest[0].strip():
        raise FileError(
            f"{path} has a statement without a colon or values: {statement[:60]!r}. A column is "
            "declared as `name: continuous.`, `name: ignore.` or `name: value, value.`"
        )
    values = _parts(rest[0], ",")
    word = values[0].split()[0].lower() if len(values) == 1 else ""
    if word in ("continuous", "ignore", "discrete", "label"):
        kinds = {"continuous": "number", "discrete": "text"}
        return _Declaration(name, kinds.get(word, "ignore"))
    return _Declaration(name, "text", tuple(values))
