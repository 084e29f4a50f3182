"""Columns by name or by number, and values for columns as an array or a dict: one way for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from planetree.arrays import Floats


def column_numbers(features: Any, names: list[Any], parameter: str) -> set[int]:
    """Numbers of columns that are given by name or number; none if nothing is given.

    Examples
    --------
    >>> from planetree.table import column_numbers
    >>> column_numbers(["dose", 0], ["age", "dose"], "excluded_features")
    {0, 1}
    """
    if features is None:
        return set()
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise ValueError(
            f"{parameter} must be a sequence of column names or numbers, but it is {features!r}."
        )
    return {column_number(feature, names, parameter) for feature in features}


def column_number(feature: Any, names: list[Any], parameter: str) -> int:
    """Number of a column that is given by its name or number."""
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    is_number = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
    if is_number and 0 <= feature < len(names):
        return int(feature)
    raise ValueError(f"{parameter} names {feature!r}, but the columns are {names}.")


def column_values(values: Any, default: float, names: list[Any], parameter: str) -> Floats:
    """Numbers for all columns, from an array or from a dict by name or number."""
    if isinstance(values, Mapping):
        given = {column_number(key, names, parameter): value for key, value in values.items()}
        values = [given.get(j, default) for j in range(len(names))]
    try:
        numbers = np.array([default] * len(names) if values is None else values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{parameter} must hold numbers, but it is {values!r}.") from error
    if numbers.shape != (len(names),) or not np.isfinite(numbers).all():
        raise ValueError(
            f"{parameter} must hold one finite number for each of {len(names)} columns, but it "
            f"is {values!r}."
        )
    return numbers
