"""A file as rows to learn from: read once, as one table that every fit and fold is taken from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats
from planetree.evaluation.checks import check_data
from planetree.evaluation.groups import Groups, groups_of
from planetree.table import Table
from planetree.table_files import DataFile, Reading, read_examples


class TrainingTable(NamedTuple):
    """Rows to learn from.

    Parameters
    ----------
    table : Table
    labels : array of shape (n_rows,)
    weights : array of shape (n_rows,) or None
    summary : dict
        What was understood: file, rows, target, classes, columns, missing and left_out.
    notes : tuple of str
        What the reader should beware of.
    groups : Groups, optional
        What divides the rows, to count errors by group.
    decimals : mapping of str
        Decimal mark of each column whose numbers show one.
    """

    table: Table
    labels: NDArray[Any]
    weights: Floats | None
    summary: dict[str, Any]
    notes: tuple[str, ...]
    groups: Groups | None = None
    decimals: Mapping[str, str] = MappingProxyType({})

    @property
    def missing(self) -> str | None:
        """What methods that need every value do: "impute" where a cell is missing."""
        return "impute" if np.isnan(self.table.values).any() else None


def read_training_table(
    path: str | Path,
    target: str | None,
    *,
    sample_weight: str | None = None,
    group: str | None = None,
    reading: Reading | None = None,
    file: DataFile | None = None,
) -> TrainingTable:
    r"""Read the rows of a file with their classes, and say what was understood of them.

    Parameters
    ----------
    path : str or Path
    target : str or None
        Column of the class; None where the format says which it is.
    sample_weight : str, optional
        Column of the weights of the rows.
    group : str, optional
        Column to count errors by.
    reading : Reading, optional
        How the file is written, and which columns are categories or left out.
    file : DataFile, optional
        What `read_file` gave for the same path, target and reading.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from planetree.evaluation.reading import read_training_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_text("size,class\n1.5,a\n2.5,b\n,b\n")
    ...     found = read_training_table(path, "class")
    >>> found.summary["classes"], found.summary["missing"]
    ({'b': 2, 'a': 1}, {'size': 1})
    """
    found = read_examples(
        path,
        target,
        sample_weight=sample_weight,
        group=group,
        reading=reading or Reading(),
        file=file,
    )
    summary = {
        "file": str(path),
        "rows": len(found.labels),
        "target": found.target,
        "classes": found.class_counts(),
        "columns": found.kinds(),
        "missing": found.n_missing(),
        "left_out": found.left_out,
    }
    table = Table.read(found.frame)
    notes = (*found.notes, *check_data(table, found.labels))
    groups = None if group is None else groups_of(group, found.group or ())
    return TrainingTable(table, found.labels, found.weights, summary, notes, groups, found.decimals)
