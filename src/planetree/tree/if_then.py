"""A tree of planes in sentences: each decision with its names, each leaf with its counts.

if 2 worst radius + 30 worst smoothness > 37: malignant (201 rows, 3 wrong)
otherwise: benign (368 rows, 9 wrong)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planetree.planes import Categories, Planes, Split
from planetree.table import Column
from planetree.tree.tree import Tree

__all__ = ["decision_text", "to_if_then"]

INDENT = "    "

Scales = Mapping[tuple[int, int], float]


def to_if_then(
    tree: Tree, columns: Sequence[Column], classes: Sequence[Any], scales: Scales
) -> str:
    """Print a tree whose decisions have two branches each.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
    classes : sequence
    scales : mapping
        Standard deviation of each term, by its column and category: the order of the terms.
    """
    lines: list[str] = []
    pending: list[tuple[int, str, int]] = [(0, "", 0)]
    while pending:
        depth, opening, node = pending.pop()
        split = tree.splits[node]
        if split is None:
            lines.append(INDENT * depth + opening + leaf_text(tree, node, classes))
            continue
        if opening:
            lines.append(INDENT * depth + opening.rstrip())
            depth += 1
        no, yes = tree.children_of(node).tolist()
        pending.append((depth, "otherwise: ", no))
        pending.append((depth, f"if {decision_text(split, columns, scales)}: ", yes))
    return "\n".join(lines)


def leaf_text(tree: Tree, node: int, classes: Sequence[Any]) -> str:
    """Label of a leaf, how many rows it has, and how many of them are of other classes."""
    weight, errors = tree.weights[node], tree.errors[node]
    wrong = f", {errors:.4g} wrong" if errors > 0 else ""
    return f"{classes[tree.predicted[node]]} ({weight:.6g} rows{wrong})"


def decision_text(split: Split, columns: Sequence[Column], scales: Scales) -> str:
    """Condition for the second branch, the terms that move the score most first."""
    if isinstance(split, Categories):
        column = columns[split.column]
        assert column.categories is not None
        taken = [str(column.categories[code]) for code in np.flatnonzero(split.branches == 1)]
        return f"{column.name} is {' or '.join(taken)}"
    weights, offset = split.weights[0], float(split.offsets[0])
    used = np.flatnonzero(weights)
    if len(used) == 1 and split.categories[used[0]] >= 0:
        return _category(split, used[0], columns, weights[used[0]] > 0)
    if len(used) == 1 and weights[used[0]] < 0:
        bound = -offset / -weights[used[0]]
        return f"{_name(split, used[0], columns)} < {bound:.7g}"
    spread = [scales.get((split.columns[t], split.categories[t]), 1.0) for t in used]
    order = used[np.argsort(-np.abs(weights[used]) * spread, kind="stable")]
    return f"{_sum(split, order, columns)} > {offset:.7g}"


def _sum(split: Planes, order: Any, columns: Sequence[Column]) -> str:
    text = ""
    for place, t in enumerate(order):
        weight = split.weights[0, t]
        sign = ("-" if weight < 0 else "") if place == 0 else (" - " if weight < 0 else " + ")
        size = "" if abs(weight) == 1 else f"{abs(weight):.7g} "
        text += f"{sign}{size}{_name(split, t, columns)}"
    return text


def _name(split: Planes, term: int, columns: Sequence[Column]) -> str:
    column = columns[split.columns[term]]
    if split.categories[term] < 0:
        return str(column.name)
    assert column.categories is not None
    return f"[{column.name} is {column.categories[split.categories[term]]}]"


def _category(split: Planes, term: int, columns: Sequence[Column], yes: bool) -> str:
    column = columns[split.columns[term]]
    assert column.categories is not None
    name = column.categories[split.categories[term]]
    return f"{column.name} {'is' if yes else 'is not'} {name}"
