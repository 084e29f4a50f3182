"""Which cells of a row may change, how far, and at what price.

A change of a number x to x' costs |x' - x| / deviation times the price of its column, a change of a
category the price of its column. A move is a change of one cell in one direction: up, down, or to
another category. Its size is 0, or one of low, low + step, ..., high in deviations, any number from
low to high where step is 0.

- a number that changes ends within its bounds, also where the row's own lies outside;
- a whole number stays whole, and one that is not becomes whole if it changes;
- a missing cell stays missing, and a category that training did not have stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.table import Column, ColumnRanges
from planetree.tree.inspection.answer_regions import HalfSpaces
from planetree.words import NEW_CATEGORY


class _Moves(NamedTuple):
    """Moves of one row.

    Parameters
    ----------
    parts : array of shape (n_moves, 4)
        Cost of a deviation, least size, largest size and step of each.
    columns : array of shape (n_moves,)
        The column that each changes.
    targets : array of shape (n_moves,)
        1 for up, -1 for down, and for a category the code that it becomes.
    effects : array of shape (n_half_spaces, n_moves)
        By how much a size of 1 raises the score of each half-space.
    """

    parts: Floats
    columns: Indices
    targets: Indices
    effects: Floats


class Change(NamedTuple):
    """A change of one cell that changes the answer, alone or with others.

    Parameters
    ----------
    column : str
    value, new_value : object
        What the row has, and what would change the answer.
    answer : object
        The class that it would get.
    size : float
        By how much a number changes, in standard deviations where they are known; NaN for
        categories.
    """

    column: str
    value: Any
    new_value: Any
    answer: Any
    size: float

    def __str__(self) -> str:
        return f"{self.column} {value_text(self.value)} -> {value_text(self.new_value)}"


def value_text(value: Any) -> str:
    """A number with six digits; anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def cell_value(column: Column, cell: float) -> Any:
    """A cell as the table had it."""
    if cell != cell:
        return None
    if column.categories is None:
        return float(cell)
    return column.categories[int(cell)] if cell >= 0 else NEW_CATEGORY


@dataclass(frozen=True, eq=False)
class Changeable:
    """Cells that may change, in arrays with an entry for each column.

    Parameters
    ----------
    up, down : boolean arrays
        Whether a number may rise, and fall; of categories, whether they may change.
    prices : array
        What a change of one deviation costs, or one of a category.
    low, high : arrays
        Between which numbers a changed one lies; perhaps infinite.
    whole : boolean array
        Whether a changed number is whole.
    scales : array
        Deviations.
    categorical : boolean array
    """

    up: Mask
    down: Mask
    prices: Floats
    low: Floats
    high: Floats
    whole: Mask
    scales: Floats
    categorical: Mask

    def reach(self, cells: Floats) -> Floats:
        """The size of the numbers of a row, or a deviation where it is more."""
        return np.fmax(np.abs(cells), self.scales)

    def moves(self, cells: Floats, half_spaces: HalfSpaces, held: Iterable[int] = ()) -> _Moves:
        """Moves of a row that half-spaces feel; cells of the columns that are `held` stay."""
        free = ~(np.isnan(cells) | (self.categorical & (cells < 0)))
        free[list(held)] = False
        numbers = _of_numbers(self, half_spaces).of_row(cells, free)
        found = [
            self._categories(cells, j, weights.shape[1])
            for j, weights in half_spaces.categories.items()
            if free[j] and self.up[j]
        ]
        if not found:
            return numbers
        parts, columns, targets = (np.concatenate(each) for each in zip(*found, strict=True))
        effects = self._effects(cells, columns, targets, half_spaces)
        return _Moves(
            np.concatenate([numbers.parts, parts]),
            np.concatenate([numbers.columns, columns]),
            np.concatenate([numbers.targets, targets]),
            np.concatenate([numbers.effects, effects], axis=1),
        )

    def changed(self, cells: Floats, moves: _Moves, sizes: Floats) -> Floats:
        """The row after moves of some sizes."""
        new = cells.copy()
        for move in np.flatnonzero(sizes).tolist():
            j, target = int(moves.columns[move]), int(moves.targets[move])
            if self.categorical[j]:
                new[j] = target
                continue
            value = cells[j] + target * sizes[move] * self.scales[j]
            value = np.rint(value) if self.whole[j] else value
            new[j] = min(max(value, self.low[j]), self.high[j])
        return new

    def cost(self, cells: Floats, new: Floats) -> float:
        """What a change of a row costs."""
        at = np.flatnonzero((cells != new) & ~np.isnan(cells))
        sizes = np.abs(new[at] - cells[at]) / self.scales[at]
        return float(self.prices[at] @ np.where(self.categorical[at], 1.0, sizes))

    def _categories(self, cells: Floats, j: int, n: int) -> tuple[Floats, Indices, Indices]:
        """Moves of a category to each of the others."""
        others = np.delete(np.arange(n), int(cells[j]))
        parts = np.tile([self.prices[j], 1.0, 1.0, 0.0], (n - 1, 1))
        return parts, np.full(n - 1, j), others

    def _effects(
        self, cells: Floats, columns: Indices, targets: Indices, half_spaces: HalfSpaces
    ) -> Floats:
        """By how much moves of categories raise the scores."""
        found = np.empty((len(half_spaces.offsets), len(columns)))
        for move, j in enumerate(columns.tolist()):
            weights = half_spaces.categories[j]
            found[:, move] = weights[:, targets[move]] - weights[:, int(cells[j])]
        return found


