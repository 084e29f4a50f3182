"""`planetree datasets` and `planetree demo`: data to try the commands on."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.app import command
from planetree.cli.commands.fit import FitOptions, fit
from planetree.cli.screen import Screen, refuse_existing


@command("datasets")
def datasets(
    screen: Screen,
    name: Annotated[options.Value, typer.Argument(help="Data set to write as CSV.")] = None,
    out: options.Out = None,
    force: options.Force = False,
) -> None:
    """List data sets, or write one as CSV."""
    from planetree.datasets import example_csv, known_examples

    if name is None:
        found = known_examples()
        screen.answer["datasets"] = [{"name": key, "what": what} for key, what in found.items()]
        screen.table(("name", "what it is"), list(found.items()), left=2)
        screen.say("Write one as CSV: planetree datasets NAME --out FILE.csv")
        return
    refuse_existing([out], force)
    text = example_csv(name)
    if out:
        screen.write_file(out, text, force)
    else:
        screen.answer |= {"name": name, "csv": text}
        screen.result(text.rstrip("\n"))


@command("demo")
def demo(
    screen: Screen,
    folder: Annotated[Path, "Folder to write to; created if needed."] = Path("demo"),
    force: options.Force = False,
) -> None:
    """Try planetree on breast-cancer data.

    Writes the table, the model and the report.
    """
    from planetree.datasets import example_csv

    data, model, report = (folder / name for name in ("table.csv", "model.json", "report.html"))
    folder.mkdir(parents=True, exist_ok=True)
    refuse_existing([data, model, report], force)

    screen.write_file(data, example_csv("breast-cancer"), force)
    asked = FitOptions(
        target="diagnosis",
        model=model,
        report=report,
        wishes=options.Wishes(),
        learning=options.Learning(),
        force=force,
    )
    fit(screen, str(data), asked=asked)
    screen.say(f"Open {report}, or try: planetree explain {model} {data} --row 0")
