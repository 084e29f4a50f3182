"""`planetree compare`: every method on the same folds, and which are worth a look."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.command import UsageError, command
from planetree.cli.screen import Screen
from planetree.evaluation.methods import Method, Settings, method_named, methods, read_class_weight

__all__ = ["compare"]

PEERS = ("sklearn-tree", "sklearn-logistic")


@command("compare")
def compare(
    screen: Screen,
    data: options.Data,
    target: options.Target = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"A method of `fit`, or {' or '.join(PEERS)}; may be repeated. Default: all.",
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write the table as HTML.")] = None,
    sample_weight: options.SampleWeight = None,
    class_weight: options.ClassWeight = None,
    categorical: options.Categorical = None,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    max_size: options.MaxSize = options.LARGEST,
    folds: options.Folds = None,
    seed: options.Seed = 0,
    time_limit: Annotated[
        float, typer.Option("--time-limit", min=0.001, help="Seconds for each method.")
    ] = 60.0,
    jobs: options.Jobs = 1,
    force: options.Force = False,
) -> None:
    """Compare all methods, and scikit-learn's tree and logistic regression, on the same folds."""
    from planetree.cli.output_files import refuse_existing, write_csv, write_whole

    chosen = chosen_methods(method)
    refuse_existing([csv, html], force)
    if folds is not None and folds < 2:
        raise UsageError("--folds must be 2 or more to compare methods.")

    from planetree.evaluation.reading import read_and_say
    from planetree.table_files import Reading

    columns = categorical or (), ignore or (), missing or ()
    reading = Reading(*columns, encoding, not no_header, max_size)
    examples = read_and_say(screen, data, target, sample_weight, reading)

    from planetree.evaluation import comparison

    weight = read_class_weight(class_weight, examples.labels)
    settings = Settings(class_weight=weight, random_state=seed, time_limit=time_limit)
    records = comparison.records_of(
        comparison.run_all(screen, chosen, examples, settings, folds, jobs)
    )
    screen.answer["methods"] = records
    screen.say()
    screen.table(comparison.HEAD, comparison.rows_of(records))
    screen.say("\n".join([*comparison.reasons_of(records), "", comparison.CAPTION]))
    if csv:
        write_csv(screen, csv, list(records[0]), [list(r.values()) for r in records], force)
    if html:
        write_whole(screen, html, comparison.page_of(records, data, len(examples.labels)), force)


def chosen_methods(names: list[str] | None) -> list[Method | str]:
    """Methods of these names, or all of ours and those of scikit-learn."""
    if not names:
        return [*methods(), *PEERS]
    return [name if name in PEERS else method_named(name) for name in dict.fromkeys(names)]
