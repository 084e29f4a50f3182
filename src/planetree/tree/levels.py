"""The pruning level by cross-validation (Cherkauer & Shavlik 1996, Experimental Methodology).

Among the confidences 5 %, 15 %, ..., 95 % the one whose trees make the fewest errors on the rows
left out; the smallest, which prunes most, of equals. Folds are dealt out within classes. Equal rows
of a class share a fold, so a row of weight k still counts as k rows, and their order does not
matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planetree.tree.clock import UNLIMITED, Clock
from planetree.tree.prepared import Growth, PreparedTable

__all__ = ["CONFIDENCES", "DEFAULT", "choose_confidence", "deal_folds"]

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
    >>> from planetree.tree.levels import deal_folds
    >>> deal_folds(np.array([[5.0], [7.0], [5.0]]), np.array([0, 1, 0])).tolist()
    [0, 1, 0]
    """
    cells = np.where(np.isnan(values), -np.inf, values)
    keyed = np.column_stack([codes, cells]) + 0.0
    rows, which = np.unique(keyed, axis=0, return_inverse=True)
    drawn = np.random.default_rng(0).permutation(len(rows))
    order = np.lexsort((drawn, rows[:, 0]))
    fold = np.empty(len(rows), dtype=np.intp)
    fold[order] = np.arange(len(rows)) % n_folds
    return fold[which.reshape(-1)]
