"""How a model was made: the fingerprint of the rows, the versions of the software, the parameters.

The fingerprint is SHA-256 over the names and categories of the columns, the cells as float64 and
the classes, row by row: any change of a name, a cell, a label or of the order of rows changes it,
and the kind of frame that held them does not.
"""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from planetree.tree.inspection.rows_in_tree import Shown

__all__ = ["fingerprint", "parameters", "versions"]

PACKAGES = ("planetree", "numpy", "scipy", "scikit-learn", "highspy", "narwhals")


def fingerprint(shown: Shown) -> str:
    """SHA-256 of the rows shown, as 64 hexadecimal digits."""
    names = [[str(c.name), [str(v) for v in c.categories or ()]] for c in shown.columns]
    cells = np.ascontiguousarray(np.where(np.isnan(shown.rows), np.nan, shown.rows + 0.0))
    found = hashlib.sha256(json.dumps([names, shown.classes]).encode())
    found.update(cells.astype("<f8").tobytes())
    found.update(shown.codes.astype("<i8").tobytes())
    return found.hexdigest()


def versions() -> dict[str, str]:
    """Version of Python and of each package that took part."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that is not installed
            found[name] = "not installed as a package"
    return found


def parameters(model: Any) -> list[tuple[str, str, bool]]:
    """Name and value of each parameter, and whether it differs from its default."""
    given = model.get_params(deep=False)
    try:
        default = type(model)().get_params(deep=False)
    except TypeError:  # a parameter without a default
        default = {}
    return [
        (name, repr(value), name not in default or repr(default[name]) != repr(value))
        for name, value in given.items()
    ]
