"""Tables of OpenML, brought into the form of the catalog.

A copy on OpenML may have other names for the columns and other words for the categories, and it
writes numbers in its own way. If it has the same rows in the same order, the columns can be named
by their place, and the words by the order in which they first appear; whether that was right, the
checksum of the whole table tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.error import URLError

from planetree.datasets.catalog import Entry, Rows


class UnreachableError(Exception):
    """OpenML did not answer."""


def fetch(entry: Entry) -> Rows:
    """Header and rows of an entry, from OpenML."""
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=entry.openml, as_frame=True, parser="auto")
    except (OSError, URLError) as reason:
        raise UnreachableError(str(reason)) from reason
    first, last = entry.part or (0, len(found.target))
    columns = [found.data[name].tolist()[first:last] for name in found.data.columns]
    return canonical(entry, columns, found.target.tolist()[first:last])


def canonical(entry: Entry, columns: Sequence[list[Any]], target: list[Any]) -> Rows:
    """Cells as text, under the names and with the words of the catalog."""
    kept = columns[-len(entry.features) :]  # what else there is, such as a name, comes first
    body = [
        renamed(values, entry.categories[name]) if name in entry.categories else as_numbers(values)
        for name, values in zip(entry.features, kept, strict=False)
    ]
    body.append(renamed(target, entry.classes))
    header = [*entry.features, "class"]
    return [header, *(list(row) for row in zip(*body, strict=True))]


def renamed(values: list[Any], words: Sequence[str]) -> list[str]:
    """Values with the word that is first in ours for the one that is first in theirs."""
    met = list(dict.fromkeys(value for value in values if not is_missing(value)))
    ours = dict(zip(met, words, strict=False))
    return ["" if is_missing(value) else ours.get(value, str(value)) for value in values]


def as_numbers(values: list[Any]) -> list[str]:
    """Numbers as text, a whole one without decimals."""
    return ["" if is_missing(value) else number(value) for value in values]


def number(value: Any) -> str:
    """A number that reads back as the same float."""
    exact = float(value)
    return str(int(exact)) if exact.is_integer() else repr(exact)


def is_missing(value: Any) -> bool:
    """Whether a cell is None or NaN."""
    return value is None or value != value
