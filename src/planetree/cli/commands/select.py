"""`planetree select` and `planetree rank`: which columns tell the classes apart."""

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import plural
from planetree.evaluation.methods import Method, Settings, method_named, methods
from planetree.exceptions import OutputError

_HEAD = ("rank", "column", "weight")
_SELECTORS = f"One of {', '.join(methods('selects'))}."
_RANKERS = f"One of {', '.join(methods('ranks'))}."


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What `select` and `rank` both take."""

    target: options.Target = None
    csv: options.Csv = None
    picture: options.Picture = None
    learning: options.Learning
    time_limit: options.TimeLimit = None
    force: options.Force = False


@command("select")
def select(
    screen: Screen,
    data: options.Data,
    *,
    method: Annotated[str, typer.Option("--method", "-m", help=_SELECTORS)] = "sparse-planes",
    max_features: options.MaxFeatures = None,
    request: _Request,
) -> None:
    """Select the columns that a method needs."""
    scored = _scored(screen, data, method_named(method, "selects"), max_features, request)
    found = [(name, score) for name, score, is_selected in scored if is_selected]
    screen.answer |= {"method": method, "selected": [name for name, _ in found]}
    columns = plural(len(scored), "column")
    screen.say(f"\n{len(found)} of {columns} selected by {method}:")
    _say_rows(screen, found, request)


@command("rank")
def rank(
    screen: Screen,
    data: options.Data,
    *,
    method: Annotated[
        str, typer.Option("--method", "-m", help=_RANKERS, show_default=False)
    ] = "discriminant-power",
    request: _Request,
) -> None:
    """Rank columns by how well they separate classes."""
    scored = _scored(screen, data, method_named(method, "ranks"), None, request)
    found = [(name, score) for name, score, _ in scored]
    ranking = [
        {"rank": rank, "column": name, "weight": score}
        for rank, (name, score) in zip(_ranks(found), found, strict=True)
    ]
    screen.answer |= {"method": method, "ranking": ranking}
    screen.say(f"\n{plural(len(scored), 'column')}, ranked by {method}:")
    _say_rows(screen, found, request)
    screen.say("Rank 1 separates the classes best. Columns of equal weight share a rank.")


def _scored(
    screen: Screen, data: str, method: Method, max_features: int | None, request: _Request
) -> list[tuple[str, float, bool]]:
    """Name, weight and choice of each column, those with the largest weight first."""
    refuse_existing([request.csv, request.picture], request.force)
    rows = request.learning.read(screen, data, request.target)

    from planetree.evaluation.validation import column_order, limited, scores_of, support_of

    seed, jobs = request.learning.seed, request.learning.jobs
    settings = Settings(max_features, None, None, seed, jobs, request.time_limit)
    model = method.make(settings._replace(missing=rows.missing))
    with screen.progress("Learning"), limited(model, request.time_limit):
        model.fit(rows.table, rows.labels, sample_weight=rows.weights)
    scores, support = scores_of(model).tolist(), support_of(model).tolist()
    return [(rows.table.columns[j].name, scores[j], support[j]) for j in column_order(model)]


def _ranks(rows: list[tuple[str, float]]) -> list[int]:
    """Rank of each column: 1 and one more for each column of larger weight."""
    digits = [f"{score:.12g}" for _, score in rows]  # weights that differ by rounding are equal
    return [1 + sum(float(other) > float(own) for other in digits) for own in digits]


def _say_rows(screen: Screen, rows: list[tuple[str, float]], request: _Request) -> None:
    """Print columns with their ranks and weights, and write them to files."""
    ranked = [(rank, *row) for rank, row in zip(_ranks(rows), rows, strict=True)]
    if screen.quiet:
        screen.result("\n".join(name for name, _ in rows))
    else:
        screen.table(_HEAD, [(rank, name, f"{score:.4g}") for rank, name, score in ranked], left=2)
    if request.csv:
        from planetree.files import csv_text

        screen.write_file(request.csv, csv_text([_HEAD, *ranked]), request.force)
    if request.picture:
        screen.write_file(request.picture, _drawn(rows, request.picture), request.force)


def _drawn(rows: list[tuple[str, float]], path: Path) -> bytes:
    """A picture of the weights in the format of the file's name."""
    os.environ.setdefault("MPLBACKEND", "agg")
    from planetree import plot

    axes = plot.ranking([name for name, _ in rows], [score for _, score in rows])
    kind, content = path.suffix.lstrip(".").lower() or "png", io.BytesIO()
    figure: Any = axes.figure
    if kind not in figure.canvas.get_supported_filetypes():
        raise OutputError(f"{path}: pictures are .png, .svg or .pdf, not .{kind}.")
    figure.savefig(content, format=kind, bbox_inches="tight", dpi=150)
    return content.getvalue()
