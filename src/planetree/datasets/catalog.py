"""What is known of each public data set: its columns, its categories, and a checksum of its table.

The checksum does not depend on how a number is written (1.10 or 1.1), only on its value: it is the
SHA-256 of the table with every number in its shortest exact form. Categories are listed in the
order in which they first appear, so that a copy that has other words for them, row by row the same,
can be brought back to ours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Rows = list[list[str]]


@dataclass(frozen=True)
class Entry:
    """A data set of the catalog.

    Parameters
    ----------
    checksum : str
    classes : tuple of str
    categories : dict of str to tuple of str
        The columns that are not numbers, with their values.
    features : tuple of str
        All columns but the class; empty where OpenML has no such table.
    openml : int, optional
        Number of the data set on OpenML.
    part : tuple of two int, optional
        Its rows, where OpenML has training and test rows in one table.
    """

    checksum: str
    classes: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]
    features: tuple[str, ...] = ()
    openml: int | None = None
    part: tuple[int, int] | None = None


@cache
def catalog() -> dict[str, Entry]:
    """The data sets by name."""
    content = json.loads(Path(__file__).with_name("catalog.json").read_text("utf-8"))
    return {name: read(**entry) for name, entry in content.items()}


def read(
    checksum: str,
    classes: list[str],
    categories: dict[str, list[str]],
    features: list[str] | None = None,
    openml: int | None = None,
    part: list[int] | None = None,
) -> Entry:
    """An entry of the file."""
    kept = {name: tuple(values) for name, values in categories.items()}
    ends = (part[0], part[1]) if part else None
    return Entry(checksum, tuple(classes), kept, tuple(features or ()), openml, ends)


def checksum(rows: Rows, categorical: Container[str]) -> str:
    """SHA-256 of a table: the header, then the rows, the class last."""
    header, *body = rows
    is_number = [name in header[:-1] and name not in categorical for name in header]
    lines = [
        "\x1f".join(shortest(cell) if n else cell for cell, n in zip(row, is_number, strict=True))
        for row in body
    ]
    return hashlib.sha256("\n".join(["\x1f".join(header), *lines]).encode("utf-8")).hexdigest()


def shortest(cell: str) -> str:
    """A number in its shortest exact form; an empty cell stays empty."""
    return repr(float(cell)) if cell else ""
