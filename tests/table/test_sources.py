"""Where a table comes from: arrays, lists and frames of any library hold the same cells."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse as sp

from planetree.table import Column, Table
from planetree.table.sources import as_labels, mixed_rows, split_target, take_rows, without_columns


def test_a_masked_cell_is_missing():
    X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    np.testing.assert_array_equal(Table.read(X).values, [[1, np.nan], [3, 4]])


def test_a_dictionary_of_pyarrow_inside_pandas_is_categories():
    dictionary = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    table = Table.read(pd.DataFrame({"a": pd.array(["b", None, "a"], dtype=dictionary)}))
    assert table.columns == (Column("a", ("a", "b")),)
    np.testing.assert_array_equal(table.values, [[1], [np.nan], [0]])


def test_dictionaries_of_pyarrow_are_read_across_chunks():
    chunks = [pa.array(["x", None]).dictionary_encode(), pa.array(["y", "x"]).dictionary_encode()]
    table = Table.read(pa.table({"a": pa.chunked_array(chunks)}))
    assert table.columns == (Column("a", ("x", "y")),)
    np.testing.assert_array_equal(table.values[:, 0], [0, np.nan, 1, 0])


def test_sparse_arrays_become_dense_where_they_are_welcome():
    X = sp.coo_array(([1.0, 2.0], ([0, 2], [1, 0])), shape=(3, 2))
    table = Table.read(X, sparse=True)
    assert table.values.tolist() == X.toarray().tolist()
    assert Table.read(X, table.columns, sparse=True).values.tolist() == X.toarray().tolist()


def test_column_names_that_are_no_text_are_matched_by_position():
    table = Table.read(pd.DataFrame([[1.0, 2.0]], columns=[5, 3]))
    assert [column.name for column in table.columns] == ["5", "3"]
    again = Table.read(pd.DataFrame([[1.0, 2.0]], columns=[3, 5]), table.columns)
    assert again.values.tolist() == [[1, 2]]


def test_duplicate_column_names():
    for X in (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
    ):
        with pytest.raises(ValueError, match=r"(?s)Duplicate column names.*'a'.*Rename"):
            Table.read(X)


def test_column_names_of_text_and_numbers_together():
    with pytest.raises(TypeError, match=r"all input features have string names.*'int', 'str'"):
        Table.read(pd.DataFrame([[1, 2]], columns=["a", 1]))


@pytest.mark.parametrize("X", [[1, 2], np.ones(3), pd.Series([1]), pl.Series(["a"]), 3.0, None])
def test_what_has_no_rows_and_columns(X):
    with pytest.raises(ValueError, match=r"Expected 2D array.*Reshape your data"):
        Table.read(X)


def test_arrays_of_three_dimensions_and_ragged_lists():
    with pytest.raises(ValueError, match="Found array with dim 3, while dim <= 2 is required"):
        Table.read(np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="rows of X differ in length"):
        Table.read([[1, 2], [3]])


def test_a_lazy_frame():
    with pytest.raises(TypeError, match=r"lazy frame.*collect\(\)"):
        Table.read(pl.LazyFrame({"a": [1]}))


def test_a_sparse_array_where_it_is_not_welcome():
    with pytest.raises(TypeError, match=r"Sparse data was passed, but Model .*X\.toarray\(\)"):
        Table.read(sp.csr_array(np.ones((2, 2))), owner="Model")


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, pl.DataFrame])
def test_mixed_rows_take_each_cell_from_its_own_row(kind):
    X = np.arange(12.0).reshape(4, 3)
    rows = np.array([[0, 1, 2], [3, 3, 0]])
    given = X if kind is np.array else kind({name: X[:, j] for j, name in enumerate("abc")})
    found = mixed_rows(given, rows)
    assert type(found) is type(given)
    assert np.asarray(found).tolist() == [[0.0, 4.0, 8.0], [9.0, 10.0, 2.0]]


@pytest.mark.parametrize("library", [pd, pl])
def test_features_labels_and_weights_are_parted_by_name_and_put_back_by_nobody(library):
    frame = library.DataFrame({"a": [1.0, 2.0], "kind": ["x", "y"], "times": [3, 4]})
    X, y, weights = split_target(frame, "kind", "times")
    assert (list(X.columns), list(y), list(weights)) == (["a"], ["x", "y"], [3, 4])
    assert list(frame.columns) == ["a", "kind", "times"]
    with pytest.raises(ValueError, match="There is no column 'size'"):
        split_target(frame, "size")
    assert list(without_columns(frame, ("kind", "none")).columns) == ["a", "times"]
    assert len(take_rows(frame, np.array([False, True]))) == 1


def test_labels_of_categories_are_their_names_in_any_library():
    names = ["b", "a", "b"]
    for y in (pd.Series(names, dtype="category"), pl.Series(names, dtype=pl.Categorical), names):
        assert list(as_labels(y, "Tree")) == names
    with pytest.raises(ValueError, match="Tree requires y"):
        as_labels(None, "Tree")
