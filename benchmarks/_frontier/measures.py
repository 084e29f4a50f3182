"""What answers are worth: log loss, Brier score, area under the curve, calibration, errors.

Probabilities are those of ten folds put together: each row of a set is predicted once.

- log loss: the mean of -ln p of the true class, p at least 1e-6: who says 0 pays 13.8;
- Brier score: the mean of the sum of squared differences from 1 and 0, halved for two classes as
  is usual, and for more too;
- AUC: each class against the rest within each fold, averaged over the classes that a fold has;
- calibration error: rows in ten groups of about as many by what was said, for each class; the mean
  of the absolute difference between what was said and what was so, weighted by rows;
- error: share of rows whose class is not the one answered, in percent.
"""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks._frontier.data import Examples, folds_of
from benchmarks._frontier.methods import Answer

_LEAST, _GROUPS = 1e-6, 10


class Measures(NamedTuple):
    """Of one method on one set."""

    log_loss: float
    brier: float
    auc: float
    calibration: float
    error: float
    terms: float
    seconds: float


def measures(each: Examples, answers: list[Answer]) -> Measures:
    """What the answers to all folds of a set are worth."""
    p, codes = np.empty((len(each.y), each.n_classes)), np.empty(len(each.y), dtype=int)
    aucs = []
    for (_, _, unseen), answer in zip(folds_of(each), answers, strict=True):
        p[unseen], codes[unseen] = answer.probabilities, answer.codes
        aucs.append(_auc(each.y[unseen], answer.probabilities))
    true = np.eye(each.n_classes)[each.y]
    return Measures(
        log_loss=float(-np.mean(np.log(np.maximum(p[np.arange(len(p)), each.y], _LEAST)))),
        brier=float(np.mean(np.sum((p - true) ** 2, axis=1)) / 2),
        auc=float(np.mean(aucs)),
        calibration=float(np.mean([_calibration(p[:, c], true[:, c]) for c in range(p.shape[1])])),
        error=float(100 * np.mean(codes != each.y)),
        terms=float(np.mean([float(answer.terms) for answer in answers])),
        seconds=float(np.median([float(answer.seconds) for answer in answers])),
    )


def _auc(y: np.ndarray, p: np.ndarray) -> float:
    """Area of each class that some rows have and others do not, averaged."""
    classes = [c for c in range(p.shape[1]) if 0 < np.sum(y == c) < len(y)]
    return float(np.mean([roc_auc_score(y == c, p[:, c]) for c in classes]))


def _calibration(said: np.ndarray, so: np.ndarray) -> float:
    """Mean distance between what was said of groups of rows and what was so."""
    groups = np.array_split(np.argsort(said, kind="stable"), min(_GROUPS, len(said)))
    return float(sum(abs(said[g].sum() - so[g].sum()) for g in groups) / len(said))
