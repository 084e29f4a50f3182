"""Everything that a table, its labels and its weights may come in."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse


def _named(X):
    return {f"c{j}": X[:, j] for j in range(X.shape[1])}


def _cast(dtype):
    def change(X):
        with np.errstate(all="ignore"):
            return np.nan_to_num(X).clip(-100, 100).astype(dtype)

    return change


def _mixed_frame(X):
    """Frame whose first column is categories, and the second text, if there are so many."""
    frame = pd.DataFrame(_named(X))
    words = np.where(np.isfinite(X[:, 0]), np.where(X[:, 0] > 0.5, "hi", "lo"), None)
    frame["c0"] = pd.Categorical(words)
    if X.shape[1] > 1:
        frame["c1"] = pd.Series(np.where(X[:, 1] > 0, "a", ""), dtype="str")
    return frame


CONTAINERS = {
    "array": lambda X: X,
    "columns first": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "read-only": lambda X: _read_only(X),
    "lists": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
    "text": lambda X: X.astype(str),
    "decimals": lambda X: np.array([[decimal.Decimal(repr(float(v))) for v in r] for r in X]),
    "complex": lambda X: X.astype(complex),
    "float32": lambda X: _quiet(X, np.float32),
    "float16": lambda X: _quiet(X, np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "beyond floats": lambda X: X.astype(np.longdouble) * np.longdouble("1e320"),
    "signals": lambda X: np.where(X > 1, decimal.Decimal("sNaN"), X.astype(object)),
    "int8": _cast(np.int8),
    "int64": _cast(np.int64),
    "uint64": lambda X: np.abs(_cast(np.int64)(X)).astype(np.uint64),
    "bool": lambda X: X > 0.5,
    "sparse": lambda X: sparse.csr_matrix(np.where(np.isnan(X), 0.0, X)),
    "pandas": lambda X: pd.DataFrame(_named(X)),
    "pandas, nullable": lambda X: pd.DataFrame(_named(X)).astype("Float64"),
    "pandas, categories": _mixed_frame,
    "pandas, repeated names": lambda X: pd.DataFrame(X, columns=["c"] * X.shape[1]),
    "pandas, whole names": lambda X: pd.DataFrame(X),
    "polars": lambda X: pl.DataFrame(_named(X)),
    "arrow": lambda X: pa.table(_named(X)),
    "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[:, :, None],
    "no columns": lambda X: X[:, :0],
}


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _quiet(X, dtype):
    with np.errstate(all="ignore"):
        return X.astype(dtype)


LABELS = {
    "whole": lambda y: y,
    "negative": lambda y: y - 3,
    "text": lambda y: np.array(["no", "yes", "'", '"', "", "é", "\x1b[31m"])[y % 7],
    "objects": lambda y: np.array(["b", "a", "c", "d", "e", "f", "g"], dtype=object)[y % 7],
    "beyond floats": lambda y: np.array([10 ** (400 + int(each)) for each in y], dtype=object),
    "bool": lambda y: y > 0,
    "fractions": lambda y: y + 0.5,
    "whole floats": lambda y: y.astype(float),
    "column": lambda y: y[:, None],
    "list": lambda y: y.tolist(),
    "missing": lambda y: np.where(y == 0, np.nan, y.astype(float)),
    "none": lambda y: np.array([None if each == 0 else "a" for each in y], dtype=object),
    "mixed": lambda y: np.array(["a" if each == 0 else 1 for each in y], dtype=object),
    "too few": lambda y: y[:-1],
    "pandas": lambda y: pd.Series(y, name="class"),
    "categories": lambda y: pd.Categorical(np.array([*"abcdefg"])[y % 7]),
    "polars": lambda y: pl.Series("class", y),
}
WEIGHTS = {
    "none": lambda rng, m: None,
    "whole": lambda rng, m: rng.integers(1, 4, size=m),
    "some zero": lambda rng, m: rng.integers(0, 2, size=m).astype(float),
    "all zero": lambda rng, m: np.zeros(m),
    "negative": lambda rng, m: np.full(m, -1.0),
    "missing": lambda rng, m: np.where(rng.random(m) < 0.3, np.nan, 1.0),
    "infinite": lambda rng, m: np.where(rng.random(m) < 0.3, np.inf, 1.0),
    "huge": lambda rng, m: np.full(m, 1e308),
    "tiny": lambda rng, m: np.full(m, 5e-324),
    "beyond floats": lambda rng, m: np.full(m, 10**400),
    "far apart": lambda rng, m: 10.0 ** rng.integers(-150, 150, size=m),
    "complex": lambda rng, m: np.full(m, 1 + 1j),
    "text": lambda rng, m: np.full(m, "1"),
}
