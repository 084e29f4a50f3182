"""A tree of planes in sentences: names, the user's units, the terms that count most first.

    if 2 petal width - 0.3 sepal width > 1.6: virginica (50 rows, 1 wrong)
    otherwise:
        scores
            (1) 1.2 petal length - 3
            (2) -1.2 petal length + 5
            (3) 0.4 sepal width + 0
        if score (1) is the largest: versicolor (47 rows)
        ...

In brackets stand the training weight of a leaf and the weight of those it is wrong for. A term
counts by its weight times the standard deviation of the term over the training rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.planes import encode
from planetree.table import Column, Table
from planetree.tree.tree import Tree
from planetree.tree.words import Words, decision_words

__all__ = ["term_scales", "to_sentences"]

INDENT = "    "


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
    lines: list[str] = []
    pending = [(0, "", 0)]
    while pending:
        depth, opening, node = pending.pop()
        split = tree.splits[node]
        if split is None:
            lines.append(INDENT * depth + opening + _leaf(tree, node, classes))
            continue
        if opening:
            lines.append(INDENT * depth + opening.rstrip())
            depth += 1
        words = decision_words(split, columns, scales, digits)
        lines.extend(INDENT * depth + line for line in _scores(words))
        ways = zip(_openings(words), _in_order(tree.children_of(node).tolist()), strict=True)
        pending.extend((depth, opening, child) for opening, child in reversed(list(ways)))
    return "\n".join(lines)


def _scores(words: Words) -> list[str]:
    return ["scores", *(INDENT + score for score in words.scores)] if words.scores else []


def _openings(words: Words) -> list[str]:
    """How each branch begins; of two the second is asked for and the first is the rest."""
    if len(words.conditions) == 2:
        return [f"if {words.conditions[1]}: ", "otherwise: "]
    return [f"if {condition}: " for condition in words.conditions]


def _in_order(children: list[int]) -> list[int]:
    return children[::-1] if len(children) == 2 else children


def _leaf(tree: Tree, node: int, classes: Sequence[Any]) -> str:
    weight, label = tree.weights[node], tree.predicted[node]
    errors = weight - tree.class_weights[node, label] if weight > 0 else 0.0
    wrong = f", {errors:.4g} wrong" if errors > 1e-6 * weight else ""
    return f"{classes[label]} ({weight:.6g} rows{wrong})"


def term_scales(table: Table, weights: NDArray[np.float64]) -> dict[tuple[int, int], float]:
    """Standard deviation of each term over the rows that have it, by column and category."""
    terms = table.terms()
    cells = encode(table.values, terms.columns, terms.categories)
    keys = zip(terms.columns.tolist(), terms.categories.tolist(), strict=True)
    known = ~np.isnan(cells)
    if known.all():
        spread = _core.column_moments(np.ascontiguousarray(cells), weights)[1]
        return dict(zip(keys, spread.tolist(), strict=True))
    filled = np.where(known, cells, 0.0)
    total = np.maximum(weights @ known, np.finfo(float).tiny)
    mean = weights @ filled / total
    variance = weights @ (known * (filled - mean) ** 2) / total
    return dict(zip(keys, np.sqrt(variance).tolist(), strict=True))
