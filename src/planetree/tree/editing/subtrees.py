"""Subtrees that an edit puts in the place of others, before they are graded.

- a decision that is kept where other rows reach it than those it was found on proves nothing, and
  its certificate says so;
- a branch that no row takes any more goes, and the other takes the place of the decision, unless
  it is locked;
- what is locked stays, and so do the decisions on the way to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planetree import _core
from planetree.certificate import Certificate
from planetree.clock import UNLIMITED
from planetree.planes import Categories, Planes
from planetree.tree.editing.alternatives import Alternative, decision_words
from planetree.tree.editing.edited_tree import BY_HAND, EditNode, by_hand
from planetree.tree.editing.editing_rows import EditingRows, TreePart
from planetree.tree.editing.typed_decision import decision_request
from planetree.tree.growth import fill_missing
from planetree.tree.plane.candidate import Candidate
from planetree.tree.plane.plane_search import digest

_OTHER_ROWS = "found on other rows"


def decided(rows: EditingRows, part: TreePart, decision: Any, node: int) -> EditNode:
    """The decision that a person asks for, with no children yet; raises where it cannot be."""
    found = _asked(rows, part, decision, node)
    assert found.split is not None
    barred = sorted(rows.model.columns_[j].name for j in found.features & part.forbidden)
    if barred:
        raise ValueError(f"Node {node} may not read {barred}: they were forbidden there.")
    _refuse_an_empty_branch(rows, part, found, node)
    if rows.direction(found.split):
        _refuse_the_wrong_way(rows, part, found, node)
    return found


def _asked(rows: EditingRows, part: TreePart, decision: Any, node: int) -> EditNode:
    if isinstance(decision, Alternative):
        if decision.candidate is not None and decision.rows == digest(part.at, part.weights):
            return _found(rows, part, decision.candidate)
        decision = decision.split
    asked = decision_request(decision, rows.model.columns_)
    if asked.split is None:
        return _found(rows, part, _over_columns(rows, part, sorted(asked.columns), node))
    split = asked.split
    if asked.finds_threshold:
        assert isinstance(split, Planes)
        split = replace(split, offsets=_best_threshold(rows, part, split, node))
    return EditNode(split=split, rounded=split, certificate=by_hand(), is_set=True)


def _found(rows: EditingRows, part: TreePart, candidate: Candidate) -> EditNode:
    split = rows.rows.split(candidate.split)
    return EditNode(
        split=split,
        rounded=rows.rounded(split, part),
        candidate=candidate,
        fixed=False,
        is_set=True,
    )


def _over_columns(
    rows: EditingRows, part: TreePart, columns: Sequence[int], node: int
) -> Candidate:
    """The decision over some columns that leaves the least entropy."""
    place = np.argsort(rows.rows.columns)
    grower = rows.part_grower(part._replace(forbidden=frozenset())).over(place[list(columns)])
    searcher, allowed = replace(grower.searcher, clock=UNLIMITED), grower.usable
    found: list[Candidate] = []
    if len(columns) == 1:
        found.extend(searcher.divisions(grower.rows, allowed))
    if allowed.any() and len(np.unique(grower.codes)) > 1:
        filled = fill_missing(grower.rows.E, grower.rows.weights)
        if len(columns) == 1:
            found.extend(searcher.cuts(grower.rows, allowed))
        for sides in searcher.groupings(grower.rows, filled, [], allowed):
            plane = searcher.plane_over(grower.rows, sides, np.flatnonzero(allowed))
            found.extend([] if plane is None else [plane])
    if not found:
        names = [rows.model.columns_[j].name for j in columns]
        raise ValueError(
            f"No decision over {names} divides the {len(part.at)} different rows of node {node}: "
            "they are constant or do not separate the classes there."
        )
    return min(found, key=grower.paid if len(columns) > 1 else lambda each: each.entropy)


def _best_threshold(rows: EditingRows, part: TreePart, split: Planes, node: int) -> Any:
    """Threshold of given weights that leaves the least entropy."""
    scores = split.scores(rows.labeled.X[part.at])
    known = ~np.isnan(scores[:, 0])
    codes = rows.labeled.codes[part.at][known].astype(np.int32)
    threshold, left = _core.best_cuts(
        np.ascontiguousarray(scores[known]),
        codes,
        part.weights[known],
        len(rows.labeled.costs),
        1.0,
    )
    if not np.isfinite(left[0]):
        words = decision_words(rows.model, split).rsplit(" ", 2)[0]
        raise ValueError(f"No threshold of {words!r} divides the rows of node {node}.")
    return threshold


def _refuse_an_empty_branch(rows: EditingRows, part: TreePart, found: EditNode, node: int) -> None:
    """Raise where no training row takes one of the branches."""
    split = found.split
    assert split is not None
    empty = [b for b, each in enumerate(rows.branches(part, split)) if each.weights.sum() <= 0]
    if not empty:
        return
    said = f"{decision_words(rows.model, split)!r} has an empty branch: all "
    said += f"{len(part.at)} different rows of node {node} go one way."
    for j in split.features.tolist():
        cells = rows.labeled.X[part.at, j]
        column = rows.model.columns_[j]
        if column.categories is None and not np.isnan(cells).all():
            low, high = np.nanmin(cells), np.nanmax(cells)
            said += f" {column.name!r} is from {low:.7g} to {high:.7g} there."
    raise ValueError(said)


def _refuse_the_wrong_way(rows: EditingRows, part: TreePart, found: EditNode, node: int) -> None:
    """Raise where the shares on the branches contradict `monotonic_cst`."""
    assert found.split is not None
    stump, way = rows.stump(found.split, part), rows.direction(found.split)
    low, high = map(rows.monotonic.of, stump.leaf_distributions[1:][::way])
    if low > high:
        raise ValueError(
            f"{decision_words(rows.model, found.split)!r} at node {node} contradicts "
            "monotonic_cst: the training rows go the other way."
        )


def below_decision(
    rows: EditingRows, part: TreePart, decision: EditNode, old: EditNode, below: str
) -> EditNode:
    """A decision with what is to be below it: grown, kept, or leaves."""
    assert decision.split is not None
    parts = rows.branches(part, decision.split)
    if below == "grow":
        children = [rows.grown(each) for each in parts]
    elif below == "keep" and not old.is_leaf:
        if len(old.children) != len(parts):
            raise ValueError(
                f"The present decision has {len(old.children)} branches and the new one "
                f"{len(parts)}, so what is below cannot be kept. Use below='grow' or 'close'."
            )
        children = [_rerouted(rows, *each) for each in zip(old.children, parts, strict=True)]
    else:
        children = [EditNode() for _ in parts]
    return replace(decision, children=tuple(children))


def _rerouted(rows: EditingRows, node: EditNode, part: TreePart) -> EditNode:
    """A subtree that other rows reach now; branches that none takes go."""
    if node.split is None:
        return node
    parts = rows.branches(part, node.split)
    taken = [b for b, each in enumerate(parts) if each.weights.sum() > 0]
    if len(taken) == 1 and not node.locked:
        return _rerouted(rows, node.children[taken[0]], part)
    children = zip(node.children, parts, strict=True)
    return replace(
        node,
        children=tuple(_rerouted(rows, *each) for each in children),
        certificate=_of_other_rows(node.certificate),
    )


def _of_other_rows(certificate: Certificate | None) -> Certificate | None:
    """What is left of a proof when other rows reach a decision: how it was found."""
    if certificate is None or certificate.kind == BY_HAND:
        return certificate
    kind = certificate.kind.removesuffix(f", {_OTHER_ROWS}")
    return Certificate(f"{kind}, {_OTHER_ROWS}")


def grown_around_locks(rows: EditingRows, node: EditNode, part: TreePart) -> EditNode:
    """What grows in the place of a subtree; what is locked in it, and the way there, stay."""
    if node.locked:
        return node
    if not any(each.locked for each in node.preorder()):
        return rows.grown(part)
    assert node.split is not None
    children = zip(node.children, rows.branches(part, node.split), strict=True)
    return replace(
        node, children=tuple(grown_around_locks(rows, child, own) for child, own in children)
    )


def replanted(rows: EditingRows, node: EditNode, part: TreePart) -> EditNode:
    """The edits of a subtree made again on other rows: what no person set grows from these.

    Decisions that a person gave in full stay; those that a program found, at the place of an edit
    or on the way to one, are found again over the same columns.
    """
    part = part._replace(forbidden=part.forbidden | node.forbidden)
    if not any(each.is_set or each.locked for each in node.preorder()):
        return rows.grown(part) if len(part.at) else EditNode()
    if node.split is None:
        return node
    decision = _replanted_decision(rows, node, part)
    assert decision.split is not None
    parts = rows.branches(part, decision.split)
    if any(each.weights.sum() <= 0 for each in parts):
        return rows.grown(part)
    children = zip(node.children, parts, strict=True)
    return replace(decision, children=tuple(replanted(rows, *each) for each in children))


def _replanted_decision(rows: EditingRows, node: EditNode, part: TreePart) -> EditNode:
    assert node.certificate is not None
    several = isinstance(node.split, Planes) and len(node.split.offsets) > 1
    given = node.certificate.kind == BY_HAND or node.locked
    if given or several or isinstance(node.split, Categories):
        return replace(node, children=(), candidate=None, fixed=True)
    assert node.split is not None
    try:
        return _found(rows, part, _over_columns(rows, part, node.split.features.tolist(), 0))
    except ValueError:
        return replace(node, children=(), candidate=None, fixed=True)
