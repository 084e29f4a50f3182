"""Data sets by name: from a folder, else from the user's cache, else from OpenML.

The environment variable PLANETREE_DATA names a folder that holds, for each data set, one
gzip-compressed CSV file: a header row, the class in the last column, an empty cell where a value is
missing. A `datasets.json` beside them says which columns are categories and which are numbers (a
code made of digits is a category all the same) and has a checksum of each file; without it the
catalog of this package says the same. The cache has the same form. What comes from OpenML is
brought into it, and is refused unless the checksum of its table is that of the catalog.

The catalog says of each public data set its columns, its categories, and a checksum of its table.
The checksum does not depend on how a number is written (1.10 or 1.1), only on its value: it is the
SHA-256 of the table with every number in its shortest exact form. Categories are listed in the
order in which they first appear, so that a copy that has other words for them, row by row the same,
can be brought back to ours.

A copy on OpenML may also have other names for the columns, and it writes numbers in its own way. If
it has the same rows in the same order, the columns are named by their place and the words by the
order in which they first appear; whether that was right, the checksum of the whole table tells.

Examples to try things on are the text of a CSV file: scikit-learn's, and those of `load`.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import json
import os
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats
from planetree.exceptions import MethodError
from planetree.files import csv_text, write_file

_VARIABLE = "PLANETREE_DATA"
_TextRows = list[list[str]]


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

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.datasets import Dataset
    >>> X = np.array([[1.5], [2.5]])
    >>> data = Dataset("two", X, np.array(["no", "yes"]), ("size",), (), "Made up.")
    >>> data.feature_names, data.y.tolist()
    (('size',), ['no', 'yes'])
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

    rows: _TextRows
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
    return sorted({*_catalog(), *_described()})


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
    source = _in_folder(name) or _as_catalogued(_cache_folder(), name) or _from_openml(name)
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


def _from_openml(name: str) -> _Source:
    """The data set of OpenML, which is then kept in the cache."""
    entry = _catalog().get(name)
    if entry is None and name not in _described():
        raise ValueError(f"There is no data set {name!r}. Data sets: {names()}.")
    if entry is None or entry.openml is None:
        raise _not_at_hand(name, "it is not on OpenML in this form")
    try:
        rows = _fetch(entry)
    except _UnreachableError as reason:
        raise _not_at_hand(name, f"OpenML {entry.openml}: {reason}") from reason
    source = _checked(name, entry, rows, f"What OpenML {entry.openml} has")
    path = _cache_folder() / _file_of(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, gzip.compress(csv_text(rows, formulas=True).encode("utf-8")))
    return source


def _not_at_hand(name: str, why: str) -> FileNotFoundError:
    """What to say when a data set is nowhere: where it was sought, and where to put it."""
    home = os.environ.get(_VARIABLE)
    first = str(Path(home) / _file_of(name)) if home else f"{_VARIABLE}, which is not set"
    return FileNotFoundError(
        f"The data set {name!r} was not found. Looked at {first}, then at "
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


def _as_described(home: Path, entry: dict[str, Any]) -> _TextRows:
    """_TextRows of a file, once its checksum is that of `datasets.json`."""
    path = home / entry["file"]
    data = gzip.decompress(path.read_bytes())
    found = hashlib.sha256(data).hexdigest()
    if found != entry["sha256_csv"]:
        raise ValueError(
            f"{path} is not the file that datasets.json describes: its checksum is {found}, not "
            f"{entry['sha256_csv']}. Download it again."
        )
    return _parsed(data)


def _as_catalogued(home: Path, name: str) -> _Source | None:
    """_TextRows of a file that the catalog describes, once the checksum of its table agrees."""
    path, entry = home / _file_of(name), _catalog().get(name)
    if entry is None or not path.is_file():
        return None
    return _checked(name, entry, _parsed(gzip.decompress(path.read_bytes())), str(path))


def _checked(name: str, entry: _Entry, rows: _TextRows, place: str) -> _Source:
    """The rows, if they are the table of the catalog."""
    found = _checksum(rows, entry.categories)
    if found != entry.checksum:
        raise ValueError(
            f"{place} is not the table {name!r} of the catalog: the checksum of its rows is "
            f"{found}, not {entry.checksum}. Put {_file_of(name)} in the folder that the "
            f"environment variable {_VARIABLE} names."
        )
    about = f"{len(rows) - 1} rows, {len(rows[0]) - 1} features, {len(entry.classes)} classes"
    return _Source(rows, frozenset(entry.categories), about)


def _parsed(data: bytes) -> _TextRows:
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


@dataclass(frozen=True)
class _Entry:
    """A data set of the catalog.

    Parameters
    ----------
    checksum : str
    classes : tuple of str
    categories : dict of str to tuple of str
        The columns that are not numbers, with their values.
    features : tuple of str
        All columns but the class; empty where OpenML has no such table.
    openml : int, optional
        Number of the data set on OpenML.
    part : tuple of two int, optional
        Its rows, where OpenML has training and test rows in one table.
    """

    checksum: str
    classes: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]
    features: tuple[str, ...] = ()
    openml: int | None = None
    part: tuple[int, int] | None = None


@cache
def _catalog() -> dict[str, _Entry]:
    """The data sets by name."""
    content = json.loads(Path(__file__).with_name("catalog.json").read_text("utf-8"))
    return {name: _made_entry(**entry) for name, entry in content.items()}


def _made_entry(
    classes: Any, categories: Any, features: Any = (), part: Any = None, **rest: Any
) -> _Entry:
    """An entry of the file, with tuples for its lists."""
    kept = {name: tuple(values) for name, values in categories.items()}
    ends = tuple(part) if part else None
    return _Entry(
        classes=tuple(classes), categories=kept, features=tuple(features), part=ends, **rest
    )


def _checksum(rows: _TextRows, categorical: Container[str]) -> str:
    """SHA-256 of a table: the header, then the rows, the class last."""
    header, *body = rows
    is_number = [name in header[:-1] and name not in categorical for name in header]
    lines = [
        "\x1f".join(_shortest(cell) if n else cell for cell, n in zip(row, is_number, strict=True))
        for row in body
    ]
    return hashlib.sha256("\n".join(["\x1f".join(header), *lines]).encode("utf-8")).hexdigest()


def _shortest(cell: str) -> str:
    """A number in its shortest exact form; an empty cell stays empty."""
    return repr(float(cell)) if cell else ""


class _UnreachableError(Exception):
    """OpenML did not answer."""


def _fetch(entry: _Entry) -> _TextRows:
    """Header and rows of an entry, from OpenML."""
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=entry.openml, as_frame=True, parser="auto")
    except (OSError, URLError) as reason:
        raise _UnreachableError(str(reason)) from reason
    first, last = entry.part or (0, len(found.target))
    columns = [found.data[name].tolist()[first:last] for name in found.data.columns]
    return _canonical(entry, columns, found.target.tolist()[first:last])


def _canonical(entry: _Entry, columns: Sequence[list[Any]], target: list[Any]) -> _TextRows:
    """Cells as text, under the names and with the words of the catalog."""
    kept = columns[-len(entry.features) :]  # what else there is, such as a name, comes first
    body = [
        _renamed(values, entry.categories[name])
        if name in entry.categories
        else _number_texts(values)
        for name, values in zip(entry.features, kept, strict=False)
    ]
    body.append(_renamed(target, entry.classes))
    header = [*entry.features, "class"]
    return [header, *(list(row) for row in zip(*body, strict=True))]


def _renamed(values: list[Any], words: Sequence[str]) -> list[str]:
    """Values with the word that is first in ours for the one that is first in theirs."""
    met = list(dict.fromkeys(value for value in values if not _is_missing(value)))
    ours = dict(zip(met, words, strict=False))
    return ["" if _is_missing(value) else ours.get(value, str(value)) for value in values]


def _number_texts(values: list[Any]) -> list[str]:
    """Numbers as text, a whole one without decimals."""
    return ["" if _is_missing(value) else _number(value) for value in values]


def _number(value: Any) -> str:
    """A number that reads back as the same float."""
    exact = float(value)
    return str(int(exact)) if exact.is_integer() else repr(exact)


def _is_missing(value: Any) -> bool:
    """Whether a cell is None or NaN."""
    return value is None or value != value


_PUBLIC = "public; from PLANETREE_DATA, or downloaded from OpenML"
_BUNDLED = {
    "breast-cancer": ("load_breast_cancer", "diagnosis", "569 tumors, 30 measurements, 2 classes"),
    "iris": ("load_iris", "species", "150 flowers, 4 measurements, 3 classes"),
    "wine": ("load_wine", "cultivar", "178 wines, 13 measurements, 3 classes"),
}


def known_examples() -> dict[str, str]:
    """Names of the data sets on hand, and what each is.

    Examples
    --------
    >>> from planetree.datasets import known_examples
    >>> known_examples()["iris"]
    '150 flowers, 4 measurements, 3 classes (scikit-learn)'
    """
    found = {name: f"{what} (scikit-learn)" for name, (_, _, what) in _BUNDLED.items()}
    return found | {name: _PUBLIC for name in names() if name not in found}


def example_csv(name: str) -> str:
    """A data set as CSV, the class last.

    Examples
    --------
    >>> from planetree.datasets import example_csv
    >>> print(example_csv("iris").splitlines()[1])
    5.1,3.5,1.4,0.2,setosa
    """
    if name in _BUNDLED:
        return _bundled(*_BUNDLED[name][:2])
    if name not in known_examples():
        raise MethodError(f"There is no data set {name!r}; `planetree datasets` lists them all.")
    found = load_dataset(name, as_frame=False)
    rows = ([*row, label] for row, label in zip(found.X.tolist(), found.y.tolist(), strict=True))
    return csv_text([[*found.feature_names, "class"], *rows], formulas=True)


def _bundled(loader: str, target: str) -> str:
    """A data set of scikit-learn as CSV."""
    from sklearn import datasets

    data = getattr(datasets, loader)()
    labels = data.target_names[data.target].tolist()
    rows = ([*row, label] for row, label in zip(data.data.tolist(), labels, strict=True))
    return csv_text([[*map(str, data.feature_names), target], *rows], formulas=True)
