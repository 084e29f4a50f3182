"""What commands are asked, each said once: single options, and groups that go together."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from planetree.cli.screen import Screen
from planetree.evaluation.figure_words import plural

if TYPE_CHECKING:
    from planetree.evaluation.reading import TrainingTable
    from planetree.table_files import DataFile

Value = str | None
Values = list[str] | None  # an option that is repeatable
File = Path | None
Count = int | None
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
        raise typer.BadParameter(f"{text!r} is not a size such as 500MB or 2GB.")
    return size


def _size_option(name: str, what: str) -> Any:
    """An option that takes a size."""
    help = f"{what}, such as 500MB. Default: 2GB."
    return typer.Option(name, parser=_size_in_bytes, metavar="SIZE", show_default=False, help=help)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: .csv, .tsv, .xlsx, .jsonl, .parquet, .feather, .arff, or C4.5's .names or "
        ".data; - reads standard input.",
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file written by `planetree fit`.")
]

Target = Annotated[Value, typer.Option("--target", "-t", help="Column to predict.")]
MaxFeatures = Annotated[Count, typer.Option(min=1, help="Maximum number of columns in the model.")]
MaxSplits = Annotated[Count, typer.Option(min=0, help="Maximum number of decisions in a tree.")]
ClassWeight = Annotated[Value, "`balanced`, or weights such as yes=5,no=1."]
GradingName = Annotated[
    Literal["leaf", "soft", "none"] | None,
    "Grading: `leaf` (default) predicts the class printed in the leaf, `soft` the most probable "
    "class; `none` makes hard decisions.",
]
TeacherName = Annotated[
    Literal["forest", "boosting"] | None, "Let a random forest or boosting teach the readable tree."
]
Group = Annotated[Value, "Report errors by this column; add --ignore to keep it out of the model."]
TimeLimit = Annotated[
    float | None,
    typer.Option(min=0.001, help="Time limit in seconds for fitting and cross-validation."),
]
FoldCount = Annotated[
    Count, typer.Option(min=0, help="Cross-validation folds; 0 skips it. Default: 10.")
]
SampleWeight = Annotated[Value, "Column with row weights."]
UPLOAD = 2 * _UNITS["G"]
Upload = Annotated[int, _size_option("--max-upload", "Largest file to drop on the page")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite existing files.")]
Out = Annotated[File, typer.Option("--out", "-o", help="Write to this file.")]
Csv = Annotated[File, "Write the table as CSV."]
Picture = Annotated[File, "Draw a picture: .png, .svg or .pdf."]


@dataclass(frozen=True)
class TableFile:
    """How a table is written."""

    missing: Annotated[Values, "Another word for a missing cell; repeatable."] = None
    encoding: Annotated[Value, "Text encoding; detected by default."] = None
    no_header: Annotated[bool, "The first row is data: columns are x0, x1, ..."] = False
    decimal: Annotated[
        Literal[".", ","] | None, "Decimal mark of numbers. Default: as in training, or detected."
    ] = None
    delimiter: Annotated[Value, "What separates cells; detected by default."] = None
    rename: Annotated[Values, "Read a column under another name, FILE=MODEL; repeatable."] = None
    sheet: Annotated[Value, "Sheet of an Excel file. Default: the first."] = None
    max_size: Annotated[
        int, _size_option("--max-size", "Largest unpacked size of a compressed table")
    ] = 2 * _UNITS["G"]

    def reading(self, categorical: Sequence[str] = (), ignore: Sequence[str] = ()) -> Any:
        """The same as `table_files` takes it, with columns that are categories or ignored."""
        from planetree.table_files import Reading

        missing, header = self.missing or (), not self.no_header
        return Reading(
            categorical, ignore, missing, self.encoding, header, self.max_size, self.sheet
        )._replace(decimal=self.decimal, delimiter=self._delimiter(), renamed=self._other_names())

    def _delimiter(self) -> str | None:
        """One character, or the word `tab`."""
        mark = {"tab": "\t", "\\t": "\t"}.get(self.delimiter or "", self.delimiter)
        if mark is not None and (len(mark) != 1 or mark in '\r\n"'):
            raise typer.BadParameter(f"--delimiter is one character, not {self.delimiter!r}.")
        return mark

    def _other_names(self) -> dict[str, str]:
        """Names that columns of the file are read under."""
        pairs = [each.partition("=") for each in self.rename or ()]
        wrong = [each for each, equals, new in pairs if not (each and equals and new)]
        if wrong:
            raise typer.BadParameter(f"--rename is FILE=MODEL, such as AGE=age, not {wrong[0]!r}.")
        return {old: new for old, _, new in pairs}

    def rows_for(
        self, screen: Screen, model: Any, data: str, every: bool = False, **more: Any
    ) -> tuple[Any, "DataFile"]:
        """Rows of a file for a fitted model, and the whole file; say what was not plain.

        With `every`, the file must have all columns of the model, not only those that it reads.
        """
        from planetree.table import columns_read
        from planetree.table_files import read_rows_for

        with screen.progress(f"Reading {data}"):
            reading = self.reading()._replace(**more)
            needed = range(len(model.columns_)) if every else columns_read(model)
            frame, file = read_rows_for(model, data, reading, needed)
        screen.note(*file.notes)
        return frame, file

    def labeled_rows_for(
        self, screen: Screen, model: Any, data: str, target: str | None, every: bool = False
    ) -> "LabeledFile":
        """The rows that have a class; with `every`, all columns of the model must be there."""
        from planetree.table_files import labels_for

        frame, file = self.rows_for(screen, model, data, every, target=target)
        labels, known = labels_for(model, file, target, data)
        return LabeledFile(frame.filter(known), labels, known, file)


class LabeledFile(NamedTuple):
    """Rows that have a class, their classes, which rows of the file these are, and the file."""

    frame: Any
    labels: Any
    known: Any
    file: "DataFile"

    def column(self, name: str, path: str) -> Any:
        """Cells of these rows in a column of the file; refuse one that is not there."""
        from planetree.table_files import refuse_unknown_column

        refuse_unknown_column(name, self.file.frame.column_names, path)
        return self.file.frame.column(name).filter(self.known)


@dataclass(frozen=True)
class Learning:
    """What is learned from, and how folds and searches are run."""

    sample_weight: SampleWeight = None
    categorical: Annotated[
        Values, "Treat a column as categories even if it holds numbers; repeatable."
    ] = None
    numeric: Annotated[
        Values, "Treat a column as numbers even if cells begin with 0; repeatable."
    ] = None
    ignore: Annotated[Values, "Column to ignore; repeatable."] = None
    dates: Annotated[bool, "Turn dates into year, month, weekday and a day count."] = False
    file: TableFile = TableFile()
    seed: Annotated[int, typer.Option(help="Random seed for folds and searches.", min=0)] = 0
    jobs: Annotated[int, "Number of parallel jobs; -1 uses all processors."] = 1

    def read(
        self, screen: Screen, data: str, target: str | None, group: str | None = None
    ) -> "TrainingTable":
        """Read the rows of a file, and say what was understood."""
        from planetree.evaluation.reading import read_training_table
        from planetree.parameters import listed

        reading = self.file.reading(self.categorical or (), self.ignore or ())
        reading = reading._replace(dates=self.dates, numbers=self.numeric or ())
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
            ("classes", [f"{k} {n} ({_share(n / n_rows)})" for k, n in said["classes"].items()]),
            ("numbers", [name for name, kind in kinds.items() if kind == "numbers"]),
            ("categories", [f"{k} ({kind})" for k, kind in kinds.items() if kind != "numbers"]),
            ("missing cells", [f"{k} {n} ({n / n_rows:.0%})" for k, n in said["missing"].items()]),
            ("skipped", [f"{name} ({why})" for name, why in said["left_out"].items()]),
        ):
            if names:
                screen.say(f"  {what + ':':<15}{listed(names, 6, str)}")
        return found


def _share(share: float) -> str:
    """A share in percent, with digits where it is almost none or almost all."""
    edge = min(share, 1.0 - share)
    digits = 0 if edge == 0 or edge >= 0.005 else min(6, math.ceil(-math.log10(edge)) - 2)
    return f"{share:.{digits}%}"


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the readable tree should be like."""

    size: Annotated[
        Value,
        typer.Option(help="smallest, balanced (default), accurate, or a number.", metavar="SIZE"),
    ] = None
    terms: Annotated[
        Count, typer.Option(min=0, help="Choose the tree of the path with at most this many terms.")
    ] = None
    require: Annotated[Values, "Column that the tree must read; repeatable."] = None
    forbid: Annotated[Values, "Column that no decision may read; repeatable."] = None
    increasing: Annotated[
        Values, "A higher value may only raise the share of the second class; repeatable."
    ] = None
    decreasing: Annotated[
        Values, "A higher value may only lower the share of the second class; repeatable."
    ] = None
    share_of: Annotated[
        Values, "Class for --increasing and --decreasing, if there are three or more; repeatable."
    ] = None
    feature_cost: Annotated[Values, "What a column costs, such as mri=3; repeatable."] = None
    cost: Annotated[Values, "What a mistake costs, such as 'sick as well=5'; repeatable."] = None

    def settings(self, labels: Any) -> dict[str, Any]:
        """The same as `Settings` names them."""
        from planetree.evaluation.methods import parse_feature_costs, wished_settings

        return wished_settings(
            labels,
            size=self.size,
            required=self.require,
            excluded=self.forbid,
            increasing=self.increasing,
            decreasing=self.decreasing,
            share_of=self.share_of,
            feature_costs=parse_feature_costs(self.feature_cost or ()),
            costs=self.cost,
        )
