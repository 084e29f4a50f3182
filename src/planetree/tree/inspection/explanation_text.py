"""Why a row gets its class in words: as text, and as data for the command and the page."""

from __future__ import annotations

import math
import warnings
from typing import Any

from planetree.arrays import Floats
from planetree.planes import Categories, Split
from planetree.table import Table, read_rows
from planetree.tree.inspection.explanation import Explanation, Step, Way, explain
from planetree.tree.inspection.fitted_tree import FittedTree, fitted_tree
from planetree.tree.inspection.row_moves import Change, cell_value, value_text
from planetree.words import Words, probability_text


def explanation_data(model: Any, frame: Any, row: int) -> dict[str, Any]:
    """Answer, probabilities, decisions, ways, changes and radius of a row.

    Parameters
    ----------
    model : fitted tree or separator
    frame : frame or Table
    row : int
    """
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
    split, words = fitted.printed_splits[step.node], fitted.words[step.node]
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
    if isinstance(split, Categories):
        return [cell_value(columns[split.column], cells[split.column])]
    sums = split.scores(cells[None])[0] + (split.offsets if split.rule != "argmax" else 0.0)
    used = split.weights[0].nonzero()[0]
    if len(sums) == len(used) == 1:
        column = split.columns[used[0]]
        return [cell_value(columns[column], cells[column])]
    return [_same_anywhere(-each if words.turned else each) for each in sums.tolist()]


def _same_anywhere(total: float) -> float:
    """A sum with 12 digits: processors that add in other ways differ in the last of its 16."""
    return float(f"{total:.12g}")


def _observed(model: Any, column: int, own: float) -> tuple[float, float]:
    """Range of a column in training and of a row's own number, where the model keeps ranges."""
    ranges = getattr(model, "ranges_", None)
    if ranges is None:
        return -math.inf, math.inf
    return min(float(ranges.low[column]), own), max(float(ranges.high[column]), own)


def _rounded(model: Any, cells: Floats, change: Change) -> Change:
    """The change to a number of as few digits as still give the same other answer."""
    if not isinstance(change.new_value, float):
        return change
    names = [column.name for column in model.columns_]
    own, exact, row = float(change.value), float(change.new_value), cells[None].copy()
    low, high = _observed(model, names.index(change.column), own)
    for digits in range(2, 17):
        step = 10.0 ** (math.floor(math.log10(abs(exact) or 1.0)) - digits + 1)
        value = (math.ceil if exact > own else math.floor)(exact / step) * step
        value = float(f"{value:.{digits}g}")
        row[0, names.index(change.column)] = value
        near = abs(value - exact) <= 0.05 * abs(exact - own) and low <= value <= high
        if near and model.predict(Table(row, model.columns_))[0] == change.answer:
            return change._replace(
                new_value=value, size=change.size * (value - own) / (exact - own)
            )
    return change


def explanation_text(why: dict[str, Any], name: str) -> str:
    """What `explanation_data` says of a row, for people to read.

    Parameters
    ----------
    why : dict
    name : str
        What the row is called.
    """
    answer, shares, radius = why["answer"], why["shares"], why["radius"]
    likely = "" if shares is None else _likely(why["is_hard"], answer, shares[str(answer)])
    lines = [f"{name}: predicted {answer}{likely}.", ""]
    for number, step in enumerate(why["steps"], 1):
        lines += _step_lines(number, step)
    lines += _way_lines(why["ways"])
    lines += ["", *_change_lines(why["changes"]), *_radius_lines(radius, why["missing"])]
    return "\n".join(lines)


def _likely(is_hard: bool, answer: Any, share: float) -> str:
    """How sure an answer is: by its probability or, of hard leaves, by their training rows."""
    if is_hard:
        return f"; {share:.0%} of training rows in this leaf are {answer}"
    return f", with a probability of {probability_text(share)}"


def _way_lines(ways: list[dict[str, Any]]) -> list[str]:
    """The ways that a row takes, if there are several of 10% or more."""
    likely = [way for way in ways if way["share"] >= 0.1]
    if len(likely) < 2:
        return []
    lines = [
        f"  {way['share']:.0%}  {', '.join(way['way'])}: {way['answer']} "
        f"{probability_text(way['probability'])}"
        for way in likely
    ]
    return [
        "",
        "The row lies where decisions are unsure. Paths with a share of 10% or more:",
        *lines,
    ]


def _step_lines(number: int, step: dict[str, Any]) -> list[str]:
    """A decision on the way, in two lines or more."""
    asks, values, distances = step["asks"], step["has"], step["distances"]
    doubt = [f"   {step['unsure']}"] if step["unsure"] else []
    share = "" if step["share"] > 0.9995 else f" (with {step['share']:.0%} of the row)"
    if len(values) > 1:
        lines = [
            f"   {asked} is {value_text(value)}{_away(distance)}"
            for asked, value, distance in zip(asks, values, distances, strict=True)
        ]
        return [f"{number}. Of these sums{share}", *lines, f"   {step['way']}", *doubt]
    distance = _away(distances[0]) if distances else ""
    known = values[0] is not None and values[0] == values[0]
    found = value_text(values[0]) if known else "missing"
    head = f"{number}. {' '.join(asks)}{share}"
    return [head, f"   is {found}: {step['way']}{distance}", *doubt]


def _away(distance: float) -> str:
    """How far a surface is, in words."""
    return "" if math.isnan(distance) else f", {distance:.4g} from the border"


def _change_lines(changes: list[dict[str, Any]]) -> list[str]:
    """What would change the answer, a column a line."""
    if not changes:
        return ["No change of a single column would change the prediction."]
    lines = [
        f"  {each['column']}: {value_text(each['value'])} -> {value_text(each['new_value'])} "
        f"gives {each['answer']}"
        for each in changes
    ]
    return ["Single changes that would change the prediction, smallest first:", *lines]


def _radius_lines(radius: float, missing: list[bool]) -> list[str]:
    """How far the numbers may move, where that is known, and that those missing do not."""
    stay = ["Missing numbers are taken to stay missing."] if any(missing) else []
    if math.isnan(radius) or (missing and all(missing)):
        return stay
    if math.isinf(radius):
        return ["No change of the numbers alone would change the prediction.", *stay]
    down = math.floor(radius * 100) / 100
    limit = f"Number changes that add up to less than {down:.2f} deviations do not change it."
    return [limit, *stay]
