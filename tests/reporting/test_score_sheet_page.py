"""A score sheet to print says all that the text says, and escapes what users named."""

import html
import re
import subprocess
from functools import cache

import numpy as np
import pandas as pd
from browser import FLAGS, browser, run

from planetree import PlaneTreeClassifier
from planetree.reporting import report, score_sheet_html


@cache
def a_model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)).round(1), columns=["<b>age</b>", "dose & rate"])
    y = np.where(X.sum(axis=1) + rng.normal(size=300) > 0, "<script>", "no")
    return PlaneTreeClassifier(max_splits=1).fit(X, y), X, y


@cache
def a_sheet():
    return a_model()[0].to_score_sheet()


def test_every_question_total_and_probability_is_on_the_page():
    sheet = a_sheet()
    text = html.unescape(re.sub(r"<[^>]*>", "|", score_sheet_html(sheet)))
    for points, words in sheet.questions(0):
        assert f"{points:+d}" in text
        assert words in text
    for row in sheet.sheets_[0].table():
        assert f"|{row.label}||{sheet.cells(row)[0]}|" in text
    assert sheet.missing_words(0) in text
    assert sheet.proof_words(0) in text


def test_names_come_out_as_text():
    page = score_sheet_html(a_sheet(), title="<i>ours</i>")
    assert "<script>" not in page
    assert "<b>age" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;age" in page


def test_a_fragment_has_no_document_around_it():
    fragment = score_sheet_html(a_sheet(), page=False)
    assert "<!doctype" not in fragment
    assert "<body" not in fragment
    assert fragment.startswith("<style>")


def test_the_report_shows_the_sheet_and_prints_it_on_one_page(tmp_path):
    page = report(*a_model(), tmp_path / "page.html", score_sheet=a_sheet())
    text = html.unescape(re.sub(r"<[^>]*>", "|", page.read_text("utf-8")))
    for points, words in a_sheet().questions(0):
        assert f"|{words}||{points:+d}|" in text
    assert len(printed(page, tmp_path)) > 1
    shown = page.read_text("utf-8").replace(
        '<html lang="en">', '<html lang="en" class="sheet-only">'
    )
    page.write_text(shown, "utf-8")
    assert len(printed(page, tmp_path)) == 1


def printed(page, folder):
    """Pages of a page printed as PDF."""
    place = folder / "printed.pdf"
    profile = f"--user-data-dir={folder}/profile"
    command = [browser(), *FLAGS, profile, f"--print-to-pdf={place}", page.as_uri()]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    return re.findall(rb"/Type\s*/Page[^s]", place.read_bytes())


def test_the_button_prints_the_sheet_without_the_rest(tmp_path):
    page = report(*a_model(), tmp_path / "page.html", score_sheet=a_sheet())
    script = (
        "const { classList } = document.documentElement, seen = [];"
        "window.print = () => seen.push(classList.contains('sheet-only'));"
        "document.getElementById('print-sheet').click();"
        "return [...seen, classList.contains('sheet-only')];"
    )
    assert run(page, script) == [True, False]
