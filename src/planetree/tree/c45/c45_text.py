"""A tree in words, in the form that users of C4.5 know.

    petal_width <= 0.6 : setosa (50.0/1.4)
    petal_width > 0.6 :
    |   petal_width <= 1.7 : versicolor (54.0/6.8)
    |   petal_width > 1.7 : virginica (46.0/2.6)

In brackets stand the training weight of a leaf and, after the stroke, its errors if there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planetree.planes import Categories, Planes, Split
from planetree.table import Column
from planetree.tree.tree import Tree

__all__ = ["to_text"]

INDENT = "|   "


def to_text(tree: Tree, columns: Sequence[Column], classes: Sequence[Any]) -> str:
    """Print a tree whose decisions test one column each.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
        Names and categories.
    classes : sequence
        Names of the classes.
    """
    if tree.splits[0] is None:
        return _leaf(tree, 0, classes)
    lines: list[str] = []
    pending = _tests(tree, 0, 0, columns)
    while pending:
        depth, test, node = pending.pop()
        is_leaf = tree.splits[node] is None
        lines.append(INDENT * depth + test + " :" + (_leaf(tree, node, classes) if is_leaf else ""))
        if not is_leaf:
            pending.extend(_tests(tree, node, depth + 1, columns))
    return "\n".join(lines)


def _tests(
    tree: Tree, node: int, depth: int, columns: Sequence[Column]
) -> list[tuple[int, str, int]]:
    """Branches of a node, the last one first."""
    split = tree.splits[node]
    assert split is not None
    children = tree.children_of(node).tolist()
    return [(depth, _test(split, b, columns), child) for b, child in enumerate(children)][::-1]


def _test(split: Split, branch: int, columns: Sequence[Column]) -> str:
    if isinstance(split, Planes):
        name = columns[split.columns[0]].name
        return f"{name} {'>' if branch else '<='} {split.offsets[0]:.7g}"
    return _category_test(split, branch, columns[split.column])


def _category_test(split: Categories, branch: int, column: Column) -> str:
    assert column.categories is not None
    taken = [str(column.categories[code]) for code in np.flatnonzero(split.branches == branch)]
    if len(taken) == 1:
        return f"{column.name} = {taken[0]}"
    return f"{column.name} in {{{', '.join(taken)}}}"


def _leaf(tree: Tree, node: int, classes: Sequence[Any]) -> str:
    errors = f"/{tree.errors[node]:.1f}" if tree.errors[node] > 0 else ""
    return f" {classes[tree.predicted[node]]} ({tree.weights[node]:.1f}{errors})"
