"""Data sets of a local folder, by name.

The environment variable PLANETREE_DATA names a folder that holds `datasets.json` and, for each
data set, one gzip-compressed CSV file: a header row, the class in the last column, an empty cell
where a value is missing. `datasets.json` says which columns are categories and which are numbers
(a code made of digits is a category all the same) and has a checksum of each file.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

VARIABLE = "PLANETREE_DATA"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of examples with the class of each.

    Parameters
    ----------
    name : str
    X : pandas.DataFrame or object array
        Categories as `pandas.Categorical`, or as text in an array; numbers as floats.
    y : array of str
    feature_names : tuple of str
    categorical : tuple of str
        The features that are categories, ordered ones included.
    description : str
    """

    name: str
    X: Any
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    categorical: tuple[str, ...]
    description: str


def names() -> list[str]:
    """Names of the data sets in the folder that PLANETREE_DATA names.

    Examples
    --------
    >>> from planetree.datasets import names
    >>> "iris" in names()  # doctest: +SKIP
    True
    """
    return sorted(contents(folder()))


def load(name: str, *, as_frame: bool | None = None) -> Dataset:
    """Read a data set from the folder that PLANETREE_DATA names.

    Parameters
    ----------
    name : str
    as_frame : bool, optional
        Whether X is a pandas frame or an object array; by default a frame if pandas is there.

    Examples
    --------
    >>> from planetree.datasets import load
    >>> load("iris").X.shape  # doctest: +SKIP
    (150, 4)
    """
    home = folder()
    known = contents(home)
    if name not in known:
        raise ValueError(
            f"There is no data set {name!r} in {home / 'datasets.json'}, which has {sorted(known)}."
        )
    entry = known[name]
    header, *rows = csv.reader(text_of(home, entry).splitlines())
    *cells, y = zip(*rows, strict=True)
    kinds = entry["columns"]
    discrete = {*kinds["categorical"], *kinds["ordinal"]}
    columns = {
        feature: [cell or None for cell in column] if feature in discrete else numbers(column)
        for feature, column in zip(header[:-1], cells, strict=True)
    }
    if as_frame is None:
        as_frame = importlib.util.find_spec("pandas") is not None
    X = frame(columns, discrete) if as_frame else array(columns)
    categorical = tuple(feature for feature in columns if feature in discrete)
    return Dataset(name, X, np.array(y), tuple(columns), categorical, entry["description"])


def folder() -> Path:
    """The folder of the data sets."""
    home = os.environ.get(VARIABLE)
    if not home:
        raise FileNotFoundError(
            f"The environment variable {VARIABLE} is not set. Set it to the folder that holds "
            "datasets.json and the <name>.csv.gz files."
        )
    return Path(home)


def contents(home: Path) -> dict[str, dict[str, Any]]:
    """What `datasets.json` says of each data set."""
    path = home / "datasets.json"
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no {path}. Put datasets.json and the <name>.csv.gz files there, or set the "
            f"environment variable {VARIABLE} to the folder that holds them."
        )
    return {entry["name"]: entry for entry in json.loads(path.read_text("utf-8"))["datasets"]}


def text_of(home: Path, entry: dict[str, Any]) -> str:
    """The CSV of a data set, once its checksum agrees."""
    path = home / entry["file"]
    if not path.is_file():
        raise FileNotFoundError(
            f"The data set {entry['name']!r} is described in datasets.json, but there is no "
            f"{path}. Put the file there, or set the environment variable {VARIABLE} to its folder."
        )
    data = gzip.decompress(path.read_bytes())
    found = hashlib.sha256(data).hexdigest()
    if found != entry["sha256_csv"]:
        raise ValueError(
            f"{path} is not the file that datasets.json describes: its checksum is {found}, not "
            f"{entry['sha256_csv']}. Fetch it again."
        )
    return data.decode("utf-8")


def numbers(cells: tuple[str, ...]) -> NDArray[np.float64]:
    """Cells as floats, an empty one as NaN."""
    return np.array([cell or "nan" for cell in cells], dtype=np.float64)


def frame(columns: dict[str, Any], discrete: set[str]) -> Any:
    """Columns as a pandas frame, whose categories are the sorted values of each column."""
    pd = importlib.import_module("pandas")
    return pd.DataFrame(
        {
            feature: pd.Categorical(cells, sorted(set(cells) - {None}))
            if feature in discrete
            else cells
            for feature, cells in columns.items()
        }
    )


def array(columns: dict[str, Any]) -> NDArray[Any]:
    """Columns as an object array of floats and text, missing as None or NaN."""
    values = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for j, cells in enumerate(columns.values()):
        values[:, j] = cells
    return values
