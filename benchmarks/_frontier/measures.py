"""What answers are worth: log loss, Brier score, area under the curve, calibration, errors.

Probabilities are those of all folds put together: each row of a set is predicted once.

- log loss and Brier score are scikit-learn's `log_loss` and `brier_score_loss` as they come, for
  every method: a probability of 0 is clipped to 2.2e-16, so who says 0 of what was so pays 36; the
  Brier score is halved for two classes, and not for more;
- AUC: each class against the rest within each fold, averaged over the classes that a fold has;
- calibration error: rows in ten groups of about as many by what was said, for each class; the mean
  of the absolute difference between what was said and what was so, weighted by rows;
- error: share of rows whose class is not the one answered, in percent, and its standard error.
"""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from benchmarks._frontier.data import Examples
from benchmarks._frontier.methods import Answer

_GROUPS = 10


class Measures(NamedTuple):
    """Of one method on one set."""

    log_loss: float
    brier: float
    auc: float
    calibration: float
    error: float
    terms: float
    seconds: float
    standard_error: float


def measures(each: Examples, answers: list[Answer]) -> Measures:
    """What the answers to all folds of a set are worth."""
    p, codes = np.empty((len(each.y), each.n_classes)), np.empty(len(each.y), dtype=int)
    aucs, errors = [], []
    for (_, _, unseen), answer in zip(each.folds(), answers, strict=True):
        p[unseen], codes[unseen] = answer.probabilities, answer.codes
        aucs.append(_auc(each.y[unseen], answer.probabilities))
        errors.append(100 * np.mean(answer.codes != each.y[unseen]))
    p /= p.sum(axis=1, keepdims=True)  # a CSV file rounds them
    true, labels = np.eye(each.n_classes)[each.y], np.arange(each.n_classes)
    said = p if each.n_classes > 2 else p[:, 1]
    return Measures(
        log_loss=float(log_loss(each.y, p, labels=labels)),
        brier=float(brier_score_loss(each.y, said, labels=labels)),
        auc=float(np.mean(aucs)),
        calibration=float(np.mean([_calibration(p[:, c], true[:, c]) for c in labels])),
        error=float(100 * np.mean(codes != each.y)),
        terms=float(np.mean([float(answer.terms) for answer in answers])),
        seconds=float(np.median([float(answer.seconds) for answer in answers])),
        standard_error=float(np.std(errors, ddof=1) / np.sqrt(len(errors))),
    )


def _auc(y: np.ndarray, p: np.ndarray) -> float:
    """Area of each class that some rows have and others do not, averaged."""
    classes = [c for c in range(p.shape[1]) if 0 < np.sum(y == c) < len(y)]
    return float(np.mean([roc_auc_score(y == c, p[:, c]) for c in classes]))


def _calibration(said: np.ndarray, so: np.ndarray) -> float:
    """Mean distance between what was said of groups of rows and what was so."""
    groups = np.array_split(np.argsort(said, kind="stable"), min(_GROUPS, len(said)))
    return float(sum(abs(said[g].sum() - so[g].sum()) for g in groups) / len(said))
