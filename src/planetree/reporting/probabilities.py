"""What probabilities are worth: calibration, and the order of the classes (ROC, precision-recall).

A model is calibrated if of the rows to which it gives a probability p of a class, a share p is of
that class. For two classes the probability is that of the second; for more, that of the likeliest
class. Which rows make a point is said in `planetree.statistics`.

They are judged on rows that the model has not seen wherever there are such: by the probabilities
that cross-validation gave, if the report has them. Otherwise they are those of the rows shown, and
where these are the rows of training, the page says so: the weight of each class at each node of a
tree is then that of its training.

For two classes there is one curve, of the second class; for more, one for each class against all
others.

What a threshold would cost, for two classes, with a slider: a row counts as the second class from a
probability t on. Of P rows of that class and N others, F(t) are found and A(t) are false alarms.
With a cost m of a missed row and a of a false alarm, a row costs

    (m (P - F(t)) + a A(t)) / (P + N)

on average. F and A are counted at t = 0%, 1%, ..., 100%.

A row is for a person where the expected error of its answer, 1 minus the probability of its class,
exceeds a limit, or where a number that the tree reads is outside the range of the training rows
(`predict_or_ask`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from planetree.arrays import Floats, Indices, Mask
from planetree.evaluation.figures import ShareFigures, share_figures
from planetree.reporting.charts import PERCENT, Frame
from planetree.reporting.html import DASH, Markup, dot, section, table, tag
from planetree.statistics import CalibrationPoint, class_calibration, wilson_interval
from planetree.tree.classifier import least_cost
from planetree.tree.inspection.abstention import is_outside
from planetree.tree.inspection.rows_in_tree import RowsInTree


class RowProbabilities(NamedTuple):
    """Probabilities of rows with known classes, what rows these are, and which of those shown."""

    shares: Floats
    codes: Indices
    rows: str
    known: Any = slice(None)

    @property
    def worth(self) -> ShareFigures:
        """What the probabilities are worth, as the command counts it."""
        return share_figures(self.codes, self.shares, np.arange(self.shares.shape[1]))


def row_probabilities(shown: RowsInTree, unseen: Floats | None) -> RowProbabilities | None:
    """Probabilities to judge a model by; None if it gives none.

    Parameters
    ----------
    shown : RowsInTree
    unseen : array of shape (n_rows, n_classes), optional
        Probabilities of the rows from models that had not seen them; NaN in rows without.
    """
    if unseen is not None:
        known = ~np.isnan(unseen).any(axis=1)
        n = int(known.sum())
        rows = f"{n} rows, each predicted by a model trained on other rows (cross-validation)"
        return RowProbabilities(unseen[known], shown.codes[known], rows, known)
    if not shown.gives_shares:
        return None
    n, trained = len(shown.rows), _are_training_rows(shown)
    rows = (
        f"the {n} training rows; expect worse on new rows"
        if trained
        else f"the {n} rows of this report"
    )
    known = np.ones(n, dtype=bool)
    return RowProbabilities(shown.model.predict_proba(shown.table), shown.codes, rows, known)


def _are_training_rows(shown: RowsInTree) -> bool:
    """Whether each node holds just the weight of each class that it held in training."""
    trained = shown.tree.class_weights
    return bool(trained[0].any() and np.allclose(shown.counts, trained, atol=1e-6))


def _calibration(given: RowProbabilities) -> tuple[list[CalibrationPoint], float, float]:
    """Points, Brier score, and how far probabilities are from what is so on average."""
    points = class_calibration(given.shares, given.codes)
    apart = sum(abs(point.predicted * point.n_rows - point.n_right) for point in points)
    return points, given.worth.brier, apart / len(given.codes)


def calibration_section(classes: list[str], given: RowProbabilities | None) -> Markup:
    """Whether probabilities are worth what they say."""
    if given is None:
        lead = (
            "This model predicts classes without probabilities, so there is nothing to calibrate."
        )
        return section("calibration", "Calibration", lead=lead)
    (points, brier, error), two = _calibration(given), len(classes) == 2
    counted = classes[1] if two else "right answers"
    lead = (
        f"Measured on {given.rows}. Each point groups rows with similar probabilities; its height "
        f"is the share of {counted}, with a 95% interval. On the diagonal the two agree; the "
        f"average difference is {100 * error:.1f} points. "
        f"Log loss {given.worth.log_loss:.3f}, Brier score {brier:.3f} (0 is perfect)."
    )
    frame = Frame()
    most = max(point.n_rows for point in points)
    chart = frame.chart(
        "Calibration: predicted probability against observed share",
        f"probability of {counted}" if two else "probability of the likeliest class",
        f"share of {counted}",
        frame.grid(PERCENT),
        frame.line((0, 0), (1, 1), "diagonal"),
        *(_point_mark(frame, point, most) for point in points),
    )
    return section("calibration", "Calibration", chart, lead=lead)


def _point_mark(frame: Frame, point: CalibrationPoint, most: int) -> Markup:
    """A point, as large as it has rows, with its interval and a title that says all."""
    share = point.n_right / point.n_rows
    low, high = wilson_interval(share, point.n_rows)
    seen = f"observed {point.n_right} ({100 * share:.1f}%)"
    said = f"{point.n_rows} rows, predicted {point.predicted:.3g}: {seen}"
    radius = 3.0 + 6.0 * (point.n_rows / most) ** 0.5
    return tag(
        "g",
        tag("title", said),
        frame.line((point.predicted, low), (point.predicted, high), "interval"),
        tag("circle", cx=frame.x(point.predicted), cy=frame.y(share), r=radius),
        class_="point",
    )


def ranking_sections(shown: RowsInTree, given: RowProbabilities | None) -> Markup | str:
    """ROC and precision-recall, side by side; nothing where no class can be ranked."""
    if given is None:
        return ""
    of = range(1, 2) if given.shares.shape[1] == 2 else range(given.shares.shape[1])
    classes = [code for code in of if 0 < np.mean(given.codes == code) < 1]
    if not classes:
        return ""
    parts = (_ranking_section(shown, given, classes, name) for name in _RANKINGS)
    return tag("div", *parts, class_="pair")


def _roc(is_class: Mask, shares: Floats) -> tuple[Floats, Floats, str]:
    """How many of a class are found for each share of false alarms."""
    x, y, _ = roc_curve(is_class, shares)
    return x, y, f"AUC {roc_auc_score(is_class, shares):.3f}"


def _precision(is_class: Mask, shares: Floats) -> tuple[Floats, Floats, str]:
    """How often the answer is right, for each share of a class that is found."""
    precision, recall, _ = precision_recall_curve(is_class, shares, drop_intermediate=True)
    found = f"average precision {average_precision_score(is_class, shares):.3f}"
    return recall, precision, f"{found}, {100 * is_class.mean():.1f}% by chance"


def _ranking_section(
    shown: RowsInTree, given: RowProbabilities, classes: list[int], name: str
) -> Markup:
    """The curves of classes, and a key that says what each is worth."""
    frame, curves, lines = Frame(), list[Markup](), list[Markup]()
    heading, lead, axes, curve = _RANKINGS[name]
    if name == "roc":
        curves.append(frame.line((0, 0), (1, 1), "diagonal"))
    for code in classes:
        x, y, worth = curve(given.codes == code, given.shares[:, code])
        curves.append(frame.path(x, y, code))
        lines.append(tag("li", dot(code), tag("bdi", shown.classes[code]), f": {worth}"))
    chart = frame.chart(heading, *axes, frame.grid(PERCENT), *curves)
    key = tag("ul", *lines, class_="key")
    return section(name, heading, chart, key, lead=f"Measured on {given.rows}. {lead}")


_RANKINGS = {
    "roc": (
        "ROC curve",
        "Rows are ranked by their probability of the class. The area under the curve (AUC) is how "
        "often a row of the class ranks above a row of another class. The diagonal is chance: 0.5.",
        ("false positive rate", "true positive rate (recall)"),
        _roc,
    ),
    "precision": (
        "Precision and recall",
        "Finding more of a class costs precision: more rows of other classes come along.",
        ("recall: share of the class that is found", "precision"),
        _precision,
    ),
}


_LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)


def abstention_section(shown: RowsInTree, given: RowProbabilities | None) -> Markup | str:
    """A line for each limit; nothing where the model cannot leave rows to a person."""
    if given is None or not hasattr(shown.model, "predict_or_ask"):
        return ""
    if not hasattr(shown.model, "ranges_"):
        return ""
    answers = least_cost(given.shares, shown.fitted.costs, shown.fitted.order)
    doubt = 1.0 - given.shares[np.arange(len(answers)), answers]
    outside = is_outside(shown.model, shown.rows[given.known])
    wrong = answers != given.codes
    lines = [_line(limit, outside | (doubt > limit), wrong) for limit in _LIMITS]
    head = ["largest expected error", "rows for a person", "share", "error on the other rows"]
    return section(
        "ask",
        "Rows for a person",
        table(head, lines),
        lead=f"Counted on {given.rows}. A row is for a person if its expected error exceeds the "
        "limit, or a number that the tree reads is outside the training range: "
        "predict_or_ask(X, max_expected_error=...).",
    )


def _line(limit: float, asked: Mask, wrong: Mask) -> list[str]:
    left = ~asked
    error = f"{100 * wrong[left].mean():.1f}%" if left.any() else DASH
    share = f"{100 * asked.mean():.1f}%"
    return [f"{100 * limit:.0f}%", f"{int(asked.sum()):,}", share, error]


_STEPS = np.arange(101) / 100


def threshold_counts(given: RowProbabilities | None) -> dict[str, Any] | None:
    """Rows found and false alarms at each threshold; None unless there are two classes of rows."""
    if given is None or given.shares.shape[1] != 2 or len(np.unique(given.codes)) != 2:
        return None
    shares, is_class = given.shares[:, 1], given.codes == 1
    return {
        "found": _at_least(shares[is_class]),
        "alarms": _at_least(shares[~is_class]),
        "positive": int(is_class.sum()),
        "negative": int((~is_class).sum()),
    }


def _at_least(shares: Floats) -> list[int]:
    """How many shares reach each threshold."""
    return (len(shares) - np.searchsorted(np.sort(shares), _STEPS, side="left")).tolist()


def threshold_section(
    classes: list[str], given: RowProbabilities | None, costs: Floats
) -> Markup | str:
    """A slider for the threshold and fields for the costs, which the script fills."""
    if given is None or threshold_counts(given) is None:
        return ""
    other, name = (tag("bdi", each) for each in classes)
    start = round(100 * costs[0, 1] / (costs[0, 1] + costs[1, 0]))
    lines = [
        [["threshold"], "said-at"],
        [[name, " found (recall)"], "said-found"],
        [[name, " missed"], "said-missed"],
        [[other, " taken for ", name, " (false alarms)"], "said-alarms"],
        [["precision of ", name], "said-precision"],
        [["cost"], "said-cost"],
        [["cheapest threshold"], "said-best"],
    ]
    slider = tag(
        "input", type="range", id="threshold-at", min=0, max=100, value=start,
        aria_label="Threshold in percent",
    )  # fmt: skip
    controls = tag(
        "div",
        tag("label", "Predict ", name, " from this probability on", for_="threshold-at"),
        slider,
        _cost_field("cost-miss", ("Cost of missing a ", name), costs[1, 0]),
        _cost_field("cost-alarm", ("Cost of a false alarm",), costs[0, 1]),
        tag("button", "Use the cheapest threshold", id="to-best", type="button"),
    )
    facts = table(
        ["at this threshold", ""],
        [[tag("span", *what), tag("span", id=key)] for what, key in lines],
    )
    inner = section(
        "threshold",
        "Threshold and costs",
        tag("div", controls, facts, class_="threshold-bench"),
        lead=f"Move the threshold, or say what mistakes cost. Counted on {given.rows}.",
    )
    return tag("div", inner, class_="live-only")


def _cost_field(name: str, label: tuple[Any, ...], value: float) -> Markup:
    field = tag("input", type="number", id=name, min=0, step="any", value=f"{value:g}")
    return tag("div", tag("label", *label, for_=name), field, class_="field")
