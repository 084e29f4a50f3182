"""`planetree select` and `planetree rank`: which columns tell the classes apart."""

from pathlib import Path
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.command import command
from planetree.cli.screen import Screen
from planetree.evaluation.methods import Method, Settings, method_named, methods, names

__all__ = ["rank", "select"]

Csv = Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")]
Picture = Annotated[Path | None, typer.Option("--picture", help="Draw it: .png, .svg or .pdf.")]
HEAD = ("column", "weight")
SELECTORS = f"One of {names(selects=True)}."
RANKERS = f"One of {names(ranks=True)}."


@command("select")
def select(
    screen: Screen,
    data: options.Data,
    target: options.Target = None,
    method: Annotated[str, typer.Option("--method", "-m", help=SELECTORS)] = "sparse-planes",
    max_features: options.MaxFeatures = None,
    csv: Csv = None,
    picture: Picture = None,
    sample_weight: options.SampleWeight = None,
    categorical: options.Categorical = None,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
) -> None:
    """Choose the columns that a method needs to tell the classes apart."""
    from planetree.table_files import Reading

    chosen = method_named(method, selects=True)
    columns = categorical or (), ignore or (), missing or ()
    reading = Reading(*columns, encoding, not no_header, max_size)
    settings = Settings(max_features, None, None, seed, jobs, time_limit)
    names, scores, support = scored(
        screen, data, target, sample_weight, reading, chosen, settings, [csv, picture], force
    )
    rows = [(name, score) for name, score, on in zip(names, scores, support, strict=True) if on]
    screen.answer |= {"method": method, "selected": [name for name, _ in rows]}
    screen.say(f"\n{len(rows)} of {len(names)} columns are selected by {method}:")
    say_rows(screen, rows, csv, picture, force)


@command("rank")
def rank(
    screen: Screen,
    data: options.Data,
    target: options.Target = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help=RANKERS, show_default=False),
    ] = None,
    csv: Csv = None,
    picture: Picture = None,
    sample_weight: options.SampleWeight = None,
    categorical: options.Categorical = None,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    seed: options.Seed = 0,
    time_limit: options.TimeLimit = None,
    jobs: options.Jobs = 1,
    force: options.Force = False,
) -> None:
    """Order the columns by how well they tell the classes apart."""
    from planetree.table_files import Reading

    chosen = method_named(method or default_ranker(), ranks=True)
    columns = categorical or (), ignore or (), missing or ()
    reading = Reading(*columns, encoding, not no_header, max_size)
    settings = Settings(None, None, None, seed, jobs, time_limit)
    names, scores, _ = scored(
        screen, data, target, sample_weight, reading, chosen, settings, [csv, picture], force
    )
    rows = list(zip(names, scores, strict=True))
    screen.answer |= {
        "method": chosen.name,
        "ranking": [{"column": n, "weight": s} for n, s in rows],
    }
    screen.say(f"\n{len(rows)} columns, ranked by {chosen.name}:")
    say_rows(screen, rows, csv, picture, force)


def default_ranker() -> str:
    """The method to rank by, unless another is asked for."""
    known = [each.name for each in methods(ranks=True)]
    return "discriminant-power" if "discriminant-power" in known else "centroid"


def scored(
    screen: Screen,
    data: str,
    target: str | None,
    sample_weight: str | None,
    reading: Any,
    method: Method,
    settings: Settings,
    outputs: list[Path | None],
    force: bool,
) -> tuple[list[str], list[float], list[bool]]:
    """Names, weights and choice of the columns, those with the largest weight first."""
    from planetree.cli.output_files import refuse_existing
    from planetree.evaluation.reading import read_and_say

    refuse_existing(outputs, force)
    examples = read_and_say(screen, data, target, sample_weight, reading)

    from planetree.cli.fitting import limited
    from planetree.evaluation.column_scores import order_of, scores_of, support_of

    model = method.make(settings)
    with screen.progress("Learning"), limited(model, settings.time_limit):
        model.fit(examples.frame, examples.labels, sample_weight=examples.weights)
    scores, support = scores_of(model), support_of(model)
    order = order_of(model)
    names = examples.frame.column_names
    return [names[j] for j in order], scores[order].tolist(), support[order].tolist()


def say_rows(
    screen: Screen,
    rows: list[tuple[str, float]],
    csv: Path | None,
    picture: Path | None,
    force: bool,
) -> None:
    """Print columns with their weights, and write them to files."""
    from planetree.cli.output_files import write_csv, write_picture

    if screen.quiet:
        screen.result("\n".join(name for name, _ in rows))
    else:
        screen.table(HEAD, [(name, f"{score:.4g}") for name, score in rows])
    if csv:
        write_csv(screen, csv, HEAD, rows, force)
    if picture:
        from planetree.evaluation.column_scores import draw

        write_picture(screen, picture, draw(rows), force)
