"""Methods against each other on the same folds.

Each is tested against the one with the least error: the corrected resampled t-test on the
differences fold by fold, with Holm's correction for there being several. A method is marked if no
other has less error with no more terms, or fewer terms with no more error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np

from planetree.cli.fitting import limited, percent
from planetree.cli.screen import Screen
from planetree.evaluation.methods import Method, Settings
from planetree.evaluation.peers import peer
from planetree.evaluation.reading import table_of
from planetree.evaluation.validation import (
    Folds,
    Size,
    Validation,
    deal_folds,
    majority_error,
    validate,
)
from planetree.statistics import corrected_t_test, holm, undominated, wilson_interval
from planetree.table_files import Examples

__all__ = ["CAPTION", "HEAD", "page_of", "reasons_of", "records_of", "rows_of", "run_all"]

HEAD = ("method", "error", "95 % interval", "leaves", "columns", "terms", "seconds", "p", "front")
MARK = "*"
CAPTION = (
    "Error: share of rows that models which did not learn from them predict wrongly. Leaves, "
    "columns, terms: averages over the folds. p: how likely so large a difference from the least "
    "error would be if there were none (corrected resampled t-test, Holm's correction). "
    f"Front {MARK}: no other method has less error and no more terms, nor fewer terms and no more "
    "error."
)
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
div { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884 }
th:first-child, td:first-child { text-align: left }
tr.best { font-weight: 600 }
p { max-width: 45rem }
"""


class Contender(NamedTuple):
    """A method with what was found of it, or why nothing was."""

    name: str
    found: Validation | None
    test_share: float
    reason: str = ""


def run_all(
    screen: Screen,
    chosen: list[Method | str],
    examples: Examples,
    settings: Settings,
    n_folds: int | None,
    jobs: int,
) -> list[Contender]:
    """Validate each method on the same folds."""
    folds = deal_folds(examples.labels, n_folds, settings.random_state or 0)
    table, share = table_of(examples), folds.test_share
    contenders = [Contender("majority", majority(examples, folds), share)]
    with screen.progress("Comparing", len(chosen) * len(folds.used)) as tick:
        for each in chosen:
            name = each if isinstance(each, str) else each.name
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = run_one(each, table, examples, settings, folds, jobs, tick)
                contenders.append(Contender(name, found, share))
            except (ValueError, TypeError, RuntimeError) as error:
                contenders.append(Contender(name, None, share, " ".join(str(error).split())))
    return contenders


def run_one(
    method: Method | str,
    table: Any,
    examples: Examples,
    settings: Settings,
    folds: Folds,
    jobs: int,
    tick: Callable[[], None],
) -> Validation:
    """Validate one method within its time."""
    seconds = settings.time_limit or 60.0
    if isinstance(method, str):
        estimator = peer(method, settings.random_state or 0, settings.class_weight)
    else:
        estimator = method.make(settings._replace(time_limit=seconds / len(folds.used)))
    with limited(estimator, seconds):
        return validate(
            estimator, table, examples.labels, examples.weights, folds, jobs=jobs, tick=tick
        )


def majority(examples: Examples, folds: Folds) -> Validation:
    """What always saying the most frequent class gives."""
    label, error = majority_error(examples.labels, examples.weights)
    wrong = examples.labels.astype(str) != label
    by_fold = [float(wrong[folds.of_rows == fold].mean()) for fold in folds.used]
    interval = wilson_interval(error, len(wrong))
    return Validation(error, interval, np.array(by_fold), len(wrong), 0.0, Size(0, 1, 0, 0))


def records_of(contenders: list[Contender]) -> list[dict[str, Any]]:
    """One record a method, the least error first, those without a result last."""
    ran = [each for each in contenders if each.found]
    ran.sort(key=lambda each: (each.found.error, each.found.size.terms or 0))  # type: ignore[union-attr]
    found = [each.found for each in ran if each.found]
    chances = probabilities(found, ran[0].test_share)
    sizes = [np.inf if each.size.terms is None else each.size.terms for each in found]
    marked = undominated(np.column_stack([[each.error for each in found], sizes]))
    records = [
        {**record(each), "p": chances[i], "undominated": bool(marked[i]), "reason": ""}
        for i, each in enumerate(ran)
    ]
    failed = [each for each in contenders if not each.found]
    blank = dict.fromkeys(records[0])
    records += [{**blank, "method": each.name, "reason": each.reason} for each in failed]
    return records


def record(contender: Contender) -> dict[str, Any]:
    """What was found of a method."""
    found = contender.found
    assert found is not None
    return {
        "method": contender.name,
        "error": found.error,
        "low": found.interval[0],
        "high": found.interval[1],
        **found.size._asdict(),
        "seconds": found.seconds,
    }


def probabilities(found: list[Validation], test_share: float) -> list[float | None]:
    """Of each method but the first, how likely its difference from the first is by chance."""
    best = found[0].fold_errors
    if len(best) < 2:
        return [None] * len(found)
    raw = [corrected_t_test(each.fold_errors - best, test_share) for each in found[1:]]
    return [None, *holm(raw).tolist()]


def rows_of(records: list[dict[str, Any]]) -> list[list[str]]:
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
                *(size_text(each[key]) for key in ("leaves", "columns", "terms")),
                f"{each['seconds']:.1f}",
                "" if each["p"] is None else f"{each['p']:.3f}",
                MARK if each["undominated"] else "",
            ]
        )
    return rows


def reasons_of(records: list[dict[str, Any]]) -> list[str]:
    """Why methods have no result, a line each."""
    return [f"{each['method']}: {each['reason']}" for each in records if each["reason"]]


def size_text(size: float | None) -> str:
    """An average size, without a digit that says nothing."""
    return "" if size is None else f"{size:.1f}".removesuffix(".0")


def page_of(records: list[dict[str, Any]], data: str, n_rows: int) -> str:
    """The table as one HTML file, with nothing outside itself."""
    head = "".join(f"<th>{escape(name)}</th>" for name in HEAD)
    body = "\n".join(
        f"<tr{' class=best' if each['undominated'] else ''}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for each, row in zip(records, rows_of(records), strict=False)
    )
    failed = "".join(f"<p>{escape(reason)}</p>\n" for reason in reasons_of(records))
    title = f"Methods compared on {escape(data)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>"
        f"<p>{n_rows} rows.</p>\n<div><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table></div>\n{failed}<p>{escape(CAPTION)}</p></body></html>\n"
    )
