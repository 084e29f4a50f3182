"""A matrix of numbers and codes, with the names and categories of its columns.
Products of number columns are terms too: `age * pressure`, and `age^2` for a column with itself. A
plane over them is a quadratic surface in the columns: Bennett (1993), section 1.2. The columns of a
table stay as they are; only its terms are more (`planetree.planes` says what such a term is).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask, product_code, renumbered_terms
from planetree.exceptions import CategoryWarning
from planetree.parameters import listed
from planetree.table.columns import (
    NEW_CODE,
    Codes,
    Content,
    align,
    as_codes,
    as_floats,
    column_number,
    declare,
    observed,
    place,
)
from planetree.table.sources import Source, open_source

_CHUNK = 1 << 14  # rows looked at together when a cell is known to be bad


@dataclass(frozen=True)
class Column:
    """Name of a column and, unless it holds numbers, its categories in the order of their codes.

    A missing cell is read as `fill`, a number or the code of a category; None keeps it missing.

    Examples
    --------
    >>> from planetree.table import Column
    >>> Column("size", ("small", "large")).categories
    ('small', 'large')
    """

    name: str
    categories: tuple[Any, ...] | None = None
    fill: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.fill is None or self.categories is None:
            return
        if self.fill not in range(len(self.categories)):
            raise ValueError(f"Column {self.name!r} has no category of code {self.fill!r}.")


class Terms(NamedTuple):
    """What a linear model reads: term t is column `columns[t]`, or its category `categories[t]`."""

    columns: Indices
    categories: Indices

    def without(self, columns: Mask) -> Terms:
        """The terms of all columns but some."""
        kept = ~columns[self.columns]
        return Terms(self.columns[kept], self.categories[kept])

    def renumbered(self, names: Indices) -> Terms:
        """The terms of columns that have other numbers, in their order: column j has `names[j]`."""
        found = Terms(*renumbered_terms(self.columns, self.categories, names))
        order = found.places()
        return Terms(found.columns[order], found.categories[order])

    def joined(self, more: Terms) -> Terms:
        """These terms, and others after them."""
        return Terms(*(np.append(*pair) for pair in zip(self, more, strict=True)))

    def places(self) -> Indices:
        """Where the terms stand, in the order of columns and categories."""
        return np.lexsort((self.categories, self.columns))


@dataclass(frozen=True, eq=False)
class Table:
    """A float64 matrix with the names and the categories of its columns.

    Parameters
    ----------
    values : array of shape (n_rows, n_columns)
    columns : tuple of Column
    named : bool
        Whether the names are those of a frame, so that a model of it finds its columns by name.

    Examples
    --------
    >>> from planetree.table import Table
    >>> table = Table.read([[1.5, "red"], [2.0, "blue"], [None, "red"]])
    >>> table.values
    array([[1.5, 1. ],
           [2. , 0. ],
           [nan, 1. ]])
    >>> table.columns[1]
    Column(name='x1', categories=('blue', 'red'))
    """

    values: Floats
    columns: tuple[Column, ...]
    named: bool = False

    @classmethod
    def read(
        cls,
        X: Any,
        columns: Sequence[Column] | None = None,
        *,
        owner: str = "Table",
        missing: bool = True,
        sparse: bool = False,
    ) -> Table:
        """Read a frame, an array or a list; against `columns` if they are given.

        Parameters
        ----------
        X : pandas, polars or pyarrow frame, array, scipy sparse array, list of rows, or Table
        columns : sequence of Column, optional
            The columns of an earlier table. Those of a frame are found by name, those of an array
            by position; a category that is not among theirs has the code -1, with a warning.
        owner : str
            Who asks, for the messages.
        missing : bool
            Whether a cell may be missing.
        sparse : bool
            Whether X may be sparse; it is made dense.
        """
        source = source_of(X, owner, sparse)
        if columns is None:
            return replace(build(source, owner, missing), named=source.named)
        order = match(source, columns, owner)
        return rebuild(source, tuple(columns), order, owner, missing)

    def terms(self) -> Terms:
        """Map from the terms of a linear model to the columns of the table.

        Examples
        --------
        >>> from planetree.table import Table
        >>> Table.read([[1.5, "a", True], [2.0, "b", False], [0.0, "c", True]]).terms()
        Terms(columns=array([0, 1, 1, 1, 2]), categories=array([-1,  0,  1,  2,  1]))
        """
        n = len(self.columns)
        if all(column.categories is None for column in self.columns):
            return Terms(np.arange(n), np.full(n, -1))
        pairs = [(j, c) for j, column in enumerate(self.columns) for c in _asked_of(column)]
        columns, categories = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        return Terms(columns.copy(), categories.copy())

    def take(self, rows: Any) -> Table:
        """The table of some rows, with the same columns."""
        return Table(self.values[rows], self.columns, self.named)

    def filled(self) -> Table:
        """The table with what its columns have for missing cells."""
        gaps = [j for j, column in enumerate(self.columns) if column.fill is not None]
        if not gaps or not np.isnan(self.values[:, gaps]).any():
            return self
        fills = np.array([column.fill for column in self.columns], dtype=np.float64)
        values = np.where(np.isnan(self.values), fills, self.values)
        return Table(values, self.columns, self.named)

    def select(self, names: Sequence[str]) -> Table:
        """The table of some columns by name."""
        place = {column.name: j for j, column in enumerate(self.columns)}
        return self.of_columns(np.array([place[name] for name in names], dtype=np.intp))

    def of_columns(self, chosen: Indices) -> Table:
        """The table of some columns by number."""
        columns = tuple(self.columns[j] for j in chosen.tolist())
        return Table(np.ascontiguousarray(self.values[:, chosen]), columns, self.named)


def has_new_categories(table: Table) -> bool:
    """Whether a cell holds a category that is not among those of its column."""
    codes = [j for j, column in enumerate(table.columns) if column.categories is not None]
    return bool(len(codes)) and bool((table.values[:, codes] < 0).any())


def _asked_of(column: Column) -> list[int]:
    """Categories of a column that have a term each; -1 stands for the number."""
    if column.categories is None:
        return [-1]
    return [1] if len(column.categories) == 2 else list(range(len(column.categories)))


def source_of(X: Any, owner: str, sparse: bool) -> Source:
    """Look at X, be it a table already or not yet, without reading its cells."""
    return _open_table(X) if isinstance(X, Table) else open_source(X, owner, sparse)


def _open_table(table: Table) -> Source:
    """A table as a source, whose categories are declared."""

    def column(j: int) -> Content:
        values, categories = table.values[:, j], table.columns[j].categories
        if categories is None:
            return values
        codes = np.where(values < 0, NEW_CODE, as_codes(values))
        return Codes(codes, categories, declared=True)

    numbers = all(column.categories is None for column in table.columns)
    names = [column.name for column in table.columns]
    matrix = table.values if numbers else None
    return Source(table.values.shape, names, table.named, matrix, column)


def build(source: Source, owner: str, missing: bool, keep: Mask | None = None) -> Table:
    """Table of a source that declares its own columns, of all rows or of those to keep."""
    found = []
    if source.matrix is not None:
        table = Table(as_floats(source.matrix), tuple(Column(name) for name in source.names))
    else:
        contents = [source.column(j) for j in range(source.shape[1])]
        found = [j for j, c in enumerate(contents) if isinstance(c, Codes) and not c.declared]
        table = _assemble(contents, source)
    check_cells(table, owner, missing)
    return table if keep is None else _of_rows(table, keep, found)


def _assemble(contents: list[Content], source: Source) -> Table:
    """Columns side by side."""
    values, columns = np.empty(source.shape), []
    for j, content in enumerate(contents):
        values[:, j], categories = declare(content)
        columns.append(Column(source.names[j], categories))
    return Table(values, tuple(columns))


def _of_rows(table: Table, keep: Mask, found: list[int]) -> Table:
    """Table of some rows, whose `found` columns have the categories of these rows only."""
    values, columns = table.values[keep], list(table.columns)
    for j in found:
        name, categories = columns[j].name, columns[j].categories
        if categories is not None:
            values[:, j], categories = observed(values[:, j], categories)
            columns[j] = Column(name, categories or None)
    return Table(values, tuple(columns))


def check_cells(table: Table, owner: str, missing: bool) -> None:
    """Raise on the first infinite cell, and on the first missing one unless they are allowed.

    A finite sum proves that every cell is finite, without a mask as large as the table.
    """
    cells = table.values
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(cells.sum()):
            return
    for start in range(0, len(cells), _CHUNK):
        chunk = cells[start : start + _CHUNK]
        bad = np.isinf(chunk) if missing else ~np.isfinite(chunk)
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            _refuse_cell(table, start + row, column, owner)


def _refuse_cell(table: Table, row: int, column: int, owner: str) -> None:
    """Raise the error for a cell that is infinite or missing."""
    where, value = place(table.columns[column].name, row), table.values[row, column]
    if np.isnan(value):
        raise ValueError(
            f"Input X contains NaN: {where} is missing, and {owner} needs every value. Drop such "
            "rows or columns, or fill them in, for instance with sklearn.impute.SimpleImputer; "
            "separators do it themselves with missing='impute'."
        )
    raise ValueError(
        f"Input X contains infinity: {where} holds {value}. Replace it by a number, or by NaN if "
        "it is not known."
    )


def match(
    source: Source,
    columns: Sequence[Column],
    owner: str,
    *,
    by_name: bool = True,
    read: Sequence[int] | None = None,
) -> list[int]:
    """Position in the source of each column: by name if it has names, else as they come.

    A column that is not among those to be `read` may be lacking: its position is -1.
    """
    wanted = [column.name for column in columns]
    if source.named and by_name:
        needed = wanted if read is None else [wanted[j] for j in read]
        _refuse_other_names(source.names, wanted, needed)
        position = {name: j for j, name in enumerate(source.names)}
        return [position.get(name, -1) for name in wanted]
    if source.shape[1] != len(columns):
        raise ValueError(
            f"X has {source.shape[1]} features, but {owner} is expecting {len(columns)} features "
            "as input."
        )
    return list(range(len(columns)))


def _refuse_other_names(names: list[str], wanted: list[str], needed: list[str]) -> None:
    """Raise if columns that are needed are missing, or columns are new."""
    message = "The feature names should match those that were passed during fit.\n"
    unseen, gone = sorted(set(names) - set(wanted)), sorted(set(needed) - set(names))
    if unseen:
        message += "Feature names unseen at fit time:\n" + _bullets(unseen)
    if gone:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(gone)
    if unseen or gone:
        raise ValueError(message)


def _bullets(names: list[str], limit: int = 20) -> str:
    """Names as a list, one on a line."""
    more = [f"... and {len(names) - limit} more"] if len(names) > limit else []
    return "".join(f"- {name}\n" for name in names[:limit] + more)


def rebuild(
    source: Source, columns: tuple[Column, ...], order: list[int], owner: str, missing: bool
) -> Table:
    """Table of a source in terms of columns that were declared earlier."""
    is_whole = min(order, default=0) >= 0
    if is_whole and source.matrix is not None and all(c.categories is None for c in columns):
        in_order = order == list(range(len(order)))
        matrix = source.matrix if in_order else source.matrix[:, order]
        table = Table(as_floats(matrix), columns)
    else:
        values = np.zeros((source.shape[0], len(columns)))
        for j, column in enumerate(columns):
            if order[j] < 0:
                continue
            content = source.column(order[j])
            values[:, j], unseen = align(content, column.categories, column.name)
            if unseen:
                _report_unseen(column, unseen, owner, missing)
        table = Table(values, columns)
    table = table.filled()
    check_cells(table, owner, missing)
    return table


def _report_unseen(column: Column, unseen: dict[Any, int], owner: str, missing: bool) -> None:
    """Warn of categories that training did not have; raise where they may not be missing."""
    first = min(unseen.values())
    found = (
        f"{place(column.name, first)}: categories never seen in training: {listed(unseen)}. "
        f"Training had {listed(column.categories or ())}."
    )
    if not missing:
        raise ValueError(f"Unknown category in {found} {owner} needs every value.")
    warnings.warn(f"Unseen category in {found}", CategoryWarning, stacklevel=5)


def different(rows: Floats, lead: Indices | None = None) -> tuple[Indices, Indices]:
    """Where each different row occurs first, sorted by the rows' bytes, and which one each is.

    What must not depend on the order or the repetition of rows goes by these. `lead` stands before
    the columns of the rows, as one more.
    """
    order, group = np.arange(len(rows)), np.zeros(len(rows), dtype=np.intp)
    at = order.copy()  # places in the order of rows that are not told apart yet
    for column in rows.T if lead is None else (lead, *rows.T):
        if not len(at):
            break
        cells = (column[order[at]] + 0.0).view(np.uint64).byteswap()  # -0.0 is a plain 0
        moved = np.lexsort((cells, group[at]))
        order[at], cells = order[at[moved]], cells[moved]
        new = np.append(True, (np.diff(group[at]) > 0) | (cells[1:] != cells[:-1]))
        group[at] = np.maximum.accumulate(np.where(new, at, 0))
        at = at[~(new & np.append(new[1:], True))]
    starts = group == np.arange(len(rows))
    inverse = np.empty(len(rows), dtype=np.intp)
    inverse[order] = np.cumsum(starts) - 1
    return order[starts], inverse


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
        return squares if products == "squares" else list(combinations_with_replacement(numbers, 2))
    if not isinstance(products, Iterable):
        raise ValueError(f"{_ASKED}, but it is {products!r}.")
    return [_read_pair(each, columns) for each in products]


def _read_pair(pair: Any, columns: Sequence[Column]) -> tuple[int, int]:
    if isinstance(pair, str) or not isinstance(pair, Iterable) or len(pair := list(pair)) != 2:
        raise ValueError(f"{_ASKED}, but it holds {pair!r}.")
    names = [column.name for column in columns]
    low, high = sorted(column_number(each, names, "products") for each in pair)
    for j in (low, high):
        if columns[j].categories is not None:
            raise ValueError(
                f"products names {names[j]!r}, which holds categories. Products need numbers."
            )
    return low, high
