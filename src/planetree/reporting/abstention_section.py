"""Rows for a person: what is left, and how good the answers are, if unsure rows are not answered.

A row is for a person where the expected error of its answer, 1 minus the probability of its class,
exceeds a limit, or where a number that the tree reads is outside the range of the training rows
(`predict_or_ask`).
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Mask
from planetree.reporting.html import DASH, Markup, section, table
from planetree.reporting.probabilities import RowProbabilities
from planetree.tree.classifier import least_cost
from planetree.tree.inspection.abstention import is_outside
from planetree.tree.inspection.rows_in_tree import RowsInTree

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
