"""The parts of the page that are read rather than played with: each a function to HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.reporting.certificates import Proof
from planetree.reporting.html import Markup, raw, tag
from planetree.reporting.provenance import fingerprint, parameters, versions
from planetree.tree.inspection.rows_in_tree import Shown

__all__ = [
    "certificates_section",
    "confusion_section",
    "features_section",
    "origin_section",
    "section",
    "table",
]

Indices = NDArray[np.intp]
MAX_LISTED = 200
DASH = "\N{EN DASH}"


def section(name: str, title: str, *content: Any, lead: str | None = None) -> Markup:
    """A part with its heading and, if there is one, a sentence on what it shows."""
    said = tag("p", lead, class_="lead") if lead else ""
    return tag("section", tag("h2", title), said, *content, id=name)


def table(head: Sequence[Any], rows: Sequence[Sequence[Any]], **attributes: Any) -> Markup:
    """A table whose first column heads its rows, in a frame that scrolls."""
    top = tag("tr", *(tag("th", each, scope="col") for each in head))
    body = (
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    )
    inner = tag("table", tag("thead", top), tag("tbody", *body), **attributes)
    return tag("div", inner, class_="scroll")


def dot(code: int) -> Markup:
    """The color of a class."""
    return tag("i", class_="dot", style=f"background:var(--class-{code % 10})")


def number(value: float, digits: int = 4) -> str:
    """A number for people, or a dash where there is none."""
    return f"{value:.{digits}g}" if np.isfinite(value) else DASH


def confusion_section(shown: Shown, counts: NDArray[np.intp]) -> Markup:
    """Which class is taken for which."""
    right, per_class, per_answer = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    head = ["is", *(raw("taken for ", tag("b", name)) for name in shown.classes), "found"]
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
        rows.append([raw(dot(code), name), *cells, ratio(right[code], per_class[code])])
    rows.append(
        ["right of those", *(ratio(*pair) for pair in zip(right, per_answer, strict=True)), ""]
    )
    return section(
        "confusion",
        "Right and wrong",
        table(head, rows, class_="confusion"),
        lead="Rows of each class, by the class they are taken for. “Found” is the share of a class "
        "that is recognized; the last line is how often the answer is right when it is given.",
    )


def ratio(part: int, whole: int) -> str:
    """A share in percent."""
    return f"{100 * part / whole:.1f}\N{NO-BREAK SPACE}%" if whole else DASH


def features_section(shown: Shown) -> Markup:
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
        [shown.columns[j].name, kind_of(shown, j), n_nodes, f"{100 * n / n_rows:.0f} %"]
        for n, n_nodes, j in rows[:MAX_LISTED]
    ]
    unused = len(shown.columns) - len(rows)
    more = f" The other {unused} columns are never looked at." if unused else ""
    return section(
        "features",
        "Features used",
        table(["column", "values in the rows shown", "decisions", "rows it matters to"], said),
        cut_note(len(rows)),
        lead=f"{len(rows)} of {len(shown.columns)} columns are read.{more} A column matters to a "
        "row whose way passes a decision that reads it.",
    )


def cut_note(n: int) -> Markup | str:
    """Say that a list was cut."""
    if n <= MAX_LISTED:
        return ""
    return tag("p", f"The first {MAX_LISTED} of {n} are listed.", class_="quiet")


def kind_of(shown: Shown, j: int) -> str:
    """Range or categories of a column, and how much of it is missing."""
    column, cells = shown.columns[j], shown.rows[:, j]
    gone = int(np.isnan(cells).sum())
    missing = f", {gone} missing" if gone else ""
    if column.categories is not None:
        names = ", ".join(str(name) for name in column.categories[:6])
        more = f" and {len(column.categories) - 6} more" if len(column.categories) > 6 else ""
        return f"{names}{more}{missing}"
    if gone == len(cells):
        return f"all {gone} missing"
    low, middle, high = np.nanquantile(cells, [0.0, 0.5, 1.0])
    return f"{number(low)} to {number(high)}, half up to {number(middle)}{missing}"


def certificates_section(shown: Shown, proofs: dict[int, Proof]) -> Markup:
    """What is proved of each decision."""
    rows = []
    for place, (node, proof) in enumerate(list(proofs.items())[:MAX_LISTED], 1):
        words = shown.words[node]
        assert words is not None
        asked = " ".join(words.lines[:6]) + (" …" if len(words.lines) > 6 else "")
        figures = [number(each, 6) for each in (proof.objective, proof.bound)]
        mark = tag("span", "✓ " if proof.proved else "", class_="proved")
        rows.append([f"{place}. {asked}", *figures, number(proof.gap, 2), raw(mark, proof.verdict)])
    return section(
        "certificates",
        "Certificates",
        table(["decision", "value", "bound", "gap", "what that proves"], rows, class_="figures"),
        cut_note(len(proofs)),
        lead="Each plane comes from an optimization problem. Its value and the bound that no other "
        "plane can pass were computed apart; where they meet, none better exists."
        + (" The proof is of the weights before they were rounded." if shown.is_rounded else ""),
    )


def origin_section(shown: Shown) -> Markup:
    """How the model was made."""
    model = shown.maker
    given = [
        [name, raw(value, tag("span", " (changed)", class_="quiet") if changed else "")]
        for name, value, changed in parameters(model)
    ]
    gone = int(np.isnan(shown.rows).sum())
    facts: list[list[Any]] = [
        ["model", type(model).__name__],
        ["rows shown", f"{len(shown.rows)}, {gone} cells missing"],
        ["columns", len(shown.columns)],
        ["classes", ", ".join(shown.classes[:20])],
        ["fingerprint of the rows", tag("code", fingerprint(shown))],
    ]
    return section(
        "origin",
        "How it was made",
        tag(
            "div",
            table(["the data", ""], facts),
            table(["parameter", ""], given),
            table(["software", ""], [list(pair) for pair in versions().items()]),
            class_="columns",
        ),
        lead="The fingerprint is the SHA-256 of columns, cells and classes: the same rows in the "
        "same order have the same one, in whatever kind of table.",
    )
