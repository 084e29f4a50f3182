"""Data sets by name: those that come with scikit-learn, and those of the folder PLANETREE_DATA."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

from planetree.cli.command import UsageError

__all__ = ["DataSet", "csv_of", "known"]


class DataSet(NamedTuple):
    """A name, and what is behind it."""

    name: str
    what: str


BUNDLED = {
    "breast-cancer": ("load_breast_cancer", "diagnosis", "569 tumors, 30 measurements, 2 classes"),
    "iris": ("load_iris", "species", "150 flowers, 4 measurements, 3 classes"),
    "wine": ("load_wine", "cultivar", "178 wines, 13 measurements, 3 classes"),
}


def known() -> list[DataSet]:
    """Data sets that are there."""
    from planetree.datasets import names

    found = [DataSet(name, f"{what} (scikit-learn)") for name, (_, _, what) in BUNDLED.items()]
    try:
        return found + [
            DataSet(name, "of PLANETREE_DATA") for name in names() if name not in BUNDLED
        ]
    except FileNotFoundError:
        return found


def csv_of(name: str) -> str:
    """A data set as CSV, the class last."""
    if name in BUNDLED:
        return bundled(*BUNDLED[name][:2])
    if name not in [each.name for each in known()]:
        raise UsageError(f"There is no data set {name!r}; `planetree datasets` lists them.")
    from planetree.datasets import load

    found = load(name, as_frame=False)
    rows = ([*row, label] for row, label in zip(found.X.tolist(), found.y.tolist(), strict=True))
    return text_of([*found.feature_names, "class"], rows)


def bundled(loader: str, target: str) -> str:
    """A data set of scikit-learn as CSV."""
    from sklearn import datasets

    data = getattr(datasets, loader)()
    labels = data.target_names[data.target].tolist()
    rows = ([*row, label] for row, label in zip(data.data.tolist(), labels, strict=True))
    return text_of([*map(str, data.feature_names), target], rows)


def text_of(head: list[str], rows: Iterable[list[Any]]) -> str:
    """Rows as the text of a CSV file, missing cells empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if each is None or each != each else each for each in row] for row in rows)
    return text.getvalue()
