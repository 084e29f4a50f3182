"""Rows of the table: which are wrong or near a border, why one gets its class, errors by group."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.evaluation.figure_words import percent
from planetree.evaluation.groups import group_figures, groups_of
from planetree.planes import Planes
from planetree.studio.desk.tables import Desk
from planetree.studio.recipe import recipe_of
from planetree.table import Table
from planetree.tree.classifier import least_cost
from planetree.tree.inspection.explanation_text import explanation_data
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree

_PAGE = 50  # rows that are shown at once
_LIMITS = ("changeable", "max_changes", "increase_only", "decrease_only")


def rows_shown(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str], chosen: dict[str, Any]
) -> dict[str, Any]:
    """A page of rows: all, those predicted wrongly, the least sure first, or by a column."""
    asked = recipe_of(recipe)
    model, data = desk.model(asked, terms, edits), desk.training(asked)
    answers = model.predict(_own_columns(model, data.table))
    sure = _sureness(model, data.table)
    rows = _chosen(data.table, data.labels, answers, sure, chosen)
    offset = max(0, int(chosen.get("offset", 0)))
    used = _columns_first(model, data.table)
    return {
        "total": len(rows),
        "offset": offset,
        "columns": [data.table.columns[j].name for j in used],
        "all_columns": [column.name for column in data.table.columns],
        "rows": [
            {
                "number": int(i),
                "class": str(data.labels[i]),
                "answer": str(answers[i]),
                "sure": None if sure is None else percent(sure[i]),
                "cells": [cell_text(data.table, int(i), j) for j in used],
            }
            for i in rows[offset : offset + _PAGE]
        ],
    }


def _own_columns(model: Any, table: Table) -> Table:
    return table.select([column.name for column in model.columns_])


def _sureness(model: Any, table: Table) -> Floats | None:
    """Largest probability of each row."""
    if not hasattr(model, "predict_proba"):
        return None
    found: Floats = model.predict_proba(_own_columns(model, table)).max(axis=1)
    return found


def _chosen(
    table: Table,
    labels: NDArray[Any],
    answers: NDArray[Any],
    sure: Floats | None,
    chosen: dict[str, Any],
) -> Indices:
    """Rows that were asked for, in order."""
    rows = np.arange(len(labels))
    if chosen.get("filter") == "errors":
        rows = rows[answers != labels]
    if chosen.get("column"):
        rows = rows[_having(table, rows, str(chosen["column"]), str(chosen.get("value", "")))]
    if chosen.get("filter") == "border" and sure is not None:
        rows = rows[np.argsort(sure[rows], kind="stable")]
    return rows


def _having(table: Table, rows: Indices, name: str, value: str) -> NDArray[np.bool_]:
    """Which rows have a value in a column: text that is in it, or a comparison such as > 50."""
    j = next((j for j, column in enumerate(table.columns) if column.name == name), None)
    if j is None:
        raise ValueError(f"There is no column {name!r}.")
    cells, asked = table.values[rows, j], value.strip()
    if asked == "":
        return np.isnan(cells)
    if table.columns[j].categories is None:
        return _compared(cells, asked)
    names = [str(each).lower() for each in table.columns[j].categories or ()]
    alike = [code for code, each in enumerate(names) if asked.lower() in each]
    return np.isin(cells, alike)


def _compared(cells: Floats, asked: str) -> NDArray[np.bool_]:
    for sign, compare in {
        ">=": np.greater_equal,
        "<=": np.less_equal,
        ">": np.greater,
        "<": np.less,
        "": np.equal,
    }.items():
        if asked.startswith(sign):
            try:
                return np.asarray(compare(cells, float(asked.removeprefix(sign))))
            except ValueError:
                break
    raise ValueError(f"{asked!r} is neither a number nor a comparison such as > 50.")


def _columns_first(model: Any, table: Table) -> list[int]:
    """Columns of a table, those that the model reads first."""
    place = {column.name: j for j, column in enumerate(table.columns)}
    read = [place[model.columns_[j].name] for j in fitted_tree(model).tree.features.tolist()]
    return [*read, *(j for j in range(len(table.columns)) if j not in read)][:40]


def cell_text(table: Table, row: int, column: int) -> str | None:
    """A cell as a person reads it; None where it is missing."""
    value, names = table.values[row, column], table.columns[column].categories
    if np.isnan(value):
        return None
    return f"{value:.10g}" if names is None else str(names[int(value)])


def row_shown(
    desk: Desk,
    recipe: dict[str, Any],
    terms: int | None,
    edits: list[str],
    number: int,
    limits: dict[str, Any],
) -> dict[str, Any]:
    """Why a row gets its class, what its terms add, and the cheapest changes of its class."""
    asked = recipe_of(recipe)
    model, data = desk.model(asked, terms, edits), desk.training(asked)
    if not 0 <= number < len(data.labels):
        raise ValueError(f"There is no row {number}.")
    table = _own_columns(model, data.table)
    why, one = explanation_data(model, table, number), table.take(np.array([number]))
    fitted = fitted_tree(model)
    for step, node in zip(why["steps"], _nodes(fitted, one), strict=False):
        step["terms"] = _terms(fitted, node, one.values[0])
    why["class"] = str(data.labels[number])
    why["cells"] = {
        column.name: cell_text(table, number, j) for j, column in enumerate(table.columns)
    }
    return why | _counterfactuals(model, one, limits)


def _nodes(fitted: FittedTree, row: Table) -> list[int]:
    """Decisions that a row comes to, from the root."""
    found = [visit.node for visit in fitted.tree.visits(row.values)]
    return [node for node in found if fitted.tree.splits[node] is not None]


def _terms(fitted: FittedTree, node: int, cells: Floats) -> list[dict[str, Any]]:
    """What each term of a plane adds to its sum."""
    split = fitted.printed_splits[node]
    if not isinstance(split, Planes) or len(split.offsets) != 1:
        return []
    found = []
    for t in np.flatnonzero(split.weights[0]).tolist():
        column = fitted.columns[split.columns[t]]
        code, cell = int(split.categories[t]), cells[split.columns[t]]
        value = cell if code < 0 else float(cell == code)
        is_so = "" if code < 0 else f" is {(column.categories or ())[code]}"
        added = split.weights[0, t] * value
        found.append({"term": f"{column.name}{is_so}", "adds": None if np.isnan(added) else added})
    return found


def _counterfactuals(model: Any, row: Table, limits: dict[str, Any]) -> dict[str, Any]:
    """The cheapest changes of a row that change its class, or why there are none."""
    given = {name: limits[name] for name in _LIMITS if limits.get(name)}
    if not hasattr(model, "explain"):
        return {"counterfactuals": [], "limits": "This model has no counterfactuals."}
    try:
        (found,) = model.explain(row).counterfactuals(n_answers=3, **given)
    except ValueError as error:
        return {"counterfactuals": [], "limits": str(error)}
    answers = [
        {
            "text": each.to_text(),
            "answer": str(each.answer),
            "proved": each.certificate.status == "optimal",
        }
        for each in found
    ]
    return {"counterfactuals": answers, "limits": None}


def group_errors(
    desk: Desk, recipe: dict[str, Any], terms: int | None, edits: list[str], column: str
) -> dict[str, Any]:
    """Errors by the values of a column: on unseen rows if there are probabilities of them."""
    asked = recipe_of(recipe)
    model, data = desk.model(asked, terms, edits), desk.training(asked)
    names = [each.name for each in data.table.columns]
    if column not in names:
        raise ValueError(f"There is no column {column!r}.")
    j = names.index(column)
    categories, cells = data.table.columns[j].categories, data.table.values[:, j].tolist()
    if categories is not None:
        cells = [None if cell != cell else categories[int(cell)] for cell in cells]
    groups = groups_of(column, cells)
    unseen = None if edits else desk.unseen(asked, terms)
    if unseen is None:
        rows, how = np.arange(len(data.labels)), "training rows"
        answers = model.predict(_own_columns(model, data.table))
    else:
        fitted, rows = fitted_tree(model), np.flatnonzero(~np.isnan(unseen).any(axis=1))
        codes = least_cost(unseen[rows], fitted.costs, fitted.order)
        answers, how = model.classes_[codes], "rows that the models had not seen"
    found = group_figures(data.labels[rows], answers, model.classes_, groups.rows(rows))
    return {"column": column, "how": how, "classes": model.classes_,
            "groups": [_group_data(each) for each in found]}  # fmt: skip


def _group_data(each: Any) -> dict[str, Any]:
    """Figures of a group, as the command prints them."""
    interval = None if each.interval is None else " to ".join(map(percent, each.interval))
    return {
        "name": each.name,
        "rows": each.n_rows,
        "error": None if each.error is None else percent(each.error),
        "interval": interval,
        "recall": [None if share is None else percent(share) for share in each.recall],
    }
