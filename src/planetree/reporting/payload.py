"""What the page computes with: the tree, its columns, and some rows to start from, as plain data.

Only the columns that some decision reads are there, numbered anew, the most influential first.
Numbers are written so that they are read back bit for bit: the page sends a row the way `predict`
does, but for rows within rounding of a surface.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Indices, factor_of
from planetree.grading import MARGIN
from planetree.planes import Categories, Planes, Split, influence
from planetree.reporting.sections import place_of, verdict
from planetree.tree.classifier import comparable
from planetree.tree.inspection.rows_in_tree import RowsInTree
from planetree.words import typeset

_MAX_ROWS, _MAX_CELLS = 60, 20_000  # to start from: a list one can look through
_MAX_HISTOGRAMS = 300  # more nodes than anyone unfolds; others show their counts


def payload(
    shown: RowsInTree, answers: Indices, threshold: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Data of the page.

    Parameters
    ----------
    shown : RowsInTree
    answers : array of shape (n_rows,)
        Code of the class that the model gives each row.
    threshold : dict, optional
        Rows found and false alarms at each threshold of the probability.
    """
    fitted, used = shown.fitted, _by_influence(shown)
    place = {int(column): i for i, column in enumerate(used)}
    with_rows = np.argsort(-shown.counts.sum(axis=1), kind="stable")[:_MAX_HISTOGRAMS]
    drawn = set(with_rows.tolist())
    return {
        "classes": shown.classes,
        "costs": comparable(fitted.costs).tolist(),
        "mistakes": fitted.costs.tolist(),
        "order": fitted.order.tolist(),
        "givesShares": shown.shares_in_tree,
        "keepsClass": fitted.keeps_class,
        "margin": MARGIN,
        "missing": fitted.missing,
        "standIn": fitted.stand_in,
        "columns": [_column_data(shown, int(j)) for j in used],
        "nodes": [
            _node_data(shown, node, place, node in drawn) for node in range(shown.tree.n_nodes)
        ],
        "rows": _row_data(shown, answers, used),
        "threshold": threshold,
    }


def _by_influence(shown: RowsInTree) -> Indices:
    """Columns that some decision reads, the one that moves the scores of most rows most first."""
    moved, scales = np.zeros(len(shown.columns)), shown.fitted.wording.scales
    for node, split in enumerate(shown.tree.splits):
        if isinstance(split, Planes):
            keys = zip(split.columns.tolist(), split.categories.tolist(), strict=True)
            size = influence(split.weights, np.array([scales.get(key, 1.0) for key in keys]))
            share = size / max(size.max(), np.finfo(float).tiny)
            moved += split.by_column(shown.counts[node].sum() * share, len(moved))
        elif split is not None:
            moved[split.column] += shown.counts[node].sum()
    used = shown.tree.features
    return used[np.argsort(-moved[used], kind="stable")]


def _column_data(shown: RowsInTree, j: int) -> dict[str, Any]:
    """Name of a column, and its categories or its range."""
    column, cells = shown.columns[j], shown.rows[:, j]
    said = {"name": str(column.name)} | ({} if column.fill is None else {"fill": column.fill})
    if column.categories is not None:
        return said | {"categories": [str(c) for c in column.categories]}
    known = cells[~np.isnan(cells)]
    ends = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return said | {"low": float(ends[0]), "high": float(ends[1])}


def _node_data(shown: RowsInTree, node: int, place: dict[int, int], draw: bool) -> dict[str, Any]:
    """Counts of a node and, unless it is a leaf, its decision."""
    tree = shown.tree
    split, words = tree.splits[node], shown.words[node]
    data: dict[str, Any] = {
        "code": int(shown.fitted.codes[node]),
        "counts": np.round(shown.counts[node], 4).tolist(),
    }
    if shown.shares_in_tree:
        data["trained"] = tree.class_weights[node].tolist()
        data["shares"] = tree.leaf_distributions[node].tolist()
    if split is None or words is None:
        return data
    children = tree.children_of(node)
    data |= {
        "split": _split_data(split, place),
        "children": children.tolist(),
        "parts": tree.parts(node).tolist(),
        "lines": [typeset(line) for line in words.lines],
        "ways": [typeset(way) for way in words.ways],
        "conditions": [
            (f"at decision {place_of(shown, node)}, " if words.scores else "") + typeset(each)
            for each in words.conditions
        ],
        "proof": verdict(shown, node),
    }
    said = shown.fitted.printed_splits[node]
    assert said is not None
    if said is not split:
        data["said"] = _split_data(said, place)
    if draw:
        data["picture"] = _picture(shown, node)
    return data


def _split_data(split: Split, place: dict[int, int]) -> dict[str, Any]:
    """A decision over the columns of the page."""
    if isinstance(split, Categories):
        branches = split.branches.tolist()
        return {"column": place[split.column], "branches": branches, "unknown": split.unknown}
    used = split.weights.any(axis=0)
    return {
        "rule": split.rule,
        "weights": split.weights[:, used].tolist(),
        "offsets": split.offsets.tolist(),
        "columns": [place[column] for column in split.columns[used].tolist()],
        "categories": split.categories[used].tolist(),
        "factors": [place.get(factor_of(c), -1) for c in split.categories[used].tolist()],
        "spread": split.spread,
    }


def _picture(shown: RowsInTree, node: int) -> dict[str, Any] | None:
    """Histogram of the rows of a node along its decision, or their counts by branch."""
    if shown.visits[node] is None:
        return None
    seen, found = shown.histogram(node)
    if seen is None:
        return {"bars": np.round(shown.counts[shown.tree.children_of(node)].T, 3).tolist()}
    if found is None:
        return None
    line = {
        name: getattr(seen, name) for name in ("thresholds", "zones", "name", "plane", "factor")
    }
    bars = np.round(found.counts, 3).tolist()
    return {"low": found.low, "width": found.width, "bars": bars, **line}


def _row_data(shown: RowsInTree, answers: Indices, used: Indices) -> list[dict[str, Any]]:
    """Some rows: first up to half of them that the model gets wrong, then others, evenly."""
    limit = max(1, min(_MAX_ROWS, _MAX_CELLS // max(1, len(used))))
    wrong = _evenly(np.flatnonzero(answers != shown.codes), limit // 2)
    right = _evenly(np.flatnonzero(answers == shown.codes), limit - len(wrong))
    chosen = [*wrong.tolist(), *right.tolist()]
    return [
        {
            "number": i,
            "class": int(shown.codes[i]),
            "cells": [None if np.isnan(cell) else cell for cell in shown.rows[i, used].tolist()],
        }
        for i in chosen
    ]


def _evenly(rows: Indices, limit: int) -> Indices:
    """At most so many of some rows, from the first to the last."""
    if len(rows) <= limit:
        return rows
    return rows[np.linspace(0, len(rows) - 1, limit).astype(np.intp)] if limit else rows[:0]
