"""An explanation in words: the way of a row, how near each surface is, what would change it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.cli.screen import Screen
from planetree.planes import Categories, Split
from planetree.table import Table, read_rows
from planetree.tree import Change, Explanation, FittedTree, Step, explain, fitted_tree
from planetree.words import Words

__all__ = ["say_explanation"]


def say_explanation(screen: Screen, model: Any, frame: Any, row: int, data: str) -> None:
    """Print why a row gets its class."""
    why, fitted = explain(model, frame, row), fitted_tree(model)
    cells = cells_of(model, frame, row, fitted)
    steps = [step_data(fitted, step, cells) for step in why.steps]
    changes = [rounded(model, cells, change) for change in why.changes]
    shares = shares_of(model, why)
    screen.answer |= {
        "row": row,
        "answer": why.answer,
        "shares": shares,
        "steps": steps,
        "changes": [change._asdict() for change in changes],
    }
    likely = "" if shares is None else f", as {shares[str(why.answer)]:.0%} of training rows there"
    lines = [f"Row {row} of {data} is {why.answer}{likely}.", ""]
    for number, step in enumerate(steps, 1):
        lines += step_lines(number, step)
    screen.result("\n".join([*lines, "", *change_lines(changes)]))


def cells_of(model: Any, frame: Any, row: int, fitted: FittedTree) -> NDArray[np.float64]:
    """The cells of a row as the model reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said once already
        rows = read_rows(model, frame, missing=fitted.missing)
    return rows[row]


def shares_of(model: Any, why: Explanation) -> dict[str, float] | None:
    """Share of each class by its name, where the model has shares."""
    if why.shares is None:
        return None
    return {str(k): float(s) for k, s in zip(model.classes_.tolist(), why.shares, strict=True)}


def step_data(fitted: FittedTree, step: Step, cells: NDArray[np.float64]) -> dict[str, Any]:
    """A decision in words, what the row has there, and how far it is from each surface."""
    split, words = fitted.said[step.node], fitted.words[step.node]
    assert split is not None
    assert words is not None
    return {
        "asks": list(words.lines),
        "has": has(split, words, cells, fitted.columns),
        "way": words.ways[step.branch] if step.branch >= 0 else "not known, for want of a value",
        "share": step.share,
        "distances": step.distances.tolist(),
    }


def has(split: Split, words: Words, cells: NDArray[np.float64], columns: Any) -> list[Any]:
    """What a row has where a decision asks: a category, or the sum that each plane compares."""
    if isinstance(split, Categories):
        code, names = cells[split.column], columns[split.column].categories
        return [None if np.isnan(code) else names[int(code)]]
    sums = split.scores(cells[None])[0] + (split.offsets if split.rule != "argmax" else 0.0)
    used = np.flatnonzero(split.weights[0])
    if len(sums) == len(used) == 1:
        return [categorical_or(float(cells[split.columns[used[0]]]), split, used[0], columns)]
    return [-float(each) if words.turned else float(each) for each in sums]


def categorical_or(cell: float, split: Any, term: int, columns: Any) -> Any:
    """The category of a cell by its name, or its number."""
    if split.categories[term] < 0 or math.isnan(cell):
        return cell
    return columns[split.columns[term]].categories[int(cell)]


def step_lines(number: int, step: dict[str, Any]) -> list[str]:
    """A decision on the way, in two lines or more."""
    asks, values, distances = step["asks"], step["has"], step["distances"]
    share = "" if step["share"] > 0.9995 else f" (with {step['share']:.0%} of the row)"
    if len(values) > 1:
        lines = [
            f"   {asked} is {number_text(value)}{away(distance)}"
            for asked, value, distance in zip(asks, values, distances, strict=True)
        ]
        return [f"{number}. Of these sums{share}", *lines, f"   {step['way']}"]
    distance = away(distances[0]) if distances else ""
    found = "missing" if unknown(values[0]) else number_text(values[0])
    return [f"{number}. {' '.join(asks)}{share}", f"   is {found}: {step['way']}{distance}"]


def unknown(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def away(distance: float) -> str:
    """How far a surface is, in words."""
    return "" if math.isnan(distance) else f", {distance:.4g} from the border"


def number_text(value: Any) -> str:
    """A number with six digits; anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def change_lines(changes: list[Change]) -> list[str]:
    """What would change the answer, a column a line."""
    if not changes:
        return ["No change of a single column would change the answer."]
    lines = [
        f"  {change.column}: {number_text(change.value)} -> {number_text(change.new_value)} "
        f"gives {change.answer}"
        for change in changes
    ]
    return ["One change that would change the answer, the smallest first:", *lines]


def rounded(model: Any, cells: NDArray[np.float64], change: Change) -> Change:
    """The change to a number of as few digits as still give the same other answer."""
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
