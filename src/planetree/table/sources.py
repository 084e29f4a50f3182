"""Where a table comes from: lists, arrays, sparse arrays and, through narwhals, frames.

Tables that are not in memory are refused, with what to do instead of loading one. Nothing here
imports what makes them: a table in parts says so itself (`is_in_parts`), and the others are known
by what they offer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from planetree.arrays import Indices, Mask
from planetree.table.columns import (
    Codes,
    Content,
    as_codes,
    as_floats,
    in_order,
    look_up,
    read_objects,
    read_values,
    refuse_kind,
    take,
)

_WIDE = (nw.Int128, nw.UInt128)  # integers that numpy does not have


class Source(NamedTuple):
    """Where a table comes from: all of it as one matrix of numbers, or column by column."""

    shape: tuple[int, int]
    names: list[str]
    named: bool
    matrix: Any
    column: Callable[[int], Content]


def open_source(X: Any, owner: str, sparse: bool) -> Source:
    """Look at X without reading its cells; refuse what has no rows and columns, or no memory."""
    refuse_lazy(X, owner)
    if sp.issparse(X):
        source = _open_sparse(X, owner, sparse)
    else:
        frame = _as_narwhals(X)
        source = _open_frame(frame) if isinstance(frame, nw.DataFrame) else _open_array(frame)
    for size, what in zip(source.shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape={source.shape}) while a minimum of 1 is "
                f"required by {owner}."
            )
    return source


def mixed_rows(X: Any, rows: Indices) -> Any:
    """Rows whose cell (i, j) is that of row rows[i, j] of X: an array, or a frame of its library.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.table.sources import mixed_rows
    >>> mixed_rows([[1, "a"], [2, "b"]], np.array([[1, 0]]))
    array([[2, 'a']], dtype=object)
    """
    frame = _as_narwhals(X)
    if not isinstance(frame, nw.DataFrame):
        values = np.asarray(X, dtype=object if isinstance(X, (list, tuple)) else None)
        return values[rows, np.arange(rows.shape[1])]
    columns = [
        nw.maybe_reset_index(series[rows[:, j].tolist()])
        for j, series in enumerate(frame.iter_columns())
    ]
    return nw.from_dict({series.name: series for series in columns}).to_native()


def without_dictionaries(X: Any) -> Any:
    """The same table; text that pandas keeps as a dictionary of pyarrow is text of its own.

    Examples
    --------
    >>> import pandas as pd, pyarrow as pa
    >>> from planetree.table import without_dictionaries
    >>> frame = pa.table({"kind": pa.array(["a", "b"]).dictionary_encode()})
    >>> without_dictionaries(frame.to_pandas(types_mapper=pd.ArrowDtype)).dtypes.tolist()
    [dtype('O')]
    """
    frame = _as_narwhals(X)
    if not isinstance(frame, nw.DataFrame) or not frame.implementation.is_pandas():
        return X
    text = [each for each in frame.iter_columns() if each.dtype == nw.Categorical]
    names = [each.name for each in text if each.to_native().dtype != "category"]
    return X.astype(dict.fromkeys(names, object)) if names else X


def _as_narwhals(X: Any) -> Any:
    """A frame or series seen through narwhals; anything else as it is."""
    if X is None or isinstance(X, np.ndarray):  # narwhals takes its time to say no
        return X
    try:
        X = nw.from_native(X, eager_only=True, pass_through=True, allow_series=True)
    except ValueError as error:
        raise ValueError(f"Duplicate column names: {error} Rename the columns of X.") from error
    if hasattr(X, "collect"):
        raise TypeError("X is a lazy frame and has no rows yet: call X.collect() first.")
    return X


def _open_sparse(X: Any, owner: str, sparse: bool) -> Source:
    """A sparse array, made dense where the owner takes it."""
    if not sparse:
        raise TypeError(
            f"Sparse data was passed, but {owner} needs dense data. Use X.toarray() to convert it."
        )
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X is a sparse array of complex numbers.")
    try:
        matrix = as_floats(X.toarray())
    except MemoryError as error:
        raise MemoryError(
            f"{owner} needs X dense, but {X.shape[0]} rows of {X.shape[1]} columns do not fit into "
            "memory. Choose fewer columns first, for instance with sklearn.feature_selection."
        ) from error
    return Source(matrix.shape, _numbered(matrix.shape[1]), False, matrix, lambda j: matrix[:, j])


def _open_array(X: Any) -> Source:
    """An array, or what numpy makes one of; text in lists keeps its neighbors numbers."""
    if np.ma.isMaskedArray(X):
        X = np.where(np.ma.getmaskarray(X), np.nan, np.ma.getdata(X).astype(object))
    try:
        values = np.asarray(X.to_numpy() if isinstance(X, nw.Series) else X)
    except ValueError as error:
        raise ValueError(f"The rows of X differ in length, or X is not a table: {error}") from error
    if values.dtype.kind in "US" and not hasattr(X, "dtype"):
        values = np.asarray(X, dtype=object)
    if values.ndim < 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead. Reshape your data with "
            "X.reshape(-1, 1) if it is one column, or X.reshape(1, -1) if it is one row."
        )
    if values.ndim > 2:
        raise ValueError(f"Found array with dim {values.ndim}, while dim <= 2 is required.")
    names = _numbered(values.shape[1])
    matrix = values if values.dtype.kind in "iuf" else None
    return Source(values.shape, names, False, matrix, lambda j: read_values(values[:, j], names[j]))


def _numbered(n_columns: int) -> list[str]:
    """Names for columns that have none."""
    return [f"x{j}" for j in range(n_columns)]


def _open_frame(frame: nw.DataFrame) -> Source:
    """A frame whose columns are named by text, or by numbers, which are as good as no names."""
    kinds = sorted({type(name).__name__ for name in frame.columns})
    if len(kinds) > 1 and "str" in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but the "
            f"columns of X are named by {kinds}. Use X.columns = X.columns.astype(str)."
        )
    names = [str(name) for name in frame.columns]
    columns = list(frame.iter_columns())

    def column(j: int) -> Content:
        return _read_series(columns[j], names[j])

    matrix = None
    if all(each.dtype == nw.Float64 for each in columns):
        values = frame.to_numpy()
        matrix = values if values.dtype.kind == "f" else None
    return Source(frame.shape, names, kinds == ["str"], matrix, column)


def _read_series(series: nw.Series, name: str) -> Content:
    """Content of one column of a frame."""
    dtype = series.dtype
    if dtype.is_numeric():
        foreign = dtype.is_decimal() or dtype in _WIDE
        return (series.cast(nw.Float64) if foreign else series).to_numpy()
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _read_categories(series, name)
    if dtype.is_temporal() or dtype.is_nested():
        cells = series.drop_nulls()
        value = cells[0] if len(cells) else None
        row = int(np.argmin(series.is_null().to_numpy()))
        refuse_kind("date" if dtype.is_temporal() else "nested", name, row, value)
    if dtype == nw.Object:
        return read_objects(series.to_list(), name)
    return read_values(series.to_numpy(), name)


def _read_categories(series: nw.Series, name: str) -> Content:
    """Codes of a column of text, or of categories that the frame declares."""
    declared = series.dtype != nw.String
    if series.implementation.is_polars() and series.dtype != nw.Enum:
        declared, text = False, series.cast(nw.String)
        coded = text.cast(nw.Enum(text.drop_nulls().unique().sort().to_list()))
    else:
        try:
            coded = series if declared else series.cast(nw.Categorical)
        except UnicodeEncodeError:  # pandas keeps text in pyarrow, which has none such
            return read_values(series.to_numpy(), name)
    codes, labels = _codes_of(coded)
    if not declared and any(type(label) is not str for label in labels):
        return read_values(series.to_numpy(), name)
    known = tuple(label for label in labels if label is not None)
    codes = take(look_up(labels, known), as_codes(codes))
    content = Codes(codes, known, declared)
    return content if declared else in_order(content)


def _codes_of(series: nw.Series) -> tuple[NDArray[Any], list[Any]]:
    """Codes and labels as the library of the frame keeps them."""
    native = series.to_native()
    if series.implementation.is_polars():
        return native.to_physical().to_numpy(), native.dtype.categories.to_list()
    if series.implementation.is_pyarrow():
        cells = native.unify_dictionaries().combine_chunks()
        return cells.indices.to_numpy(zero_copy_only=False), cells.dictionary.to_pylist()
    cells = native.array
    if not hasattr(cells, "categories"):  # a pyarrow dictionary inside pandas
        cells = native.astype(object).astype("category").array
    return cells.codes, cells.categories.tolist()


def as_labels(y: Any, owner: str) -> Any:
    """Labels as a plain array; those of categories and text by their names."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    refuse_lazy(y, owner)
    series = _as_narwhals(y)
    if isinstance(series, nw.DataFrame) and series.shape[1] == 1:
        return as_labels(series[:, 0].to_native(), owner)[:, np.newaxis]
    if isinstance(series, nw.Series) and series.dtype in (nw.String, nw.Categorical, nw.Enum):
        content = _read_categories(series, "y")
        if isinstance(content, Codes):
            return np.array([*content.labels, None], dtype=object)[content.codes]
    return as_plain(series)


