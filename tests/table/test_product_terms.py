"""Products of columns: every pair once, of numbers alone, by name or by number."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from planetree.arrays import encode
from planetree.table import Column, product_terms

COLUMNS = [Column("age"), Column("color", categories=("red", "blue")), Column("dose"), Column("w")]
NUMBERS = (0, 2, 3)


def products_of(products):
    """What the terms make of a row whose cells are different primes."""
    row = np.array([[2.0, 0.0, 3.0, 5.0]])
    return encode(row, *product_terms(products, COLUMNS))[0].tolist()


def test_all_products_are_those_of_every_pair_of_numbers_once():
    row = {0: 2.0, 2: 3.0, 3: 5.0}
    expected = [row[i] * row[j] for i, j in combinations_with_replacement(NUMBERS, 2)]
    assert sorted(products_of("all")) == sorted(expected)


def test_squares_are_those_of_numbers_and_none_is_none():
    assert products_of("squares") == [4.0, 9.0, 25.0]
    assert products_of(None) == []


def test_a_pair_is_one_term_however_it_is_named():
    given = [("age", "dose"), ("dose", "age"), (0, 2), ("w", "w")]
    assert products_of(given) == [6.0, 25.0]


@pytest.mark.parametrize(
    ("products", "says"),
    [
        ("cubes", "but it is 'cubes'"),
        (3, "but it is 3"),
        (["age"], "holds 'age'"),
        ([("age", "dose", "w")], "list of pairs"),
        ([("age", "color")], "'color', which holds categories"),
        ([("age", "height")], "height"),
    ],
)
def test_what_is_no_pair_of_numbers_is_refused(products, says):
    with pytest.raises(ValueError, match=says):
        product_terms(products, COLUMNS)
