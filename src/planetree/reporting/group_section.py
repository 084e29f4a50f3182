"""Errors by group: a table with a line for each value of a column that the reader chose."""

from __future__ import annotations

import numpy as np

from planetree.arrays import Indices
from planetree.evaluation.groups import Groups, group_figures
from planetree.reporting.html import DASH, Markup, section, table, tag


def group_section(
    classes: list[str], codes: Indices, answers: Indices, groups: Groups | None, rows: str
) -> Markup | str:
    """Rows, error and recall of each class in each group; nothing without groups.

    Parameters
    ----------
    classes : list of str
    codes, answers : array of shape (n_rows,)
        Code of the class of each row, and of the one that is predicted.
    groups : Groups or None
    rows : str
        What rows these are.
    """
    if groups is None:
        return ""
    found = group_figures(codes, answers, np.arange(len(classes)), groups)
    head = ["group", "rows", "error", "95% interval", *(f"recall of {name}" for name in classes)]
    lines = [
        [
            tag("bdi", each.name),
            f"{each.n_rows:,}",
            _percent(each.error),
            DASH
            if each.interval is None
            else f"{100 * each.interval[0]:.1f} to {_percent(each.interval[1])}",
            *map(_percent, each.recall),
        ]
        for each in found
    ]
    return section(
        "groups",
        f"Errors by {groups.column}",
        table(head, lines),
        lead=f"Counted on {rows}. Recall is the share of a class that the model finds. Where the "
        "intervals of two groups overlap widely, they may differ by chance.",
    )


def _percent(share: float | None) -> str:
    return DASH if share is None else f"{100 * share:.1f}%"
