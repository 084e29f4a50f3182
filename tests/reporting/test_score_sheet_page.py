"""A score sheet to print says all that the text says, and escapes what users named."""

import html
import re

import numpy as np
import pandas as pd

from planetree import PlaneTreeClassifier
from planetree.reporting import score_sheet_html


def a_sheet():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)).round(1), columns=["<b>age</b>", "dose & rate"])
    y = np.where(X.sum(axis=1) + rng.normal(size=300) > 0, "<script>", "no")
    return PlaneTreeClassifier(max_splits=1).fit(X, y).to_score_sheet()


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
    assert "<!DOCTYPE" not in fragment
    assert "<body" not in fragment
    assert fragment.startswith("<style>")
