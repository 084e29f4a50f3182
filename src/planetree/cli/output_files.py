"""Files that a command writes: whole or not at all, and never over another one unasked."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from planetree.cli.screen import Screen
from planetree.exceptions import OutputError

__all__ = [
    "csv_text",
    "refuse_existing",
    "write_csv",
    "write_model",
    "write_picture",
    "write_report",
    "write_whole",
]


def refuse_existing(paths: Iterable[Path | None], force: bool) -> None:
    """Raise before any work if a file would be replaced unasked or has no folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planetree.cli.output_files import refuse_existing
    >>> refuse_existing([None, Path("no/such/folder/model.json")], force=False)
    Traceback (most recent call last):
    planetree.exceptions.OutputError: There is no folder no/such/folder to write model.json to.
    """
    for path in filter(None, paths):
        if path.is_dir():
            raise OutputError(f"{path} is a folder; name a file in it.")
        if path.exists() and not force:
            raise OutputError(f"{path} exists; say --force to replace it.")
        if not path.parent.is_dir():
            raise OutputError(f"There is no folder {path.parent} to write {path.name} to.")


def write_whole(screen: Screen, path: Path, content: str | bytes, force: bool) -> None:
    """Write a file, and say so."""
    from planetree.files import write_file

    try:
        write_file(path, content, force=force)
    except FileExistsError:
        raise OutputError(f"{path} exists; say --force to replace it.") from None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error
    screen.written(path)


def write_model(screen: Screen, model: Any, path: Path, force: bool) -> None:
    """Write a model as JSON."""
    from planetree.model_files import save

    refuse_existing([path], force)
    save(model, path, force=force)
    screen.written(path)


def write_report(
    screen: Screen, model: Any, frame: Any, labels: Any, path: Path, force: bool
) -> None:
    """Write the report of a model on some rows."""
    from planetree.reporting import report

    refuse_existing([path], force)
    with screen.progress("Writing the report"):
        report(model, frame, labels, path)
    screen.written(path)


def write_csv(
    screen: Screen, path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]], force: bool
) -> None:
    """Write rows as CSV."""
    write_whole(screen, path, csv_text(head, rows), force)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as the text of a CSV file."""
    import csv

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue()


def write_picture(screen: Screen, path: Path, axes: Any, force: bool) -> None:
    """Write the figure of some axes in the format of the file's name."""
    kind = path.suffix.lstrip(".").lower() or "png"
    figure, content = axes.figure, io.BytesIO()
    if kind not in figure.canvas.get_supported_filetypes():
        raise OutputError(f"{path}: pictures are .png, .svg or .pdf, not .{kind}.")
    figure.savefig(content, format=kind, bbox_inches="tight", dpi=150)
    write_whole(screen, path, content.getvalue(), force)
