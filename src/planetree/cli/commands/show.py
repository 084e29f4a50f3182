"""`planetree show` and `planetree report`: a model in words, and on a page."""

from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.screen import Screen, plural, refuse_existing
from planetree.exceptions import FileError
from planetree.saved_words import read_words


@command("show")
def show(screen: Screen, model: options.ModelFile) -> None:
    """Print a model in words."""
    words = _words_in(model)
    classes, names = words["classes"], words["columns"]
    screen.answer |= {"file": str(model), "classes": classes, "columns": names}
    screen.say(f"{model}: {' or '.join(classes)}, from {plural(len(names), 'column')}.")
    _say_words(screen, words)


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


def _words_in(path: Path) -> dict[str, Any]:
    """Words of the model in a file: those that the file holds, or those of the loaded model."""
    if not path.is_file():
        raise FileError(f"There is no model {path}.")
    held = read_words(path)
    if held is not None:
        return held

    from planetree.evaluation.model_words import words_of

    return words_of(load_model(path))


def say_model(screen: Screen, model: Any, method: str) -> None:
    """Print a model in words, with its size."""
    from planetree.evaluation.model_words import words_of

    _say_words(screen, {**words_of(model), "method": method})


def _say_words(screen: Screen, words: dict[str, Any]) -> None:
    """Print the words of a model, and its size."""
    method, text, size = words["method"], words["text"], words["size"]
    screen.answer |= {"method": method, "model": text, "size": size}
    screen.say()
    screen.result(text)
    screen.say()
    parts = [f"{size['columns']} of {plural(len(words['columns']), 'column')}"]
    if size["terms"] is not None:
        parts = [plural(size["decisions"], "decision"), plural(size["terms"], "term"), *parts]
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
