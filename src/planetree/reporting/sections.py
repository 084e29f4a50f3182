"""The parts of the page that are read rather than played with: each a function to HTML.

How sure a decision is, is a curve below its rows: the probabilities of a row that comes there, by
the shares with which it takes the ways. The gray zone is where a way's share is from 10% to 90%.

The fingerprint is SHA-256 over the names and categories of the columns, the cells as float64 and
the classes, row by row: any change of a name, a cell, a label or of the order of rows changes it,
and the kind of frame that held them does not.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from planetree.arrays import Indices
from planetree.environment import version_of
from planetree.evaluation.groups import Groups, group_figures
from planetree.parameters import listed
from planetree.planes import Planes
from planetree.reporting.charts import Frame
from planetree.reporting.html import (
    DASH,
    MAX_LISTED,
    Markup,
    cut_note,
    dot,
    figure,
    raw,
    section,
    table,
    tag,
)
from planetree.separators.base import missing_line
from planetree.table import Table, fingerprint
from planetree.tree.inspection.rows_in_tree import RowsInTree
from planetree.words import Words, typeset

_MOST = 24  # decisions whose curves are drawn: the first ones, as many as a page holds
_STEPS = 121  # places of a curve
_PACKAGES = ("planetree", "numpy", "scipy", "scikit-learn", "highspy", "narwhals")
_MOVED = (
    " Grading then moves each threshold to where both branches are equally likely; value and gap "
    "are those of the decision that predicts."
)
_VERDICTS = {
    "optimal": "proved optimal; no decision of its kind is better",
    "time_limit": "the best found within the time limit",
    "inaccurate": "the best found; the bound leaves room for a better one",
    "feasible": "the best found; a better one may exist",
    "tolerance": "stopped at the requested tolerance",
    "early_stopping": "stopped early on the tuning rows, as requested",
    "rounded": "the best of its kind, with its weights rounded or its threshold moved",
    "stationary": "no step improves it; a better one may exist elsewhere",
}


def confusion_section(shown: RowsInTree, counts: Indices) -> Markup:
    """Which class is taken for which."""
    right, per_class, per_answer = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    head = [
        "actual class",
        *(raw("predicted ", tag("b", tag("bdi", name))) for name in shown.classes),
        "recall",
    ]
    rows: list[list[Any]] = []
    for code, name in enumerate(shown.classes):
        share = counts[code] / max(1, per_class[code])
        cells = [
            tag(
                "span",
                int(n),
                class_="cell right" if code == other else "cell",
                style=f"--share:{s:.3f}",
            )
            for other, (n, s) in enumerate(zip(counts[code], share, strict=True))
        ]
        rows.append(
            [raw(dot(code), tag("bdi", name)), *cells, _ratio(right[code], per_class[code])]
        )
    rows.append(["precision", *(_ratio(*pair) for pair in zip(right, per_answer, strict=True)), ""])
    return section(
        "confusion",
        "Confusion matrix",
        table(head, rows, class_="confusion"),
        lead=f"The {len(shown.rows)} rows of this report, by actual and predicted class. Recall is "
        "the share of a class that the model finds; precision is how often a prediction of a class "
        "is correct.",
    )


def _ratio(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:.1f}%" if whole else DASH


def features_section(shown: RowsInTree) -> Markup:
    """The columns that decisions read, and how many rows depend on each."""
    tree, n_rows = shown.tree, len(shown.rows)
    readers: dict[int, list[int]] = {int(j): [] for j in tree.features}
    for node, split in enumerate(tree.splits):
        for j in split.features.tolist() if split is not None else ():
            readers[j].append(node)
    rows = []
    for j, nodes in readers.items():
        reached = np.zeros(n_rows, dtype=bool)
        for visit in filter(None, (shown.visits[node] for node in nodes)):
            reached[visit.rows] = True
        rows.append((int(reached.sum()), len(nodes), j))
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    said = [
        [tag("bdi", shown.columns[j].name), _kind_of(shown, j), n_nodes, f"{100 * n / n_rows:.0f}%"]
        for n, n_nodes, j in rows[:MAX_LISTED]
    ]
    unused = len(shown.columns) - len(rows)
    more = f" The other {unused} are never read." if unused else ""
    return section(
        "features",
        "Features used",
        table(["column", "values in these rows", "decisions", "rows it matters to"], said),
        cut_note(len(rows)),
        lead=f"{len(rows)} of {len(shown.columns)} columns are read.{more} A column matters to a "
        "row if a decision on the row's path reads it.",
    )


def _kind_of(shown: RowsInTree, j: int) -> str:
    """Range or categories of a column, and how much of it is missing."""
    column, cells = shown.columns[j], shown.rows[:, j]
    gone = int(np.isnan(cells).sum())
    missing = f", {gone} missing" if gone else ""
    missing += "".join(f"; {line}" for line in missing_line(shown.fitted.wording, [j]))
    if column.categories is not None:
        return listed(column.categories, 6, str) + missing
    if gone == len(cells):
        return f"all {gone} missing"
    low, middle, high = np.nanquantile(cells, [0.0, 0.5, 1.0])
    return f"{figure(low)} to {figure(high)}, median {figure(middle)}{missing}"


def curves_section(shown: RowsInTree) -> Markup | str:
    """Histogram and curve of each graded decision; nothing where all are hard."""
    found: list[Markup] = []
    for place, node, words in decisions_of(shown):
        chart = _chart(shown, node) if len(found) < _MOST else None
        if chart is not None:
            asked = f"{place}. {_asked(words)}"
            unsure = tag("p", f"{typeset(words.ways[-1])}, {words.unsure}", class_="quiet")
            found.append(tag("figure", tag("h3", asked), unsure, chart))
    if not found:
        return ""
    which = shown.classes[1] if len(shown.classes) == 2 else "each class"
    return section(
        "curves",
        "How sure each decision is",
        tag("div", *found, class_="columns"),
        lead="Top: the rows that reach a decision, by class. Bottom: the probability of "
        f"{which} for a row that reaches it. In the gray zone the decision is unsure: the other "
        "branch gets a share of at least 10%.",
    )


def _chart(shown: RowsInTree, node: int) -> Markup | None:
    """Rows along a decision, and the probability below; None where no one number tells it."""
    seen, found = shown.histogram(node)
    if seen is None or found is None:
        return None
    edges = found.low + found.width * np.arange(found.counts.shape[1] + 1)
    at = np.linspace(edges[0], edges[-1], _STEPS)
    curve = shown.curve(node, at)
    if curve is None:
        return None
    frame = Frame(edges[0], edges[-1], height=130.0, top=112.0)
    above = replace(frame, top=12.0, height=90.0)
    codes = [1] if len(shown.classes) == 2 else range(len(shown.classes))
    zones = [each.band(*ends) for each in (above, frame) for ends in seen.zones]
    ends = [(each, t) for each in (above, frame) for t in seen.thresholds]
    lines = [each.line((t, 0), (t, 1), "threshold") for each, t in ends]
    which = shown.classes[1] if len(shown.classes) == 2 else "each class"
    return frame.chart(
        "Rows along the decision, and the curve from score to probability",
        seen.name,
        f"probability of {which}",
        frame.grid(frame.numbers()),
        *zones,
        *above.bars(edges, found.counts),
        *lines,
        *(frame.path(at, curve[:, code], code) for code in codes),
    )


def decisions_of(shown: RowsInTree) -> Iterator[tuple[int, int, Words]]:
    """Place in the tree counting from 1, node and words of each decision."""
    said = ((node, words) for node, words in enumerate(shown.words) if words is not None)
    yield from ((place, *each) for place, each in enumerate(said, 1))


def place_of(shown: RowsInTree, node: int) -> int:
    """Place of a decision in the tree, counting from 1."""
    return 1 + sum(words is not None for words in shown.words[:node])


def _asked(words: Words) -> str:
    """What a decision asks, or the beginning of it."""
    return typeset(" ".join(words.lines[:6])) + (" …" if len(words.lines) > 6 else "")


def verdict(shown: RowsInTree, node: int) -> str:
    """The certificate of a decision in words: how it was found, and what that proves."""
    fitted = shown.fitted
    certificate, split = fitted.certificates[place_of(shown, node) - 1], fitted.printed_splits[node]
    kind = certificate.kind[:1].upper() + certificate.kind[1:]
    proves = _VERDICTS.get(certificate.status)
    said = f"{kind}: {proves}." if proves else f"{kind}."
    if certificate.moved is None or not isinstance(split, Planes):
        return said
    before, after = (fitted.wording.threshold(split, each) for each in certificate.moved)
    return f"{said} Threshold moved from {before} to {after}."


def certificates_section(shown: RowsInTree) -> Markup:
    """What is proved of each decision."""
    rows, certificates = [], shown.fitted.certificates
    for (place, node, words), found in zip(decisions_of(shown), certificates, strict=True):
        figures = figure(found.objective, 6), figure(found.bound, 6), figure(found.gap, 2)
        mark = tag("span", "✓ " if found.is_proved else "", class_="proved")
        rows.append([f"{place}. {_asked(words)}", *figures, raw(mark, verdict(shown, node))])
    return section(
        "certificates",
        "Certificates",
        table(
            ["decision", "value", "bound", "gap", "how it was found, and what is proved"],
            rows[:MAX_LISTED],
            class_="figures",
        ),
        cut_note(len(rows)),
        lead="A decision found by optimization comes with its value and a bound that no other "
        "decision can beat, computed separately. Where the two meet, no better decision exists."
        + (_MOVED if any(found.moved for found in certificates) else "")
        + (" The proof is for the weights before rounding." if shown.fitted.is_rounded else ""),
    )


def origin_section(shown: RowsInTree) -> Markup:
    """How the model was made."""
    model = shown.maker
    given = [
        [name, raw(value, tag("span", " (changed)", class_="quiet") if changed else "")]
        for name, value, changed in _parameters(model)
    ]
    gone = int(np.isnan(shown.rows).sum())
    facts: list[list[Any]] = [
        ["model", type(model).__name__],
        ["rows", f"{len(shown.rows)}, {gone} missing cells"],
        ["columns", len(shown.columns)],
        ["classes", ", ".join(shown.classes[:20])],
        ["fingerprint of the rows", tag("code", rows_fingerprint(shown))],
    ]
    packages = [[name, version_of(name) or "not installed as a package"] for name in _PACKAGES]
    edits = [[place, said] for place, said in enumerate(getattr(model, "edits_", []), 1)]
    return section(
        "origin",
        "How it was made",
        table(["", "edits, set by hand"], edits[:MAX_LISTED]) if edits else "",
        tag(
            "div",
            table(["the data", ""], facts),
            table(["parameter", ""], given),
            table(["software", ""], [["Python", platform.python_version()], *packages]),
            class_="columns",
        ),
        lead="The fingerprint is the SHA-256 of columns, cells and classes: the same rows in the "
        "same order have the same fingerprint, whatever the file format.",
    )


def rows_fingerprint(shown: RowsInTree) -> str:
    """SHA-256 of the rows shown, as 64 hexadecimal digits."""
    labels = np.array(shown.classes)[shown.codes]
    return fingerprint(Table(shown.rows, tuple(shown.columns)), labels)


def _parameters(model: Any) -> list[tuple[str, str, bool]]:
    """Name and value of each parameter, and whether it differs from its default."""
    given = model.get_params(deep=False)
    try:
        default = type(model)().get_params(deep=False)
    except TypeError:  # a parameter without a default
        default = {}
    return [
        (name, repr(value), name not in default or repr(default[name]) != repr(value))
        for name, value in given.items()
    ]


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
