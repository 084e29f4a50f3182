"""`planetree compare`: every method on the same folds, and which are worth a look."""

from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import percent
from planetree.evaluation.methods import (
    METRICS,
    PEER_METHODS,
    Settings,
    chosen_methods,
    parse_class_weight,
)

_HEAD = ("method", "error", "95% interval", "leaves", "columns", "terms", "seconds", "p", "front")
_WORTH = {  # a second table: what its columns are called, and their keys
    "AUC": "auc",
    "average precision": "average_precision",
    "log loss": "log_loss",
    "Brier": "brier",
}
_MOST_CLASSES = 4  # of a table for people; the CSV has all
_OTHERS = " or ".join(PEER_METHODS)
_MARK = "*"
_CAPTION = (
    "Error: share of held-out rows predicted wrongly. Leaves, columns, terms: averages over the "
    "folds. p: how likely a difference this large from the lowest error would be by chance "
    "(corrected resampled t-test with Holm's correction, never below what the folds can show). "
    f"Front {_MARK}: no other method has a lower error with as few terms, or fewer terms with as "
    "low an error."
)
_FILLED = (
    "Methods that need every value got the median for a missing number, and a category of its own "
    "for a missing category."
)


@command("compare")
def compare(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[
        options.Values,
        typer.Option(
            "--method", "-m", help=f"A method of `fit`, or {_OTHERS}; repeatable. Default: all."
        ),
    ] = None,
    metric: Annotated[str, f"Sort by one of {', '.join(METRICS)}."] = "error",
    csv: options.Csv = None,
    html: Annotated[options.File, "Write a page with the table and a picture."] = None,
    class_weight: options.ClassWeight = None,
    folds: Annotated[
        options.Count, typer.Option(min=2, help="Cross-validation folds. Default: 10.")
    ] = None,
    learning: options.Learning,
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds for each method.")] = 60.0,
    force: options.Force = False,
) -> None:
    """Compare methods on the same folds.

    Includes scikit-learn's decision tree and logistic regression.
    """
    chosen = chosen_methods(method)
    if metric not in METRICS:
        raise UsageError(f"--metric must be one of {', '.join(METRICS)}, not {metric!r}.")
    refuse_existing([csv, html], force)
    rows = learning.read(screen, data, target)

    from planetree.evaluation.comparison import compare_methods
    from planetree.evaluation.validation import stratified_folds
    from planetree.files import csv_text

    weight = parse_class_weight(class_weight, rows.labels)
    settings = Settings(class_weight=weight, random_state=learning.seed, time_limit=time_limit)
    dealt = stratified_folds(rows.labels, folds, learning.seed)
    with screen.progress("Comparing", len(chosen) * len(dealt.used)) as tick:
        jobs = learning.jobs
        records = compare_methods(
            chosen, rows, settings, dealt, metric=metric, jobs=jobs, tick=tick
        )
    screen.answer["methods"] = records
    screen.say()
    screen.table(_HEAD, _rows(records))
    screen.say()
    screen.table(*_worth(records))
    screen.say("\n".join([*_reasons(records), "", _CAPTION]))
    if rows.summary["missing"]:
        screen.say(_FILLED)
    if csv:
        text = csv_text([list(records[0]), *(list(each.values()) for each in records)])
        screen.write_file(csv, text, force)
    if html:
        screen.write_file(html, _page(records, data, len(rows.labels)), force)


def _rows(records: list[dict[str, Any]]) -> list[list[str]]:
    """Records as cells of a table for people."""
    return [
        [
            each["method"],
            percent(each["error"]),
            f"{100 * each['low']:.1f} to {100 * each['high']:.1f}",
            *(_size_text(each[key]) for key in ("leaves", "columns", "terms")),
            f"{each['seconds']:.1f}",
            "" if each["p"] is None else f"{each['p']:.3f}",
            _MARK if each["undominated"] else "",
        ]
        for each in records
        if each["error"] is not None
    ]


def _worth(records: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of probabilities and classes."""
    names = [key.removeprefix("recall of ") for key in records[0] if key.startswith("recall of ")]
    names = names if len(names) <= _MOST_CLASSES else []
    rows = [
        [
            each["method"],
            *("" if each[key] is None else f"{each[key]:.3f}" for key in _WORTH.values()),
            *(f"{_whole(each, 'recall', k)} {_whole(each, 'precision', k):>4}" for k in names),
        ]
        for each in records
        if each["error"] is not None
    ]
    return ["method", *_WORTH, *(f"{name}: recall, precision" for name in names)], rows


def _whole(record: dict[str, Any], what: str, name: str) -> str:
    """Recall or precision of a class, in whole percent."""
    share = record[f"{what} of {name}"]
    return "-" if share is None else f"{share:.0%}"


def _reasons(records: list[dict[str, Any]]) -> list[str]:
    """Why methods have no result, a line each."""
    return [f"{each['method']}: {each['reason']}" for each in records if each["reason"]]


def _size_text(size: float | None) -> str:
    """An average size, without a digit that says nothing."""
    return "" if size is None else f"{size:.1f}".removesuffix(".0")


def _picture(records: list[dict[str, Any]]) -> list[str]:
    """Error against size, of the methods that have both, and what it shows."""
    from planetree.reporting import MethodPoint, size_and_error
    from planetree.reporting.html import tag

    keys = ("method", "error", "low", "high", "terms", "undominated")
    known = [each for each in records if each["error"] is not None and each["terms"] is not None]
    points = [MethodPoint(*(each[key] for key in keys)) for each in known]
    caption = "Each point is a method, with the 95% interval of its error. Blue: the front."
    return [size_and_error(points), tag("p", caption)] if points else []


def _page(records: list[dict[str, Any]], data: str, n_rows: int) -> str:
    """The table as one HTML file, with nothing outside itself."""
    from planetree.reporting.html import document, tag

    head = tag("tr", *(tag("th", name) for name in _HEAD))
    best = ["best" if each["undominated"] else None for each in records]
    rows = [
        tag("tr", *(tag("td", cell) for cell in row), class_=kind)
        for kind, row in zip(best, _rows(records), strict=False)
    ]
    title = f"Methods compared on {data}"
    return document(
        title,
        "comparison.css",
        tag("h1", title),
        tag("p", f"{n_rows} rows."),
        *_picture(records),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows))),
        *(tag("p", line) for line in [*_reasons(records), _CAPTION]),
    )
