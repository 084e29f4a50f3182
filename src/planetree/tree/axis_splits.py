"""Splits on one column each, as flat arrays: what C4.5 grows, made into decisions on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.planes import Categories, Planes, Split


def starts_of(lengths: Indices) -> Indices:
    """Where each of several lists begins that stand one after another, and where the last ends.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.axis_splits import starts_of
    >>> starts_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    starts = np.zeros(len(lengths) + 1, dtype=np.intp)
    np.cumsum(lengths, out=starts[1:])
    return starts


@dataclass(frozen=True, eq=False)
class AxisSplits(Sequence[Split | None]):
    """The splits of a tree that tests one column at a node.

    As a sequence it gives node by node a `Planes` with one term, a `Categories`, or None at a
    leaf. `branch` reads the arrays, so that a tree of thousands of nodes costs no objects.

    Parameters
    ----------
    columns : array of shape (n_nodes,)
        The column tested, -1 at a leaf.
    thresholds : array of shape (n_nodes,)
        Numbers up to it take branch 0, larger ones branch 1; NaN where categories are tested.
    n_mapped : array of shape (n_nodes,)
        How many categories the tested column has; 0 where it holds numbers.
    branches : array of shape (n_mapped.sum(),)
        The branch of each category, node after node; -1 for one of no branch.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.axis_splits import AxisSplits
    >>> splits = AxisSplits([0, -1, -1], [2.5, np.nan, np.nan], [0, 0, 0], [])
    >>> splits.branch(0, np.array([[1.0], [3.0], [np.nan]]), np.arange(3))
    array([ 0,  1, -1])
    >>> splits[0].offsets, splits[1]
    (array([2.5]), None)
    """

    columns: Indices
    thresholds: Floats
    n_mapped: Indices
    branches: Indices

    def __post_init__(self) -> None:
        for name, kind in (
            ("columns", np.intp),
            ("thresholds", np.float64),
            ("n_mapped", np.intp),
            ("branches", np.intp),
        ):
            array = np.array(getattr(self, name), dtype=kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def trusted(cls, **parts: NDArray[Any]) -> AxisSplits:
        """The splits of arrays that need no check: of the right kind, to be read only."""
        splits = object.__new__(cls)
        splits.__dict__.update(parts)
        return splits

    @cached_property
    def _starts(self) -> Indices:
        return starts_of(self.n_mapped)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, node: Any) -> Any:
        if isinstance(node, slice):
            return [self[i] for i in range(*node.indices(len(self)))]
        column = int(self.columns[node])
        if column < 0:
            return None
        if self.n_mapped[node]:
            return Categories(column, self.mapped(node))
        return Planes([[1.0]], [self.thresholds[node]], columns=[column])  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Split | None]:
        return (self[node] for node in range(len(self)))

    @property
    def number_columns(self) -> list[int]:
        """The number columns that some node tests."""
        return np.unique(self.columns[(self.columns >= 0) & (self.n_mapped == 0)]).tolist()

    def mapped(self, node: int) -> Indices:
        """Branch of each category of the column that a node tests."""
        start = self._starts[node]
        return self.branches[start : start + self.n_mapped[node]]

    def branch(self, node: int, X: Floats, rows: Indices) -> Indices:
        """Branch that some rows of X take at a node; -1 where it is not known."""
        cells = X[rows, self.columns[node]]
        missing = np.isnan(cells)
        if not self.n_mapped[node]:
            branch = (cells > self.thresholds[node]).astype(np.intp)
        else:
            missing |= cells < 0  # Release 8 reads a category that training did not have so
            branch = self.mapped(node)[np.where(missing, 0, cells).astype(np.intp)]
        branch[missing] = -1
        return branch
