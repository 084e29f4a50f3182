"""`planetree report`: a page that explains a model on the rows of a table."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.command import command
from planetree.cli.files import load_model, refuse_existing, write_report
from planetree.cli.screen import Screen

__all__ = ["report"]


@command("report")
def report(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")],
    target: options.Target = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Write a page that explains a model on the rows of a table."""
    refuse_existing([out], force)
    fitted = load_model(model)

    from planetree.table_files import labels_for, read_rows_for

    frame, found = read_rows_for(fitted, data, file.reading())
    screen.notes_from(found.notes)
    labels, known = labels_for(fitted, found, target, data)
    write_report(screen, fitted, frame.filter(known), labels, out, force)
