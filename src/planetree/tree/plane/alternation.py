"""The alternating pass: each decision again, now that the rest of the tree is known.

The care rows of a node are those for which it matters which branch they take: the subtree of one
branch costs less for them than that of the other. A plane is sought that sends them the cheaper
way; its cost is the weight it sends the other way, and a charge for each of its terms. It takes the
place of the old decision if it has less of the two together. Nodes are visited from the deepest up,
a few rounds at most.

- no step raises the training cost plus the charge of the terms;
- branches that no row takes any more go, and so do decisions between leaves of one label.
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Indices, Mask
from planetree.planes import Split
from planetree.separators.sparse.feature_search import TimeIsUpError
from planetree.tree.growth import fill_missing, freeze, training_branch
from planetree.tree.plane.candidate import Candidate
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode, close_equal_leaves
from planetree.tree.plane.plane_search import Rows, digest

_MAX_ROUNDS = 3  # the first does nearly all


def alternate(root: PlaneNode, grower: PlaneGrower) -> None:
    """Improve the decisions of a tree in place, while there is time."""
    for _ in range(_MAX_ROUNDS):
        try:
            changed = [_improve(node, root, grower) for node in _from_the_deepest(root)]
        except TimeIsUpError:
            return
        if not any(changed):
            break


def _from_the_deepest(root: PlaneNode) -> list[PlaneNode]:
    """Nodes with a decision, those far from the root first."""
    nodes = [node for node in root.preorder() if not node.is_leaf]
    return sorted(nodes, key=lambda node: -node.depth)


def _improve(node: PlaneNode, root: PlaneNode, grower: PlaneGrower) -> bool:
    """Put a better decision in the place of a node's; True if there is one."""
    if len(node.children) != 2 or node.pinned:  # closed, planes for classes, or required
        return False
    care, sides = _care_rows(node, grower)
    if len(care.codes) < 2 or not sides.any() or sides.all():
        return False
    assert node.split is not None
    limits = np.array([grower.pricing.term_charge, grower.max_terms])
    allowed = _allowed_terms(root, grower)
    task = digest(care.X, care.weights, sides, allowed, limits)
    found = grower.found(task, lambda: _best_plane(allowed, grower, care, sides))
    present = _paid(node.split, care, sides, grower, node.read)
    if not found or _paid(found[0].split, care, sides, grower, node.read) >= present - 1e-9:
        return False
    grower.split(node, found[0])
    close_equal_leaves(node)
    return True


def _care_rows(node: PlaneNode, grower: PlaneGrower) -> tuple[Rows, Mask]:
    """Rows for which the branch matters, weighted by how much, and which should take the second."""
    rows = grower.rows_of(node)
    paid = [grower.costs[rows.codes, _predicted(child, rows)] for child in node.children]
    matters = paid[0] != paid[1]
    weights = rows.weights[matters] * np.abs(paid[0] - paid[1])[matters]
    return rows.of(matters, weights), (paid[1] < paid[0])[matters]


def _predicted(node: PlaneNode, rows: Rows) -> Indices:
    """Class that the subtree of a node gives to each row."""
    if node.is_leaf:
        return np.full(len(rows.codes), node.label)
    tree = freeze(node)
    return tree.predicted[tree.apply(rows.X)]


def _paid(
    split: Split,
    care: Rows,
    sides: Mask,
    grower: PlaneGrower,
    read: frozenset[int] = frozenset(),
) -> float:
    """Weight of rows that go the dearer way, half of unknown ones, and the charge of the terms."""
    branch = training_branch(split, care.X)
    wrong = np.where(branch < 0, 0.5, branch != sides)
    size = split.n_terms + grower.pricing.measuring(split, read)
    return float(care.weights @ wrong) + grower.pricing.term_charge * size


def _allowed_terms(root: PlaneNode, grower: PlaneGrower) -> Mask:
    """Terms that a decision may read: all, or where columns are limited, those in use."""
    columns = grower.searcher.columns
    if grower.max_columns >= len(grower.searcher.n_categories):
        return grower.usable
    return grower.usable & np.isin(columns, freeze(root).features)


def _best_plane(allowed: Mask, grower: PlaneGrower, care: Rows, sides: Mask) -> list[Candidate]:
    """Plane with the least misdirected weight plus charge of its terms, if there is one."""
    searcher, filled = grower.searcher, fill_missing(care.E, care.weights)
    found = searcher.planes(care, filled, sides, allowed, grower.max_terms, forward_only=True)
    best = min(found, key=lambda each: _paid(each.split, care, sides, grower), default=None)
    return [] if best is None else [searcher.settle(care, best)]
