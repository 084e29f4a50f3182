"""Other methods on the same folds, and the search of SET-GEN, while they run.

SET-GEN is run in pieces, each longer than the one before. A search depends on its seed and on the
outcomes of subsets alone, and its checkpoint keeps them, so the pieces make one search: ending the
worker pauses it.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from planetree.evaluation.comparison import compare_methods
from planetree.evaluation.figure_words import percent
from planetree.evaluation.methods import chosen_methods, method_named, methods
from planetree.evaluation.validation import size_of, stratified_folds, validate
from planetree.files import plain
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import Recipe, recipe_of

_FIRST, _GROWTH = 60, 1.5  # evaluations of the first piece, and how pieces grow
_MOST_POINTS = 400  # of the history that are drawn


def compare(
    desk: Desk, recipe: dict[str, Any], methods: list[str], time_limit: float
) -> dict[str, Any]:
    """Compare methods; those done are shown while others run."""
    asked = recipe_of(recipe)
    data, chosen = desk.training(asked), chosen_methods(methods)
    folds = stratified_folds(data.labels, asked.folds or None, asked.seed)
    done, total = itertools.count(1), len(chosen) * len(folds.used)

    def tick() -> None:
        desk.tell({"stage": "Comparing", "done": next(done), "total": total})

    records = compare_methods(
        chosen,
        data,
        _settings(asked, data.labels, time_limit),
        folds,
        metric=asked.metric,
        tick=tick,
        show=lambda found: desk.tell({"records": plain(_shown(found))}),
    )
    return {"records": _shown(records)}


def _settings(recipe: Recipe, labels: Any, time_limit: float) -> Any:
    """What every method is asked: wishes for the readable tree are not for the others."""
    own = recipe.settings(labels)
    bare = type(own)(class_weight=own.class_weight, random_state=own.random_state)
    return bare._replace(time_limit=time_limit)


def _shown(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records with the words of the command's table."""
    known = methods()
    return [
        {
            **each,
            "error_text": None if each["error"] is None else percent(each["error"]),
            "interval_text": None
            if each["error"] is None
            else f"{100 * each['low']:.1f} to {100 * each['high']:.1f}",
            "line": known[each["method"]].line if each["method"] in known else "",
            "can_be_adopted": each["method"] in known and not each["reason"],
        }
        for each in records
    ]


def search(desk: Desk, recipe: dict[str, Any], evaluations: int) -> dict[str, Any]:
    """Search for the columns of C4.5 with SET-GEN, from where it was left."""
    asked = recipe_of(recipe)
    data = desk.training(asked)
    folds = stratified_folds(data.labels, asked.folds or None, asked.seed)
    plain_tree = validate(method_named("c45").make(_c45_settings(asked, data.labels)), data, folds)
    beside = {"error": percent(plain_tree.figures.error), **plain_tree.size._asdict()}
    selector = method_named("set-gen").make(_c45_settings(asked, data.labels))
    selector.set_params(checkpoint=desk.place(asked, "set-gen.json"), verbose=-1)
    n = float(min(_FIRST, evaluations))
    while True:
        is_last = n >= evaluations
        finish = "fresh_folds" if is_last else "published"
        selector.set_params(n_evaluations=int(n), finish=finish)
        selector.fit(data.table, data.labels, sample_weight=data.weights)
        found = {"c45": beside, **_search_data(selector, int(n), evaluations)}
        if is_last:
            return found
        desk.tell({"stage": "Searching", "done": int(n), "total": evaluations, "search": found})
        n = min(n * _GROWTH, evaluations)


def _c45_settings(recipe: Recipe, labels: Any) -> Any:
    return _settings(recipe, labels, 0.0)._replace(time_limit=None, class_weight=None)


def _search_data(selector: Any, done: int, total: int) -> dict[str, Any]:
    """The best fitness so far along the search, the front, and the present answer."""
    history = selector.history_
    best = np.maximum.accumulate(history["fitness"])
    some = np.unique(np.linspace(0, len(best) - 1, min(len(best), _MOST_POINTS)).astype(int))
    names = [column.name for column in selector.columns_]
    return plain(
        {
            "done": done,
            "total": total,
            "history": [[int(history["evaluation"][i]), best[i]] for i in some],
            "front": [
                {
                    "accuracy": each["accuracy"],
                    "size": each["size"],
                    "features": int(each["features"]),
                }
                for each in selector.front_
            ],
            "kept": [name for name, on in zip(names, selector.support_, strict=True) if on],
            "fitness": f"{selector.best_fitness_:.4f}",
            "size": size_of(selector)._asdict(),
        }
    )