class _NumberMoves(NamedTuple):
    """Moves of numbers that may be possible, up and down: what does not depend on the row."""

    columns: Indices
    signs: Indices
    prices: Floats
    near: Floats
    far: Floats
    whole: Mask
    scales: Floats
    effects: Floats

    def of_row(self, cells: Floats, free: Mask) -> _Moves:
        """The moves that are possible for a row."""
        own = self.signs * cells[self.columns]
        least, most = np.maximum(self.near - own, 0.0), self.far - own
        if self.whole.any():
            first = np.ceil(own + least)
            first = np.where(first <= own, first + 1.0, first)
            least = np.where(self.whole, first - own, least)
        possible = most >= np.where(self.whole, least, np.maximum(least, 1e-300))
        possible &= free[self.columns]
        ends = self.prices, least / self.scales, most / self.scales, self.whole / self.scales
        parts = np.stack(ends, axis=1)[possible]
        columns, signs = self.columns[possible], self.signs[possible]
        return _Moves(parts, columns, signs, self.effects[:, possible])


@lru_cache(maxsize=8)
def _of_numbers(able: Changeable, half_spaces: HalfSpaces) -> _NumberMoves:
    """Moves of the numbers that half-spaces read."""
    read = half_spaces.number_columns
    up, down = np.flatnonzero(read & able.up), np.flatnonzero(read & able.down)
    columns, signs = np.concatenate([up, down]), np.repeat([1, -1], [len(up), len(down)])
    scales = able.scales[columns]
    return _NumberMoves(
        columns,
        signs,
        able.prices[columns],
        np.where(signs > 0, able.low[columns], -able.high[columns]),
        np.where(signs > 0, able.high[columns], -able.low[columns]),
        able.whole[columns],
        scales,
        half_spaces.numbers[:, columns] * (scales * signs),
    )


def read_changeable(
    columns: tuple[Column, ...],
    ranges: ColumnRanges,
    *,
    changeable: Any = None,
    increase_only: Any = (),
    decrease_only: Any = (),
    change_costs: Any = None,
    bounds: Any = "observed",
    whole_numbers: Any = True,
) -> Changeable:
    """Read which cells may change; see `Explanations.counterfactuals` for the parameters.

    Examples
    --------
    >>> from planetree.table import Table, column_ranges
    >>> from planetree.tree.inspection.row_moves import read_changeable
    >>> table = Table.read([[30.0, 1.5], [50.0, 2.5]])
    >>> read = read_changeable(table.columns, column_ranges(table), increase_only=["x0"])
    >>> read.down, read.low, read.whole
    (array([False,  True]), array([30. ,  1.5]), array([ True, False]))
    """
    n = len(columns)
    categorical = np.array([column.categories is not None for column in columns], dtype=bool)
    free = np.ones(n, dtype=bool) if changeable is None else _mask(columns, changeable)
    low, high = _read_bounds(columns, ranges, bounds)
    if isinstance(whole_numbers, bool | np.bool_):
        whole = ranges.whole & bool(whole_numbers)
    else:
        whole = _mask(columns, whole_numbers)
    rises, falls = _mask(columns, increase_only), _mask(columns, decrease_only)
    for j in np.flatnonzero((rises | falls) & categorical):
        raise ValueError(f"{columns[j].name!r} holds categories, which cannot rise or fall.")
    return Changeable(
        up=free & ~falls,
        down=free & ~rises,
        prices=_read_prices(columns, change_costs),
        low=low,
        high=high,
        whole=whole & ~categorical,
        scales=ranges.scales(),
        categorical=categorical,
    )


def _place(columns: tuple[Column, ...], name: Any) -> int:
    """Number of a column that is given by its name or its number."""
    names = [column.name for column in columns]
    if isinstance(name, str) and name in names:
        return names.index(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < len(names):
        return int(name)
    raise ValueError(
        f"{name!r} is not a column: give a name ({', '.join(names[:10])}) or a number."
    )


def _mask(columns: tuple[Column, ...], chosen: Any) -> Mask:
    """Columns that are given by names or numbers."""
    if isinstance(chosen, str):
        raise ValueError(f"Columns are given as a list, not as the text {chosen!r}.")
    mask = np.zeros(len(columns), dtype=bool)
    mask[[_place(columns, name) for name in chosen]] = True
    return mask


def _read_prices(columns: tuple[Column, ...], change_costs: Any) -> Floats:
    """Price of each column: 1 where none is given."""
    prices = np.ones(len(columns))
    if isinstance(change_costs, Mapping):
        for name, price in change_costs.items():
            prices[_place(columns, name)] = price
    elif change_costs is not None:
        prices = np.array(change_costs, dtype=np.float64)
    if prices.shape != (len(columns),) or not (np.isfinite(prices) & (prices > 0)).all():
        raise ValueError(
            "change_costs must be a positive number for each column, or a dict of them by column."
        )
    return prices


def _read_bounds(
    columns: tuple[Column, ...], ranges: ColumnRanges, bounds: Any
) -> tuple[Floats, Floats]:
    """Least and largest number of each column."""
    low, high = np.full((2, len(columns)), np.inf)
    low = -low
    if bounds is None:
        return low, high
    if not (isinstance(bounds, Mapping) or (isinstance(bounds, str) and bounds == "observed")):
        raise ValueError(
            "bounds must be 'observed', None, or a dict from columns to pairs of a least and a "
            f"largest number, but it is {bounds!r}."
        )
    known = np.isfinite(ranges.low)
    low[known], high[known] = ranges.low[known], ranges.high[known]
    for name, ends in bounds.items() if isinstance(bounds, Mapping) else ():
        j = _place(columns, name)
        least, most = ends
        low[j] = -np.inf if least is None else least
        high[j] = np.inf if most is None else most
        if not low[j] <= high[j]:
            raise ValueError(f"bounds of {columns[j].name!r} are empty: {ends!r}.")
    return low, high
