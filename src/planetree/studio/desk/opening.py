"""What is in a file: how it was read, its first rows, and of each column what one should know.

Histograms are of at most `_MOST_ROWS` rows, evenly from the whole table, and remarks of at most
`_MOST_CHECKED`; numbers of missing and of distinct cells and of rows of each class are of all rows.
Its beginning tells which column is likely to be predicted, and that decides how a file is read. A
large file is read in parts, and its histograms and remarks are of the sample (`large`).
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planetree.exceptions import ColumnError, FileError
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe, recipe_of
from planetree.table_files import read_file

if TYPE_CHECKING:
    from planetree.studio.desk.large import WholeTable

_PREVIEW = 20  # rows
_MOST_ROWS = 20_000
_MOST_CHECKED = 200_000
_BEGINNING = 1 << 20  # bytes; a smaller file may as well be read twice
_MOST_COLUMNS = 2_000
_BINS, _VALUES = 20, 10
_NUMBER = re.compile(r"[-+]?[\d.,' ]*\d[\d.,' ]*%?")
_HINTS = re.compile(  # of the command: the page has buttons for them
    r"(: --ignore .*?\(in Python, drop the column\)|, drop it: --ignore .*|; --dates turns .*"
    r"|; if that means a missing number, use --missing .*| \(change it with --encoding\)"
    r"|, use --class-weight .*)\.?$"
)


def example(desk: Desk, name: str) -> str:
    """The text of an example table."""
    from planetree.datasets import example_csv

    return example_csv(name)


def survey_of(desk: Desk, recipe: dict[str, Any]) -> dict[str, Any]:
    """Columns and first rows of a file, and how it was read."""
    asked = recipe_of(recipe)
    if asked.target is None:
        asked = replace(asked, target=_target_of_beginning(desk, asked))
    file, whole = desk.file(asked), desk.whole(asked)
    frame = file.frame
    if len(frame.column_names) > _MOST_COLUMNS:
        raise FileError(f"{asked.file} has more than {_MOST_COLUMNS} columns.")
    head = frame.slice(0, _PREVIEW).to_pydict()
    return {
        "rows": len(frame) if whole is None else whole.rows,
        "sample": None if whole is None else _sample_data(desk, asked, len(frame)),
        "columns": [_plain_column(frame, name, whole) for name in frame.column_names],
        "head": [[_cell(each) for each in row] for row in zip(*head.values(), strict=True)],
        "notes": [_without_hint(note) for note in file.notes],
        "target": file.target or _likely_target(frame),
        "delimiter": file.delimiter if file.encoding else None,
        "encoding": file.encoding or None,
        "decimal": _decimal(file.decimals) if file.encoding else None,
    }


def _sample_data(desk: Desk, recipe: Recipe, n_rows: int) -> dict[str, Any]:
    """The sample of a large file: where it is, and how many rows it has."""
    from planetree.studio.desk.large import sample_rows

    name = desk.rows_path(recipe.file).relative_to(desk.folder.resolve()).as_posix()
    return {"file": name, "rows": n_rows, "drawn": sample_rows(desk.path(recipe.file))}


def _decimal(decimals: Any) -> str:
    """The decimal mark of most columns."""
    marks = list(decimals.values())
    return "," if marks.count(",") > len(marks) / 2 else "."


def _target_of_beginning(desk: Desk, recipe: Recipe) -> str | None:
    """The likely target of a large text, by its first lines; None where they do not tell."""
    path = desk.path(recipe.file)
    is_text = path.suffix.lower() in (".csv", ".tsv", ".txt")
    if not is_text or not path.is_file() or path.stat().st_size <= _BEGINNING:
        return None
    with path.open("rb") as file, tempfile.TemporaryDirectory() as folder:
        beginning = file.read(_BEGINNING)
        part = Path(folder) / f"beginning{path.suffix}"
        part.write_bytes(beginning[: beginning.rfind(b"\n") + 1])
        try:
            return _likely_target(read_file(part, recipe.reading(), recipe.categorical).frame)
        except FileError:  # such as a cell with line ends that was cut
            return None


def _likely_target(frame: Any) -> str | None:
    """A column with the name of a class, or the last one if its values are few."""
    for name in frame.column_names:
        if name.lower() in ("class", "target", "label", "diagnosis", "outcome", "species", "y"):
            return str(name)
    last = frame.column_names[-1]
    n = len(frame.column(last).unique())
    return str(last) if 2 <= n <= 10 and len(frame) >= 5 * n else None


def _plain_column(frame: Any, name: str, whole: WholeTable | None) -> dict[str, Any]:
    """Name, kind, missing and distinct cells of a column."""
    column = frame.column(name)
    found = {"name": name, "kind": _kind(column)}
    if whole is not None:
        own = whole.columns[name]
        return {**found, "missing": own.missing, "distinct": own.distinct, "exact": own.is_exact}
    n_distinct = len(column.drop_null().unique())
    return {**found, "missing": column.null_count, "distinct": n_distinct, "exact": True}


def _kind(column: Any) -> str:
    """What a column holds, in a word."""
    kind = str(column.type)
    if kind.startswith(("int", "uint", "float", "double", "halffloat", "decimal")):
        return "numbers"
    if kind.startswith(("date", "time")):
        return "dates"
    return "yes or no" if kind == "bool" else "categories"


def _cell(value: Any) -> str | None:
    """A cell as a person reads it."""
    return f"{value:.10g}" if isinstance(value, float) else None if value is None else str(value)


def columns_shown(desk: Desk, recipe: dict[str, Any]) -> dict[str, Any]:
    """Columns with a histogram by class, and what looks wrong with them."""
    asked = recipe_of(recipe)
    frame, whole = desk.file(asked).frame, desk.whole(asked)
    classes, codes = _classes(frame, asked.target)
    rows = _even_rows(frame, _MOST_ROWS)
    some = _evenly(frame, _MOST_ROWS)
    flags, notes = _flags(desk, asked)
    found = []
    for name in frame.column_names:
        shown = _plain_column(frame, name, whole)
        shown["picture"] = _picture(some.column(name), codes[rows], max(1, len(classes)))
        shown["flags"] = flags.get(name, [])
        word = _word_among_numbers(some.column(name)) if name != asked.target else ""
        if whole is not None and name != asked.target:
            shown["flags"] = [*shown["flags"], *_flags_of_whole(whole, name, shown)]
        if word and not any("cells such as" in each for each in shown["flags"]):
            shown["flags"] = [
                *shown["flags"],
                f"Looks like numbers, but has cells such as {word!r}.",
            ]
        if shown["distinct"] <= 1 and name != asked.target:
            shown["flags"] = [*shown["flags"], "It has the same value in every row."]
        found.append(shown)
    counts = np.bincount(codes, minlength=len(classes)).tolist()
    if whole is not None:
        notes = [*_notes_of_sample(whole, classes, len(frame)), *notes]
        counts = [whole.classes[name] for name in classes]
    return {"classes": classes, "counts": counts, "columns": found, "notes": notes}


def _notes_of_sample(whole: WholeTable, classes: list[str], n_rows: int) -> list[str]:
    """What the sample is, and the classes that it lacks."""
    notes = [
        f"The file is large: the model, histograms and remarks are of {n_rows:,} of its "
        f"{whole.rows:,} rows, drawn at random; missing and distinct cells and the rows of each "
        "class are of all rows."
    ]
    lacking = [name for name in whole.classes if name not in classes]
    if classes and lacking:
        said = ", ".join(f"{name} ({whole.classes[name]:,} rows)" for name in lacking[:5])
        notes.append(f"Classes that the sample has no row of: {said}.")
    return notes


def _flags_of_whole(whole: WholeTable, name: str, shown: dict[str, Any]) -> list[str]:
    """What only all rows tell of a column."""
    found = []
    if whole.names_rows(name) and not any("identifier" in each for each in shown["flags"]):
        found.append("Has a different whole number in almost every row, like an identifier.")
    word = whole.columns[name].word
    if shown["kind"] == "numbers" and word:
        found.append(f"Outside of the sample it has cells such as {word!r}.")
    return found


def _even_rows(frame: Any, most: int) -> NDArray[np.intp]:
    """At most so many rows of a table, evenly from its first to its last."""
    return np.linspace(0, len(frame) - 1, min(len(frame), most)).astype(np.intp)


def _evenly(frame: Any, most: int) -> Any:
    """The table of these rows."""
    return frame.take(_even_rows(frame, most)) if len(frame) > most else frame


def _word_among_numbers(column: Any) -> str:
    """A cell that keeps a column from being numbers, where at least four in five are; else none."""
    if _kind(column) != "categories":
        return ""
    cells = [str(each) for each in column.drop_null().unique().to_pylist()[:1000]]
    words = [each for each in cells if not _NUMBER.fullmatch(each)]
    return words[0] if words and len(words) <= len(cells) / 5 else ""


def _classes(frame: Any, target: str | None) -> tuple[list[str], NDArray[Any]]:
    """Classes and the code of each row; one class if no target is chosen, or it has many values."""
    if target is None or target not in frame.column_names:
        return [], np.zeros(len(frame), dtype=np.intp)
    cells = np.array(["" if v is None else str(v) for v in frame.column(target).to_pylist()])
    names, codes = np.unique(cells, return_inverse=True)
    if len(names) > 100:
        return [], np.zeros(len(frame), dtype=np.intp)
    return names.tolist(), codes


def _flags(desk: Desk, recipe: Recipe) -> tuple[dict[str, list[str]], list[str]]:
    """What is to be said of single columns, and of the whole table."""
    from planetree.evaluation.reading import read_training_table

    if recipe.target is None:
        return {}, []
    file, rest = desk.file(recipe), list[str]()
    if len(file.frame) > _MOST_CHECKED:
        rest.append(f"The remarks are of {_MOST_CHECKED:,} of {len(file.frame):,} rows.")
    try:
        data = read_training_table(
            desk.rows_path(recipe.file),
            recipe.target,
            sample_weight=recipe.weight,
            reading=recipe.reading(),
            file=file._replace(frame=_evenly(file.frame, _MOST_CHECKED)),
        )
    except (FileError, ColumnError) as error:
        return {}, [str(error)]
    flags: dict[str, list[str]] = {}
    for name, why in data.summary["left_out"].items():
        flags[name] = [f"Not used: {why}."]
    for note in data.notes:
        name = next((n for n in _names(data, flags) if note.startswith(f"Column {n!r} ")), "")
        said = _without_hint(note)
        if name:
            own = said.removeprefix(f"Column {name!r} ")
            flags.setdefault(name, []).append(own[:1].upper() + own[1:])
        else:
            rest.append(said)
    return flags, rest


def _names(data: Any, flags: dict[str, list[str]]) -> list[str]:
    """Columns that notes may speak of, the longest names first."""
    names = {*data.summary["columns"], *flags, data.summary["target"]}
    return sorted(names, key=len, reverse=True)


def _without_hint(note: str) -> str:
    """A note without what one would type on the command line."""
    return _HINTS.sub("", note).rstrip(".,;: ") + "."


def _picture(column: Any, codes: NDArray[Any], n_classes: int) -> dict[str, Any] | None:
    """Rows of each class in bins of a column."""
    if _kind(column) == "numbers":
        return _bins(np.asarray(column.cast("double").to_numpy()), codes, n_classes)
    cells = np.array(["" if v is None else str(v) for v in column.to_pylist()])
    known = cells != ""
    names, which, counts = np.unique(cells[known], return_inverse=True, return_counts=True)
    if not len(names) or _kind(column) == "dates":
        return None
    first = np.argsort(-counts, kind="stable")[:_VALUES]
    bars = np.zeros((n_classes, len(first) + (len(names) > len(first))))
    place = np.full(len(names), len(first))
    place[first] = np.arange(len(first))
    np.add.at(bars, (codes[known], place[which]), 1)
    said = [str(names[i]) for i in first] + ["others"] * (len(names) > len(first))
    return {"bars": bars, "names": said}


def _bins(cells: NDArray[Any], codes: NDArray[Any], n_classes: int) -> dict[str, Any] | None:
    """Numbers in bins between their ends."""
    known = np.isfinite(cells)
    if not known.any():
        return None
    low, high = float(cells[known].min()), float(cells[known].max())
    width = (high - low) / _BINS or 1.0
    place = np.minimum(((cells[known] - low) / width).astype(np.intp), _BINS - 1)
    bars = np.zeros((n_classes, _BINS if high > low else 1))
    np.add.at(bars, (codes[known], np.minimum(place, bars.shape[1] - 1)), 1)
    return {"bars": bars, "low": low, "width": width, "high": high, "thresholds": []}
