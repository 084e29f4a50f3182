"""Rows of a part in a tree: which nodes each reaches, and counts of nodes that add up over parts.

A row whose branch is not known takes every branch in proportion to the known weight, and that is
known only when all parts are read. So a part tells how its rows answer the decisions: the weight of
each class in each leaf, and, of rows with some unknown answer, in each *pattern* of answers. From
these the weights of all nodes follow exactly (`node_counts`), as if all rows were at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, cells_of
from planetree.planes import Planes, Split
from planetree.tree.growth import divide, training_branch
from planetree.tree.tree import Tree

_CHUNK = 50_000  # rows with an unknown answer whose patterns are taken together
_NOT_ASKED = -2  # in patterns: the row does not come here; -1: its answer is unknown


class PartRows(NamedTuple):
    """Cells, class codes and weights of the rows of a part."""

    X: Floats
    codes: Indices
    weights: Floats


class Reached(NamedTuple):
    """Rows of a part with those that reach each node, and their weights there."""

    X: Floats
    codes: Indices
    nodes: list[tuple[Indices, Floats]]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions of a tree in the units of the table, nodes in preorder.

    Parameters
    ----------
    splits : sequence of Planes, Categories or None
    children : sequence of tuples of int
    parts : sequence of arrays or None
        What each branch gets of a row with an unknown answer; None where that is not known yet:
        such rows go no further.
    """

    splits: Sequence[Split | None]
    children: Sequence[tuple[int, ...]]
    parts: Sequence[Floats | None]

    @classmethod
    def of(cls, tree: Tree) -> Decisions:
        """Those of a tree whose nodes have their weights."""
        nodes = range(tree.n_nodes)
        children = [tuple(tree.children_of(node).tolist()) for node in nodes]
        parts = [tree.parts(node) if children[node] else None for node in nodes]
        return cls(tree.splits, children, parts)

    def __call__(self, rows: Any) -> Reached:
        """Send the rows of a part down."""
        X, codes, weights = rows
        none = np.empty(0, dtype=np.intp), np.empty(0)
        found = [none] * len(self.splits)
        found[0] = np.arange(len(codes)), weights
        for node, split in enumerate(self.splits):
            if split is None or not len(found[node][0]):
                continue
            at, own = found[node]
            branch, children = branch_of(split, X, at), self.children[node]
            given = self.parts[node]
            parts = np.zeros(len(children)) if given is None else given
            for child, (places, share) in zip(
                children, divide(branch, own, len(children), parts), strict=True
            ):
                found[child] = at[places], share
        return Reached(X, codes, found)


def branch_of(split: Split, X: Floats, at: Indices) -> Indices:
    """Branch of some rows, that of unknown ones included; -1 where a row takes all by share."""
    if len(at) == len(X):
        return training_branch(split, X)
    return training_branch(split, cells_of(X, at, split.features))


class _Answers(NamedTuple):
    """How the rows of a part answer: class weights of leaves, and of patterns with a gap."""

    leaves: Floats
    patterns: Indices
    weights: Floats


def answers_of(
    rows: Any, splits: Sequence[Split | None], children: Any, n_classes: int
) -> _Answers:
    """Class weights of the leaves, and of the patterns of answers of which one is unknown."""
    X, codes, weights = rows
    leaf, is_unsure = np.zeros(len(X), dtype=np.intp), np.zeros(len(X), dtype=bool)
    for node, at, branch in _walk(X, splits, children):
        if branch is None:
            leaf[at] = node
        else:
            is_unsure[at[branch < 0]] = True
    sure, size = ~is_unsure, len(splits) * n_classes
    flat = np.bincount(leaf[sure] * n_classes + codes[sure], weights[sure], size)
    unsure = np.flatnonzero(is_unsure)
    chunks = [
        _patterns(X[at], splits, children, codes[at], weights[at], n_classes)
        for at in (unsure[i : i + _CHUNK] for i in range(0, max(1, len(unsure)), _CHUNK))
    ]
    patterns, of_patterns = (np.concatenate(each) for each in zip(*chunks, strict=True))
    return _Answers(flat.reshape(-1, n_classes).astype(np.float64), patterns, of_patterns)


def _walk(
    X: Floats, splits: Sequence[Split | None], children: Any
) -> Iterator[tuple[int, Indices, Indices | None]]:
    """Nodes with the rows that may reach them, and their branches; None at a leaf."""
    reached = {0: np.arange(len(X))}
    for node, split in enumerate(splits):
        at = reached.pop(node)
        branch = None if split is None else branch_of(split, X, at)
        yield node, at, branch
        if branch is not None:
            for b, child in enumerate(children[node]):
                reached[child] = at[(branch == b) | (branch < 0)]


def _patterns(
    X: Floats, splits: Any, children: Any, codes: Indices, weights: Floats, n_classes: int
) -> tuple[Indices, Floats]:
    """Different patterns of the answers of rows, and the class weights of each."""
    answers = np.full((len(X), len(splits)), _NOT_ASKED, dtype=np.int16)
    for node, at, branch in _walk(X, splits, children):
        if branch is not None:
            answers[at, node] = branch
    patterns, which = np.unique(answers, axis=0, return_inverse=True)
    place = which.ravel() * n_classes + codes
    found = np.bincount(place, weights, len(patterns) * n_classes)
    return patterns.astype(np.intp), found.reshape(-1, n_classes).astype(np.float64)


def node_counts(
    splits: Sequence[Split | None], children: Sequence[tuple[int, ...]], found: Sequence[_Answers]
) -> tuple[Floats, list[Floats | None]]:
    """Class weights of all nodes, and what each branch gets of rows with an unknown answer."""
    leaves = np.sum([each.leaves for each in found], axis=0)
    gaps = np.concatenate([each.patterns for each in found])
    answers = np.vstack([_ways(children), gaps])
    table = np.vstack([leaves, *(each.weights for each in found)])
    reach, counts = {0: np.ones(len(table))}, np.zeros(leaves.shape)
    parts: list[Floats | None] = [None] * len(splits)
    for node in range(len(splits)):
        here = reach.pop(node)
        counts[node] = here @ table
        if not children[node]:
            continue
        known, b = answers[:, node] >= 0, len(children[node])
        totals = np.bincount(answers[known, node], (here * table.sum(axis=1))[known], b)
        whole = totals.sum()
        own = _parts(splits[node], totals / whole if whole > 0 else np.zeros(b))
        parts[node] = own
        for branch, child in enumerate(children[node]):
            unknown = np.where(answers[:, node] == -1, own[branch], 0.0)
            reach[child] = here * np.where(answers[:, node] == branch, 1.0, unknown)
    return counts, parts


def _parts(split: Split | None, shares: Floats) -> Floats:
    if isinstance(split, Planes) and split.unknown >= 0:
        return np.asarray(np.eye(len(shares))[split.unknown])
    return shares


def _ways(children: Sequence[tuple[int, ...]]) -> Indices:
    """_Answers on the way to each node; the ways to nodes that are no leaves have no rows."""
    ways = np.full((len(children), len(children)), _NOT_ASKED, dtype=np.intp)
    for node, own in enumerate(children):
        for branch, child in enumerate(own):
            ways[child] = ways[node]
            ways[child, node] = branch
    return ways
