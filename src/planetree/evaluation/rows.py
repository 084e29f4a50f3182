"""Tables of predictions: class and probabilities of each row, beside the cells of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planetree.exceptions import ColumnError, FileError
from planetree.files import csv_text

if TYPE_CHECKING:
    from planetree.table_files import DataFile


def prediction_table(
    model: Any,
    frame: Any,
    file: DataFile,
    probabilities: bool,
    keep: bool,
    ask: float | None = None,
    formulas: bool = False,
) -> tuple[list[Any], str]:
    """The class of each row, and a text of CSV with it.

    Parameters
    ----------
    model : fitted classifier
    frame : frame
        The columns that it reads.
    file : DataFile
        The whole file; its rows as they are written, if they were kept.
    probabilities : bool
        Whether the text has the probability of each class, too.
    keep : bool
        Whether it has the cells of the file.
    ask : float, optional
        Expected error above which a row is left to a person (`predict_or_ask`).
    formulas : bool
        Whether text that a spreadsheet would run is written as it is (`planetree.files.csv_text`).
    """
    kept = file.frame if keep and not file.records else None
    columns = _predictions(model, frame, kept, probabilities, ask)
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = _beside(file, rows, formulas) if file.records else csv_text(rows, formulas=formulas)
    return columns["prediction"], text


def _beside(file: DataFile, rows: list[Any], formulas: bool) -> str:
    """Rows as they are written in the file, with new cells after them."""
    taken = [name for name in rows[0] if name in file.frame.column_names]
    if taken:
        raise ColumnError(f"The table has a column {taken[0]!r} already; remove --keep.")
    new = (csv_text([row], file.delimiter, formulas=formulas) for row in rows)
    pairs = zip(file.records, new, strict=True)
    return "".join(f"{record}{file.delimiter}{cells}" for record, cells in pairs)


def _predictions(
    model: Any, frame: Any, kept: Any, probabilities: bool, ask: float | None
) -> dict[str, list[Any]]:
    """Columns to write, by name: those that are kept, the class, and the probability of each."""
    columns: dict[str, list[Any]] = {}
    if kept is not None:
        columns = {name: kept.column(name).to_pylist() for name in kept.column_names}
    if "prediction" in columns:
        raise ColumnError("The table has a column 'prediction' already; remove --keep.")
    if not hasattr(model, "predict"):
        raise FileError(f"{type(model).__name__} selects columns; it cannot predict.")
    found = model.predict(frame) if ask is None else model.predict_or_ask(frame, ask)
    columns["prediction"] = found.tolist()
    if probabilities:
        for label, part in zip(model.classes_.tolist(), model.predict_proba(frame).T, strict=True):
            columns[f"probability of {label}"] = part.tolist()
    return columns
