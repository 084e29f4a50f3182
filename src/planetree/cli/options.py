"""What commands are asked, each said once: single options, and groups that go together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

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
        help="A table: .csv, .tsv, .parquet, .arff, C4.5's .names or .data; - for a pipe.",
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
Grading = Annotated[
    Literal["leaf", "soft", "none"] | None,
    typer.Option(
        "--grading",
        help="How sure decisions are: `leaf` predicts the class that is printed, `soft` the most "
        "probable one, `none` makes hard decisions. [default: leaf]",
        show_default=False,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", min=0.001, help="Seconds for the fit, and for folds."),
]
FoldCount = Annotated[
    int | None, typer.Option(min=0, help="Folds of the cross-validation; 0 for none. [default: 10]")
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace files that are there.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write to a file.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write the table as CSV.")]
Picture = Annotated[Path | None, typer.Option("--picture", help="Draw it: .png, .svg or .pdf.")]


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are what."""

    sample_weight: Annotated[
        str | None, typer.Option("--sample-weight", help="Column of the weights of the rows.")
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical", help="Column of categories, be they numbers; may be repeated."
        ),
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Column to leave out; may be repeated.")
    ] = None


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
    max_size: Annotated[
        int,
        typer.Option(
            "--max-size",
            parser=_size_in_bytes,
            metavar="SIZE",
            show_default="2GB",
            help="Most that a compressed table may unpack to, such as 500MB or 8GB.",
        ),
    ] = 2 * _UNITS["G"]

    def reading(self, categorical: Sequence[str] = (), ignore: Sequence[str] = ()) -> Any:
        """The same as `table_files` takes it, with columns that are categories or ignored."""
        from planetree.table_files import Reading

        return Reading(
            categorical,
            ignore,
            self.missing or (),
            self.encoding,
            not self.no_header,
            self.max_size,
        )


@dataclass(frozen=True)
class SearchOptions:
    """How a search is run."""

    seed: Annotated[int, typer.Option(help="Seed of folds and searches.", min=0)] = 0
    jobs: Annotated[int, typer.Option(help="Processors to use at the same time; -1 for all.")] = 1
