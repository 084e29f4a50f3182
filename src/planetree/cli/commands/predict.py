"""`planetree predict`: the class of each row, and how many are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.in_parts import answer_parts, streams
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen, percent, plural, refuse_existing
from planetree.exceptions import FileError

if TYPE_CHECKING:
    from planetree.table_files import DataFile


@command("predict")
def predict(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    *,
    out: options.Out = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", "--shares", help="Add the probability of each class."),
    ] = False,
    ask: Annotated[
        float | None,
        typer.Option("--ask", help="Answer 'ask a person' above this expected error."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the table's own columns.")] = False,
    target: options.Target = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Predict the class of each row."""
    from planetree.files import csv_text

    refuse_existing([out], force)
    fitted = load_model(model)
    if probabilities and not hasattr(fitted, "predict_proba"):
        raise UsageError(f"{model} predicts classes only; remove --probabilities.")
    if streams(data) and not (keep or screen.json or target):
        answer_parts(screen, fitted, data, out, probabilities)
        return
    if ask is not None and not hasattr(fitted, "predict_or_ask"):
        raise UsageError(f"{model} is not a tree that can ask a person; remove --ask.")
    frame, found = file.rows_for(screen, fitted, data, target=target, keep=keep)
    with screen.progress("Predicting"):
        kept = found.frame if keep and not found.records else None
        columns = _predictions(fitted, frame, kept, probabilities, ask)
    answers = columns["prediction"]
    screen.answer["predictions"] = [str(label) for label in answers]
    if target is not None:
        _count_errors(screen, fitted, answers, found, target, data)
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = _beside(found, rows) if found.records else csv_text(rows)
    if out:
        screen.write_file(out, text, force)
    else:
        screen.result(text.rstrip("\n"))


def _beside(file: DataFile, rows: list[Any]) -> str:
    """Rows as they are written in the file, with new cells after them."""
    from planetree.files import csv_text

    taken = [name for name in rows[0] if name in file.frame.column_names]
    if taken:
        raise UsageError(f"The table has a column {taken[0]!r} already; remove --keep.")
    new = (csv_text([row], file.delimiter) for row in rows)
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
        raise UsageError("The table has a column 'prediction' already; remove --keep.")
    if not hasattr(model, "predict"):
        raise FileError(f"{type(model).__name__} selects columns; it cannot predict.")
    found = model.predict(frame) if ask is None else model.predict_or_ask(frame, ask)
    columns["prediction"] = found.tolist()
    if probabilities:
        for label, part in zip(model.classes_.tolist(), model.predict_proba(frame).T, strict=True):
            columns[f"probability of {label}"] = part.tolist()
    return columns


def _count_errors(
    screen: Screen, model: Any, answers: list[Any], file: DataFile, target: str, data: str
) -> None:
    """Say how many answers differ from a column of the file."""
    import numpy as np

    from planetree.statistics import wilson_interval
    from planetree.table_files import labels_for
    from planetree.tree.inspection.abstention import ASK

    labels, known = labels_for(model, file, target, data)
    given = np.asarray(answers, dtype=object)[known]
    answered = given != ASK
    if not answered.all():
        asked = int((~answered).sum())
        screen.note(f"{plural(asked, 'row')} of {len(given)} left to a person.")
    if not answered.any():
        return
    wrong = given[answered] != np.asarray(labels, dtype=object)[answered]
    low, high = wilson_interval(float(wrong.mean()), len(wrong))
    screen.answer["error"] = {"error": float(wrong.mean()), "interval": [low, high]}
    screen.note(
        f"{int(wrong.sum())} of {plural(len(wrong), 'row')} wrong: {percent(wrong.mean())} (95% "
        f"interval {percent(low)} to {percent(high)})."
    )
