r"""Cells of text as people write them: what a column of text means, decided by all of its cells.

    12,345.67   12.345,67   12 345,67   12'345.67    numbers with marks between the thousands
    $1,234   1.234 €   2.0 %                         numbers with one currency, or all in percent
    00123                                            a code: text, for the zeros mean something
    NA in a column of classes that are words         a class of that name

A column is numbers only if all of its cells are, written one way; a note tells what is not plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_CODE = r"^[-+]?0\d+$"
_MONEY = "$€£¥"
_BLANK = r"[ \x{00a0}\x{202f}]"
_STYLES = ((",", r"\."), (r"\.", ","), (_BLANK, ","), ("'", r"\."))  # thousands, decimal point
_MAYBE_CLASSES = ("NA", "N/A", "n/a", "NULL", "null", "#N/A")  # words for missing, or names


def not_numbers(cells: Any) -> Any:
    """Cells of text that are no numbers, and not missing."""
    from pyarrow import compute

    return cells.filter(compute.invert(compute.match_substring_regex(cells, _NUMBER)))


def trimmed(column: Any, missing: Sequence[str]) -> Any:
    """Text without blanks around it, and null for words that mean a missing cell."""
    import pyarrow as pa
    from pyarrow import compute

    text = compute.utf8_trim_whitespace(column)
    gone = compute.is_in(text, value_set=pa.array(missing, pa.string()))
    return compute.if_else(gone, pa.scalar(None, pa.string()), text)


class Typed(NamedTuple):
    """What a column of text holds, notes on it, and the decimal mark of its numbers if known."""

    column: Any
    notes: list[str]
    decimal: str | None = None


def numbers_or_text(text: Any, name: str, decimal: str = ".") -> Typed:
    """Numbers that a column of trimmed text holds, else the text; with a note if not plain."""
    import pyarrow as pa

    grouped = _as_written(text, decimal) if decimal == "," else None
    if grouped is None and not len(not_numbers(text[:1000])):  # a cast that fails takes its time
        try:
            return Typed(text.cast(pa.float64()), [], ".")
        except pa.ArrowInvalid:
            pass
    grouped = grouped or _as_written(text, decimal)
    if grouped is None:
        return Typed(text, [])
    numbers, cell, value, point = grouped
    note = f"Column {name!r} is read as numbers: {cell!r} as {value:.15g}."
    return Typed(numbers, [note], point)


def _as_written(text: Any, decimal: str) -> tuple[Any, str, float, str] | None:
    """The column as numbers, with its first cell that is not plain and its decimal mark."""
    import pyarrow as pa
    from pyarrow import compute

    cells = text.drop_null()
    if (
        not len(cells)
        or not compute.any(compute.match_substring_regex(cells[:1000], r"\d")).as_py()
    ):
        return None
    marks = {mark for mark in _MONEY if compute.any(compute.match_substring(cells, mark)).as_py()}
    percent = compute.match_substring(cells, "%")
    if len(marks) > 1 or (compute.any(percent).as_py() and not compute.all(percent).as_py()):
        return None
    for group, point in _STYLES[:: -1 if decimal == "," else 1]:
        number = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)(?:{point}\d+)?"
        money = f"(?:[{_MONEY}]{_BLANK}?)?"
        pattern = rf"^[-+]?{money}[-+]?{number}(?:{_BLANK}?[{_MONEY}])?(?:{_BLANK}?%)?$"
        if not compute.all(compute.match_substring_regex(cells, pattern)).as_py():
            continue
        bare = compute.replace_substring_regex(text, rf"[{_MONEY}%]|{_BLANK}|{group}", "")
        numbers = compute.replace_substring_regex(bare, point, ".").cast(pa.float64())
        odd = not_numbers(cells)
        if decimal == point and not len(odd):
            odd = cells.filter(compute.match_substring(cells, "."))  # of thousands
        if len(odd):
            at = compute.index(text, odd[0]).as_py()
            return numbers, str(odd[0]), float(numbers[at].as_py()), point[-1]
    return None


def codes_or_integers(text: Any, name: str) -> Typed:
    """Whole numbers that a column of trimmed text holds, or the text if one begins with a zero."""
    import pyarrow as pa

    notes = _note_of_codes(text, name)
    return Typed(text, notes) if notes else Typed(text.cast(pa.int64()), [])


def _note_of_codes(text: Any, name: str) -> list[str]:
    """A note that numbers of a column begin with a zero, if one does."""
    from pyarrow import compute

    coded = text.filter(compute.match_substring_regex(text, _CODE))
    return [
        f"Column {name!r} holds codes with leading zeros, such as {cell!r}, and is read as text."
        for cell in coded[:1].to_pylist()
    ]


def classes_of(
    column: Any, name: str, missing: Sequence[str], asked: Sequence[str]
) -> tuple[Any, list[str]]:
    """A column of classes: numbers or booleans, else words, among which NA is one unless asked."""
    import pyarrow as pa
    from pyarrow import compute

    text = trimmed(column, missing)
    known = text.drop_null()
    for kind, pattern in (
        (pa.int64(), r"^[-+]?(0|[1-9]\d{0,17})$"),
        (pa.bool_(), "^(true|false|True|False|TRUE|FALSE|0|1)$"),
        (pa.float64(), r"^[-+]?((0|[1-9]\d*)?\.\d+|(0|[1-9]\d*)\.?)([eE][-+]?\d+)?$"),
    ):
        if len(known) and compute.all(compute.match_substring_regex(known, pattern)).as_py():
            return text.cast(kind), []
    maybe = [word for word in _MAYBE_CLASSES if word not in asked]
    text = trimmed(column, [word for word in missing if word not in maybe])
    found = [word for word in maybe if compute.any(compute.equal(text, word)).as_py()]
    return text, _note_of_codes(text, name) + [
        f"{word!r} in column {name!r} is read as a class; if it means missing, use "
        f"--missing {word}."
        for word in found
    ]


def spellings(column: Any) -> list[str]:
    """Values of a column of text that differ only in capitals, the first such group."""
    groups: dict[str, list[str]] = {}
    for value in column.drop_null().unique().to_pylist():
        groups.setdefault(value.casefold(), []).append(value)
    return next((sorted(group) for group in groups.values() if len(group) > 1), [])
