"""A score sheet to print: the questions with room for a row's points, and the table beside them.

A table of many totals stands in several parts side by side, so that a sheet fits on one page. What
it says is what `ScoreSheet.to_text` says: both ask the sheet for its words.
"""

from __future__ import annotations

from planetree.reporting.html import Markup, document, raw, read_asset, section, table, tag
from planetree.tree.score_sheet.score_sheet import SEEN, ScoreSheet
from planetree.words import printable

_LINES = 20  # of one part of a table: three parts of 20 fit on a page beside five questions


def score_sheet_html(sheet: ScoreSheet, *, title: str | None = None, page: bool = True) -> str:
    """A score sheet as HTML: a page to print, or a fragment for another page.

    Parameters
    ----------
    sheet : ScoreSheet
    title : str, optional
        Heading; by default the classes.
    page : bool
        Whether it is a whole document.

    Examples
    --------
    >>> from planetree import PlaneTreeClassifier
    >>> from planetree.reporting import score_sheet_html
    >>> X, y = [[float(i)] for i in range(40)], ["no"] * 20 + ["yes"] * 20
    >>> sheet = PlaneTreeClassifier().fit(X, y).to_score_sheet()
    >>> score_sheet_html(sheet).startswith("<!doctype html>")
    True
    """
    said = title or " or ".join(printable(label) for label in sheet.classes_)
    style, *parts = _sheets(sheet)
    body = tag("div", tag("h1", said), *parts, class_="score-sheets")
    return document(said, "score_sheet.css", body) if page else raw(style, body)


def score_sheet_section(sheet: ScoreSheet) -> Markup:
    """Score sheets as a part of a report, which can be printed alone, each on one page."""
    button = tag("button", "Print", id="print-sheet", class_="live-only", type="button")
    return section(
        "score-sheet",
        "Score sheet",
        *_sheets(sheet),
        button,
        lead="Add up the points, and look up the total: a model of whole numbers, to use by hand.",
    )


def _sheets(sheet: ScoreSheet) -> list[Markup]:
    """The styles, and each sheet."""
    style = tag("style", Markup("\n" + read_asset("score_sheet.css")))
    return [style, *(_one_sheet(sheet, number) for number in range(len(sheet.sheets_)))]


def _one_sheet(sheet: ScoreSheet, number: int) -> Markup:
    """Questions, room for the total, the table, and what is proved."""
    heading = tag("h2", f"Sheet {number + 1}") if len(sheet.sheets_) > 1 else ""
    own = tag("span", Markup("&nbsp;"), class_="own")
    rows = [[words, f"{points:+d}", own] for points, words in sheet.questions(number)]
    questions = table(["question", "points", "yours"], [*rows, ["total", "", own]])
    return tag(
        "div",
        heading,
        questions,
        _tables(sheet, number),
        tag("p", sheet.missing_words(number)),
        tag("p", sheet.proof_words(number), class_="quiet"),
        class_="score-sheet",
    )


def _tables(sheet: ScoreSheet, number: int) -> Markup:
    """The table from totals to probabilities, in parts."""
    names = [printable(sheet.classes_[code]) for code in sheet.shown_classes()]
    lines = [[row.label, *sheet.cells(row)] for row in sheet.sheets_[number].table()]
    parts = [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)]
    head = ["total", *names, SEEN]
    return tag("div", *(table(head, part) for part in parts), class_="tables")
