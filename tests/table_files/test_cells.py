"""A column of text is numbers only if all of its cells are, written one way."""

import pyarrow as pa
import pytest

from planetree.table_files.cells import (
    classes_of,
    codes_or_integers,
    numbers_or_text,
    spellings,
    trimmed,
)

NUMBERS = [
    (["1", "2.5", "-3e2", None], [1.0, 2.5, -300.0, None], 0),
    (["12,345.67", "1"], [12345.67, 1.0], 1),
    (["12.345,67", "1,5"], [12345.67, 1.5], 1),
    (["12 345,67", "1,5"], [12345.67, 1.5], 1),
    (["12'345.67"], [12345.67], 1),
    (["$1,234", "-$5"], [1234.0, -5.0], 1),
    (["2.0 %", "3%"], [2.0, 3.0], 1),
]


@pytest.mark.parametrize(("cells", "expected", "n_notes"), NUMBERS, ids=lambda each: str(each))
def test_numbers_as_people_write_them_are_those_numbers(cells, expected, n_notes):
    found = numbers_or_text(pa.array(cells), "price")
    assert found.column.to_pylist() == expected
    assert len(found.notes) == n_notes


@pytest.mark.parametrize(
    "cells", [["1", "x"], ["$1", "€2"], ["5%", "5"], ["12,34,5"], ["red", "blue"]], ids=str
)
def test_cells_that_are_not_all_numbers_of_one_kind_stay_text(cells):
    found = numbers_or_text(pa.array(cells), "price")
    assert found == (pa.array(cells), [], None)


def test_codes_with_leading_zeros_stay_text_and_are_noted():
    assert codes_or_integers(pa.array(["7", "12"]), "zip").column.to_pylist() == [7, 12]
    found = codes_or_integers(pa.array(["007", "12"]), "zip")
    assert found.column.to_pylist() == ["007", "12"]
    assert "'007'" in found.notes[0]


def test_na_is_a_class_among_words_and_missing_among_numbers():
    missing = ["", "NA"]
    words, notes = classes_of(pa.array(["NA", "EU", ""]), "region", missing, [])
    assert words.to_pylist() == ["NA", "EU", None]
    assert "--missing NA" in notes[0]
    asked, notes = classes_of(pa.array(["NA", "EU"]), "region", missing, ["NA"])
    assert (asked.to_pylist(), notes) == ([None, "EU"], [])
    numbers, _ = classes_of(pa.array(["1", "NA"]), "grade", missing, [])
    assert numbers.to_pylist() == [1, None]


def test_blanks_around_text_go_and_spellings_that_differ_in_capitals_are_found():
    text = trimmed(pa.array([" Yes", "yes ", "?", "no"]), ["?"])
    assert text.to_pylist() == ["Yes", "yes", None, "no"]
    assert spellings(text) == ["Yes", "yes"]
