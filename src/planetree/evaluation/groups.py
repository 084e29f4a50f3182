"""Errors by group: how answers to the rows of each value of a column compare.

A column of more than twenty different numbers is divided at its quartiles. Rows without a value are
a group of their own. Intervals are Wilson's, of 95%: groups whose intervals overlap widely may
differ by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats
from planetree.evaluation.figures import figures_of

_MOST_NUMBERS = 20  # different numbers that are groups each
_MOST_GROUPS = 50  # a longer table of groups is not read
_MISSING = "(missing)"


class Groups(NamedTuple):
    """The column that divides rows, the names of its groups, and the group of each row."""

    column: str
    names: tuple[str, ...]
    codes: NDArray[np.intp]

    def rows(self, chosen: Any) -> Groups:
        """The groups of some of the rows."""
        return self._replace(codes=self.codes[chosen])


class _GroupFigures(NamedTuple):
    """What answers to the rows of a group are worth: of no row only their number."""

    name: str
    n_rows: int
    error: float | None
    interval: tuple[float, float] | None
    recall: tuple[float | None, ...]


def groups_of(column: str, cells: Sequence[Any] | NDArray[Any]) -> Groups:
    """Divide rows by the cells of a column.

    Examples
    --------
    >>> from planetree.evaluation.groups import groups_of
    >>> groups_of("sex", ["f", None, "m", "f"])[1:]
    (('f', 'm', '(missing)'), array([0, 2, 1, 0]))
    """
    values = [None if cell is None or cell != cell else cell for cell in list(cells)]
    known = [cell for cell in values if cell is not None]
    numeric = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in known)
    if numeric and len(set(known)) > _MOST_NUMBERS:
        return _quarters(column, np.array(values, dtype=np.float64))
    found = sorted(set(known)) if numeric else sorted({str(each) for each in known})
    names = [f"{each:g}" if numeric else str(each) for each in found]
    if len(names) > _MOST_GROUPS:
        raise ValueError(
            f"Column {column!r} has {len(names)} different values, too many for groups (at most "
            f"{_MOST_GROUPS}). Choose a column with fewer."
        )
    place = {each: i for i, each in enumerate(found)} | {None: len(names)}
    codes = [place[each if numeric or each is None else str(each)] for each in values]
    more = (_MISSING,) if len(known) < len(values) else ()
    return Groups(column, (*names, *more), np.array(codes, dtype=np.intp))


def _quarters(column: str, cells: Floats) -> Groups:
    """Groups of numbers, about a quarter of the rows each."""
    gone = np.isnan(cells)
    edges = np.unique(np.quantile(cells[~gone], [0, 0.25, 0.5, 0.75, 1], method="lower"))
    codes = np.where(gone, len(edges) - 1, np.searchsorted(edges[1:-1], cells, side="left"))
    names = [f"{edges[0]:.6g} to {edges[1]:.6g}"]
    names += [f"above {low:.6g}, to {high:.6g}" for low, high in pairwise(edges[1:])]
    return Groups(column, (*names, *((_MISSING,) if gone.any() else ())), codes.astype(np.intp))


def group_figures(
    labels: NDArray[Any],
    answers: NDArray[Any],
    classes: NDArray[Any],
    groups: Groups,
    weights: Floats | None = None,
) -> list[_GroupFigures]:
    """Rows, error and recall of each class, for each group in order.

    Parameters
    ----------
    labels, answers : array of shape (n_rows,)
    classes : array of shape (n_classes,)
    groups : Groups
    weights : array of shape (n_rows,), optional
    """
    found = []
    for code, name in enumerate(groups.names):
        rows = np.flatnonzero(groups.codes == code)
        own = None if weights is None else weights[rows]
        if len(rows) == 0 or (own is not None and own.sum() == 0):
            found.append(_GroupFigures(name, len(rows), None, None, (None,) * len(classes)))
            continue
        figures = figures_of(labels[rows], answers[rows], classes, None, own)
        found.append(
            _GroupFigures(name, len(rows), figures.error, figures.interval, figures.recall)
        )
    return found
