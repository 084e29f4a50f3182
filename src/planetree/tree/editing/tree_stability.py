"""How often the columns and the decisions of a tree return when it is fitted to other rows.

Rows are drawn with replacement, as many as there are, by weight; a tree is fitted to each draw. A
column returns where some decision reads it, a decision where some decision of the other tree reads
the same columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from planetree.arrays import Floats, Indices
from planetree.table import Table
from planetree.tree.constraints.required_columns import UnreadColumnsError


class Stability(NamedTuple):
    """Shares of the resamples in which columns and decisions return.

    Parameters
    ----------
    columns : dict of str to float
        Of all columns that some tree reads, the most frequent first.
    decisions : dict of int to float
        Of the decisions of the tree, by node.
    n_terms : tuple of int
        Terms of each tree.
    n : int
        How many resamples there were, those without a lawful tree not counted.
    """

    columns: dict[str, float]
    decisions: dict[int, float]
    n_terms: tuple[int, ...]
    n: int


def stability(
    model: Any, table: Table, codes: Indices, weights: Floats, n: int, random_state: Any
) -> Stability:
    """Fit a model to resamples of its rows."""
    random = np.random.default_rng(random_state)
    decisions = {
        node: frozenset(split.features.tolist())
        for node, split in enumerate(model.tree_.splits)
        if split is not None
    }
    read, returned = np.zeros(len(table.columns)), dict.fromkeys(decisions, 0)
    n_terms = []
    for _ in range(n):
        try:
            tree = _resampled(model, table, codes, weights, random).tree_
        except UnreadColumnsError:
            continue
        read[tree.features] += 1
        there = {frozenset(split.features.tolist()) for split in tree.splits if split is not None}
        returned = {node: seen + (decisions[node] in there) for node, seen in returned.items()}
        n_terms.append(tree.n_terms)
    n, order = len(n_terms), np.argsort(-read, kind="stable")
    columns = {str(table.columns[j].name): float(read[j]) / n for j in order.tolist() if read[j]}
    shares = {node: seen / n if n else np.nan for node, seen in returned.items()}
    return Stability(columns, shares, tuple(n_terms), n)


def _resampled(model: Any, table: Table, codes: Indices, weights: Floats, random: Any) -> Any:
    """The model fitted to rows drawn with replacement; drawn again while a class is missing."""
    share, n_rows = weights / weights.sum(), max(2, round(float(weights.sum())))
    while True:
        drawn = random.multinomial(n_rows, share)
        if len(np.unique(codes[drawn > 0])) > 1:
            kept = drawn > 0
            labels = model.classes_[codes[kept]]
            return clone(model).fit(
                table.take(kept), labels, sample_weight=drawn[kept].astype(float)
            )
