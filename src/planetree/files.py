"""Files that are whole or not there: written beside their place, then moved into it at once.

- a file that is replaced keeps its permissions; a symbolic link stays, and what it leads to is
  replaced, as git does with its own files;
- a device or a pipe, such as /dev/null, is written to as it is;
- what a process that was killed left beside a place is removed when that is next written to.

Rows become CSV here, and values what JSON knows.
"""

from __future__ import annotations

import csv
import glob
import io
import math
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_STALE = 3600  # seconds
_FORMULA = re.compile(r"[=+\-@\t\r].", re.DOTALL)  # how a cell begins that spreadsheets run
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf", re.ASCII | re.IGNORECASE)


def write_file(
    path: Any, content: str | bytes | Iterator[str | bytes], *, force: bool = True
) -> None:
    """Write a file that no reader ever sees in part, nor anyone after a failure.

    Parameters
    ----------
    path : path
    content : str, bytes, or iterator of these
        Text is written as UTF-8; that of an iterator as it comes, so that it need not fit in
        memory.
    force : bool
        Whether a file that is there already is replaced; otherwise that is a `FileExistsError`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from planetree.files import write_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder) / "note.txt", "all or nothing")
    ...     [file.name for file in Path(folder).iterdir()]
    ['note.txt']
    """
    pieces = [content] if isinstance(content, (str, bytes)) else content
    if Path(path).exists() and not Path(path).is_file():
        with open(path, "wb") as file:  # a device or a pipe is written to, and nothing replaces it
            _write_pieces(file, pieces)
        return
    target = Path(os.path.realpath(path))
    _remove_leftovers(target)
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            _write_pieces(file, pieces)
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        if force:
            os.replace(part, target)
        else:
            _move_unless_there(part, target)
    finally:
        part.unlink(missing_ok=True)


def _write_pieces(file: IO[bytes], pieces: Iterable[str | bytes]) -> None:
    """Write text as UTF-8, and bytes as they are."""
    for piece in pieces:
        file.write(piece.encode("utf-8") if isinstance(piece, str) else piece)
    file.flush()


def _remove_leftovers(target: Path) -> None:
    """Remove what writes of a file left that were killed; those of the last hour may still run."""
    for part in target.parent.glob(f".{glob.escape(target.name[:100])}.{16 * '[0-9a-f]'}.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _STALE:
                part.unlink()


def _move_unless_there(part: Path, target: Path) -> None:
    """Move a file to a place that must be free, and claim the place before it is filled."""
    try:
        with open(target, "xb"):
            pass
    except FileExistsError:
        raise FileExistsError(
            f"{target} already exists. Choose another name, or pass force=True to replace it."
        ) from None
    os.replace(part, target)


def csv_text(rows: Iterable[Sequence[Any]], delimiter: str = ",", *, formulas: bool = False) -> str:
    r"""Rows, the names of the columns first, as the text of a CSV file; missing cells are empty.

    Parameters
    ----------
    rows : iterable of sequences
    delimiter : str
    formulas : bool
        Whether text that a spreadsheet would run, such as `=cmd()`, is written as it is; by
        default an apostrophe before it makes it text there. Numbers are never changed.

    Examples
    --------
    >>> from planetree.files import csv_text
    >>> csv_text([["size", "class"], [1.5, "a"], [None, "b, c"]])
    'size,class\n1.5,a\n,"b, c"\n'
    >>> csv_text([["=cmd()", "-1.5"]]), csv_text([["=cmd()"]], formulas=True)
    ("'=cmd(),-1.5\n", '=cmd()\n')
    """
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    said = _as_it_is if formulas else _without_formula
    writer.writerows([said(cell) for cell in row] for row in rows)
    return text.getvalue()


def _as_it_is(cell: Any) -> Any:
    return "" if cell is None or cell != cell else cell


def _without_formula(cell: Any) -> Any:
    is_formula = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else _as_it_is(cell)


def plain(value: Any) -> Any:
    """A value as JSON knows it: numbers of numpy as numbers, what is no number as null.

    Examples
    --------
    >>> from planetree.files import plain
    >>> plain({1: (2.5, float("nan"))})
    {'1': [2.5, None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
