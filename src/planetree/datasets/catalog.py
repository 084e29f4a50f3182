"""What is known of each public data set: its columns, its categories, and a checksum of its table.

The checksum does not depend on how a number is written (1.10 or 1.1), only on its value: it is the
SHA-256 of the table with every number in its shortest exact form. Categories are listed in the
order in which they first appear, so that a copy that has other words for them, row by row the same,
can be brought back to ours.

A copy on OpenML may also have other names for the columns, and it writes numbers in its own way. If
it has the same rows in the same order, the columns are named by their place and the words by the
order in which they first appear; whether that was right, the checksum of the whole table tells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import URLError

TextRows = list[list[str]]


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
    return {name: _entry(**entry) for name, entry in content.items()}


def _entry(
    classes: Any, categories: Any, features: Any = (), part: Any = None, **rest: Any
) -> Entry:
    """An entry of the file, with tuples for its lists."""
    kept = {name: tuple(values) for name, values in categories.items()}
    ends = tuple(part) if part else None
    return Entry(
        classes=tuple(classes), categories=kept, features=tuple(features), part=ends, **rest
    )


def checksum(rows: TextRows, categorical: Container[str]) -> str:
    """SHA-256 of a table: the header, then the rows, the class last."""
    header, *body = rows
    is_number = [name in header[:-1] and name not in categorical for name in header]
    lines = [
        "\x1f".join(_shortest(cell) if n else cell for cell, n in zip(row, is_number, strict=True))
        for row in body
    ]
    return hashlib.sha256("\n".join(["\x1f".join(header), *lines]).encode("utf-8")).hexdigest()


def _shortest(cell: str) -> str:
    """A number in its shortest exact form; an empty cell stays empty."""
    return repr(float(cell)) if cell else ""


class UnreachableError(Exception):
    """OpenML did not answer."""


def fetch(entry: Entry) -> TextRows:
    """Header and rows of an entry, from OpenML."""
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=entry.openml, as_frame=True, parser="auto")
    except (OSError, URLError) as reason:
        raise UnreachableError(str(reason)) from reason
    first, last = entry.part or (0, len(found.target))
    columns = [found.data[name].tolist()[first:last] for name in found.data.columns]
    return _canonical(entry, columns, found.target.tolist()[first:last])


def _canonical(entry: Entry, columns: Sequence[list[Any]], target: list[Any]) -> TextRows:
    """Cells as text, under the names and with the words of the catalog."""
    kept = columns[-len(entry.features) :]  # what else there is, such as a name, comes first
    body = [
        _renamed(values, entry.categories[name])
        if name in entry.categories
        else _as_numbers(values)
        for name, values in zip(entry.features, kept, strict=False)
    ]
    body.append(_renamed(target, entry.classes))
    header = [*entry.features, "class"]
    return [header, *(list(row) for row in zip(*body, strict=True))]


def _renamed(values: list[Any], words: Sequence[str]) -> list[str]:
    """Values with the word that is first in ours for the one that is first in theirs."""
    met = list(dict.fromkeys(value for value in values if not _is_missing(value)))
    ours = dict(zip(met, words, strict=False))
    return ["" if _is_missing(value) else ours.get(value, str(value)) for value in values]


def _as_numbers(values: list[Any]) -> list[str]:
    """Numbers as text, a whole one without decimals."""
    return ["" if _is_missing(value) else _number(value) for value in values]


def _number(value: Any) -> str:
    """A number that reads back as the same float."""
    exact = float(value)
    return str(int(exact)) if exact.is_integer() else repr(exact)


def _is_missing(value: Any) -> bool:
    """Whether a cell is None or NaN."""
    return value is None or value != value
