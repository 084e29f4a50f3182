"""One column: numbers or labels, read once, and matched to those of training."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse as sp

from planetree.table import Column, Table
from planetree.table.columns import Codes, align, in_order, observed, read_values


def test_text_in_a_list_leaves_its_neighbors_numbers():
    table = Table.read([[1, "b"], [2, "a"]])
    assert table.columns == (Column("x0"), Column("x1", ("a", "b")))
    assert table.values.tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, float("nan")])
def test_none_nan_and_na_are_missing_in_any_kind_of_column(missing):
    X = np.array([["a", True, 1.5], [missing] * 3, ["b", False, 2]], dtype=object)
    for table in (Table.read(X), Table.read(pd.DataFrame(X, columns=["x0", "x1", "x2"]))):
        assert [c.categories for c in table.columns] == [("a", "b"), (False, True), None]
        np.testing.assert_array_equal(table.values, [[0, 1, 1.5], [np.nan] * 3, [1, 0, 2]])


def test_a_column_that_is_all_missing_is_numbers_that_are_not_known():
    for X in (
        [[None], [None]],
        pd.DataFrame({"x0": [None, None]}),
        pl.DataFrame({"x0": [None] * 2}),
    ):
        table = Table.read(X)
        assert table.columns == (Column("x0"),)
        assert np.isnan(table.values).all()


def test_booleans_are_two_categories_even_if_one_is_seen():
    for X in (np.array([[True], [True]]), pd.DataFrame({"x0": [True, True]})):
        assert Table.read(X).columns == (Column("x0", (False, True)),)
        assert Table.read(X).values.tolist() == [[1], [1]]


def test_categories_are_matched_by_label_whatever_their_type_and_order():
    trained = Table.read(pd.DataFrame({"a": pd.Categorical([1, 2, 3])})).columns
    for column in ([3.0, np.nan, 1.0], [3, None, 1], pd.Categorical([3, None, 1], [3, 1])):
        values = Table.read(pd.DataFrame({"a": column}), trained).values[:, 0]
        np.testing.assert_array_equal(values, [2, np.nan, 0])
    np.testing.assert_array_equal(Table.read([[3], [1]], trained).values, [[2], [0]])
    boolean = Table.read([[True], [False]]).columns
    np.testing.assert_array_equal(Table.read([[0], [1]], boolean).values, [[0], [1]])


def test_numbers_may_come_back_as_booleans_but_not_as_text():
    trained = Table.read(pd.DataFrame({"a": [0, 1, 2]})).columns
    assert Table.read(pd.DataFrame({"a": [True, False]}), trained).values.tolist() == [[1], [0]]
    with pytest.raises(ValueError, match=r"Numbers are expected.*'a', row 1 .*holds 'many'"):
        Table.read(pd.DataFrame({"a": [None, "many"]}), trained)


def test_objects_and_bytes():
    with pytest.raises(TypeError, match=r"argument must be .* not 'object': column 'x1', row 1"):
        Table.read([[1, 2], [3, object()]])
    for X in (np.array([[b"a"]]), np.array([[b"a"]], object), pl.DataFrame({"x0": [b"a"]})):
        with pytest.raises(TypeError, match=r"Bytes are not text: column 'x0', row 0 .*Decode"):
            Table.read(X)


def test_complex_numbers():
    for X in (np.ones((2, 1), complex), pd.DataFrame({"x0": [1j, 2]}), [["a"], [1j]]):
        with pytest.raises(ValueError, match=r"Complex data not supported: column 'x0'"):
            Table.read(X)
    with pytest.raises(ValueError, match="Complex data not supported"):
        Table.read(sp.csr_array(np.ones((2, 1), complex)), sparse=True)


@pytest.mark.parametrize("text_row", [1, 150])
def test_a_mixture_of_numbers_and_text(text_row):
    cells = [39] * text_row + ["?"]
    message = rf"numbers or text, not both: column 'age', row 0 .*holds 39, but row {text_row} "
    with pytest.raises(ValueError, match=message + r"holds '\?'"):
        Table.read(pd.DataFrame({"age": cells}))
    with pytest.raises(ValueError, match=r"not both: column 'age', row 200 .*holds 1, but row 0"):
        Table.read(pd.DataFrame({"age": pd.Series(["a"] * 200 + [1], dtype=object)}))


def test_an_integer_beyond_all_floats():
    with pytest.raises(ValueError, match=r"Too large for a float64: .*column 'x0', row 1"):
        Table.read([[1], [10**400]])


def test_a_label_is_looked_up_once_and_new_ones_are_told_with_their_first_row():
    content = read_values(np.array(["b", "new", None, "a", "new"], dtype=object), "color")
    found, new = align(content, ("a", "b"), "color")
    assert np.array_equal(found, [1.0, -1.0, np.nan, 0.0, -1.0], equal_nan=True)
    assert new == {"new": 1}


def test_labels_that_no_row_has_are_dropped_and_the_codes_follow():
    codes, labels = observed(np.array([2.0, np.nan, 0.0, 2.0]), ("a", "b", "c"))
    assert labels == ("a", "c")
    assert np.array_equal(codes, [1.0, np.nan, 0.0, 1.0], equal_nan=True)


def test_a_sorted_column_has_the_cells_it_had():
    content = Codes(np.array([0, 1, -1, 2]), ("z", "m", "a"), declared=False)
    found = in_order(content)
    cells = [found.labels[c] if c >= 0 else None for c in found.codes]
    assert (found.labels, cells) == (("a", "m", "z"), ["z", "m", None, "a"])
