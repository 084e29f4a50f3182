"""The front of accuracy against size against features: what no other subset beats in all three.

One point dominates another if it is as good in every objective and better in one. Objectives are
minimized here; an accuracy enters with a minus sign. Replacement by fronts and crowding is that of
Deb, Pratap, Agarwal & Meyarivan (2002), one child at a time.

- no point of a front dominates another;
- the worst member is never one of the first front while there is a second.
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.statistics import undominated

__all__ = ["first_front", "worst_member"]


def first_front(points: Floats) -> Indices:
    """Numbers of the points that no other dominates, the first of equal ones.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.feature_selection.genetic.front import first_front
    >>> first_front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [1.0, 3.0]])).tolist()
    [0, 1]
    """
    kept: list[int] = []
    best = np.empty((0, points.shape[1]))
    for i in np.lexsort(points.T[::-1]):  # what comes later dominates nothing that came before
        if not (best <= points[i]).all(axis=1).any():
            kept.append(int(i))
            best = points[kept]
    return np.sort(np.array(kept, dtype=np.intp))


def worst_member(points: Floats) -> int:
    """Number of the point to give up: the most crowded one of the last front."""
    last = np.arange(len(points))
    dominated = ~undominated(points)
    while dominated.any():
        last = last[dominated]
        dominated = ~undominated(points[last])
    return int(last[_crowding(points[last]).argmin()])


def _crowding(points: Floats) -> Floats:
    """How far the neighbors of each point are apart, over all objectives; those at the ends, most.

    Equal points have no room between them, but for one that stands at an end.
    """
    room = np.zeros(len(points))
    for values in points.T:
        order = np.argsort(values, kind="stable")
        extent = np.ptp(values) or 1.0
        room[order[1:-1]] += (values[order[2:]] - values[order[:-2]]) / extent
        room[order[[0, -1]]] += np.inf
    return room
