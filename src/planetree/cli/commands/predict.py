"""`planetree predict`: the class of each row, and how many are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.in_parts import answer_parts, streams
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import percent, plural

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
        bool, typer.Option("--probabilities", "--shares", help="Add the probability of each class.")
    ] = False,
    ask: Annotated[float | None, "Answer 'ask a person' above this expected error."] = None,
    keep: Annotated[bool, "Keep the table's own columns."] = False,
    target: options.Target = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Predict the class of each row."""
    from planetree.evaluation.rows import prediction_table

    refuse_existing([out], force)
    fitted = load_model(model)
    if probabilities and not hasattr(fitted, "predict_proba"):
        raise UsageError(f"{model} predicts classes only; remove --probabilities.")
    if streams(data) and not (keep or screen.json or target or ask is not None):
        answer_parts(screen, fitted, data, out, probabilities)
        return
    if ask is not None and not hasattr(fitted, "predict_or_ask"):
        raise UsageError(f"{model} is not a tree that can ask a person; remove --ask.")
    frame, found = file.rows_for(screen, fitted, data, target=target, keep=keep)
    with screen.progress("Predicting"):
        answers, text = prediction_table(fitted, frame, found, probabilities, keep, ask)
    screen.answer["predictions"] = [str(label) for label in answers]
    if target is not None:
        _count_errors(screen, fitted, answers, found, target, data)
    if out:
        screen.write_file(out, text, force)
    else:
        screen.result(text.rstrip("\n"))


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