def as_plain(values: Any) -> Any:
    """A series as a numpy array; anything else as it is, if it is in memory."""
    refuse_lazy(values, "An estimator")
    values = _as_narwhals(values)
    if isinstance(values, nw.Series) and values.dtype in _WIDE:
        raise TypeError(
            f"{values.name or 'A series'} holds {values.dtype}, which numpy does not have. Cast it "
            "to Int64 or Float64."
        )
    return values.to_numpy() if isinstance(values, (nw.Series, nw.DataFrame)) else values


def split_target(rows: Any, target: Any, weight: Any = None) -> tuple[Any, Any, Any]:
    """Features, labels and weights of rows that hold all of them; weights None where none are.

    Parameters
    ----------
    rows : frame, or tuple of arrays (X, y) or (X, y, weights)
    target, weight : str
        Columns of a frame; `weight` may be None.

    Examples
    --------
    >>> import pandas as pd
    >>> from planetree.table.sources import split_target
    >>> X, y, _ = split_target(pd.DataFrame({"size": [1.0, 2.0], "kind": ["a", "b"]}), "kind")
    >>> list(X.columns), y.tolist()
    (['size'], ['a', 'b'])
    """
    if isinstance(rows, tuple):
        X, y, *rest = rows
        return X, y, rest[0] if rest else None
    frame = _as_narwhals(rows)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(f"A part must be a frame, but it is a {type(rows).__name__}.")
    for name in (target,) if weight is None else (target, weight):
        if name not in frame.columns:
            raise ValueError(f"There is no column {name!r}. The columns are {frame.columns}.")
    weights = None if weight is None else frame[weight].to_native()
    features = frame.drop([target] if weight is None else [target, weight])
    return features.to_native(), frame[target].to_native(), weights


