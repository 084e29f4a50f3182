"""How good answers are on rows that no model has learned from: scikit-learn's figures, each named.

- error: share of the weight of the rows whose answer is wrong;
- recall and precision of each class: the share of its rows that are found, and the share of the
  answers that are right;
- AUC: of two classes; else the mean over the classes of each against the others;
- average precision: of the rarer of two classes; else the mean over the classes;
- log loss: with the probability of the class that a row has;
- Brier score: of two classes the mean of (p - 1 or 0)^2; else the sum of it over the classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats
from planetree.statistics import brier_score, wilson_interval


class Figures(NamedTuple):
    """What answers to rows are worth.

    Parameters
    ----------
    error : float
    interval : pair of floats
        Wilson's, of 95%.
    n_rows : int
    classes : tuple of str
    recall, precision : tuple of float or None
        Of each class; None of a class with no such row or answer.
    auc, average_precision, log_loss, brier : float or None
        None of models without probabilities, and where scikit-learn defines none.
    """

    error: float
    interval: tuple[float, float]
    n_rows: int
    classes: tuple[str, ...]
    recall: tuple[float | None, ...]
    precision: tuple[float | None, ...]
    auc: float | None = None
    average_precision: float | None = None
    log_loss: float | None = None
    brier: float | None = None

    def metric(self, name: str) -> float | None:
        """The figure of a name in `METRICS`; recall and precision as the mean over the classes.

        As in scikit-learn's macro average, a class with no such row or answer counts as 0.
        """
        found = getattr(self, name.replace("-", "_"))
        if not isinstance(found, tuple):
            return None if found is None else float(found)
        return sum(each or 0.0 for each in found) / len(found)

    def to_data(self) -> dict[str, Any]:
        """The same as JSON knows it."""
        said = self._asdict()
        return {key: list(each) if isinstance(each, tuple) else each for key, each in said.items()}


def figures_of(
    labels: NDArray[Any],
    answers: NDArray[Any],
    classes: NDArray[Any],
    shares: Floats | None = None,
    weights: Floats | None = None,
) -> Figures:
    """Figures of the answers to some rows.

    Parameters
    ----------
    labels, answers : array of shape (n_rows,)
    classes : array of shape (n_classes,)
    shares : array of shape (n_rows, n_classes), optional
        Probability of each class.
    weights : array of shape (n_rows,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.evaluation.figures import figures_of
    >>> rare = np.array(["ill"] + ["well"] * 9)
    >>> found = figures_of(rare, np.array(["well"] * 10), np.unique(rare))
    >>> found.error, found.recall, found.precision
    (0.1, (0.0, 1.0), (None, 0.9))
    """
    from sklearn.metrics import precision_recall_fscore_support

    w = np.ones(len(labels)) if weights is None else weights
    error = float(w @ (labels != answers) / w.sum())
    per_class = precision_recall_fscore_support(
        labels, answers, labels=classes, sample_weight=weights, zero_division=np.nan
    )
    precision, recall = (tuple(None if x != x else float(x) for x in p) for p in per_class[:2])
    return Figures(
        error,
        wilson_interval(error, float(w.sum() ** 2 / (w @ w))),
        len(labels),
        tuple(map(str, classes.tolist())),
        recall,
        precision,
        *(() if shares is None else share_figures(labels, shares, classes, weights)),
    )


class ShareFigures(NamedTuple):
    """What probabilities are worth; AUC and average precision need rows of each class."""

    auc: float | None
    average_precision: float | None
    log_loss: float
    brier: float


def share_figures(
    y: NDArray[Any], p: Floats, classes: NDArray[Any], w: Floats | None = None
) -> ShareFigures:
    """AUC, average precision, log loss and Brier score of probabilities, as scikit-learn has them.

    AUC is that of the second of two classes; of more, the mean of each against the others.
    """
    from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

    is_so = (y[:, None] == classes).astype(np.int64)
    loss = float(log_loss(y, p, labels=classes, sample_weight=w))
    brier = brier_score(p, is_so.argmax(axis=1), w)
    if len(classes) < 2 or not is_so.any(axis=0).all():
        return ShareFigures(None, None, loss, brier)
    if len(classes) == 2:
        rare = int(is_so.mean(axis=0).argmin())
        auc = roc_auc_score(is_so[:, 1], p[:, 1], sample_weight=w)
        mean = average_precision_score(is_so[:, rare], p[:, rare], sample_weight=w)
    else:
        auc = roc_auc_score(y, p, multi_class="ovr", labels=classes, sample_weight=w)
        mean = average_precision_score(is_so, p, average="macro", sample_weight=w)
    return ShareFigures(float(auc), float(mean), loss, brier)
