"""Whatever text holds, it is text on the page: in an element, in an attribute and in a script."""

import json

import pytest

from planetree.reporting.html import (
    DASH,
    MAX_LISTED,
    cut_note,
    document,
    embed,
    figure,
    raw,
    table,
    tag,
)

HOSTILE = "</script><img src=x onerror='alert(1)'>&\""


def test_text_is_escaped_once_and_html_is_not_escaped_again():
    inner = tag("b", HOSTILE)
    assert HOSTILE not in inner
    assert raw(inner, "<") == f"{inner}&lt;"
    assert tag("p", inner).count("&lt;img") == 1


def test_attributes_lose_their_underscores_and_none_is_left_out():
    found = tag("circle", cx=1.25, class_="dot", data_x='"', title=None)
    assert found == '<circle cx="1.2" class="dot" data-x="&quot;"/>'


def test_embedded_json_ends_no_script_and_is_read_back():
    said = embed({HOSTILE: [HOSTILE]})
    assert not set("<>&") & set(said)
    assert json.loads(said) == {HOSTILE: [HOSTILE]}
    with pytest.raises(ValueError):
        embed(float("nan"))


def test_the_first_cell_of_a_row_heads_it():
    found = table(["a", "b"], [["<", 1]])
    assert '<th scope="row">&lt;</th><td>1</td>' in found
    assert found.count('scope="col"') == 2


def test_numbers_that_are_none_are_dashes_and_long_lists_say_that_they_were_cut():
    assert [figure(x) for x in (0.123456, float("nan"), float("inf"))] == ["0.1235", DASH, DASH]
    assert cut_note(MAX_LISTED) == ""
    assert f"first {MAX_LISTED} of {MAX_LISTED + 1}" in cut_note(MAX_LISTED + 1)


def test_a_document_has_its_title_as_text_and_its_styles_inside_itself():
    page = document(HOSTILE, "comparison.css", tag("p", HOSTILE))
    assert HOSTILE not in page
    assert page.startswith("<!doctype html>")
    assert page.count("&lt;/script&gt;") == 2
    assert "border-collapse" in page
