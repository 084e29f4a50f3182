"""`planetree show` and `planetree report`: a model in words, and on a page."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import percent, plural
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
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.")],
    target: options.Target = None,
    group: options.Group = None,
    file: options.TableFile,
    force: options.Force = False,
) -> None:
    """Write a page that explains a model."""
    refuse_existing([out], force)
    fitted = load_model(model)

    found = file.labeled_rows_for(screen, fitted, data, target)
    groups = None if group is None else groups_in(found, group, data)
    if groups is not None:
        answers = fitted.predict(found.frame)
        say_groups(screen, found.labels, answers, fitted.classes_, groups)
    title = report_title(target or found.file.target or "", data)
    rows = ReportRows(found.frame, found.labels, title, groups)
    write_report(screen, fitted, rows, out, force)


def groups_in(rows: options.LabeledFile, column: str, path: str) -> Any:
    """Groups of the rows of a file that have a class, by a column of it."""
    from planetree.evaluation.groups import groups_of

    return groups_of(column, rows.column(column, path).to_pylist())


def say_groups(
    screen: Screen, labels: Any, answers: Any, classes: Any, groups: Any, weights: Any = None
) -> None:
    """Print rows, error and recall of each group; nothing without groups."""
    from planetree.evaluation.groups import group_figures

    if groups is None:
        return
    found = group_figures(labels, answers, classes, groups, weights)
    screen.answer["groups"] = {
        "column": groups.column,
        "groups": [dict(zip(each._fields, each, strict=True)) for each in found],
    }
    screen.say(f"\nErrors by {groups.column}:")
    head = [groups.column, "rows", "error", "95% interval", *(f"recall of {k}" for k in classes)]
    screen.table(head, [_group_cells(each) for each in found])


def _group_cells(group: Any) -> list[str]:
    """Figures of a group as cells for people."""
    shares = ["-" if each is None else percent(each) for each in (group.error, *group.recall)]
    ends = [] if group.interval is None else [percent(end) for end in group.interval]
    return [group.name, str(group.n_rows), shares[0], " to ".join(ends) or "-", *shares[1:]]


def report_title(target: str, data: str) -> str | None:
    """Heading of a report: what is predicted, and from which file."""
    file = "standard input" if data == "-" else Path(data).name
    return f"{target} · {file}" if target else None


def _words_in(path: Path) -> dict[str, Any]:
    """Words of the model in a file: those that the file holds, or those of the loaded model."""
    if not path.is_file():
        raise FileError(f"There is no model file {path}.")
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
        raise FileError(f"There is no model file {path}.")
    return load(path)


class ReportRows(NamedTuple):
    """What a report shows: rows with their classes, and probabilities of models without them."""

    frame: Any
    labels: Any
    title: str | None
    groups: Any = None
    unseen: Any = None
    score_sheet: Any = None


def write_report(screen: Screen, model: Any, rows: ReportRows, path: Path, force: bool) -> None:
    """Write the report of a model on some rows."""
    from planetree.reporting import report

    refuse_existing([path], force)
    frame, labels, title, groups, unseen, sheet = rows
    said = {"title": title, "groups": groups, "unseen": unseen, "score_sheet": sheet}
    with screen.writing(path), screen.progress("Writing the report"):
        report(model, frame, labels, path, **said)
