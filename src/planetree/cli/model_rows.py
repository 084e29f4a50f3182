"""Rows for a model that is there: the model from its file, its answers, and how many are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.cli.command import UsageError
from planetree.cli.fitting import percent
from planetree.cli.screen import Screen
from planetree.exceptions import FileError
from planetree.statistics import wilson_interval
from planetree.table_files import DataFile, Reading, labels_for, read_rows_for

__all__ = ["count_errors", "load_model", "predictions", "with_labels"]


def load_model(path: Path) -> Any:
    """Model of a file."""
    from planetree.model_files import load

    if not path.is_file():
        raise FileError(f"There is no model {path}.")
    return load(path)


def predictions(
    model: Any, frame: Any, kept: Any, shares: bool
) -> tuple[list[str], list[list[Any]]]:
    """Names and cells of the columns to write: those that are kept, the class, its shares."""
    columns: dict[str, list[Any]] = {}
    if kept is not None:
        columns = {name: kept.column(name).to_pylist() for name in kept.column_names}
    if "prediction" in columns:
        raise UsageError("The table has a column 'prediction' already; leave out --keep.")
    if not hasattr(model, "predict"):
        raise FileError(f"{type(model).__name__} selects columns and predicts nothing.")
    columns["prediction"] = model.predict(frame).tolist()
    if shares:
        for label, part in zip(model.classes_.tolist(), model.predict_proba(frame).T, strict=True):
            columns[f"share of {label}"] = part.tolist()
    return list(columns), list(columns.values())


def count_errors(
    screen: Screen, model: Any, answers: list[Any], file: DataFile, target: str, data: str
) -> None:
    """Say how many answers differ from a column of the file."""
    labels, known = labels_for(model, file, target, data)
    wrong = np.asarray(answers)[known] != labels
    low, high = wilson_interval(float(wrong.mean()), len(wrong))
    screen.answer["error"] = {"error": float(wrong.mean()), "interval": [low, high]}
    screen.note(
        f"{int(wrong.sum())} of {len(wrong)} rows are wrong: {percent(wrong.mean())} (95 % "
        f"interval {percent(low)} to {percent(high)})."
    )


def with_labels(
    screen: Screen, model: Any, data: str, target: str | None, reading: Reading
) -> tuple[Any, NDArray[Any]]:
    """Rows of a file as a model reads them, and their classes."""
    frame, file = read_rows_for(model, data, reading)
    screen.notes_from(file.notes)
    labels, known = labels_for(model, file, target, data)
    return frame.filter(known), labels
