"""Data sets to try things on, as the text of a CSV file: scikit-learn's, and those of `load`."""

from __future__ import annotations

from planetree.datasets.loaders import load_dataset, names
from planetree.exceptions import MethodError
from planetree.files import csv_text

__all__ = ["example_csv", "known_examples"]

_BUNDLED = {
    "breast-cancer": ("load_breast_cancer", "diagnosis", "569 tumors, 30 measurements, 2 classes"),
    "iris": ("load_iris", "species", "150 flowers, 4 measurements, 3 classes"),
    "wine": ("load_wine", "cultivar", "178 wines, 13 measurements, 3 classes"),
}
_PUBLIC = "public; from PLANETREE_DATA, or downloaded from OpenML"


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
