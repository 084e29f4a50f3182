"""Commands that need no table of one's own: show, datasets, demo."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.command import command
from planetree.cli.screen import Screen

__all__ = ["datasets", "demo", "show"]


@command("show")
def show(screen: Screen, model: options.Model) -> None:
    """Print a model in words."""
    from planetree.cli.fitting import say_model
    from planetree.cli.model_rows import load_model

    fitted = load_model(model)
    names = [column.name for column in fitted.columns_]
    classes = [str(label) for label in fitted.classes_.tolist()]
    screen.answer |= {"file": str(model), "classes": classes, "columns": names}
    screen.say(f"{model}: {' or '.join(classes)}, from {len(names)} columns.")
    say_model(screen, fitted, type(fitted).__name__)


@command("datasets")
def datasets(
    screen: Screen,
    name: Annotated[str | None, typer.Argument(help="A data set to write as CSV.")] = None,
    out: options.Out = None,
    force: options.Force = False,
) -> None:
    """List the data sets that are there, or write one as CSV."""
    from planetree.cli.example_tables import csv_of, known
    from planetree.cli.output_files import refuse_existing, write_whole

    if name is None:
        found = known()
        screen.answer["datasets"] = [each._asdict() for each in found]
        screen.table(("name", "what it is"), [(e.name, e.what) for e in found], left=2)
        screen.say("Write one as CSV: planetree datasets NAME --out FILE.csv")
        return
    refuse_existing([out], force)
    text = csv_of(name)
    if out:
        write_whole(screen, out, text, force)
    else:
        screen.answer |= {"name": name, "csv": text}
        screen.result(text.rstrip("\n"))


@command("demo")
def demo(
    screen: Screen,
    folder: Annotated[Path, typer.Option(help="Folder to write to; made if need be.")] = Path(
        "demo"
    ),
    force: options.Force = False,
) -> None:
    """Fit the default model to breast-cancer data, and write it with its report and its table."""
    from planetree.cli.output_files import refuse_existing, write_whole

    data, model, report = (folder / name for name in ("table.csv", "model.json", "report.html"))
    folder.mkdir(parents=True, exist_ok=True)
    refuse_existing([data, model, report], force)

    from planetree.cli.commands.fit import fit
    from planetree.cli.example_tables import csv_of

    write_whole(screen, data, csv_of("breast-cancer"), force)
    fit(screen, str(data), "diagnosis", model=model, report=report, force=force)
    screen.say(f"Open {report}, or try: planetree explain {model} {data} --row 0")