def take_rows(rows: Any, keep: Mask) -> Any:
    """Some rows of a frame, an array or a list."""
    frame = _as_narwhals(rows)
    if isinstance(frame, nw.DataFrame):
        return frame.filter(keep.tolist()).to_native()
    return rows[keep] if hasattr(rows, "shape") else np.asarray(rows)[keep]


def without_columns(rows: Any, names: tuple[str, ...]) -> Any:
    """A frame without some columns, whether or not it has them; arrays as they are."""
    frame = _as_narwhals(rows)
    if not names or not isinstance(frame, nw.DataFrame):
        return rows
    return frame.drop([name for name in names if name in frame.columns]).to_native()


_IN_PARTS, _PATH = "a table in parts", "the name of a file"
# A test holds this to the truth.
_CAN_FIT = (
    "RobustSeparator, QuadraticSeparator, SparseSeparator, SeparatorTreeClassifier and "
    "PlaneTreeClassifier"
)
_LOAD = " If it fits into memory, call its collect(), compute() or to_table() first."


def _lazy_kind(X: Any) -> str | None:
    """What a table that is not in memory is called; None for any other.

    Examples
    --------
    >>> from planetree.table.sources import _lazy_kind
    >>> _lazy_kind([[0.0]]) is None
    True
    """
    kind: Any = type(X)  # mypy holds a type to be not hashable
    return _lazy_kind_of(kind)


@cache
def _lazy_kind_of(kind: type) -> str | None:
    if getattr(kind, "is_in_parts", False):
        return _IN_PARTS
    if issubclass(kind, (str, os.PathLike)):
        return _PATH
    if hasattr(kind, "__dask_graph__"):
        return f"a Dask {kind.__name__}"
    if hasattr(kind, "get_fragments"):
        return "a pyarrow Dataset"
    is_lazy = kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars")
    return "a lazy frame" if is_lazy else None


def refuse_lazy(X: Any, owner: str) -> None:
    """Raise if a table is not in memory, and say what to do with it."""
    kind = _lazy_kind(X)
    if kind is None:
        return
    load = "" if kind in (_IN_PARTS, _PATH) else _LOAD
    opened = "partitions" if kind == _IN_PARTS else "open_partitions(source, target=...)"
    raise TypeError(
        f"{owner} was given {kind}, which it would have to load whole.{load} To fit, take some of "
        f"its rows, planetree.distributed.sample({opened}, n), or give {opened} to an estimator "
        f"that reads it part by part: {_CAN_FIT}. To predict, use "
        "planetree.distributed.predict(model, source)."
    )


def fits_partitions(
    estimator: Any, X: Any = None, y: Any = None, sample_weight: Any = None, *_: Any, **named: Any
) -> bool:
    """Whether `fit` was given a table in parts that an estimator takes; raises on wrong ones."""
    if _lazy_kind(X) != _IN_PARTS or not hasattr(estimator, "_fit_partitions"):
        refuse_lazy(X, type(estimator).__name__)
        return False
    if y is not None or sample_weight is not None:
        raise ValueError(
            "Partitions hold their classes and weights: name them in open_partitions(source, "
            "target=..., weight=...), and call fit without y and sample_weight."
        )
    return True
