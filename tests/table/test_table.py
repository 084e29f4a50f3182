"""Reading: the same cells make the same table, whatever library they come from."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree.arrays import encode
from planetree.exceptions import CategoryWarning
from planetree.table import Column, Table


def same(table, other):
    return table.columns == other.columns and np.array_equal(
        table.values, other.values, equal_nan=True
    )


def test_an_array_of_floats_is_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    assert Table.read(X).values is X
    assert Table.read(X, Table.read(X).columns).values is X


def test_reading_a_large_array_needs_next_to_no_memory():
    X = np.ones((100_000, 10))
    tracemalloc.start()
    Table.read(X, missing=False)
    X[-1, -1] = np.nan
    Table.read(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10


@pytest.mark.parametrize("dtype", ["float32", "float16", "longdouble", "int8", "uint64", "object"])
def test_numbers_of_any_type_become_float64_in_c_order(dtype):
    X = np.asfortranarray(np.arange(6).reshape(3, 2).astype(dtype))
    table = Table.read(X)
    assert table.values.dtype == np.float64
    assert table.values.flags.c_contiguous
    assert table.values.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert table.columns == (Column("x0"), Column("x1"))


def test_a_huge_integer_and_a_decimal_are_numbers():
    from decimal import Decimal
    from fractions import Fraction

    table = Table.read([[10**30, Decimal("1.5")], [None, Fraction(1, 4)]])
    np.testing.assert_array_equal(table.values, [[1e30, 1.5], [np.nan, 0.25]])
    frame = pl.DataFrame({"a": pl.Series([Decimal("1.5"), None])})
    np.testing.assert_array_equal(Table.read(frame).values, [[1.5], [np.nan]])
    np.testing.assert_array_equal(Table.read(frame.to_arrow()).values, [[1.5], [np.nan]])


def test_an_array_of_text_is_all_categories():
    table = Table.read(np.array([["2", "b"], ["10", "a"]]))
    assert table.columns == (Column("x0", ("10", "2")), Column("x1", ("a", "b")))


def test_declared_categories_keep_their_order_their_type_and_those_never_seen():
    pandas = pd.DataFrame({"size": pd.Categorical([3, 1, None], categories=[3, 2, 1])})
    table = Table.read(pandas)
    assert table.columns == (Column("size", (3, 2, 1)),)
    np.testing.assert_array_equal(table.values, [[0], [2], [np.nan]])
    polars = pl.DataFrame({"size": pl.Series(["l", None, "s"], dtype=pl.Enum(["s", "m", "l"]))})
    table = Table.read(polars)
    assert table.columns == (Column("size", ("s", "m", "l")),)
    np.testing.assert_array_equal(table.values, [[2], [np.nan], [0]])


cells = st.one_of(st.none(), st.text("abcé ", max_size=3))
tables = st.integers(1, 8).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "text": st.lists(cells, min_size=n, max_size=n).filter(any),
            "number": st.lists(
                st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
                min_size=n,
                max_size=n,
            ).filter(lambda column: any(cell is not None for cell in column)),
            "count": st.lists(st.integers(-(2**53), 2**53), min_size=n, max_size=n),
            "yes": st.lists(st.sampled_from([True, False, None]), min_size=n, max_size=n).filter(
                lambda column: any(cell is not None for cell in column)
            ),
        }
    )
)


@given(tables)
@settings(max_examples=60, deadline=None)
def test_every_library_gives_the_same_table(columns):
    reference = Table.read(pl.DataFrame(columns))
    assert same(Table.read(pd.DataFrame(columns)), reference)
    assert same(Table.read(pd.DataFrame(columns, dtype=object)), reference)
    assert same(Table.read(pd.DataFrame(columns).convert_dtypes()), reference)
    arrow = pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")
    assert same(Table.read(arrow), reference)
    assert same(Table.read(pa.table(columns)), reference)
    categorical = pl.DataFrame(columns).with_columns(pl.col("text").cast(pl.Categorical))
    assert same(Table.read(categorical), reference)
    plain = Table.read([list(row) for row in zip(*columns.values(), strict=True)])
    np.testing.assert_array_equal(plain.values, reference.values)
    assert [c.categories for c in plain.columns] == [c.categories for c in reference.columns]


@given(tables)
@settings(max_examples=60, deadline=None)
def test_a_table_read_against_its_own_columns_is_itself(columns):
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        table = Table.read(frame)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert same(Table.read(frame, table.columns), table)
            assert same(Table.read(table, table.columns), table)
            assert same(Table.read(table), table)


@given(tables, st.randoms())
@settings(max_examples=30, deadline=None)
def test_the_columns_of_a_frame_are_found_by_name(columns, random):
    table = Table.read(pd.DataFrame(columns))
    names = list(columns)
    random.shuffle(names)
    assert same(Table.read(pd.DataFrame(columns)[names], table.columns), table)


def test_a_cell_decodes_to_what_the_user_wrote():
    words = ["north", "south", "east", "south", None]
    table = Table.read(pl.DataFrame({"side": words}))
    labels = table.columns[0].categories
    decoded = [None if np.isnan(c) else labels[int(c)] for c in table.values[:, 0]]
    assert decoded == words


def test_a_category_never_seen_is_coded_apart_from_missing_and_is_named():
    trained = Table.read(pl.DataFrame({"n": [1.0, 2.0], "color": ["red", "blue"]})).columns
    colors = ["blue", "teal", "mauve", None]
    rows = pl.DataFrame({"n": [1.0, 2.0, 3.0, 4.0], "color": colors})
    message = r"column 'color', row 1 \(counting from 0\).*never seen in training: 'mauve', 'teal'"
    with pytest.warns(CategoryWarning, match=message) as caught:
        table = Table.read(rows, trained)
    assert len(caught) == 1
    np.testing.assert_array_equal(table.values, [[1, 0], [2, -1], [3, -1], [4, np.nan]])
    np.testing.assert_array_equal(Table.read(table, trained).values, table.values)
    assert np.isnan(Table.read(table).values[:, 1]).tolist() == [False, True, True, True]
    with pytest.raises(ValueError, match=r"Unknown category.*'color', row 1.*Model needs every"):
        Table.read(rows, trained, owner="Model", missing=False)


def test_an_unseen_category_that_is_declared_but_not_used_is_no_cause_to_warn():
    trained = Table.read(pd.DataFrame({"a": ["x", "y"]})).columns
    rows = pd.DataFrame({"a": pd.Categorical(["y", "x"], ["z", "y", "x"])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Table.read(rows, trained).values.tolist() == [[1], [0]]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_terms_are_numbers_and_indicators_of_the_categories(sizes, seed):
    """A row has one of a column's v > 2 categories, so its indicators sum to 1, or are unknown."""
    rng = np.random.default_rng(seed)
    columns = tuple(
        Column(f"c{j}", tuple(range(size)) if size else None) for j, size in enumerate(sizes)
    )
    values = np.column_stack([rng.integers(0, max(size, 1), 6) for size in sizes]).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    terms = Table(values, columns).terms()
    E = encode(values, *terms)
    for j, size in enumerate(sizes):
        mine = E[:, terms.columns == j]
        assert mine.shape[1] == {0: 1, 1: 1, 2: 1}.get(size, size)
        unknown = np.isnan(values[:, j])
        assert np.isnan(mine[unknown]).all()
        expected = values[:, j] if size in (0, 2) else np.ones(6)
        np.testing.assert_array_equal(mine[~unknown].sum(axis=1), expected[~unknown])


def test_terms_of_numbers_alone_need_no_copy():
    X = np.ones((3, 2))
    assert encode(X, *Table.read(X).terms()) is X


def test_tables_and_columns_survive_pickle():
    table = Table.read(pd.DataFrame({"a": ["x", None], "b": [1.0, 2.0]}))
    assert same(pickle.loads(pickle.dumps(table)), table)


def test_the_table_of_some_rows_keeps_the_columns():
    table = Table.read([["a", 1], ["b", 2], ["c", 3]])
    assert table.take([2, 0]).columns is table.columns
    assert table.take([2, 0]).values.tolist() == [[2, 3], [0, 1]]
