"""The report: one HTML file that explains a fitted model, with nothing outside itself.

- no network, no dependency: the styles and scripts of this folder are in the file, and its
  Content-Security-Policy allows these scripts by their hashes and nothing else;
- every name and label is escaped (`html`), and the scripts write text, never HTML;
- the same model and rows give the same file, byte for byte.
"""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix

from planetree.arrays import Floats, Indices
from planetree.evaluation.groups import Groups, groups_of
from planetree.files import write_file
from planetree.reporting.html import Markup, dot, embed, raw, read_asset, section, tag
from planetree.reporting.payload import payload
from planetree.reporting.probabilities import (
    RowProbabilities,
    abstention_section,
    calibration_section,
    ranking_sections,
    row_probabilities,
    threshold_counts,
    threshold_section,
)
from planetree.reporting.rules import rules_section
from planetree.reporting.score_sheet_page import score_sheet_section
from planetree.reporting.sections import (
    certificates_section,
    confusion_section,
    curves_section,
    features_section,
    group_section,
    origin_section,
    rows_fingerprint,
)
from planetree.statistics import wilson_interval
from planetree.tree.classifier import least_cost
from planetree.tree.inspection.rows_in_tree import RowsInTree, rows_in_tree
from planetree.tree.score_sheet.score_sheet import ScoreSheet

_REST = "Bars of more than four classes show the three largest, and the rest in gray. "
_SCRIPTS = (
    "elements.js",
    "route.js",
    "tree.js",
    "outline.js",
    "form.js",
    "threshold.js",
    "card.js",
    "page.js",
)


def report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    unseen: Any = None,
    score_sheet: ScoreSheet | None = None,
    groups: Any = None,
) -> Path:
    """Write one HTML file that explains a fitted model on some rows.

    The file needs no network. It shows the tree as a drawing to zoom and collapse, its rules in
    words, how sure each decision is, which rows it predicts correctly, how good its probabilities
    are, the features it reads, the certificate of each decision, a form for trying a row, and how
    the model was made.

    Parameters
    ----------
    model : fitted tree, separator, or selector that classifies by planes or by a tree
    X : array or frame of shape (n_rows, n_columns)
        The rows to show it with: those of training, or better new ones.
    y : array of shape (n_rows,)
    path : str or path
        Where to write; an existing file is replaced once the new one is complete.
    title : str, optional
        Heading; by default the classes.
    unseen : array of shape (n_rows, n_classes), optional
        Probabilities of the rows from models that have not seen them, classes in order, for
        calibration, ROC and precision-recall: those of `cross_val_predict`, for instance, if the
        model was fitted to the same rows. NaN in rows without; by default the model's own.
    score_sheet : ScoreSheet, optional
        Of `to_score_sheet`: shown too, with a button that prints it alone.
    groups : pandas Series, or pair of a name and an array of shape (n_rows,), optional
        A column that divides the rows: the report shows error and recall of each group.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from planetree import PlaneTreeClassifier, report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> folder = Path(tempfile.mkdtemp())
    >>> report(PlaneTreeClassifier().fit(X, y), X, y, folder / "iris.html").name
    'iris.html'
    """
    shown = rows_in_tree(model, X, y)
    given = row_probabilities(shown, None if unseen is None else _checked(unseen, shown))
    answers = shown.fitted.answers(shown.rows)
    sheet = "" if score_sheet is None else score_sheet_section(score_sheet)
    divided = _group_part(shown, answers, groups, unseen)
    parts = _Parts(title or _default_title(shown), sheet, divided)
    page = _page_of(shown, answers, given, parts)
    write_file(path, page.encode("utf-8", "replace"))
    return Path(path)


def _checked(unseen: Any, shown: RowsInTree) -> Floats:
    """Probabilities as an array, if there is one for each row and class."""
    found = np.asarray(unseen, dtype=np.float64)
    shape = len(shown.rows), len(shown.classes)
    if found.shape != shape:
        raise ValueError(
            f"unseen must have the shape {shape}, a row of probabilities for each row of X, but "
            f"it has {found.shape}."
        )
    if np.isnan(found).any(axis=1).all():
        raise ValueError("unseen has no probabilities: every row contains NaN. Omit it.")
    return found


def _default_title(shown: RowsInTree) -> str:
    """The classes, if they are few."""
    if len(shown.classes) <= 4:
        return " or ".join(shown.classes)
    return f"{len(shown.classes)} classes"


class _Parts(NamedTuple):
    """What the caller chose: the heading, a score sheet, errors by group."""

    title: str
    sheet: str
    groups: str


def _group_part(shown: RowsInTree, answers: Indices, groups: Any, unseen: Any) -> str:
    """Errors by group: on unseen rows if there are probabilities of them, else on those shown."""
    if groups is None:
        return ""
    found = groups if isinstance(groups, Groups) else _divided(groups)
    if len(found.codes) != len(shown.rows):
        raise ValueError(
            f"groups must have a value for each of the {len(shown.rows)} rows of X, but it has "
            f"{len(found.codes)}."
        )
    if unseen is None:
        rows = f"the {len(shown.rows)} rows of this report"
        return group_section(shown.classes, shown.codes, answers, found, rows)
    shares = np.asarray(unseen, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(shares).any(axis=1))
    chosen = least_cost(shares[known], shown.fitted.costs, shown.fitted.order)
    rows = f"{len(known)} rows, each predicted by a model that has not seen it (cross-validation)"
    return group_section(shown.classes, shown.codes[known], chosen, found.rows(known), rows)


