"""What a threshold on the probability would cost: for two classes, with a slider.

A row counts as the second class from a probability t on. Of P rows of that class and N others,
F(t) are found and A(t) are false alarms. With a cost m of a missed row and a of a false alarm, a
row costs

    (m (P - F(t)) + a A(t)) / (P + N)

on average. F and A are counted at t = 0%, 1%, ..., 100%.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats
from planetree.reporting.html import Markup, section, table, tag
from planetree.reporting.probabilities import RowProbabilities

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
