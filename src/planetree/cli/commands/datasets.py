"""`planetree datasets` and `planetree demo`: data to try the commands on."""

from pathlib import Path
from typing import Annotated

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.fit import fit
from planetree.cli.screen import Screen, refuse_existing

_BUNDLED = {
    "breast-cancer": ("load_breast_cancer", "diagnosis", "569 tumors, 30 measurements, 2 classes"),
    "iris": ("load_iris", "species", "150 flowers, 4 measurements, 3 classes"),
    "wine": ("load_wine", "cultivar", "178 wines, 13 measurements, 3 classes"),
}


@command("datasets")
def datasets(
    screen: Screen,
    name: Annotated[str | None, typer.Argument(help="Data set to write as CSV.")] = None,
    out: options.Out = None,
    force: options.Force = False,
) -> None:
    """List data sets, or write one as CSV."""
    if name is None:
        found = _known()
        screen.answer["datasets"] = [{"name": key, "what": what} for key, what in found.items()]
        screen.table(("name", "what it is"), list(found.items()), left=2)
        screen.say("Write one as CSV: planetree datasets NAME --out FILE.csv")
        return
    refuse_existing([out], force)
    text = _csv_of(name)
    if out:
        screen.write_file(out, text, force)
    else:
        screen.answer |= {"name": name, "csv": text}
        screen.result(text.rstrip("\n"))


@command("demo")
def demo(
    screen: Screen,
    folder: Annotated[Path, typer.Option(help="Folder to write to; created if needed.")] = Path(
        "demo"
    ),
    force: options.Force = False,
) -> None:
    """Try planetree on breast-cancer data.

    Writes the table, the model and the report.
    """
    data, model, report = (folder / name for name in ("table.csv", "model.json", "report.html"))
    folder.mkdir(parents=True, exist_ok=True)
    refuse_existing([data, model, report], force)

    screen.write_file(data, _csv_of("breast-cancer"), force)
    fit(
        screen,
        str(data),
        target="diagnosis",
        model=model,
        report=report,
        learning=options.Learning(),
        force=force,
    )
    screen.say(f"Open {report}, or try: planetree explain {model} {data} --row 0")


def _known() -> dict[str, str]:
    """Data sets that are there, and what each is."""
    from planetree.datasets import names

    found = {name: f"{what} (scikit-learn)" for name, (_, _, what) in _BUNDLED.items()}
    return found | {name: "of PLANETREE_DATA" for name in names() if name not in found}


def _csv_of(name: str) -> str:
    """A data set as CSV, the class last."""
    if name in _BUNDLED:
        return _bundled(*_BUNDLED[name][:2])
    if name not in _known():
        raise UsageError(f"There is no data set {name!r}; `planetree datasets` lists them all.")
    from planetree.datasets import load
    from planetree.files import csv_text

    found = load(name, as_frame=False)
    rows = ([*row, label] for row, label in zip(found.X.tolist(), found.y.tolist(), strict=True))
    return csv_text([[*found.feature_names, "class"], *rows], formulas=True)


def _bundled(loader: str, target: str) -> str:
    """A data set of scikit-learn as CSV."""
    from sklearn import datasets

    from planetree.files import csv_text

    data = getattr(datasets, loader)()
    labels = data.target_names[data.target].tolist()
    rows = ([*row, label] for row, label in zip(data.data.tolist(), labels, strict=True))
    return csv_text([[*map(str, data.feature_names), target], *rows], formulas=True)
