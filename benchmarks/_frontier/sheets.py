"""Score sheets of five terms and points, beside the plane, plain rounding and FasterRisk."""

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks._frontier.answers import answers, are_kept, digest
from benchmarks._frontier.data import examples
from benchmarks._frontier.kept import kept
from planetree import PlaneTreeClassifier
from planetree.arrays import encode
from planetree.planes import Planes
from planetree.table import Table

_POINTS = 5
_KEY = "score sheets"
SETS = ("heart-cleveland", "wdbc", "pima", "credit-g", "hepatitis")


class Figures(NamedTuple):
    """Of one fold: log loss and AUC of plane, sheet, rounding, FasterRisk; sizes of the sheet."""

    plane_loss: float
    plane_auc: float
    sheet_loss: float
    sheet_auc: float
    rounded_loss: float
    rounded_auc: float
    risk_loss: float
    risk_auc: float
    terms: float
    gap: float
    seconds: float


def one_decision(X, y) -> PlaneTreeClassifier:
    """A tree of one decision.

    Where no decision changes the likelier class, mistakes are given costs under which it does;
    probabilities do not depend on them.
    """
    odds = np.bincount(y) / np.bincount(y).min()
    by_odds = np.array([[0.0, odds[1]], [odds[0], 0.0]])
    for costs in (None, by_odds):
        for size in ("accurate", 0.2, 0.1):
            model = PlaneTreeClassifier(
                max_splits=1, max_features_per_split=_POINTS, size=size, costs=costs
            ).fit(X, y)
            if model.n_terms_:
                return model
    raise ValueError("no decision pays at any price")


def figures(name: str) -> list[Figures]:
    """Figures of all folds of a set."""
    each, found = examples("development", name), []
    nothing = np.full(len(each.y), np.nan)
    peer = are_kept("FasterRisk", "development", name) and answers("FasterRisk", each)
    for number, learned, unseen in each.folds():
        model = one_decision(each.X.iloc[learned], each.y[learned])
        start = time.process_time()
        sheet = model.to_score_sheet()
        seconds = time.process_time() - start
        X, y = each.X.iloc[unseen], each.y[unseen]
        plane, whole = model.predict_proba(X)[:, 1], sheet.predict_proba(X)[:, 1]
        rounded = plainly_rounded(model, each.X.iloc[learned], each.y[learned], X)
        gap = np.nanmax([0.0, *(proof.gap for proof in sheet.certificates_)])
        terms = sum(len(each.questions) for each in sheet.sheets_)
        risk = peer[number].probabilities[:, 1] if peer else nothing[unseen]
        losses = (f(p) for p in (plane, whole, rounded, risk) for f in _both(y))
        found.append(Figures(*losses, terms, gap, seconds))
    return found


def plainly_rounded(model, X, y, unseen) -> np.ndarray:
    """Probabilities of a plane whose weights a deviation are rounded to -5..5, with no search.

    The largest becomes five points; logistic regression turns the sum of points into a probability.
    A division of categories has no weights, and stays as it is.
    """
    plane = next((split for split in model.tree_.splits if isinstance(split, Planes)), None)
    if plane is None:
        return model.predict_proba(unseen)[:, 1]
    rows, others = (
        encode(Table.read(each, model.columns_).values, plane.columns, plane.categories)
        for each in (X, unseen)
    )
    middle, spread = np.nanmedian(rows, axis=0), np.nanstd(rows, axis=0)
    points = plane.weights[-1] * spread
    points = np.round(_POINTS * points / np.abs(points).max()) / np.where(spread > 0, spread, 1.0)
    sums, others = (np.where(np.isnan(t), middle, t) @ points[:, None] for t in (rows, others))
    curve = LogisticRegression(C=np.inf).fit(sums, y)
    return curve.predict_proba(others)[:, 1]


def _both(y):
    scores = (lambda p: log_loss(y, p, labels=[0, 1])), (lambda p: roc_auc_score(y, p))
    return tuple(
        lambda p, score=score: np.nan if np.isnan(p).any() else score(p) for score in scores
    )


def sheet_figures() -> dict[tuple, list]:
    """Mean figures of each set, and the largest gap."""
    warnings.filterwarnings("ignore")
    return {(_KEY, "development", name): [digest(), list(_mean(figures(name)))] for name in SETS}


def _mean(rows: list[Figures]) -> Figures:
    return Figures(*np.mean(rows, axis=0))._replace(gap=max(row.gap for row in rows))


def section() -> list[str]:
    """The part of the page on score sheets."""
    names = ("plane", "score sheet", "plain rounding", "FasterRisk", "questions", "gap", "s")
    lines = ["## Score sheets", "", _WORDS, ""]
    lines += [f"| set: log loss / AUC | {' | '.join(names)} |", "|" + " --- |" * 8]
    found = {name: kept(_KEY, "development", name) for name in SETS}
    means = {name: Figures(*each[1]) for name, each in found.items() if each is not None}
    if means:
        means["mean"] = _mean(list(means.values()))
    return [*lines, *(_line(name, mean) for name, mean in means.items())]


def _line(name: str, mean: Figures) -> str:
    pairs = zip(mean[:8:2], mean[1:8:2], strict=True)
    cells = ["n/a" if np.isnan(loss) else f"{loss:.3f} / {auc:.3f}" for loss, auc in pairs]
    cells += [f"{mean.terms:.1f}", f"{mean.gap:.0e}", f"{mean.seconds:.2f}"]
    return f"| {name} | {' | '.join(cells)} |"


_WORDS = """Trees of one decision of at most five terms, and the sheets of at most five points a
question that they become. The gap is the largest of ten folds: how much better other points or
steps of the grid could be, proved in exact arithmetic. Plain rounding takes the weights of the same
plane a standard deviation, the largest as five points, and rounds: its steps are deviations, which
nobody counts at a bedside. FasterRisk has five terms of at most five points."""
