"""The rows of a node seen along its decision: one number a row, and where the branches part.

    parallel planes    the weighted sum of the terms, or the number itself if there is one term;
                       one category is no line
    two scores         the second minus the first, parted at 0
    an interval        the weighted sum of one plane, parted where either plane is
    both               the least score, parted at 0
    same side          the least score, or minus the largest if that is more, parted at 0
    otherwise          no line shows it: the rows are counted branch by branch

The bins of a histogram begin at the first threshold, so that no bar holds rows of both its sides.
Numbers beyond the middle 98 % and the thresholds are counted in the outermost bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Categories, Planes, Split
from planetree.table import Column
from planetree.tree.words import Words, faces_itself

__all__ = ["Histogram", "Projection", "histogram", "project"]

Floats = NDArray[np.float64]
N_BINS = 24


class Projection(NamedTuple):
    """Rows along a decision.

    Parameters
    ----------
    values : array of shape (n_rows,)
        NaN where it is not known.
    thresholds : tuple of float
        Where the branches part, from below.
    name : str
    plane, factor : int and float
        The values are the weighted sums of this plane, times the factor; plane -1 for none.
    """

    values: Floats
    thresholds: tuple[float, ...]
    name: str
    plane: int = -1
    factor: float = 1.0


class Histogram(NamedTuple):
    """Weight of each class (a row) in each bin (a column), the first from `low` on."""

    low: float
    width: float
    counts: Floats


def project(
    split: Split, X: Floats, columns: Sequence[Column], words: Words | None = None
) -> Projection | None:
    """See rows along a decision, as its words say it; None where no line shows it.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.table import Column
    >>> from planetree.tree.inspection.projection import project
    >>> seen = project(Planes([[2.0]], [3.0]), np.array([[1.0], [2.0]]), [Column("age")])
    >>> seen.values, seen.thresholds, seen.name
    (array([1., 2.]), (1.5,), 'age')
    """
    if isinstance(split, Categories):
        return None
    if split.rule == "slabs":
        return _along_normal(split, X, columns, words is not None and words.turned)
    if faces_itself(split):
        return _between(split, X, 0 if words is None else words.plane)
    scores = split.scores(X)
    least, largest = scores.min(axis=1), scores.max(axis=1)
    if split.rule == "both":
        return Projection(least, (0.0,), "least score")
    if split.rule == "same_side":
        return Projection(np.maximum(least, -largest), (0.0,), "depth")
    if len(split.offsets) == 2:
        return Projection(scores[:, 1] - scores[:, 0], (0.0,), "difference of scores")
    return None


def _along_normal(
    split: Planes, X: Floats, columns: Sequence[Column], turned: bool
) -> Projection | None:
    weights = split.weights[0]
    if np.ptp(split.weights, axis=0).any():
        return None
    used = np.flatnonzero(weights)
    if len(used) == 1 and split.categories[used[0]] >= 0:
        return None
    factor, name = -1.0 if turned else 1.0, "weighted sum"
    if len(used) == 1:
        factor, name = 1.0 / weights[used[0]], str(columns[split.columns[used[0]]].name)
    thresholds = tuple(sorted((split.offsets * factor).tolist()))
    return Projection(_sums(split, X, 0) * factor, thresholds, name, 0, factor)


def _between(split: Planes, X: Floats, plane: int) -> Projection:
    thresholds = (float(split.offsets[plane]), 0.0 - float(split.offsets[1 - plane]))
    return Projection(_sums(split, X, plane), thresholds, "weighted sum", plane)


def _sums(split: Planes, X: Floats, plane: int) -> Floats:
    return np.asarray(split.scores(X)[:, plane] + split.offsets[plane])


def histogram(
    projection: Projection, codes: NDArray[np.intp], weights: Floats, n_classes: int
) -> Histogram | None:
    """Count the rows of each class along a decision; None where no number is known.

    Parameters
    ----------
    projection : Projection
    codes : array of shape (n_rows,)
        Class code of each row.
    weights : array of shape (n_rows,)
        How much each row counts.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.inspection.projection import Projection, histogram
    >>> seen = Projection(np.array([0.0, 1.0, 4.0]), (1.0,), "age")
    >>> histogram(seen, np.array([0, 0, 1]), np.ones(3), 2).counts.sum(axis=1)
    array([2., 1.])
    """
    known = np.isfinite(projection.values)
    if not known.any():
        return None
    values, first = projection.values[known], projection.thresholds[0]
    ends = [*np.quantile(values, [0.01, 0.99]).tolist(), *projection.thresholds]
    width = (max(ends) - min(ends)) / (N_BINS - 2) or 1.0
    low = int(np.floor((min(ends) - first) / width)) - 1
    places = np.clip(np.ceil((values - first) / width) - 1 - low, 0, N_BINS).astype(np.intp)
    counts = np.zeros((n_classes, N_BINS + 1))
    np.add.at(counts, (codes[known], places), weights[known])
    return Histogram(first + low * width, width, counts)
