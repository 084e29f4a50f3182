"""A readable tree in every size of its path, each with its error on rows that it has not seen.

Each fold is fitted once: the tree of at most n terms is a member of the path of its own fit
(`PlaneTreeClassifier.select`), so the whole curve costs as much as one cross-validation. The tree
that `fit` keeps need not be on the path; its figures are those of `validate`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import Validation, ValidationFolds, fit_fold, gathered, outcome


def path_sizes(model: Any) -> list[int]:
    """Numbers of terms of the trees of a path, smallest first."""
    return sorted({step.n_terms for step in model.path_})


def of_size(model: Any, n_terms: int | None) -> Any:
    """The tree of a path with at most so many terms; None is the tree that was kept.

    Examples
    --------
    >>> from planetree import PlaneTreeClassifier
    >>> from planetree.evaluation.sizes import of_size
    >>> X = [[float(i)] for i in range(40)]
    >>> model = PlaneTreeClassifier().fit(X, [0] * 20 + [1] * 20)
    >>> of_size(model, 0).n_leaves_, of_size(model, None).n_leaves_
    (1, 2)
    """
    return model if n_terms is None else model.select(n_terms)


def validate_sizes(
    estimator: Any,
    data: TrainingTable,
    folds: ValidationFolds,
    sizes: Sequence[int | None],
    *,
    until: float = float("inf"),
    tick: Callable[[], None] = lambda: None,
) -> list[Validation]:
    """What each size is worth on folds that were left out; None is the tree that `fit` keeps.

    Parameters
    ----------
    estimator : PlaneTreeClassifier
    data : TrainingTable
    folds : ValidationFolds
    sizes : sequence of int or None
        Most terms of each tree.
    until : float
        Time of `time.monotonic` after which no fold is begun.
    tick : callable
        Told of each fold that is done.
    """
    done = []
    for fold in folds.used:
        fitted = fit_fold(estimator, data, folds, fold)
        done.append([outcome(of_size(fitted.model, n), data, fitted) for n in sizes])
        tick()
        if time.monotonic() > until:
            break
    return [gathered(data, [each[i] for each in done]) for i in range(len(sizes))]
