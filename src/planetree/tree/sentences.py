"""A tree of planes in sentences: names, the user's units, the terms that count most first.

    Where +2 * petal width -0.3 * sepal width is at most 1.6 :
    |   Of the scores
    |     (1) +1.2 * petal length -3
    |     (2) -1.2 * petal length +5
    |     (3) +0.4 * sepal width
    |   where (1) is the largest : ...
    Where it exceeds 1.6 : virginica (50.0/1.0)

In brackets stand the training weight of a leaf and, after the stroke, the weight of its errors. A
term counts by its weight times the standard deviation of the term over the training rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.planes import Planes, encode
from planetree.table import Column, Table
from planetree.tree.tree import Tree

__all__ = ["term_scales", "to_sentences"]

INDENT = "|   "
SIDES = {"both": "all", "same_side": "all or none"}


def to_sentences(
    tree: Tree,
    columns: Sequence[Column],
    classes: Sequence[Any],
    scales: Mapping[tuple[int, int], float],
    digits: int = 3,
) -> str:
    """Say the decisions of a tree one after the other.

    Parameters
    ----------
    tree : Tree
    columns : sequence of Column
    classes : sequence
        Names of the classes.
    scales : mapping
        Standard deviation of each term, by its column and category.
    digits : int
        Significant digits of the numbers.
    """
    if tree.splits[0] is None:
        return _leaf(tree, 0, classes)
    lines: list[str] = []
    pending = [(0, 0, "")]
    while pending:
        node, depth, branch = pending.pop()
        indent, split = INDENT * depth, tree.splits[node]
        if split is None:
            lines.append(f"{INDENT * (depth - 1)}{branch} : {_leaf(tree, node, classes)}")
            continue
        if branch:
            lines.append(f"{INDENT * (depth - 1)}{branch} :")
        assert isinstance(split, Planes)
        head, branches = _sentence(split, _sums(split, columns, scales, digits), digits)
        lines.extend(indent + line for line in head)
        children = zip(tree.children_of(node).tolist(), branches, strict=True)
        pending.extend((child, depth + 1, said) for child, said in reversed(list(children)))
    return "\n".join(lines)


def term_scales(table: Table, weights: NDArray[np.float64]) -> dict[tuple[int, int], float]:
    """Standard deviation of each term over the rows that have it, by column and category."""
    terms = table.terms()
    cells = encode(table.values, terms.columns, terms.categories)
    known = ~np.isnan(cells)
    filled = np.where(known, cells, 0.0)
    total = np.maximum(weights @ known, np.finfo(float).tiny)
    mean = weights @ filled / total
    variance = weights @ (known * (filled - mean) ** 2) / total
    keys = zip(terms.columns.tolist(), terms.categories.tolist(), strict=True)
    return dict(zip(keys, np.sqrt(variance).tolist(), strict=True))


def _sums(
    planes: Planes,
    columns: Sequence[Column],
    scales: Mapping[tuple[int, int], float],
    digits: int,
) -> list[str]:
    """Weighted terms of each plane, the largest first."""
    terms = list(zip(planes.columns.tolist(), planes.categories.tolist(), strict=True))
    scale = np.array([scales.get(term, 1.0) for term in terms])
    sums = []
    for weights in planes.weights:
        order = np.argsort(-np.abs(weights * scale), kind="stable")
        used = [t for t in order.tolist() if weights[t] != 0]
        named = (f"{weights[t]:+.{digits}g} * {_name(columns, *terms[t])}" for t in used)
        sums.append(" ".join(named) or "0")
    return sums


def _name(columns: Sequence[Column], column: int, category: int) -> str:
    name, categories = columns[column].name, columns[column].categories
    return name if category < 0 or categories is None else f"({name} = {categories[category]})"


def _sentence(planes: Planes, sums: list[str], digits: int) -> tuple[list[str], list[str]]:
    """Lines before the branches, and how each branch begins."""
    offsets = [f"{offset:.{digits}g}" for offset in planes.offsets]
    if planes.rule == "slabs" and len(sums) == 1:
        return [], [f"Where {sums[0]} is at most {offsets[0]}", f"Where it exceeds {offsets[0]}"]
    if planes.rule == "argmax":
        scores = zip(sums, planes.offsets, strict=True)
        lines = [f"  ({p}) {s} {0.0 - at:+.{digits}g}" for p, (s, at) in enumerate(scores, 1)]
        winners = [f"where ({p}) is the largest" for p in range(1, len(sums) + 1)]
        return ["Of the scores", *lines], winners
    lines = [f"  ({p}) {s} > {at}" for p, (s, at) in enumerate(zip(sums, offsets, strict=True), 1)]
    if planes.rule == "slabs":
        return ["Of the conditions", *lines], [f"where {n} hold" for n in range(len(sums) + 1)]
    said = SIDES[planes.rule]
    return ["Of the conditions", *lines], [f"where not {said} hold", f"where {said} hold"]


def _leaf(tree: Tree, node: int, classes: Sequence[Any]) -> str:
    weight, label = tree.weights[node], tree.predicted[node]
    wrong = weight - tree.class_weights[node, label] if weight > 0 else 0.0
    errors = f"/{wrong:.1f}" if wrong > 0.05 else ""
    return f"{classes[label]} ({weight:.1f}{errors})"
