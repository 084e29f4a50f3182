"""`planetree fit`: from a table to a readable model, its error, and files."""

import time
from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.command import command
from planetree.cli.screen import Screen
from planetree.evaluation.methods import DEFAULT, Settings, method_named, names, read_class_weight

__all__ = ["fit"]


@command("fit")
def fit(
    screen: Screen,
    data: options.Data,
    target: options.Target = None,
    method: Annotated[str, typer.Option("--method", "-m", help=f"One of {names()}.")] = DEFAULT,
    model: Annotated[Path | None, typer.Option(help="Write the model, as JSON.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report, as HTML.")] = None,
    max_features: options.MaxFeatures = None,
    max_splits: options.MaxSplits = None,
    sample_weight: options.SampleWeight = None,
    class_weight: options.ClassWeight = None,
    categorical: options.Categorical = None,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    folds: options.Folds = None,
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
) -> None:
    """Learn a readable model from a table, and say how well it does on new rows."""
    from planetree.cli.output_files import refuse_existing

    chosen = method_named(method)
    refuse_existing([model, report], force)

    from planetree.evaluation.reading import read_and_say
    from planetree.table_files import Reading

    columns = categorical or (), ignore or (), missing or ()
    reading = Reading(*columns, encoding, not no_header, max_size)
    examples = read_and_say(screen, data, target, sample_weight, reading)

    from planetree.cli.fitting import fit_in_time, say_model, say_validation
    from planetree.cli.output_files import write_model, write_report

    weight = read_class_weight(class_weight, examples.labels)
    estimator = chosen.make(Settings(max_features, max_splits, weight, seed, jobs, time_limit))
    deadline = time.monotonic() + time_limit if time_limit else float("inf")
    fitted = fit_in_time(screen, estimator, examples, time_limit)
    say_model(screen, fitted, chosen.name)
    if folds != 0:
        say_validation(
            screen, estimator, examples, folds=folds, seed=seed, jobs=jobs, deadline=deadline
        )
    if model:
        write_model(screen, fitted, model, force)
    if report:
        frame = examples.frame.select([column.name for column in fitted.columns_])
        write_report(screen, fitted, frame, examples.labels, report, force)
