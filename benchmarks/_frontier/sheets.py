"""Score sheets of at most five terms and points, beside the plane and FasterRisk."""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks._frontier.answers import answers, are_kept
from benchmarks._frontier.data import examples, folds_of
from planetree import PlaneTreeClassifier

SETS = ("heart-cleveland", "wdbc", "pima", "credit-g", "hepatitis")


class Figures(NamedTuple):
    """Of one fold: log loss and AUC of plane and sheet, gap, seconds, programs, terms."""

    plane_loss: float
    plane_auc: float
    sheet_loss: float
    sheet_auc: float
    gap: float
    seconds: float
    terms: float


def one_decision(X, y) -> PlaneTreeClassifier:
    """A tree of one decision.

    Where no decision changes the likelier class, mistakes are given costs under which it does;
    probabilities do not depend on them.
    """
    odds = np.bincount(y) / np.bincount(y).min()
    by_odds = np.array([[0.0, odds[1]], [odds[0], 0.0]])
    for costs in (None, by_odds):
        for size in ("accurate", 0.2, 0.1):
            model = PlaneTreeClassifier(max_splits=1, size=size, costs=costs).fit(X, y)
            if model.n_terms_:
                return model
    raise ValueError("no decision pays at any price")


def figures(name: str) -> list[Figures]:
    """Figures of all folds of a set."""
    each, found = examples(name), []
    for _, learned, unseen in folds_of(each):
        model = one_decision(each.X.iloc[learned], each.y[learned])
        start = time.process_time()
        sheet = model.to_score_sheet()
        seconds = time.process_time() - start
        X, y = each.X.iloc[unseen], each.y[unseen]
        plane, whole = model.predict_proba(X)[:, 1], sheet.predict_proba(X)[:, 1]
        gap = np.nanmax([0.0, *(proof.gap for proof in sheet.certificates_)])
        terms = sum(len(each.questions) for each in sheet.sheets_)
        losses = (f(p) for p in (plane, whole) for f in _both(y))
        found.append(Figures(*losses, gap, seconds, terms))
    return found


def _both(y):
    return (lambda p: log_loss(y, p, labels=[0, 1])), (lambda p: roc_auc_score(y, p))


def risk(name: str) -> str:
    """Log loss and AUC of FasterRisk, if its answers are kept."""
    if not are_kept("FasterRisk", name):
        return "n/a"
    each = examples(name)
    pairs = zip(folds_of(each), answers("FasterRisk", name, each), strict=True)
    scores = []
    for (_, _, unseen), answer in pairs:
        p = np.clip(answer.probabilities[:, 1], 1e-15, 1 - 1e-15)
        scores.append([score(p) for score in _both(each.y[unseen])])
    return "{:.3f} / {:.3f}".format(*np.mean(scores, axis=0))


def section() -> list[str]:
    """The part of the page on score sheets."""
    warnings.filterwarnings("ignore")
    head = "| set: log loss / AUC | plane | score sheet | FasterRisk | questions | gap | s |"
    lines = ["## Score sheets", "", _WORDS, "", head, "|" + " --- |" * 7]
    means = []
    for name in SETS:
        folds = figures(name)
        gap = max(fold.gap for fold in folds)
        means.append(Figures(*np.mean(folds, axis=0))._replace(gap=gap))
        lines.append(_line(name, means[-1], risk(name)))
    mean = Figures(*np.mean(means, axis=0))._replace(gap=max(each.gap for each in means))
    return [*lines, _line("mean", mean, "")]


def _line(name: str, mean: Figures, peer: str) -> str:
    plane = f"{mean.plane_loss:.3f} / {mean.plane_auc:.3f}"
    sheet = f"{mean.sheet_loss:.3f} / {mean.sheet_auc:.3f}"
    cells = [
        name,
        plane,
        sheet,
        peer,
        f"{mean.terms:.1f}",
        f"{mean.gap:.0e}",
        f"{mean.seconds:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


_WORDS = """Trees of one decision of at most five terms, and the sheets of at most five points a
question that they become. The gap is the largest of ten folds: how much better other points or
steps of the grid could be, proved in exact arithmetic. FasterRisk has five terms of at most five
points."""
