"""`planetree select` and `planetree rank`: which columns tell the classes apart."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.command import command
from planetree.cli.files import read_and_say, refuse_existing, write_picture, write_whole
from planetree.cli.screen import Screen
from planetree.evaluation.methods import Settings, method_named, method_names

__all__ = ["rank", "select"]

_HEAD = ("column", "weight")
_SELECTORS = f"One of {method_names(selects=True)}."
_RANKERS = f"One of {method_names(ranks=True)}."


@command("select")
def select(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[str, typer.Option("--method", "-m", help=_SELECTORS)] = "sparse-planes",
    max_features: options.MaxFeatures = None,
    csv: options.Csv = None,
    picture: options.Picture = None,
    columns: options.Columns,
    file: options.TableFile,
    search: options.SearchOptions,
    time_limit: options.TimeLimit = None,
    force: options.Force = False,
) -> None:
    """Choose the columns that a method needs to tell the classes apart."""
    chosen = method_named(method, selects=True)
    refuse_existing([csv, picture], force)
    rows = read_and_say(screen, data, target, columns, file)
    settings = Settings(max_features, None, None, search.seed, search.jobs, time_limit)
    scored = _scored(screen, chosen.make(settings), rows, time_limit)
    found = [(name, score) for name, score, is_selected in scored if is_selected]
    screen.answer |= {"method": method, "selected": [name for name, _ in found]}
    screen.say(f"\n{len(found)} of {len(scored)} columns are selected by {method}:")
    _say_rows(screen, found, csv, picture, force)


@command("rank")
def rank(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help=_RANKERS, show_default=False)
    ] = "discriminant-power",
    csv: options.Csv = None,
    picture: options.Picture = None,
    columns: options.Columns,
    file: options.TableFile,
    search: options.SearchOptions,
    time_limit: options.TimeLimit = None,
    force: options.Force = False,
) -> None:
    """Order the columns by how well they tell the classes apart."""
    chosen = method_named(method, ranks=True)
    refuse_existing([csv, picture], force)
    rows = read_and_say(screen, data, target, columns, file)
    settings = Settings(None, None, None, search.seed, search.jobs, time_limit)
    scored = _scored(screen, chosen.make(settings), rows, time_limit)
    ranking = [{"column": name, "weight": score} for name, score, _ in scored]
    screen.answer |= {"method": method, "ranking": ranking}
    screen.say(f"\n{len(scored)} columns, ranked by {method}:")
    _say_rows(screen, [(name, score) for name, score, _ in scored], csv, picture, force)


def _scored(
    screen: Screen, model: Any, rows: Any, time_limit: float | None
) -> list[tuple[str, float, bool]]:
    """Name, weight and choice of each column, those with the largest weight first."""
    from planetree.evaluation.column_scores import column_order, scores_of, support_of
    from planetree.evaluation.validation import limited

    with screen.progress("Learning"), limited(model, time_limit):
        model.fit(rows.table, rows.labels, sample_weight=rows.weights)
    scores, support = scores_of(model).tolist(), support_of(model).tolist()
    return [(rows.table.columns[j].name, scores[j], support[j]) for j in column_order(model)]


def _say_rows(
    screen: Screen,
    rows: list[tuple[str, float]],
    csv: Path | None,
    picture: Path | None,
    force: bool,
) -> None:
    """Print columns with their weights, and write them to files."""
    if screen.quiet:
        screen.result("\n".join(name for name, _ in rows))
    else:
        screen.table(_HEAD, [(name, f"{score:.4g}") for name, score in rows])
    if csv:
        from planetree.files import csv_text

        write_whole(screen, csv, csv_text([_HEAD, *rows]), force)
    if picture:
        os.environ.setdefault("MPLBACKEND", "agg")
        from planetree import plot

        axes = plot.ranking([name for name, _ in rows], [score for _, score in rows])
        write_picture(screen, picture, axes, force)
