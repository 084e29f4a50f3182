"""What cannot be read is refused in words: the column, the row, what was found, what to do."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse as sp

from planetree.table import Table

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinite_value(frame, infinity):
    X = frame({"ok": [1.0, 2.0, 3.0], "speed": [1.0, infinity, np.nan]})
    with pytest.raises(ValueError, match=r"infinity: column 'speed', row 1 \(counting from 0\)"):
        Table.read(X)


def test_an_infinite_value_far_down_beside_its_negative():
    X = np.zeros((40_000, 3))
    X[30_000, 2], X[35_000, 1] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"infinity: column 'x2', row 30000 .*holds inf"):
        Table.read(X)


def test_finite_values_whose_sum_overflows_are_fine():
    X = np.full((3, 2), 1e308)
    assert Table.read(X, missing=False).values is X


def test_an_infinite_value_in_a_sparse_array():
    X = sp.csr_array(np.array([[0.0, 1.0], [0.0, 0.0], [np.inf, 2.0]]))
    with pytest.raises(ValueError, match=r"infinity: column 'x0', row 2 "):
        Table.read(X, sparse=True)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("cells", [[1.0, None], ["a", None], [True, None]])
def test_a_missing_value_where_none_may_be(frame, cells):
    message = r"contains NaN: column 'age', row 1 .*missing, and Model needs .*SimpleImputer"
    with pytest.raises(ValueError, match=message):
        Table.read(frame({"ok": [1, 2], "age": cells}), owner="Model", missing=False)


@pytest.mark.parametrize("frame", [*FRAMES, lambda cells: np.array(cells["day"], object)[:, None]])
@pytest.mark.parametrize(
    "cell", [dt.date(2020, 1, 2), dt.datetime(2020, 1, 2), dt.timedelta(3), dt.time(4)]
)
def test_dates_and_times(frame, cell):
    with pytest.raises(ValueError, match=r"(?s)Dates and times.*row 1 .*days since a fixed date"):
        Table.read(frame({"day": [None, cell]}))


@pytest.mark.parametrize("kind", ["datetime64[D]", "timedelta64[s]"])
def test_arrays_of_dates(kind):
    with pytest.raises(ValueError, match=r"Dates and times.*column 'x0', row 0"):
        Table.read(np.zeros((2, 1), dtype=kind))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_nested_values(frame, cell):
    message = r"argument must be a string or a real number.*column 'nest', row 1 .*Spread nested"
    with pytest.raises(TypeError, match=message):
        Table.read(frame({"nest": [None, cell]}))


@pytest.mark.parametrize("X", [np.empty((0, 3)), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})])
def test_a_table_without_rows(X):
    with pytest.raises(ValueError, match=r"0 sample\(s\) .* required by Model"):
        Table.read(X, owner="Model")


@pytest.mark.parametrize("X", [np.empty((3, 0)), pd.DataFrame(index=range(3))])
def test_a_table_without_columns(X):
    message = r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required by Table\."
    with pytest.raises(ValueError, match=message):
        Table.read(X)


@pytest.mark.parametrize("frame", FRAMES)
def test_missing_and_extra_columns_are_listed(frame):
    columns = Table.read(frame({"a": [1], "b": [2], "c": [3]})).columns
    message = (
        "Feature names unseen at fit time:\n- z\n"
        "Feature names seen at fit time, yet now missing:\n- a\n- c\n"
    )
    with pytest.raises(ValueError, match=message):
        Table.read(frame({"b": [1], "z": [2]}), columns)


def test_a_wrong_number_of_columns():
    columns = Table.read(np.ones((2, 3))).columns
    message = "X has 2 features, but RobustSeparator is expecting 3 features as input."
    for X in (np.ones((2, 2)), [["a", "b"]]):
        with pytest.raises(ValueError, match=message):
            Table.read(X, columns, owner="RobustSeparator")


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.dates(),
    st.decimals(),
    st.lists(st.integers(), max_size=2),
    st.just(pd.NA),
    st.just(pd.NaT),
    st.just(np.float32(1.5)),
)


@given(st.lists(st.lists(anything, min_size=2, max_size=2), min_size=1, max_size=4))
@example([[False, None], [Decimal("sNaN"), None]])
@example([[None, Decimal("sNaN")]])
@settings(max_examples=200, deadline=None)
def test_anything_at_all_is_read_or_refused_by_a_value_or_type_error(rows):
    """Whatever is read has a code for each category and finite numbers, NaN where missing."""
    X = np.empty((len(rows), 2), dtype=object)
    for i, row in enumerate(rows):
        X[i, 0], X[i, 1] = row
    for table in (X, pd.DataFrame(X, columns=["a", "b"])):
        try:
            read = Table.read(table)
        except (ValueError, TypeError):
            continue
        for column, values in zip(read.columns, read.values.T, strict=True):
            known = values[~np.isnan(values)]
            assert np.isfinite(known).all()
            if column.categories is not None:
                assert set(known) <= set(range(len(column.categories)))
