"""Products of number columns as terms: `age * pressure`, and `age^2` for a column with itself.

A plane over them is a quadratic surface in the columns: Bennett (1993), section 1.2. The columns of
a table stay as they are; only its terms are more (`planetree.planes` says what such a term is).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from planetree.arrays import product_code
from planetree.table.named_columns import column_number
from planetree.table.table import Column, Terms

_ASKED = "products must be None, 'squares', 'all' or a list of pairs of columns"


def product_terms(products: Any, columns: Sequence[Column]) -> Terms:
    """Terms that are asked for, each pair of columns once.

    Parameters
    ----------
    products : None, "squares", "all", or list of pairs of column names or numbers
    columns : sequence of Column

    Examples
    --------
    >>> from planetree.table import Column, product_terms
    >>> product_terms("all", [Column("age"), Column("dose")])
    Terms(columns=array([0, 0, 1]), categories=array([-3, -4, -4]))
    """
    pairs = _pairs(products, columns)
    found = np.array(sorted(set(pairs)), dtype=np.intp).reshape(-1, 2)
    return Terms(found[:, 0].copy(), product_code(found[:, 1]))


def _pairs(products: Any, columns: Sequence[Column]) -> list[tuple[int, int]]:
    numbers = [j for j, column in enumerate(columns) if column.categories is None]
    if products is None:
        return []
    if isinstance(products, str):
        if products not in ("squares", "all"):
            raise ValueError(f"{_ASKED}, but it is {products!r}.")
        squares = [(j, j) for j in numbers]
        return squares if products == "squares" else _every_pair(numbers)
    if not isinstance(products, Iterable):
        raise ValueError(f"{_ASKED}, but it is {products!r}.")
    return [_read_pair(each, columns) for each in products]


def _every_pair(numbers: list[int]) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(numbers, 2))


def _read_pair(pair: Any, columns: Sequence[Column]) -> tuple[int, int]:
    if isinstance(pair, str) or not isinstance(pair, Iterable) or len(pair := list(pair)) != 2:
        raise ValueError(f"{_ASKED}, but it holds {pair!r}.")
    names = [column.name for column in columns]
    low, high = sorted(column_number(each, names, "products") for each in pair)
    for j in (low, high):
        if columns[j].categories is not None:
            raise ValueError(
                f"products names {names[j]!r}, which holds categories. Products are of numbers."
            )
    return low, high
