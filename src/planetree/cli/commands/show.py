"""`planetree show` and `planetree report`: a model in words, and on a page."""

from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.screen import Screen, plural, refuse_existing
from planetree.exceptions import FileError


@command("show")
def show(screen: Screen, model: options.ModelFile) -> None:
    """Print a model in words."""
    fitted = load_model(model)
    names = [column.name for column in fitted.columns_]
    classes = [str(label) for label in fitted.classes_.tolist()]
    screen.answer |= {"file": str(model), "classes": classes, "columns": names}
    screen.say(f"{model}: {' or '.join(classes)}, from {plural(len(names), 'column')}.")
    say_model(screen, fitted, type(fitted).__name__)


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

    from planetree.table_files import labels_for

    frame, found = file.rows_for(screen, fitted, data, target=target)
    labels, known = labels_for(fitted, found, target, data)
    write_report(screen, fitted, frame.filter(known), labels, out, force)


def _text_of(model: Any) -> str:
    """A fitted model in words; of one that has none, the columns that it reads."""
    if hasattr(model, "to_text"):
        return str(model.to_text())
    chosen = [
        column.name for column, on in zip(model.columns_, model.get_support(), strict=True) if on
    ]
    return "Rows are compared in the columns\n" + "\n".join(f"  {name}" for name in chosen)


def say_model(screen: Screen, model: Any, method: str) -> None:
    """Print a model in words, with its size."""
    from planetree.evaluation.validation import size_of

    size = size_of(model)
    text = _text_of(model)
    screen.answer |= {"method": method, "model": text, "size": size._asdict()}
    screen.say()
    screen.result(text)
    screen.say()
    parts = [f"{size.columns} of {plural(len(model.columns_), 'column')}"]
    if size.terms is not None:
        parts = [plural(size.decisions, "decision"), plural(size.terms, "term"), *parts]
    screen.say(f"Method {method}: {', '.join(parts)}.")


def load_model(path: Path) -> Any:
    """Model of a file."""
    from planetree.model_files import load

    if not path.is_file():
        raise FileError(f"There is no model {path}.")
    return load(path)


def write_report(
    screen: Screen,
    model: Any,
    frame: Any,
    labels: Any,
    path: Path,
    force: bool,
    unseen: Any = None,
) -> None:
    """Write the report of a model on some rows, with probabilities from models without them."""
    from planetree.reporting import report

    refuse_existing([path], force)
    with screen.progress("Writing the report"):
        report(model, frame, labels, path, unseen=unseen)
    screen.written(path)
