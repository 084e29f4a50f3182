"""A model of the recipe in all its sizes, with what each is worth on rows that it has not seen.

The figures are those of `planetree fit`, since the functions are. The model is told of as soon as
it is fitted, before the folds are.
"""

from __future__ import annotations

import hashlib
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.evaluation.figure_words import figure_sentences, percent
from planetree.evaluation.figures import Figures, figures_of
from planetree.evaluation.methods import method_named
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import (
    Validation,
    class_shares,
    fit_in_time,
    how_validated,
    majority_error,
    of_size,
    path_sizes,
    size_of,
    stratified_folds,
    validate,
    validate_sizes,
    validation_record,
)
from planetree.files import plain
from planetree.model_files import save
from planetree.reporting.probabilities import RowProbabilities, threshold_counts
from planetree.studio.desk.tables import MODEL_FILE, Desk
from planetree.studio.recipe import Recipe, recipe_of

_MOST_UNSEEN = 64 << 20  # bytes of probabilities that are kept for reports of other sizes


def fit(desk: Desk, recipe: dict[str, Any]) -> dict[str, Any]:
    """Fit a model, keep its file, and count its errors on unseen rows."""
    asked = recipe_of(recipe)
    desk.tell({"stage": "Reading the table"})
    data = desk.training(asked)
    desk.tell({"stage": "Learning"})
    estimator = method_named(asked.method).make(
        asked.settings(data.labels)._replace(missing=data.missing)
    )
    model = fit_in_time(estimator, data, None)
    model.decimals_ = dict(data.decimals)
    place = desk.place(asked, MODEL_FILE)
    save(model, place, force=True)
    desk.place(asked, "unseen.npz").unlink(missing_ok=True)
    sizes: list[int | None] = [None, *path_sizes(model)] if hasattr(model, "path_") else [None]
    found = _described(model, data, sizes, place.read_bytes())
    desk.tell({"fitted": plain(found)})
    held, kept = None, dict[str, Any]()
    if asked.test is not None:
        held = desk.labeled_rows(model, asked, asked.test, {})
        figures, how = _on_file(model, sizes, *held), asked.test
    else:
        figures, kept, how = _judged(desk, asked, estimator, data, sizes)
    if not figures:
        return {**found, "how": how}
    np.savez(desk.place(asked, "unseen.npz"), allow_pickle=False, **kept)
    majority = majority_error(data, None if held is None else held[1])
    model.validation_ = validation_record(model, data, figures[0], how, majority)
    save(model, place, force=True)
    for size, each in zip(found["sizes"], figures, strict=True):
        size |= _figure_data(each, how, majority)
        size["threshold"] = _threshold(kept, size["at"], data)
    return {**found, "how": how}


def _described(
    model: Any, data: TrainingTable, sizes: list[int | None], content: bytes
) -> dict[str, Any]:
    """The model and its sizes, without figures."""
    return {
        "model": hashlib.sha256(content).hexdigest()[:16],
        "rows": len(data.labels),
        "classes": [str(label) for label in model.classes_.tolist()],
        "editable": hasattr(model, "path_"),
        "notes": list(data.notes),
        "sizes": [{"at": n, **size_of(of_size(model, n))._asdict()} for n in sizes]
        if hasattr(model, "path_")
        else [{"at": None, **size_of(model)._asdict()}],
        "how": None,
    }


def _figure_data(figures: Figures, how: str, majority: tuple[str, float]) -> dict[str, Any]:
    """Figures as the page shows them: in words, and as numbers for the curve."""
    low, high = figures.interval
    return {
        "figures": figures.to_data(),
        "sentences": figure_sentences(figures, how, majority),
        "error": percent(figures.error),
        "interval": f"{percent(low)} to {percent(high)}",
        "majority": percent(majority[1]),
    }


def _judged(
    desk: Desk,
    recipe: Recipe,
    estimator: Any,
    data: TrainingTable,
    sizes: list[int | None],
) -> tuple[list[Figures], dict[str, Any], str]:
    """Figures of each size on folds, probabilities to keep, and how rows were kept unseen."""
    if recipe.folds == 0:
        return [], {}, "no rows were held out"
    folds = stratified_folds(data.labels, recipe.folds, recipe.seed)
    done, total = itertools.count(1), len(folds.used)

    def tick() -> None:
        desk.tell({"stage": "Cross-validation", "done": next(done), "total": total})

    desk.tell({"stage": "Cross-validation", "done": 0, "total": total})
    try:
        if len(sizes) > 1:
            found = validate_sizes(estimator, data, folds, sizes, tick=tick)
        else:
            found = [validate(estimator, data, folds, tick=tick)]
    except (ValueError, RuntimeError) as error:
        return [], {}, f"Error not estimated: {' '.join(str(error).split())}"
    figures = [each.figures for each in found]
    return figures, _probabilities(found, sizes), how_validated(found[0])


def _probabilities(found: list[Validation], sizes: list[int | None]) -> dict[str, Any]:
    """Probabilities by size, the first ones if all are too many."""
    kept, left = {}, _MOST_UNSEEN
    for each, terms in zip(found, sizes, strict=True):
        if each.probabilities is not None and each.probabilities.nbytes <= left:
            kept[f"terms {terms}"] = each.probabilities
            left -= each.probabilities.nbytes
    return kept


def _on_file(
    model: Any, sizes: list[int | None], frame: Any, labels: NDArray[Any]
) -> list[Figures]:
    """Figures of each size on the rows of another file."""
    found = []
    for terms in sizes:
        own = of_size(model, terms)
        shares = class_shares(own, frame, own.classes_)
        found.append(figures_of(labels, own.predict(frame), own.classes_, shares))
    return found


def _threshold(kept: dict[str, Any], terms: int | None, data: TrainingTable) -> Any:
    """Rows found and false alarms at each threshold, on unseen rows."""
    shares = kept.get(f"terms {terms}")
    if shares is None:
        return None
    known = ~np.isnan(shares).any(axis=1)
    codes = np.unique(data.labels, return_inverse=True)[1]
    return threshold_counts(RowProbabilities(shares[known], codes[known], ""))