def _divided(groups: Any) -> Groups:
    """Groups by a named column, or by a pair of a name and cells."""
    name, cells = groups if isinstance(groups, tuple) else (groups.name, groups)
    return groups_of(str(name), list(cells))


def _page_of(
    shown: RowsInTree, answers: Indices, given: RowProbabilities | None, parts: _Parts
) -> str:
    """The whole page."""
    counts = confusion_matrix(shown.codes, answers, labels=range(len(shown.classes)))
    body = (
        _header(shown, answers, given, parts.title),
        _tree_section(shown),
        rules_section(shown),
        parts.sheet,
        curves_section(shown),
        tag(
            "div",
            confusion_section(shown, counts),
            calibration_section(shown.classes, given),
            class_="pair",
        ),
        ranking_sections(shown, given),
        threshold_section(shown.classes, given, shown.fitted.costs),
        abstention_section(shown, given),
        parts.groups,
        features_section(shown),
        certificates_section(shown),
        origin_section(shown),
    )
    data = payload(shown, answers, threshold_counts(given))
    return _document(data, parts.title, raw(*body))


def _document(model: dict[str, Any], title: str, body: Markup) -> str:
    """The page with its styles, its data and its scripts."""
    script = "(() => {\n" + '"use strict";\n' + "\n".join(map(read_asset, _SCRIPTS)) + "\n})();"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(read_asset("page.css"))),
    )
    parts = (
        tag("main", body),
        tag("div", id="card", role="tooltip", hidden=""),
        tag("script", Markup(embed(model)), type="application/json", id="model"),
        tag("script", Markup(script)),
    )
    return "<!doctype html>\n" + tag("html", head, tag("body", *parts), lang="en")


def _header(
    shown: RowsInTree, answers: Indices, given: RowProbabilities | None, title: str
) -> Markup:
    """What the model is and how well it does, in a sentence and in figures."""
    tree, n = shown.tree, len(shown.rows)
    n_decisions = tree.n_nodes - tree.n_leaves
    n_right = int(np.sum(answers == shown.codes))
    low, high = wilson_interval(n_right / n, n)
    majority = np.bincount(shown.codes).max() / n
    right = f"{100 * n_right / n:.1f}%"
    tried = getattr(shown.maker, "validation_", None)
    trained = tried is not None and tried["training_rows"] == rows_fingerprint(shown)
    figures = [
        *(_unseen_tiles(tried) if tried is not None else ()),
        (right, f"of {n} {'training rows' if trained else 'rows'} correct"),
        (f"{100 * low:.1f}\N{EN DASH}{100 * high:.1f}%", "95% interval"),
        (f"{100 * majority:.1f}%", "right by always predicting the largest class"),
        *_worth(given),
        (n_decisions, "decision" if n_decisions == 1 else "decisions"),
        (tree.n_leaves, "leaf" if tree.n_leaves == 1 else "leaves"),
        (f"{len(tree.features)} of {len(shown.columns)}", "columns read"),
    ]
    tiles = (
        tag("div", tag("b", value), tag("span", name), class_="tile") for value, name in figures
    )
    classes = (tag("li", dot(code), tag("bdi", name)) for code, name in enumerate(shown.classes))
    return tag(
        "header",
        tag("button", "Light or dark", id="theme", class_="live-only", type="button"),
        tag("p", f"planetree · {type(shown.maker).__name__}", class_="eyebrow"),
        tag("h1", tag("bdi", title)),
        tag("ul", *classes, class_="legend"),
        tag("div", *tiles, class_="tiles"),
        tag(
            "p",
            (
                "Correct predictions are counted on the training rows; expect fewer on new rows."
                if trained
                else "Correct predictions are counted on the rows given to this report. If the "
                "model was trained on them, expect fewer on new rows."
            )
            + ("" if given is None else f" AUC and log loss are for {given.rows}."),
            class_="quiet",
        ),
    )


def _unseen_tiles(tried: dict[str, Any]) -> list[tuple[str, str]]:
    """The error on rows that the model has not seen, which comes first."""
    low, high = tried["interval"]
    return [
        (f"{100 * tried['error']:.1f}%", f"error on held-out rows ({tried['how']})"),
        (f"{100 * low:.1f}\N{EN DASH}{100 * high:.1f}%", "95% interval of this error"),
    ]


def _worth(given: RowProbabilities | None) -> list[tuple[str, str]]:
    """AUC and log loss, where there are probabilities."""
    if given is None:
        return []
    worth = given.worth
    loss = (f"{worth.log_loss:.3f}", "log loss (0 is perfect)")
    return [loss] if worth.auc is None else [(f"{worth.auc:.3f}", "AUC (1 is perfect)"), loss]


def _tree_section(shown: RowsInTree) -> Markup:
    """The drawing and the form, which the scripts fill."""
    parts = ["drawing.html", "form.html"] if len(shown.tree.features) else ["drawing.html"]
    content = [Markup(read_asset(part)) for part in parts]
    unsure = any(words is not None and words.unsure for words in shown.words)
    return section(
        "drawing",
        "The tree" if shown.tree.n_leaves > 2 else "The decision",
        tag("div", *content, class_="bench deep" if shown.tree.depth > 2 else "bench"),
        lead=raw(
            tag(
                "span",
                "A row starts at the left and takes one branch at each decision. The bars show the "
                "rows that reach it, by class; the line is where its branches part"
                + (", the gray stripe where it is unsure. " if unsure else ". "),
                class_="of-frame",
            ),
            _REST if len(shown.classes) > 4 else "",
            tag("span", "Change the values of a row and watch its path.", class_="live-only"),
        ),
    )
