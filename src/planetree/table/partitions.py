"""Partitions of rows: into folds, or into rows to learn from and rows held out.

Both are stratified, drawn within each class. Equal rows of a class share a part, so that a row of
weight k counts as k rows; the order of the rows does not matter. Folds depend neither on what the
classes are called nor on the units of the columns. Of rows that are held out at random, every class
gives the share asked for, as near as whole rows come to it, and keeps one different row at least.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from planetree.arrays import Floats, Indices, Mask
from planetree.table.table import different

_N_FOLDS = 10  # as in the papers' experiments


def deal_folds(values: Floats, codes: Indices, n_folds: int = _N_FOLDS, seed: int = 0) -> Indices:
    """Fold of each row: distinct rows in the order that a seed draws, class after class.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table.partitions import deal_folds
    >>> deal_folds(np.array([[5.0], [7.0], [5.0]]), np.array([0, 1, 0])).tolist()
    [0, 1, 0]
    """
    ranks = row_ranks(values)
    place = class_places(ranks, codes)[codes]
    n_rows = int(ranks.max(initial=-1)) + 1
    drawn = np.random.default_rng(seed).permutation(n_rows)[ranks]
    _, which = np.unique(place * n_rows + drawn, return_inverse=True)
    return which.reshape(-1) % n_folds


def row_ranks(values: Floats) -> Indices:
    """Place of each row among the different ones, sorted by their numbers; missing ones are last.

    It does not depend on the order of the rows, nor on the units of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table.partitions import row_ranks
    >>> row_ranks(np.array([[5.0, 1.0], [-7.0, 2.0], [5.0, 0.0], [5.0, 1.0]])).tolist()
    [2, 0, 1, 2]
    """
    ranks = np.zeros(len(values), dtype=np.intp)
    for column in values.T:
        n_levels, level = _numbered(column + 0.0)
        n_ranks, ranks = _numbered(ranks * n_levels + level)
        if n_ranks == len(values):
            break
    return ranks


def _numbered(keys: NDArray[Any]) -> tuple[int, Indices]:
    """How many different keys there are, and the place of each among them."""
    different, which = np.unique(keys, return_inverse=True)
    return len(different), which.reshape(-1)


def class_places(ranks: Indices, codes: Indices) -> Indices:
    """Place of each class in an order by the rows that it has, whatever the classes are called."""
    n_classes = int(codes.max(initial=-1)) + 1
    held = [np.unique(ranks[codes == c]).astype(">i8").tobytes() for c in range(n_classes)]
    places = np.empty(n_classes, dtype=np.intp)
    places[sorted(range(n_classes), key=held.__getitem__)] = np.arange(n_classes)
    return places


class Division(NamedTuple):
    """Numbers of the rows that a tree grows from, and of those held out."""

    growing: Indices
    held: Indices

    def numbers(self, n_rows: int) -> Indices:
        """Part of each row: 1 to grow from, 2 held out, 0 neither."""
        found = np.zeros(n_rows, dtype=np.intp)
        found[self.growing], found[self.held] = 1, 2
        return found

    def of_groups(self, which: Indices) -> Division:
        """The same division of groups of rows, none of which has rows of both parts."""
        return Division(np.unique(which[self.growing]), np.unique(which[self.held]))


def is_drawn(holdout: Any) -> bool:
    """Whether a division is drawn at random, not given row by row."""
    return isinstance(holdout, Real) and not isinstance(holdout, bool)


def check_holdout(holdout: Any) -> None:
    """Raise unless rows can be divided so."""
    if is_drawn(holdout) and not 0 < holdout < np.inf:
        raise ValueError(
            "holdout must be a share of the rows between 0 and 1, a number of rows, or the rows "
            f"themselves, but it is {holdout!r}."
        )
    if not is_drawn(holdout) and (holdout is None or isinstance(holdout, (str, bool))):
        raise ValueError(f"holdout must be a number or an array of rows, but it is {holdout!r}.")


def draw_holdout(
    holdout: float, values: Floats, codes: Indices, weights: Floats, random_state: Any
) -> Division:
    """Hold out a share of the weight, if `holdout` is below 1, or that much weight.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table.partitions import draw_holdout
    >>> rows = np.arange(10.0)[:, None]
    >>> parts = draw_holdout(0.4, rows, np.array([0, 1] * 5), np.ones(10), random_state=0)
    >>> len(parts.growing), len(parts.held)
    (6, 4)
    """
    share = float(holdout) if holdout < 1 else float(holdout) / float(weights.sum())
    if share >= 1:
        raise ValueError(
            f"holdout asks for {holdout!r} rows, but there are only {weights.sum():g}. Hold out "
            "fewer."
        )
    first, which = different(values, codes)
    of_distinct = np.bincount(which, weights).astype(np.float64)
    drawn = check_random_state(random_state).permutation(len(first))
    held = np.zeros(len(first), dtype=bool)
    classes = [drawn[codes[first[drawn]] == c] for c in np.unique(codes)]
    for rows in classes:
        held[rows[: _nearest_count(of_distinct[rows], share)]] = True
    if not held.any():
        held[_one_at_least(classes, of_distinct)] = True
    return Division(np.flatnonzero(~held[which]), np.flatnonzero(held[which]))


def _nearest_count(weights: Floats, share: float) -> int:
    """How many of the first rows come nearest to a share of the weight, one row left over."""
    reached = np.append(0.0, np.cumsum(weights)[:-1])
    return int(np.abs(reached - share * weights.sum()).argmin())


def _one_at_least(classes: list[Indices], weights: Floats) -> int:
    """First row of the largest class that has two."""
    several = [rows for rows in classes if len(rows) > 1]
    if not several:
        raise ValueError(
            f"No class has two different rows (n_samples={len(weights)} different ones in all), so "
            "none can be held out. Give more rows."
        )
    return int(max(several, key=lambda rows: float(weights[rows].sum()))[0])


def read_holdout(holdout: Any, counted: Mask) -> Division:
    """Divide as told: the rows held out, or those to grow from and those held out.

    Parameters
    ----------
    holdout : array, or tuple of two arrays
        Row numbers, or a mask of the rows.
    counted : mask of shape (n_rows,)
        Rows of the table that have a weight; the division numbers these.
    """
    two = isinstance(holdout, tuple) and len(holdout) == 2 and np.ndim(holdout[0]) == 1
    held = _mask_of(holdout[1] if two else holdout, len(counted))
    growing = _mask_of(holdout[0], len(counted)) if two else ~held
    if (growing & held).any():
        row = int(np.flatnonzero(growing & held)[0])
        raise ValueError(f"holdout has row {row} in both parts. A row can be in only one.")
    parts = Division(np.flatnonzero(growing[counted]), np.flatnonzero(held[counted]))
    for name, rows in zip(("to grow from", "held out"), parts, strict=True):
        if not len(rows):
            raise ValueError(f"holdout leaves no row {name}. Both parts need rows.")
    return parts


def _mask_of(rows: Any, n_rows: int) -> Mask:
    """Mask of rows that are given by number or as a mask."""
    found = np.asarray(rows)
    if found.dtype == bool and found.shape == (n_rows,):
        return found
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise ValueError(f"holdout must hold row numbers or a mask of {n_rows} rows.")
    wrong = found[(found < 0) | (found >= n_rows)]
    if len(wrong):
        raise ValueError(f"holdout names row {wrong[0]}, but X has {n_rows} rows, starting at 0.")
    mask = np.zeros(n_rows, dtype=bool)
    mask[found.astype(np.intp)] = True
    return mask
