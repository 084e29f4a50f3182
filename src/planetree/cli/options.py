"""What commands are asked, each said once: single options, and groups that go together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planetree.cli.screen import Screen, plural

if TYPE_CHECKING:
    from planetree.evaluation.reading import TrainingTable
    from planetree.table_files import DataFile

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _size_in_bytes(text: str | int) -> int:
    """Bytes of a size such as 500MB.

    Examples
    --------
    >>> from planetree.cli.options import _size_in_bytes
    >>> _size_in_bytes("1.5 kB")
    1536
    """
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?B?)", str(text).strip().upper())
    size = int(float(found[1]) * _UNITS[found[2].removesuffix("B")]) if found else 0
    if size < 1:
        raise typer.BadParameter(f"{text!r} is no size such as 500MB or 2GB.")
    return size


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: .csv, .tsv, .xlsx, .jsonl, .parquet, .feather, .arff, C4.5's .names or "
        ".data; - for a pipe.",
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that `planetree fit` wrote.")
]

Target = Annotated[
    str | None, typer.Option("--target", "-t", help="Column of the class.", show_default=False)
]
MaxFeatures = Annotated[
    int | None, typer.Option("--max-features", min=1, help="Most columns that the model may read.")
]
MaxSplits = Annotated[
    int | None, typer.Option("--max-splits", min=0, help="Most decisions of a tree.")
]
ClassWeight = Annotated[
    str | None, typer.Option("--class-weight", help="`balanced`, or weights such as yes=5,no=1.")
]
GradingName = Annotated[
    Literal["leaf", "soft", "none"] | None,
    typer.Option(
        "--grading",
        help="How sure decisions are: `leaf` predicts the class that is printed, `soft` the most "
        "probable one, `none` makes hard decisions; by default `leaf`.",
        show_default=False,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group", help="Column to count errors by; --ignore it to keep it out of the model."
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", min=0.001, help="Seconds for the fit, and for folds."),
]
FoldCount = Annotated[
    int | None,
    typer.Option(min=0, help="Folds of the cross-validation; 0 for none; by default 10."),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing files.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write to a file.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")]
Picture = Annotated[Path | None, typer.Option("--picture", help="Draw it: .png, .svg or .pdf.")]


@dataclass(frozen=True)
class TableFile:
    """How a table is written."""

    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", help="One more word for a missing cell; may be repeated."),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of the text; detected by default.")
    ] = None
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The first row is data: columns are x0, x1, ...")
    ] = False
    sheet: Annotated[
        str | None, typer.Option(help="Sheet of an Excel file; by default the first.")
    ] = None
    max_size: Annotated[
        int,
        typer.Option(
            "--max-size",
            parser=_size_in_bytes,
            metavar="SIZE",
            show_default=False,
            help="Most that a compressed table may unpack to, such as 500MB; by default 2GB.",
        ),
    ] = 2 * _UNITS["G"]

    def reading(self, categorical: Sequence[str] = (), ignore: Sequence[str] = ()) -> Any:
        """The same as `table_files` takes it, with columns that are categories or ignored."""
        from planetree.table_files import Reading

        missing, header = self.missing or (), not self.no_header
        return Reading(
            categorical, ignore, missing, self.encoding, header, self.max_size, self.sheet
        )

    def rows_for(
        self, screen: Screen, model: Any, data: str, **more: Any
    ) -> tuple[Any, "DataFile"]:
        """Rows of a file for a fitted model, and the whole file; say what was not plain."""
        from planetree.table import columns_read
        from planetree.table_files import read_rows_for

        with screen.progress(f"Reading {data}"):
            reading = self.reading()._replace(**more)
            frame, file = read_rows_for(model, data, reading, columns_read(model))
        screen.note(*file.notes)
        return frame, file


@dataclass(frozen=True)
class Learning:
    """What is learned from, and how folds and searches are run."""

    sample_weight: Annotated[
        str | None, typer.Option("--sample-weight", help="Column of the weights of the rows.")
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical", help="Column of categories, even if they are numbers; may be repeated."
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Column to leave out; may be repeated.")
    ] = None
    dates: Annotated[
        bool,
        typer.Option("--dates", help="Learn from year, month, weekday and days of dates."),
    ] = False
    file: TableFile = TableFile()
    seed: Annotated[int, typer.Option(help="Seed of folds and searches.", min=0)] = 0
    jobs: Annotated[int, typer.Option(help="Processors to use at the same time; -1 for all.")] = 1

    def read(
        self, screen: Screen, data: str, target: str | None, group: str | None = None
    ) -> "TrainingTable":
        """Read the rows of a file, and say what was understood."""
        from planetree.evaluation.reading import read_training_table

        reading = self.file.reading(self.categorical or (), self.ignore or ())
        reading = reading._replace(dates=self.dates)
        with screen.progress(f"Reading {data}"):
            found = read_training_table(
                data, target, sample_weight=self.sample_weight, group=group, reading=reading
            )
        screen.note(*found.notes)
        screen.answer["data"] = said = found.summary
        kinds, n_rows = said["columns"], said["rows"]
        rows, columns = plural(n_rows, "row"), plural(len(kinds), "column")
        screen.say(f"{data}: {rows}, {columns} to learn {said['target']!r} from.")
        for what, names in (
            ("classes", [f"{k} {n} ({n / n_rows:.0%})" for k, n in said["classes"].items()]),
            ("numbers", [name for name, kind in kinds.items() if kind == "numbers"]),
            ("categories", [f"{k} ({kind})" for k, kind in kinds.items() if kind != "numbers"]),
            ("missing cells", [f"{k} {n} ({n / n_rows:.0%})" for k, n in said["missing"].items()]),
            ("left out", [f"{name} ({why})" for name, why in said["left_out"].items()]),
        ):
            if names:
                more = f" and {len(names) - 6} more" if len(names) > 6 else ""
                screen.say(f"  {what + ':':<15}{', '.join(names[:6])}{more}")
        return found
