"""Ways to put more than two classes on two sides, for planes that tell two sides apart.

Each class against the rest, as the best cut divides them, and along the direction in which the
means of the classes differ most. A way is a mask of the classes that are on the second side; one
and its reverse are the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, Mask
from planetree.separators.sparse.feature_search import coarse
from planetree.tree.plane.plane_search import Rows

_MOST = 12  # ways that planes are tried on: more did not lower the error on 16 data sets


def class_sides(rows: Rows, filled: Floats, above: list[Mask], n_classes: int) -> list[Mask]:
    """Different ways to put the classes of some rows on two sides, the most promising ones.

    Parameters
    ----------
    rows : Rows
    filled : array of shape (n_rows, n_terms)
        Their terms with missing values filled in.
    above : list of boolean arrays of shape (n_rows,)
        Rows above each of some cuts.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.plane.class_sides import class_sides
    >>> from planetree.tree.plane.plane_search import Rows
    >>> E, codes = np.array([[0.0], [1.0], [5.0]]), np.arange(3)
    >>> rows = Rows(E, E, codes, np.ones(3), np.full(3, 0.5))
    >>> [way.tolist() for way in class_sides(rows, E, [], 3)]
    [[True, False, False], [False, True, False], [True, True, False]]
    """
    weights = np.bincount(rows.codes, rows.weights, n_classes).astype(np.float64)
    present = np.flatnonzero(weights > 0)
    if len(present) < 2:
        return []
    if len(present) == 2:
        return [np.arange(n_classes) == present[1]]
    ways = {}
    for way in _ways(rows, filled, above, weights):
        side = way[present]
        ways[tuple((side ^ side[0]).tolist())] = way
    return _furthest_apart(rows, filled, list(ways.values()), weights)


def _ways(rows: Rows, filled: Floats, above: list[Mask], weights: Floats) -> Iterator[Mask]:
    classes, present = np.arange(len(weights)), np.flatnonzero(weights > 0)
    for c in present:
        yield classes == c
    for taken in above:
        right = np.bincount(rows.codes[taken], rows.weights[taken], len(weights))
        way = 2 * right > weights
        if way[present].any() and not way[present].all():
            yield way
    order = present[np.argsort(_along_means(rows, filled, present), kind="stable")]
    for count in range(1, len(order)):
        yield np.isin(classes, order[:count])


def _along_means(rows: Rows, filled: Floats, present: Indices) -> Floats:
    """Place of each class along the direction in which the means of the classes differ most."""
    of_class = [rows.codes == c for c in present]
    means = np.array([np.average(filled[i], axis=0, weights=rows.weights[i]) for i in of_class])
    scale = _core.column_moments(np.ascontiguousarray(filled), rows.weights)[1]
    means = (means - means.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    return np.asarray(np.linalg.svd(means, full_matrices=False)[0][:, 0])


def _furthest_apart(rows: Rows, filled: Floats, ways: list[Mask], weights: Floats) -> list[Mask]:
    """Of many ways, those whose sides are furthest apart along one term, each by its weight."""
    if len(ways) <= _MOST:
        return ways
    sums = np.zeros((len(weights), filled.shape[1]))
    np.add.at(sums, rows.codes, filled * rows.weights[:, None])
    chosen = np.array(ways, dtype=float)
    share = chosen @ weights / weights.sum()
    between = chosen @ sums / weights.sum() - share[:, None] * sums.sum(axis=0) / weights.sum()
    scale = _core.column_moments(np.ascontiguousarray(filled), rows.weights)[1]
    variance = np.maximum(scale**2, np.finfo(float).tiny)
    apart = (between**2 / variance).max(axis=1) / (share * (1 - share))
    order = np.argsort(-coarse(apart), kind="stable")[:_MOST]
    return [ways[at] for at in order]
