"""The pruning level by cross-validation (Cherkauer & Shavlik 1996, Experimental Methodology).

Among the confidences 5 %, 15 %, ..., 95 % the one whose trees make the fewest errors on the rows
left out; the smallest, which prunes most, of equals. Folds are dealt out within classes. Equal rows
of a class share a fold, so a row of weight k still counts as k rows. Neither the order of the rows
matters, nor what the classes are called, nor the units of the columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.clock import UNLIMITED, Clock
from planetree.tree.c45.prepared_table import Growth, PreparedTable

__all__ = ["CONFIDENCES", "DEFAULT", "choose_confidence", "class_places", "deal_folds", "row_ranks"]

CONFIDENCES = tuple(np.round(np.arange(0.05, 1.0, 0.1), 2).tolist())
DEFAULT = 0.25  # of Release 8
N_FOLDS = 10


def choose_confidence(
    prepared: PreparedTable,
    values: NDArray[np.float64],
    codes: NDArray[np.intp],
    growth: Growth,
    clock: Clock = UNLIMITED,
) -> float:
    """Confidence with the fewest errors in 10-fold cross-validation.

    A `TimeoutError` is raised if the time does not suffice.
    """
    folds = deal_folds(values, codes)
    if folds.max(initial=0) == 0:  # one distinct row: nothing to leave out
        return DEFAULT
    errors = prepared.cross_val_errors(
        folds, confidences=CONFIDENCES, growth=growth, time_limit=clock.left
    ).errors
    return CONFIDENCES[int(errors.sum(axis=0).argmin())]


def deal_folds(
    values: NDArray[np.float64], codes: NDArray[np.intp], n_folds: int = N_FOLDS
) -> NDArray[np.intp]:
    """Fold of each row: distinct rows in an order drawn once and for all, class after class.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.c45.pruning_levels import deal_folds
    >>> deal_folds(np.array([[5.0], [7.0], [5.0]]), np.array([0, 1, 0])).tolist()
    [0, 1, 0]
    """
    ranks = row_ranks(values)
    place = class_places(ranks, codes)[codes]
    n_rows = int(ranks.max(initial=-1)) + 1
    drawn = np.random.default_rng(0).permutation(n_rows)[ranks]
    _, which = np.unique(place * n_rows + drawn, return_inverse=True)
    return which.reshape(-1) % n_folds


def row_ranks(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Place of each row among the different ones, sorted by their numbers; missing ones are last.

    It does not depend on the order of the rows, nor on the units of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.tree.c45.pruning_levels import row_ranks
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


def _numbered(keys: NDArray[Any]) -> tuple[int, NDArray[np.intp]]:
    """How many different keys there are, and the place of each among them."""
    different, which = np.unique(keys, return_inverse=True)
    return len(different), which.reshape(-1)


def class_places(ranks: NDArray[np.intp], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Place of each class in an order by the rows that it has, whatever the classes are called."""
    n_classes = int(codes.max(initial=-1)) + 1
    held = [np.unique(ranks[codes == c]).astype(">i8").tobytes() for c in range(n_classes)]
    places = np.empty(n_classes, dtype=np.intp)
    places[sorted(range(n_classes), key=held.__getitem__)] = np.arange(n_classes)
    return places
