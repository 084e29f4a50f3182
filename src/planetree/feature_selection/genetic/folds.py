"""Which fold leaves each training row out, for the cross-validation that evaluates a subset."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from planetree.arrays import Indices, Mask
from planetree.table import Training
from planetree.tree.c45.pruning_levels import deal_folds

__all__ = ["read_folds"]


def read_folds(cv: Any, training: Training, classes: NDArray[Any]) -> Indices:
    """The fold of each training row: dealt out within classes for a number, else by a splitter.

    A splitter divides the rows as they were given to `fit`, those of weight 0 included.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from planetree.feature_selection.genetic.folds import read_folds
    >>> from planetree.table import Table, Training
    >>> table = Table.read([[1.0], [2.0], [3.0], [4.0]])
    >>> training = Training(table, np.zeros(4, int), np.ones(4), np.ones(4, bool))
    >>> read_folds(KFold(2), training, np.array(["one class"]))
    array([0, 0, 1, 1])
    """
    values, codes = training.table.values, training.codes
    if isinstance(cv, Integral):
        folds = deal_folds(values, codes, int(cv))
        _warn_of_small_classes(classes, np.bincount(codes, training.weights), int(cv))
    else:
        folds = _split(cv, codes, training.counted)
    if folds.max(initial=0) == 0:
        raise ValueError(
            "GeneticSelector evaluates subsets by cross-validation, which needs two different "
            f"rows, but X has n_samples={len(codes)} of one kind."
        )
    return folds


def _split(cv: Any, codes: Indices, counted: Mask) -> Indices:
    """The fold of each counted row where a splitter makes them; each must be left out once."""
    rows, n_rows = np.flatnonzero(counted), len(counted)
    every, n_times = np.zeros((2, n_rows), dtype=np.intp)
    labels = np.zeros(n_rows, dtype=np.intp)
    labels[rows] = codes
    splits = check_cv(cv, labels, classifier=True).split(np.zeros((n_rows, 1)), labels)
    for fold, (_, out) in enumerate(splits):
        every[out] = fold
        n_times[out] += 1
    folds, n_times = np.unique(every[rows], return_inverse=True)[1], n_times[rows]
    if (n_times != 1).any():
        row = int((n_times != 1).argmax())
        raise ValueError(
            f"cv leaves row {rows[row]} out {n_times[row]} times. GeneticSelector needs folds that "
            "leave each row out once: give cv a number of folds, or for instance StratifiedKFold."
        )
    return folds.reshape(-1)


def _warn_of_small_classes(classes: NDArray[Any], counts: NDArray[Any], n_folds: int) -> None:
    """Warn of classes that some folds will not hold."""
    small = [f"{c} ({n:g})" for c, n in zip(classes, counts, strict=True) if n < n_folds]
    if small:
        warnings.warn(
            f"Classes with fewer rows than the {n_folds} folds of cv: {', '.join(small[:5])}. "
            "Accuracy on such classes is guesswork: lower cv, join them to others, or leave their "
            "rows out.",
            UserWarning,
            stacklevel=6,
        )
