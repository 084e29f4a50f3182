"""How much each column of a tree tells: its share of the entropy that the decisions remove.

A decision at a node with class weights n removes

    H(n) - sum_b H(n_b),    H(n) = n ln n - sum_c n_c ln n_c,

of weighted entropy, never less than 0. The columns of a plane share it as they move its scores: by
the sum of their weights times the deviation of their terms. Shares add up to 1, or are all 0 in a
tree without a decision.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planetree.arrays import Floats
from planetree.planes import Planes, Split
from planetree.tree.impurity import entropy
from planetree.tree.tree import Tree


def column_movements(
    split: Split | None, n_columns: int, scales: Mapping[tuple[int, int], float]
) -> Floats:
    """Share of each column in what moves the scores of a decision; 1 for the column of a lookup."""
    found = np.zeros(n_columns)
    if isinstance(split, Planes):
        terms = zip(split.columns.tolist(), split.categories.tolist(), strict=True)
        spread = np.array([scales.get(term, 1.0) for term in terms])
        sizes = np.abs(split.weights).sum(axis=0) * spread
        total = sizes.sum()
        found = split.by_column(sizes / total if total > 0 else sizes, n_columns)
    elif split is not None:
        found[split.column] = 1.0
    return found


def column_importances(
    tree: Tree, n_columns: int, scales: Mapping[tuple[int, int], float]
) -> Floats:
    """Share of each column in the entropy that a tree removes from its training rows.

    Parameters
    ----------
    tree : Tree
    n_columns : int
    scales : mapping
        Deviation of each term (column, category); 1 where it is not known.
    """
    found, held = np.zeros(n_columns), entropy(tree.class_weights)
    for node, split in enumerate(tree.splits):
        if split is not None:
            removed = max(0.0, float(held[node] - held[tree.children_of(node)].sum()))
            found += removed * column_movements(split, n_columns, scales)
    total = found.sum()
    return found / total if total > 0 else found
