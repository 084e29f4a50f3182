"""`planetree compare`: every method on the same folds, and which are worth a look."""

from html import escape
from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.command import UsageError, command
from planetree.cli.files import read_and_say, refuse_existing, write_whole
from planetree.cli.screen import Screen, percent
from planetree.evaluation.methods import PEER_METHODS, Settings, chosen_methods, parse_class_weight

__all__ = ["compare"]

_HEAD = ("method", "error", "95 % interval", "leaves", "columns", "terms", "seconds", "p", "front")
_OTHERS = " or ".join(PEER_METHODS)
_MARK = "*"
_CAPTION = (
    "Error: share of rows that models which did not learn from them predict wrongly. Leaves, "
    "columns, terms: averages over the folds. p: how likely so large a difference from the least "
    "error would be if there were none (corrected resampled t-test, Holm's correction). "
    f"Front {_MARK}: no other method has less error and no more terms, nor fewer terms and no more "
    "error."
)
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
div { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884 }
th:first-child, td:first-child { text-align: left }
tr.best { font-weight: 600 }
p { max-width: 45rem }
"""


@command("compare")
def compare(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"A method of `fit`, or {_OTHERS}; may be repeated. Default: all.",
        ),
    ] = None,
    csv: options.Csv = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the table as HTML.")] = None,
    class_weight: options.ClassWeight = None,
    columns: options.Columns,
    file: options.TableFile,
    folds: options.FoldCount = None,
    search: options.SearchOptions,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.001, help="Seconds for each method.")
    ] = 60.0,
    force: options.Force = False,
) -> None:
    """Compare all methods, and scikit-learn's tree and logistic regression, on the same folds."""
    chosen = chosen_methods(method)
    refuse_existing([csv, html], force)
    if folds is not None and folds < 2:
        raise UsageError("--folds must be 2 or more to compare methods.")
    rows = read_and_say(screen, data, target, columns, file)

    from planetree.evaluation.comparison import compare_methods
    from planetree.evaluation.validation import stratified_folds
    from planetree.files import csv_text

    weight = parse_class_weight(class_weight, rows.labels)
    settings = Settings(class_weight=weight, random_state=search.seed, time_limit=time_limit)
    dealt = stratified_folds(rows.labels, folds, search.seed)
    with screen.progress("Comparing", len(chosen) * len(dealt.used)) as tick:
        records = compare_methods(chosen, rows, settings, dealt, jobs=search.jobs, tick=tick)
    screen.answer["methods"] = records
    screen.say()
    screen.table(_HEAD, _rows(records))
    screen.say("\n".join([*_reasons(records), "", _CAPTION]))
    if csv:
        text = csv_text([list(records[0]), *(list(each.values()) for each in records)])
        write_whole(screen, csv, text, force)
    if html:
        write_whole(screen, html, _page(records, data, len(rows.labels)), force)


def _rows(records: list[dict[str, Any]]) -> list[list[str]]:
    """Records as cells of a table for people."""
    rows = []
    for each in records:
        if each["error"] is None:
            continue
        rows.append(
            [
                each["method"],
                percent(each["error"]),
                f"{100 * each['low']:.1f} to {100 * each['high']:.1f}",
                *(_size_text(each[key]) for key in ("leaves", "columns", "terms")),
                f"{each['seconds']:.1f}",
                "" if each["p"] is None else f"{each['p']:.3f}",
                _MARK if each["undominated"] else "",
            ]
        )
    return rows


def _reasons(records: list[dict[str, Any]]) -> list[str]:
    """Why methods have no result, a line each."""
    return [f"{each['method']}: {each['reason']}" for each in records if each["reason"]]


def _size_text(size: float | None) -> str:
    """An average size, without a digit that says nothing."""
    return "" if size is None else f"{size:.1f}".removesuffix(".0")


def _page(records: list[dict[str, Any]], data: str, n_rows: int) -> str:
    """The table as one HTML file, with nothing outside itself."""
    head = "".join(f"<th>{escape(name)}</th>" for name in _HEAD)
    body = "\n".join(
        f"<tr{' class=best' if each['undominated'] else ''}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for each, row in zip(records, _rows(records), strict=False)
    )
    failed = "".join(f"<p>{escape(reason)}</p>\n" for reason in _reasons(records))
    title = f"Methods compared on {escape(data)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n<body><h1>{title}</h1>"
        f"<p>{n_rows} rows.</p>\n<div><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></div>\n{failed}<p>{escape(_CAPTION)}</p></body></html>\n"
    )
