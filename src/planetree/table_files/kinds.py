"""What a column holds: numbers, categories, yes and no, or what no model can use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.exceptions import FileError

__all__ = ["class_labels", "kind_of", "mistaken_for_text", "row_weights", "why_unusable"]

MOST_CATEGORIES = 100
MOST_CLASSES = 100


def kind_of(column: Any) -> str:
    """What a column holds, in a word."""
    from pyarrow import types

    kind = column.type
    if types.is_boolean(kind):
        return "yes or no"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_dictionary(kind):
        return f"{len(column.chunk(0).dictionary)} categories"
    return f"{n_distinct(column)} categories"


def n_distinct(column: Any) -> int:
    """How many different values a column has."""
    return len(column.drop_null().unique())


def why_unusable(column: Any, declared: bool) -> str:
    """Why no model can use a column, in words; empty if one can."""
    from pyarrow import types

    kind = column.type
    if types.is_temporal(kind):
        return "dates or times"
    if types.is_nested(kind) or types.is_binary(kind):
        return f"neither numbers nor text ({kind})"
    if column.null_count == len(column):
        return "no values"
    if declared or not (types.is_string(kind) or types.is_large_string(kind)):
        return ""
    count, rows = n_distinct(column), len(column) - column.null_count
    if count > MOST_CATEGORIES or (count > 20 and count > rows / 2):
        return f"text with {count} different values"
    return ""


def mistaken_for_text(column: Any) -> str:
    """A cell that keeps a column from being numbers, where most of its cells are."""
    from pyarrow import compute, types

    if not types.is_string(column.type):
        return ""
    cells = column.drop_null()
    plain = compute.match_substring_regex(cells, r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
    strange = compute.filter(cells, compute.invert(plain))
    return str(strange[0].as_py()) if 0 < 2 * len(strange) < len(cells) else ""


def class_labels(column: Any, name: str, fewest: int = 2) -> NDArray[Any]:
    """Labels of a column without missing cells: whole numbers, booleans or text."""
    from pyarrow import types

    kind = column.type
    if types.is_temporal(kind) or types.is_nested(kind):
        raise FileError(f"Column {name!r} holds {kind}, which cannot be a class.")
    labels = np.array(column.to_pylist()) if types.is_dictionary(kind) else column.to_numpy()
    if labels.dtype.kind == "f" and np.all(labels == np.floor(labels)):
        labels = labels.astype(np.int64)
    count = n_distinct(column)
    if count < fewest:
        raise FileError(f"Column {name!r} holds one class only: {labels[0]!s}. Two are needed.")
    numbers = labels.dtype.kind in "iuf"
    if (numbers and count > MOST_CLASSES) or count > max(MOST_CLASSES, len(labels) / 2):
        what = "numbers" if numbers else "texts"
        raise FileError(
            f"Column {name!r} holds {count} different {what}, which are not classes. Choose "
            "another column, or put a few classes in its place."
        )
    return labels.astype(str) if labels.dtype.kind == "O" else labels


def row_weights(column: Any, name: str) -> NDArray[np.float64]:
    """Weights of rows, all of them known and none negative."""
    if kind_of(column) != "numbers" or column.null_count:
        found = "missing cells" if column.null_count else kind_of(column)
        raise FileError(f"Column {name!r} holds {found}; weights are numbers, none missing.")
    weights = np.asarray(column.to_numpy(), dtype=np.float64)
    if not (np.all(weights >= 0) and np.all(np.isfinite(weights)) and weights.sum() > 0):
        raise FileError(f"Column {name!r} holds {weights.min():g}; weights are numbers from 0 up.")
    return weights
