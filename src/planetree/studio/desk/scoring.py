"""A new file: columns that were renamed, what differs from training, a class for each row."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planetree.evaluation.figure_words import percent
from planetree.evaluation.model_check import check_model
from planetree.evaluation.rows import prediction_table
from planetree.files import write_file
from planetree.studio.desk.large import pieces_of
from planetree.studio.desk.tables import Desk
from planetree.studio.project import PREDICTIONS_FILE
from planetree.studio.recipe import Recipe, recipe_of
from planetree.table import columns_read
from planetree.table_files import labels_for, read_file


def score(
    desk: Desk,
    recipe: dict[str, Any],
    terms: int | None,
    edits: list[str],
    file: str,
    asked: dict[str, Any],
) -> dict[str, Any]:
    """Compare the rows of a new file with those of training, if it has their columns."""
    own = recipe_of(recipe)
    model = desk.model(own, terms, edits)
    path = desk.rows_path(file)
    found = read_file(path, own.reading()._replace(numbers=(), ignore=()))
    names = found.frame.column_names
    given = dict(asked.get("renamed") or {})
    renamed = {old: new for old, new in given.items() if old in names}
    wanted = [model.columns_[j].name for j in columns_read(model)]
    lacking = [name for name in wanted if name not in names and name not in renamed.values()]
    about = {"file": file, "renamed": renamed, "rows": len(found.frame), "names": names}
    if lacking:
        return about | {"lacking": lacking, "suggested": _suggested(lacking, names, wanted)}
    checked = _checked(desk, own, model, path, renamed)
    if path != desk.path(file):
        some = f"The file is large: it was checked on {len(found.frame):,} rows drawn at random. "
        checked["notes"] = [some + "The predictions are of all rows.", *checked["notes"]]
    return about | {"lacking": [], **checked}


def _suggested(lacking: list[str], names: list[str], wanted: list[str]) -> dict[str, str]:
    """For each column that is lacking, the column of the file that is likely meant."""
    free = [name for name in names if name not in wanted]
    plain = {_letters(name): name for name in free}
    found = {}
    for name in lacking:
        own = _letters(name)
        near = [each for each in plain if len(own) > 2 and own in each]
        near = near or difflib.get_close_matches(own, plain, 1, 0.6)
        found[name] = plain[near[0]] if near else ""
    return found


def _letters(name: str) -> str:
    return "".join(each for each in name.lower() if each.isalnum())


def _checked(
    desk: Desk, recipe: Any, model: Any, path: Path, renamed: dict[str, str]
) -> dict[str, Any]:
    """What `planetree check` finds."""
    frame, found = desk.new_rows(model, recipe, path, renamed)
    labels = None
    if recipe.target in found.frame.column_names:
        labels, known = labels_for(model, found, recipe.target, path.name)
        frame = frame.filter(known)
    checked = check_model(model, frame, labels)
    return {
        "checked": checked.n_rows,
        "error": None if checked.error is None else percent(checked.error),
        "findings": checked.findings,
        "notes": [*found.notes, *checked.notes],
        "columns": [
            {
                "name": each.column,
                "outside": each.n_outside,
                "new": list(map(str, each.new_categories)),
                "missing": percent(each.missing),
                "before": percent(each.missing_before),
            }
            for each in checked.columns
        ],
        "leaves": [
            {
                "leaf": each.leaf,
                "answer": str(each.answer),
                "rows": each.n_rows,
                "share": percent(each.share),
                "before": percent(each.share_before),
                "error": None if each.error is None else percent(each.error),
                "error_before": percent(each.error_before),
            }
            for each in checked.leaves
        ],
    }


def predictions(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str], score: dict[str, Any]
) -> str:
    """Write the new file with the class and the probabilities of each row; the name of the result.

    The file is read and written piece by piece, so that it need not fit in memory.
    """
    own = recipe_of(recipe)
    model, out = desk.model(own, terms, edits), desk.place(own, PREDICTIONS_FILE)
    write_file(out, _answers(desk, own, model, desk.path(score["file"]), score["renamed"]))
    return PREDICTIONS_FILE


def _answers(
    desk: Desk, recipe: Recipe, model: Any, path: Path, renamed: dict[str, str]
) -> Iterator[str]:
    """Lines of the file, with new cells after them; their names once."""
    has_shares = hasattr(model, "predict_proba")
    for i, piece in enumerate(pieces_of(path, recipe.header)):
        with piece.as_file() as part:
            frame, found = desk.new_rows(model, recipe, part, renamed, keep=True)
            text = prediction_table(model, frame, found, probabilities=has_shares, keep=True)[1]
        names = len(found.records[0]) if found.records else 0  # which may have line breaks
        yield text if i == 0 else text[text.index("\n", names) + 1 :]
