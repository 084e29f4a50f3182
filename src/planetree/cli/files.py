"""What a command reads and writes: tables, models, and files that are whole or not there."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planetree.cli.options import Columns, TableFile
from planetree.cli.screen import Screen
from planetree.exceptions import FileError, OutputError

if TYPE_CHECKING:
    from planetree.arrays import Floats
    from planetree.evaluation.reading import TrainingTable

__all__ = [
    "load_model",
    "read_and_say",
    "refuse_existing",
    "save_model",
    "write_picture",
    "write_report",
    "write_score_sheet",
    "write_whole",
]


def load_model(path: Path) -> Any:
    """Model of a file."""
    from planetree.model_files import load

    if not path.is_file():
        raise FileError(f"There is no model {path}.")
    return load(path)


def read_and_say(
    screen: Screen, data: str, target: str | None, columns: Columns, file: TableFile
) -> TrainingTable:
    """Read the rows of a file, and say what was understood."""
    from planetree.evaluation.reading import read_training_table

    reading = file.reading(columns.categorical or (), columns.ignore or ())
    weight = columns.sample_weight
    with screen.progress(f"Reading {data}"):
        found = read_training_table(data, target, sample_weight=weight, reading=reading)
    screen.notes_from(found.notes)
    screen.answer["data"] = said = found.summary
    kinds, n_rows = said["columns"], said["rows"]
    screen.say(f"{data}: {n_rows} rows, {len(kinds)} columns to learn {said['target']!r} from.")
    for what, names in (
        ("classes", [f"{k} {n} ({n / n_rows:.0%})" for k, n in said["classes"].items()]),
        ("numbers", [name for name, kind in kinds.items() if kind == "numbers"]),
        ("categories", [f"{k} ({kind})" for k, kind in kinds.items() if kind != "numbers"]),
        ("missing cells", [f"{k} {n} ({n / n_rows:.0%})" for k, n in said["missing"].items()]),
        ("left out", [f"{name} ({why})" for name, why in said["left_out"].items()]),
    ):
        if names:
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            screen.say(f"  {what + ':':<15}{', '.join(names[:6])}{more}")
    return found


def refuse_existing(paths: Iterable[Path | None], force: bool) -> None:
    """Raise before any work if a file would be replaced unasked or has no folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from planetree.cli.files import refuse_existing
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


def save_model(screen: Screen, model: Any, path: Path, force: bool) -> None:
    """Write a model as JSON."""
    from planetree.model_files import save

    refuse_existing([path], force)
    save(model, path, force=force)
    screen.written(path)


def write_report(
    screen: Screen,
    model: Any,
    frame: Any,
    labels: Any,
    path: Path,
    force: bool,
    unseen: Floats | None = None,
) -> None:
    """Write the report of a model on some rows, with probabilities from models without them."""
    from planetree.reporting import report

    refuse_existing([path], force)
    with screen.progress("Writing the report"):
        report(model, frame, labels, path, unseen=unseen)
    screen.written(path)


def write_score_sheet(screen: Screen, model: Any, path: Path, force: bool) -> None:
    """Write the score sheet of a model in the format of the file's name."""
    from planetree.reporting import score_sheet_html

    with screen.progress("Making a score sheet"):
        try:
            sheet = model.to_score_sheet()
        except ValueError as error:  # a tree without a decision has none
            raise FileError(f"No score sheet: {error}") from error
    if path.suffix.lower() == ".html":
        text = score_sheet_html(sheet)
    else:
        text = sheet.to_csv() if path.suffix.lower() == ".csv" else sheet.to_text() + "\n"
    write_whole(screen, path, text, force)


def write_picture(screen: Screen, path: Path, axes: Any, force: bool) -> None:
    """Write the figure of some axes in the format of the file's name."""
    kind = path.suffix.lstrip(".").lower() or "png"
    figure, content = axes.figure, io.BytesIO()
    if kind not in figure.canvas.get_supported_filetypes():
        raise OutputError(f"{path}: pictures are .png, .svg or .pdf, not .{kind}.")
    figure.savefig(content, format=kind, bbox_inches="tight", dpi=150)
    write_whole(screen, path, content.getvalue(), force)
