"""ARFF, the format of Weka: @attribute declarations, then rows of cells below @data.

    @attribute 'petal width' numeric
    @attribute class {setosa, versicolor, 'v. virginica'}

Names and values may stand in quotes. The rows `{3 x, 7 y}` of sparse ARFF are not read.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from planetree.exceptions import FileError
from planetree.table_files.declared import Declaration, DeclaredFile
from planetree.table_files.delimited import Dialect, Text
from planetree.table_files.survey import MAX_SIZE, lines_of, open_bytes, survey

__all__ = ["open_arff"]

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
VALUE = re.compile(rf"\s*({QUOTED}|[^,]+?)\s*(?:,|$)")
KINDS = {"numeric": "number", "real": "number", "integer": "number", "string": "text"}


def open_arff(path: Path, encoding: str | None = None, max_size: int = MAX_SIZE) -> DeclaredFile:
    """Read what an ARFF file declares, and find its rows."""
    look = survey(path, encoding, max_size)
    with open_bytes(path) as stream:
        lines = lines_of(stream.read().decode(look.encoding))
    columns: list[Declaration] = []
    for number, line in enumerate(lines, 1):
        word = line.strip()
        if word.lower().startswith("@data"):
            rows = [row if not row.lstrip().startswith("%") else "" for row in lines[number:]]
            return DeclaredFile(columns, None, text_of(rows, path, number + 1), dialect_of(rows))
        if word.lower().startswith("@attribute"):
            columns.append(declaration(word, number, path))
    raise FileError(f"{path} has no line @data, which comes before the rows of an ARFF file.")


def declaration(line: str, number: int, path: Path) -> Declaration:
    """What an @attribute line says."""
    found = ATTRIBUTE.match(line)
    name, kind = (found[1], found[2].strip()) if found else ("", "")
    if kind.startswith("{") and kind.endswith("}"):
        values = tuple(plain(value) for value in VALUE.findall(kind[1:-1]))
        return Declaration(plain(name), "text", values)
    word = kind.split()[0].lower() if kind else ""
    if word == "date":
        return Declaration(plain(name), "date")
    if word not in KINDS:
        raise FileError(
            f"Line {number} of {path} is no declaration that planetree knows: {line[:60]!r}. "
            "A column is numeric, string, date or {a, list, of, values}."
        )
    return Declaration(plain(name), KINDS[word])


def plain(word: str) -> str:
    """A name or value without its quotes."""
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word


def text_of(rows: list[str], path: Path, line: int) -> Text:
    """The rows as a text, lines of comments empty."""
    if any(row.lstrip().startswith("{") for row in rows):
        raise FileError(f"{path} is sparse ARFF, with rows in braces, which is not read.")
    data = "\n".join(rows).encode()
    return Text(path, lambda: io.BytesIO(data), line=line)


def dialect_of(rows: list[str]) -> Dialect:
    """Cells are quoted as the first quote is."""
    quote = next((mark for row in rows for mark in row if mark in "'\""), "'")
    return Dialect(",", quote, "\\", missing=("?", ""))
