"""Trees that keep to what a person asks of their columns (`column_rules`).

A group of which a tree reads a part is required for one more tree and barred for another; a column
that is required and not read gets a cut of its own, where that costs least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from planetree.separators.sparse.feature_search import coarse
from planetree.tree.impurity import entropy
from planetree.tree.plane.candidate import Candidate
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode

__all__ = ["lawful"]

_Improve = Callable[[PlaneGrower, PlaneNode], Any]  # a proposal of a grown tree


def lawful(found: list[Any], grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """Trees that read what the rules ask for: those found, changed where they do not.

    A group of which a tree reads a part is required for one more tree and barred for another; what
    is required and not read gets a cut of its own, at the leaf where that leaves least.
    """
    rules = grower.rules
    if rules is None or rules.are_free:
        return found
    kept: list[Any] = []
    for each in found:
        for group in rules.halves(_read_by(each.root) | rules.required)[:1]:
            plans = [_barring(grower, group), replace(grower, rules=rules.requiring(group))]
            for plan in plans:
                if plan.usable.any():
                    kept += lawful([improved(plan, plan.grow())], plan, improved)
            break
        else:
            kept += _with_required(each, grower, improved)
    if not kept:
        raise ValueError(
            "No tree reads the required_features: "
            "some of them are constant, or do not divide the rows. Require fewer."
        )
    return kept


def _barring(grower: PlaneGrower, group: frozenset[int]) -> PlaneGrower:
    """The grower without the columns of a group; one that has required columns cannot go."""
    assert grower.rules is not None
    barred = np.isin(grower.searcher.columns, list(group))
    return replace(grower, usable=grower.usable & ~barred & (not group & grower.rules.required))


def _read_by(root: PlaneNode) -> frozenset[int]:
    """Columns that the decisions of a tree read."""
    splits = (node.split for node in root.preorder() if node.split is not None)
    return frozenset(int(j) for split in splits for j in split.features)


def _with_required(each: Any, grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """A tree with a cut for each required column that it does not read; none if there is none."""
    assert grower.rules is not None
    root = each.root.copy()
    for column in sorted(grower.rules.lacking(_read_by(root))):
        if not _read_at_a_leaf(root, column, each.grower):
            return _with_first_cut(column, grower, improved)
    return [each._replace(root=root)]


def _read_at_a_leaf(root: PlaneNode, column: int, grower: PlaneGrower) -> bool:
    """Give the leaf where it costs least a decision that reads a column; False if none has one."""
    leaves = [node for node in root.preorder() if node.is_leaf and node.depth < grower.max_depth]
    found = [(leaf, each) for leaf in leaves for each in _cuts_of_column(leaf, column, grower)]
    if not found:
        return False
    leaf, cut = min(
        found,
        key=lambda pair: float(
            coarse(grower.paid(pair[1], pair[0].read) - float(entropy(pair[0].class_weights)))
        ),
    )
    grower.split(leaf, cut)
    leaf.pinned = True
    return True


def _cuts_of_column(node: PlaneNode, column: int, grower: PlaneGrower) -> list[Candidate]:
    rows, searcher = grower.rows_of(node), grower.searcher
    allowed = grower.usable & (searcher.columns == column)
    if not allowed.any():
        return []
    return [*searcher.cuts(rows, allowed), *searcher.divisions(rows, allowed)]


def _with_first_cut(column: int, grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """A tree whose root reads a column that none of its leaves could; none if the root cannot."""
    root = grower.make_node(np.arange(len(grower.codes)), grower.weights)
    cuts = _cuts_of_column(root, column, grower)
    if not cuts or grower.first is not None:
        return []
    own = replace(grower, first=min(cuts, key=grower.paid))
    grown = own.grow()
    grown.pinned = not grown.is_leaf
    return [] if grown.is_leaf else _with_required(improved(own, grown), own, improved)
