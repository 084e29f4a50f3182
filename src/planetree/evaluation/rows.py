"""What a model makes of single rows: why each gets its class, and tables of predictions.

Explanations are data in words, for the command, the page and machines. A table of predictions has
the class of each row, and its probabilities, beside the cells that the rows have.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from planetree.exceptions import ColumnError, FileError
from planetree.files import csv_text

if TYPE_CHECKING:
    from planetree.arrays import Floats
    from planetree.planes import Split
    from planetree.table_files import DataFile
    from planetree.tree import Change, Explanation, FittedTree, Step, Way
    from planetree.words import Words


def explanation_data(model: Any, frame: Any, row: int) -> dict[str, Any]:
    """Answer, probabilities, decisions, ways, changes and radius of a row.

    Parameters
    ----------
    model : fitted tree or separator
    frame : frame or Table
    row : int
    """
    from planetree.tree import explain, fitted_tree

    why, fitted = explain(model, frame, row), fitted_tree(model)
    cells = _cells_of(model, frame, row, fitted)
    # a model without ranges knows no deviations, and those of this file are not of its columns
    radius = why.radius if hasattr(model, "ranges_") else math.nan
    return {
        "row": row,
        "answer": why.answer,
        "shares": _shares_of(model, why),
        "steps": [_step_data(fitted, step, cells) for step in why.steps],
        "ways": [_way_data(fitted, way) for way in why.ways],
        "changes": [_rounded(model, cells, change)._asdict() for change in why.changes],
        "radius": radius,
        "is_hard": fitted.tree.leaf_probabilities is None and bool(fitted.tree.weights[0] > 0),
        "missing": [
            math.isnan(cells[j])
            for j in fitted.tree.features
            if fitted.columns[j].categories is None
        ],
    }


def _cells_of(model: Any, frame: Any, row: int, fitted: FittedTree) -> Floats:
    """The cells of a row as the model reads them."""
    from planetree.table import read_rows

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once already
        rows = read_rows(model, frame, missing=fitted.missing)
    return rows[row]


def _shares_of(model: Any, why: Explanation) -> dict[str, float] | None:
    """Share of each class by its name, where the model has shares."""
    if why.shares is None:
        return None
    return {str(k): float(s) for k, s in zip(model.classes_.tolist(), why.shares, strict=True)}


def _way_data(fitted: FittedTree, way: Way) -> dict[str, Any]:
    """A way to a leaf in words, with its share."""
    named = [(fitted.words[node], branch) for node, branch in way.branches]
    return {
        "share": way.share,
        "way": [words.ways[branch] for words, branch in named if words is not None],
        "answer": str(way.answer),
        "probability": way.probability,
    }


def _step_data(fitted: FittedTree, step: Step, cells: Floats) -> dict[str, Any]:
    """A decision in words, what the row has there, and how far it is from each surface."""
    split, words = fitted.said[step.node], fitted.words[step.node]
    assert split is not None
    assert words is not None
    return {
        "asks": list(words.lines),
        "has": _has(split, words, cells, fitted.columns),
        "way": words.ways[step.branch] if step.branch >= 0 else "unknown, as a value is missing",
        "share": step.share,
        "taken": step.taken.tolist(),
        "unsure": words.unsure if step.is_unsure else None,
        "distances": step.distances.tolist(),
    }


def _has(split: Split, words: Words, cells: Floats, columns: Any) -> list[Any]:
    """What a row has where a decision asks: a category, or the sum that each plane compares."""
    from planetree.planes import Categories
    from planetree.words import NEW_CATEGORY

    if isinstance(split, Categories):
        code, names = cells[split.column], columns[split.column].categories
        return [None if math.isnan(code) else names[int(code)] if code >= 0 else NEW_CATEGORY]
    sums = split.scores(cells[None])[0] + (split.offsets if split.rule != "argmax" else 0.0)
    used = split.weights[0].nonzero()[0]
    if len(sums) == len(used) == 1:
        return [_categorical_or(float(cells[split.columns[used[0]]]), split, used[0], columns)]
    return [_same_anywhere(-each if words.turned else each) for each in sums.tolist()]


def _same_anywhere(total: float) -> float:
    """A sum with 12 digits: processors that add in other ways differ in the last of its 16."""
    return float(f"{total:.12g}")


def _categorical_or(cell: float, split: Any, term: int, columns: Any) -> Any:
    """The category of a cell by its name, or its number."""
    from planetree.words import NEW_CATEGORY

    if split.categories[term] < 0 or math.isnan(cell):
        return cell
    return columns[split.columns[term]].categories[int(cell)] if cell >= 0 else NEW_CATEGORY


def _rounded(model: Any, cells: Floats, change: Change) -> Change:
    """The change to a number of as few digits as still give the same other answer."""
    from planetree.table import Table

    if not isinstance(change.new_value, float):
        return change
    names = [column.name for column in model.columns_]
    own, exact, row = float(change.value), float(change.new_value), cells[None].copy()
    for digits in range(2, 17):
        step = 10.0 ** (math.floor(math.log10(abs(exact) or 1.0)) - digits + 1)
        value = (math.ceil if exact > own else math.floor)(exact / step) * step
        value = float(f"{value:.{digits}g}")
        row[0, names.index(change.column)] = value
        near = abs(value - exact) <= 0.05 * abs(exact - own)
        if near and model.predict(Table(row, model.columns_))[0] == change.answer:
            return change._replace(
                new_value=value, size=change.size * (value - own) / (exact - own)
            )
    return change


def prediction_table(
    model: Any,
    frame: Any,
    file: DataFile,
    probabilities: bool,
    keep: bool,
    ask: float | None = None,
) -> tuple[list[Any], str]:
    """The class of each row, and a text of CSV with it.

    Parameters
    ----------
    model : fitted classifier
    frame : frame
        The columns that it reads.
    file : DataFile
        The whole file; its rows as they are written, if they were kept.
    probabilities : bool
        Whether the text has the probability of each class, too.
    keep : bool
        Whether it has the cells of the file.
    ask : float, optional
        Expected error above which a row is left to a person (`predict_or_ask`).
    """
    kept = file.frame if keep and not file.records else None
    columns = _predictions(model, frame, kept, probabilities, ask)
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    text = _beside(file, rows) if file.records else csv_text(rows)
    return columns["prediction"], text


def _beside(file: DataFile, rows: list[Any]) -> str:
    """Rows as they are written in the file, with new cells after them."""
    taken = [name for name in rows[0] if name in file.frame.column_names]
    if taken:
        raise ColumnError(f"The table has a column {taken[0]!r} already; remove --keep.")
    new = (csv_text([row], file.delimiter) for row in rows)
    pairs = zip(file.records, new, strict=True)
    return "".join(f"{record}{file.delimiter}{cells}" for record, cells in pairs)


def _predictions(
    model: Any, frame: Any, kept: Any, probabilities: bool, ask: float | None
) -> dict[str, list[Any]]:
    """Columns to write, by name: those that are kept, the class, and the probability of each."""
    columns: dict[str, list[Any]] = {}
    if kept is not None:
        columns = {name: kept.column(name).to_pylist() for name in kept.column_names}
    if "prediction" in columns:
        raise ColumnError("The table has a column 'prediction' already; remove --keep.")
    if not hasattr(model, "predict"):
        raise FileError(f"{type(model).__name__} selects columns; it cannot predict.")
    found = model.predict(frame) if ask is None else model.predict_or_ask(frame, ask)
    columns["prediction"] = found.tolist()
    if probabilities:
        for label, part in zip(model.classes_.tolist(), model.predict_proba(frame).T, strict=True):
            columns[f"probability of {label}"] = part.tolist()
    return columns
