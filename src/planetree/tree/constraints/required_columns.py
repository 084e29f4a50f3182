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

_Improve = Callable[[PlaneGrower, PlaneNode], Any]  # a proposal of a grown tree


class UnreadColumnsError(ValueError):
    """No tree of some rows reads what is required."""


def lawful(found: list[Any], grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """Trees that read what the rules ask for: those found, changed where they do not.

    A group of which a tree reads a part is required for one more tree and barred for another; what
    is required and not read gets a cut of its own, at the leaf where that leaves least.
    """
    if grower.rules is None or grower.rules.are_free:
        return found
    kept = _kept_to_rules(found, grower, improved)
    if not kept:
        raise UnreadColumnsError(
            "No tree reads all required_features: some of them are constant or do not divide the "
            "rows, or max_splits, max_depth or max_features_total leaves no room for them. "
            "Require fewer."
        )
    return kept


def _kept_to_rules(found: list[Any], grower: PlaneGrower, improved: _Improve) -> list[Any]:
    rules, kept = grower.rules, list[Any]()
    assert rules is not None
    for each in found:
        for group in rules.halves(each.root.features | rules.required)[:1]:
            for plan in _plans(grower, group):
                kept += _kept_to_rules([improved(plan, plan.grow())], plan, improved)
            break
        else:
            kept += _with_required(each, grower, improved)
    return kept


def _plans(grower: PlaneGrower, group: frozenset[int]) -> list[PlaneGrower]:
    """Growers that bar a group, unless a part of it is required, and that require all of it."""
    assert grower.rules is not None
    barred = [] if group & grower.rules.required else [grower.without(group)]
    required = replace(grower, rules=grower.rules.requiring(group))
    assert required.rules is not None
    fits = len(required.rules.required) <= grower.max_columns
    return [*barred, required] if fits else barred


def _with_required(each: Any, grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """A tree with a cut for each required column that it does not read; none if there is none."""
    assert grower.rules is not None
    n_decisions = sum(not node.is_leaf for node in each.root.preorder())
    if n_decisions + len(grower.rules.lacking(each.root.features)) > grower.max_splits:
        room = grower.max_splits - len(grower.rules.required)
        if room < 0:
            return []
        short = replace(grower, max_splits=room)
        each = improved(short, short.grow())
    root = each.root.copy()
    for column in sorted(grower.rules.lacking(root.features)):
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
    rows, own = grower.rows_of(node), grower.over([column])
    cuts = list(own.searcher.cuts(rows, own.usable)) if own.usable.any() else []
    found = [*cuts, *own.searcher.divisions(rows, own.usable)]
    return [each._replace(required=True) for each in found]


def _with_first_cut(column: int, grower: PlaneGrower, improved: _Improve) -> list[Any]:
    """A tree whose root reads a column that none of its leaves could; none if the root cannot."""
    if grower.first is not None or grower.max_depth < 1:
        return []
    root = grower.make_node(np.arange(len(grower.codes)), grower.weights)
    cuts = _cuts_of_column(root, column, grower)
    if not cuts:
        return []
    own = replace(grower, first=min(cuts, key=grower.paid))
    grown = own.grow()
    grown.pinned = not grown.is_leaf
    return [] if grown.is_leaf else _with_required(improved(own, grown), own, improved)
