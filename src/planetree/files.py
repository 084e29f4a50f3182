"""Files that are whole or not there: written beside their place, then moved into it at once.

Rows become CSV here, too.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = ["csv_text", "write_file"]


def write_file(path: Any, content: str | bytes, *, force: bool = True) -> None:
    """Write a file that no reader ever sees in part, nor anyone after a failure.

    Parameters
    ----------
    path : path
    content : str or bytes
        Text is written as UTF-8.
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
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if force:
            os.replace(part, target)
        else:
            _move_unless_there(part, target)
    finally:
        part.unlink(missing_ok=True)


def _move_unless_there(part: Path, target: Path) -> None:
    """Move a file to a place that must be free, and claim the place before it is filled."""
    try:
        with open(target, "xb"):
            pass
    except FileExistsError:
        raise FileExistsError(
            f"{target} is there already. Choose another name, or pass force=True to replace it."
        ) from None
    os.replace(part, target)


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    r"""Rows, the names of the columns first, as the text of a CSV file; missing cells are empty.

    Examples
    --------
    >>> from planetree.files import csv_text
    >>> csv_text([["size", "class"], [1.5, "a"], [None, "b, c"]])
    'size,class\n1.5,a\n,"b, c"\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(["" if cell is None or cell != cell else cell for cell in row] for row in rows)
    return text.getvalue()
