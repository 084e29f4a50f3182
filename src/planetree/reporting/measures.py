"""How well the answers fit the rows shown: counts, intervals, and what a share is worth.

A model that gives shares is calibrated if
of the rows to which it gives a share p of a class, a share p is of that class. For two classes the
share is that of the second; for more, that of the class answered. Rows of one share make a point;
more than `MAX_POINTS` different shares are put together, about as many rows to a point. A model
that gives no shares is asked for its scores instead: for two classes the score itself, for more how
far the largest is above the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.tree.inspection.rows_in_tree import Shown

__all__ = ["Calibration", "Point", "calibration", "confusion"]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
MAX_POINTS = 10


class Point(NamedTuple):
    """Rows of about the same share or score: their mean, how many they are, how many are so."""

    said: float
    n_rows: int
    n_right: int


class Calibration(NamedTuple):
    """Points, whether they are shares or scores, and what is counted."""

    points: list[Point]
    are_shares: bool
    of_class: int | None
    brier: float | None


def confusion(codes: Indices, answers: Indices, n_classes: int) -> NDArray[np.intp]:
    """How many rows of one class (row) are taken for another (column)."""
    counts = np.zeros((n_classes, n_classes), dtype=np.intp)
    np.add.at(counts, (codes, answers), 1)
    return counts


def calibration(shown: Shown, answers: Indices) -> Calibration:
    """What the shares or the scores of a model are worth on the rows shown."""
    codes, two = shown.codes, len(shown.classes) == 2
    right = codes == (1 if two else answers)
    if shown.gives_shares:
        shares = shown.model.predict_proba(shown.table)
        said = shares[:, 1] if two else shares[np.arange(len(codes)), answers]
        true = np.eye(len(shown.classes))[codes]
        brier = float(np.mean(np.sum((shares - true) ** 2, axis=1)))
    else:
        said, brier = margins(shown), None
    return Calibration(points(said, right), shown.gives_shares, 1 if two else None, brier)


def margins(shown: Shown) -> Floats:
    """Score of each row: signed for two classes, else how far the largest is above the next."""
    if hasattr(shown.model, "planes_"):
        scores = shown.model.planes_.scores(shown.rows)
        if scores.shape[1] > 1 and shown.model.planes_.rule == "argmax":
            ordered = np.sort(scores, axis=1)
            return np.asarray(ordered[:, -1] - ordered[:, -2])
        if scores.shape[1] == 1:
            return np.asarray(scores[:, 0])
    return np.empty(0)


def points(said: Floats, right: NDArray[np.bool_]) -> list[Point]:
    """Rows put together by what was said of them, from the least up."""
    if not len(said):
        return []
    values, which = np.unique(said, return_inverse=True)
    if len(values) > MAX_POINTS:
        ranks = np.argsort(np.argsort(said, kind="stable"), kind="stable")
        first = np.full(len(values), len(said))
        np.minimum.at(first, which, ranks)  # equal shares stay together
        _, which = np.unique((first * MAX_POINTS // len(said))[which], return_inverse=True)
    groups = [which == group for group in range(which.max() + 1)]
    return [Point(float(said[g].mean()), int(g.sum()), int(right[g].sum())) for g in groups]
