"""`planetree fit`: from a table to a readable model, its error, and files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.command import UsageError, command
from planetree.cli.commands.show import say_model
from planetree.cli.files import (
    read_and_say,
    refuse_existing,
    save_model,
    write_report,
    write_score_sheet,
)
from planetree.cli.screen import Screen, percent
from planetree.evaluation.methods import (
    DEFAULT_METHOD,
    Settings,
    method_named,
    method_names,
    parse_class_weight,
)

if TYPE_CHECKING:
    from planetree.arrays import Floats
    from planetree.evaluation.reading import TrainingTable
    from planetree.evaluation.validation import ValidationFolds

__all__ = ["fit"]


@command("fit")
def fit(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"One of {method_names()}.")
    ] = DEFAULT_METHOD,
    model: Annotated[Path | None, typer.Option(help="Write the model, as JSON.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report, as HTML.")] = None,
    score_sheet: Annotated[
        Path | None,
        typer.Option(help="Write a score sheet: whole points; .html, .csv or text."),
    ] = None,
    max_features: options.MaxFeatures = None,
    max_splits: options.MaxSplits = None,
    class_weight: options.ClassWeight = None,
    grading: options.GradingName = None,
    columns: options.Columns,
    file: options.TableFile,
    folds: options.FoldCount = None,
    search: options.SearchOptions,
    time_limit: options.TimeLimit = None,
    force: options.Force = False,
) -> None:
    """Learn a readable model from a table, and say how well it does on new rows."""
    chosen = method_named(method)
    refuse_existing([model, report, score_sheet], force)
    rows = read_and_say(screen, data, target, columns, file)

    from planetree.evaluation.validation import fit_in_time, stratified_folds

    weight = parse_class_weight(class_weight, rows.labels)
    settings = Settings(
        max_features, max_splits, weight, search.seed, search.jobs, time_limit, grading
    )
    estimator = chosen.make(settings)
    if score_sheet and not hasattr(estimator, "to_score_sheet"):
        raise UsageError(f"Method {method} makes no score sheet; leave out --score-sheet.")
    deadline = time.monotonic() + time_limit if time_limit else float("inf")
    with screen.progress("Learning"):
        fitted = fit_in_time(estimator, rows, time_limit)
    say_model(screen, fitted, chosen.name)
    unseen = None
    if folds != 0:
        dealt = stratified_folds(rows.labels, folds, search.seed)
        unseen = _say_validation(screen, estimator, rows, dealt, search.jobs, deadline)
    if score_sheet:
        write_score_sheet(screen, fitted, score_sheet, force)
    if model:
        save_model(screen, fitted, model, force)
    if report:
        table = rows.table.select([column.name for column in fitted.columns_])
        write_report(screen, fitted, table, rows.labels, report, force, unseen)


def _say_validation(
    screen: Screen,
    estimator: Any,
    rows: TrainingTable,
    folds: ValidationFolds,
    jobs: int,
    deadline: float,
) -> Floats | None:
    """Print the error on rows that were not learned from, beside that of the largest class.

    Returns the probabilities that they were given, if any.
    """
    from planetree.evaluation.validation import majority_error, validate

    if time.monotonic() > deadline:
        screen.note("No time was left for cross-validation.")
        return None
    with screen.progress("Cross-validation", len(folds.used)) as tick:
        found = validate(estimator, rows, folds, jobs=jobs, until=deadline, tick=tick)
    label, majority = majority_error(rows)
    (low, high), n_done = found.interval, len(found.fold_errors)
    screen.answer["validation"] = {
        "error": found.error,
        "interval": [low, high],
        "folds": n_done,
        "rows": found.n_rows,
        "seconds": found.seconds,
        "majority_class": label,
        "majority_error": majority,
        "auc": found.auc,
        "log_loss": found.log_loss,
    }
    all_rows = n_done == len(folds.used) == folds.of_rows.max() + 1
    screen.say(
        f"Error on new rows{'' if all_rows else f' on {found.n_rows} rows'}: "
        f"{percent(found.error)} (95 % interval {percent(low)} to {percent(high)}; always saying "
        f"{label!r}: {percent(majority)})."
    )
    if found.log_loss is not None:
        auc = "" if found.auc is None else f"AUC {found.auc:.3f}, "
        screen.say(f"Probabilities on new rows: {auc}log loss {found.log_loss:.3f}.")
    return found.probabilities
