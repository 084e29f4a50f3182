"""Data sets by name: from a folder, else from the user's cache, else from OpenML.

The environment variable PLANETREE_DATA names a folder that holds, for each data set, one
gzip-compressed CSV file: a header row, the class in the last column, an empty cell where a value is
missing. A `datasets.json` beside them says which columns are categories and which are numbers (a
code made of digits is a category all the same) and has a checksum of each file; without it the
catalog of this package says the same. The cache has the same form. What comes from OpenML is
brought into it, and is refused unless the checksum of its table is that of the catalog.
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

from planetree.arrays import Floats
from planetree.datasets.catalog import Entry, TextRows, UnreachableError, catalog, checksum, fetch
from planetree.files import csv_text, write_file

_VARIABLE = "PLANETREE_DATA"


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


@dataclass(frozen=True)
class _Source:
    """Rows of text, the header first; which columns are categories; and what is said of them."""

    rows: TextRows
    categorical: frozenset[str]
    description: str


def names() -> list[str]:
    """Names of the data sets that `load` knows.

    These are the ones of the catalog and those of the folder that PLANETREE_DATA names.

    Examples
    --------
    >>> from planetree.datasets import names
    >>> {"heart-cleveland", "iris", "wine"} <= set(names())
    True
    """
    return sorted({*catalog(), *_described()})


def load_dataset(name: str, *, as_frame: bool | None = None) -> Dataset:
    """Read a data set: from the folder that PLANETREE_DATA names, the cache, or OpenML.

    Parameters
    ----------
    name : str
        One of `names()`.
    as_frame : bool, optional
        Whether X is a pandas frame or an object array; by default a frame if pandas is there.

    Examples
    --------
    >>> from planetree.datasets import load
    >>> load("iris").X.shape  # doctest: +SKIP
    (150, 4)
    """
    source = _in_folder(name) or _in_cache(name) or _from_openml(name)
    header, *rows = source.rows
    *cells, y = zip(*rows, strict=True)
    columns = {
        feature: [cell or None for cell in column]
        if feature in source.categorical
        else _numbers(column)
        for feature, column in zip(header[:-1], cells, strict=True)
    }
    if as_frame is None:
        as_frame = importlib.util.find_spec("pandas") is not None
    X = _frame(columns, source.categorical) if as_frame else _array(columns)
    categorical = tuple(feature for feature in columns if feature in source.categorical)
    return Dataset(name, X, np.array(y), tuple(columns), categorical, source.description)


def _in_folder(name: str) -> _Source | None:
    """The data set in the folder that PLANETREE_DATA names, if it is there."""
    home = os.environ.get(_VARIABLE)
    entry = _described().get(name)
    if home and entry and (Path(home) / entry["file"]).is_file():
        kinds = entry["columns"]
        categorical = frozenset((*kinds["categorical"], *kinds["ordinal"]))
        return _Source(_as_described(Path(home), entry), categorical, entry["description"])
    return _as_catalogued(Path(home), name) if home else None


def _in_cache(name: str) -> _Source | None:
    """The data set in the user's cache, if it is there."""
    return _as_catalogued(_cache_folder(), name)


def _from_openml(name: str) -> _Source:
    """The data set of OpenML, which is then kept in the cache."""
    entry = catalog().get(name)
    if entry is None and name not in _described():
        raise ValueError(f"There is no data set {name!r}; there are {names()}.")
    if entry is None or entry.openml is None:
        raise _not_at_hand(name, "it is not on OpenML in this form")
    try:
        rows = fetch(entry)
    except UnreachableError as reason:
        raise _not_at_hand(name, f"OpenML {entry.openml}: {reason}") from reason
    source = _checked(name, entry, rows, f"What OpenML {entry.openml} has")
    path = _cache_folder() / _file_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, gzip.compress(csv_text(rows).encode("utf-8")))
    return source


def _not_at_hand(name: str, why: str) -> FileNotFoundError:
    """What to say when a data set is nowhere: where it was sought, and where to put it."""
    home = os.environ.get(_VARIABLE)
    first = str(Path(home) / _file_of(name)) if home else f"{_VARIABLE}, which is not set"
    return FileNotFoundError(
        f"The data set {name!r} is not at hand. It was sought at {first}, then at "
        f"{_cache_folder() / _file_of(name)}; {why}. Put {_file_of(name)} in either folder, or set "
        f"the environment variable {_VARIABLE} to the folder that holds it."
    )


def _file_of(name: str) -> str:
    """The name of its file, wherever that is."""
    return f"{name}.csv.gz"


def _cache_folder() -> Path:
    """Where data sets from OpenML are kept: planetree in XDG_CACHE_HOME, or in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "planetree"


def _described() -> dict[str, dict[str, Any]]:
    """What the `datasets.json` of the folder says of each data set; nothing if there is none."""
    home = os.environ.get(_VARIABLE)
    path = Path(home or ".") / "datasets.json"
    if not home or not path.is_file():
        return {}
    return {entry["name"]: entry for entry in json.loads(path.read_text("utf-8"))["datasets"]}


def _as_described(home: Path, entry: dict[str, Any]) -> TextRows:
    """TextRows of a file, once its checksum is that of `datasets.json`."""
    path = home / entry["file"]
    data = gzip.decompress(path.read_bytes())
    found = hashlib.sha256(data).hexdigest()
    if found != entry["sha256_csv"]:
        raise ValueError(
            f"{path} is not the file that datasets.json describes: its checksum is {found}, not "
            f"{entry['sha256_csv']}. Fetch it again."
        )
    return _parsed(data)


def _as_catalogued(home: Path, name: str) -> _Source | None:
    """TextRows of a file that the catalog describes, once the checksum of its table agrees."""
    path, entry = home / _file_of(name), catalog().get(name)
    if entry is None or not path.is_file():
        return None
    return _checked(name, entry, _parsed(gzip.decompress(path.read_bytes())), str(path))


def _checked(name: str, entry: Entry, rows: TextRows, place: str) -> _Source:
    """The rows, if they are the table of the catalog."""
    found = checksum(rows, entry.categories)
    if found != entry.checksum:
        raise ValueError(
            f"{place} is not the table {name!r} of the catalog: the checksum of its rows is "
            f"{found}, not {entry.checksum}. Put {_file_of(name)} in the folder that the "
            f"environment variable {_VARIABLE} names."
        )
    about = f"{len(rows) - 1} rows, {len(rows[0]) - 1} features, {len(entry.classes)} classes"
    return _Source(rows, frozenset(entry.categories), about)


def _parsed(data: bytes) -> TextRows:
    """Cells of a CSV."""
    return list(csv.reader(data.decode("utf-8").splitlines()))


def _numbers(cells: tuple[str, ...]) -> Floats:
    """Cells as floats, an empty one as NaN."""
    return np.array([cell or "nan" for cell in cells], dtype=np.float64)


def _frame(columns: dict[str, Any], discrete: frozenset[str]) -> Any:
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


def _array(columns: dict[str, Any]) -> NDArray[Any]:
    """Columns as an object array of floats and text, missing as None or NaN."""
    values = np.empty((len(next(iter(columns.values()))), len(columns)), dtype=object)
    for j, cells in enumerate(columns.values()):
        values[:, j] = cells
    return values
