"""The files of C4.5: stem.names declares the classes and the columns, stem.data has the rows.

    sunny days, rainy days.           | the classes; a stroke begins a comment
    temperature: continuous.
    outlook: sunny, overcast, rain.
    day: ignore.

A backslash takes away the meaning of the next character. The rows have a cell for each column and
then the class, which is called `class`.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from planetree.exceptions import FileError
from planetree.table_files.declared import Declaration, DeclaredFile
from planetree.table_files.delimited import Dialect, Text
from planetree.table_files.survey import MAX_SIZE, lines_of, open_bytes, survey

__all__ = ["open_c45"]

TARGET = "class"
COMMENT = re.compile(r"(?<!\\)\|.*")
CONTINUED = re.compile(r"((?<!\\)[,:])\s*\n\s*")
END = re.compile(r"(?<!\\)\.(?:\s+|$)|\n")
ROW_END = re.compile(r"[ \t]*\.?[ \t]*\r?$", re.MULTILINE)


def open_c45(path: Path, encoding: str | None = None, max_size: int = MAX_SIZE) -> DeclaredFile:
    """Read what stem.names declares, and find the rows of `path`, or of stem.data."""
    names = path.with_suffix(".names")
    data = path.with_suffix(".data") if path.suffix == ".names" else path
    for needed in (names, data):
        if not needed.is_file():
            raise FileError(f"There is no {needed}, which C4.5's {path.name} needs beside it.")
    classes, *statements = statements_of(text_of(names, encoding, max_size)) or [""]
    if not classes or not statements:
        raise FileError(f"{names} does not declare classes and columns, as a .names file does.")
    columns = [declaration(statement, names) for statement in statements]
    columns.append(Declaration(TARGET, "text", tuple(split(classes, ","))))
    rows = ROW_END.sub("", COMMENT.sub("", text_of(data, encoding, max_size))).encode()
    text = Text(data, lambda: io.BytesIO(rows))
    return DeclaredFile(columns, TARGET, text, Dialect(",", "", "\\", missing=("?", "")))


def text_of(path: Path, encoding: str | None, max_size: int) -> str:
    """All of a text."""
    look = survey(path, encoding, max_size)
    with open_bytes(path) as stream:
        return str(stream.read().decode(look.encoding))


def statements_of(text: str) -> list[str]:
    """Statements of a .names file, without comments."""
    joined = CONTINUED.sub(r"\1 ", COMMENT.sub("", "\n".join(lines_of(text))))
    return [part.strip() for part in END.split(joined) if part.strip()]


def split(text: str, mark: str) -> list[str]:
    """Parts between marks that no backslash precedes."""
    parts = re.split(rf"(?<!\\){mark}", text)
    return [re.sub(r"\\(.)", r"\1", part.strip()) for part in parts]


def declaration(statement: str, path: Path) -> Declaration:
    """What a statement says of a column."""
    name, *rest = re.split(r"(?<!\\):", statement, maxsplit=1)
    name = split(name, ",")[0]
    if not rest or not rest[0].strip():
        raise FileError(
            f"{path} has a statement without a colon or values: {statement[:60]!r}. A column is "
            "declared as `name: continuous.`, `name: ignore.` or `name: value, value.`"
        )
    values = split(rest[0], ",")
    word = values[0].split()[0].lower() if len(values) == 1 else ""
    if word in ("continuous", "ignore", "discrete", "label"):
        kinds = {"continuous": "number", "discrete": "text"}
        return Declaration(name, kinds.get(word, "ignore"))
    return Declaration(name, "text", tuple(values))
