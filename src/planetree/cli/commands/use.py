"""Commands that use a model: predict, explain, export, report."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.command import UsageError, command
from planetree.cli.screen import Screen

__all__ = ["explain", "export", "predict", "report"]

FORMATS = ("json", "rules", "sql", "python", "c", "onnx", "network")


@command("predict")
def predict(
    screen: Screen,
    model: options.Model,
    data: options.Data,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write CSV to a file.")] = None,
    shares: Annotated[bool, typer.Option("--shares", help="Add the share of each class.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the columns of the table.")] = False,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column of the class, to count errors.")
    ] = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    force: options.Force = False,
) -> None:
    """Predict the class of each row, as CSV."""
    from planetree.cli.model_rows import count_errors, load_model, predictions
    from planetree.cli.output_files import csv_text, refuse_existing, write_whole
    from planetree.table_files import Reading, read_rows_for

    refuse_existing([out], force)
    fitted = load_model(model)
    if shares and not hasattr(fitted, "predict_proba"):
        raise UsageError(f"{model} has no shares of classes, only classes; leave out --shares.")
    reading = Reading((), (), missing or (), encoding, not no_header, max_size)
    with screen.progress(f"Reading {data}"):
        frame, file = read_rows_for(fitted, data, reading)
    screen.notes_from(file.notes)
    with screen.progress("Predicting"):
        head, columns = predictions(fitted, frame, file.frame if keep else None, shares)
    screen.answer["predictions"] = [str(label) for label in columns[head.index("prediction")]]
    if target is not None:
        count_errors(screen, fitted, columns[head.index("prediction")], file, target, data)
    text = csv_text(head, zip(*columns, strict=True))
    if out:
        write_whole(screen, out, text, force)
    else:
        screen.result(text.rstrip("\n"))


@command("explain")
def explain(
    screen: Screen,
    model: options.Model,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", "-r", min=0, help="Which row, counting from 0.")],
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
) -> None:
    """Say why a row gets its class, and what would change the answer."""
    from planetree.cli.explanation_text import say_explanation
    from planetree.cli.model_rows import load_model
    from planetree.table_files import Reading, read_rows_for

    fitted = load_model(model)
    reading = Reading((), (), missing or (), encoding, not no_header, max_size)
    frame, file = read_rows_for(fitted, data, reading)
    screen.notes_from(file.notes)
    if row >= len(frame):
        raise UsageError(f"{data} has {len(frame)} rows, so --row goes from 0 to {len(frame) - 1}.")
    say_explanation(screen, fitted, frame, row, data)


@command("export")
def export(
    screen: Screen,
    model: options.Model,
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(FORMATS)}.")],
    out: options.Out = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the function, or of SQL's column.")
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", help="Table of a whole SQL query.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="Of SQL: standard, sqlite, duckdb, postgresql.")
    ] = None,
    majority: Annotated[
        bool, typer.Option("--majority", help="Missing values go where most training rows went.")
    ] = False,
    force: options.Force = False,
) -> None:
    """Write a model as SQL, Python, C, ONNX, rules or a network, to run elsewhere."""
    from planetree.cli.model_rows import load_model
    from planetree.cli.output_files import refuse_existing, write_whole

    if to not in FORMATS:
        raise UsageError(f"--to is one of {', '.join(FORMATS)}, not {to!r}.")
    refuse_existing([out], force)
    fitted = load_model(model)

    from planetree.cli.export_targets import exported

    wanted = {"name": name, "table": table, "dialect": dialect}
    content = exported(fitted, model, to, wanted, majority)
    screen.answer |= {"format": to}
    if out:
        write_whole(screen, out, content, force)
    elif isinstance(content, bytes):
        raise UsageError(f"{to} is not text: say where to write it with --out.")
    else:
        screen.answer["content"] = content
        screen.result(content.rstrip("\n"))


@command("report")
def report(
    screen: Screen,
    model: options.Model,
    data: options.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")],
    target: options.Target = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    force: options.Force = False,
) -> None:
    """Write a page that explains a model on the rows of a table."""
    from planetree.cli.model_rows import load_model, with_labels
    from planetree.cli.output_files import refuse_existing, write_report

    refuse_existing([out], force)
    fitted = load_model(model)

    from planetree.table_files import Reading

    reading = Reading((), (), missing or (), encoding, not no_header, max_size)
    write_report(screen, fitted, *with_labels(screen, fitted, data, target, reading), out, force)
