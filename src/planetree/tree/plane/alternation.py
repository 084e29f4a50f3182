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

import hashlib

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Indices, Mask
from planetree.planes import Split
from planetree.separators.sparse.feature_search import TimeIsUpError
from planetree.tree.growth import fill_missing, freeze
from planetree.tree.plane.candidates import Candidate
from planetree.tree.plane.plane_growth import PlaneGrower, PlaneNode, close_equal_leaves
from planetree.tree.plane.plane_search import Rows

__all__ = ["alternate"]

_MAX_ROUNDS = 3  # the first does nearly all

_Known = dict[bytes, tuple[float, Candidate] | None]


def alternate(root: PlaneNode, grower: PlaneGrower, term_charge: float) -> None:
    """Improve the decisions of a tree in place, while there is time."""
    known: _Known = {}
    for _ in range(_MAX_ROUNDS):
        try:
            changed = [
                _improve(node, root, grower, term_charge, known) for node in _from_the_deepest(root)
            ]
        except TimeIsUpError:
            return
        if not any(changed):
            break


def _from_the_deepest(root: PlaneNode) -> list[PlaneNode]:
    """Nodes with a decision, those far from the root first."""
    nodes = [node for node in root.preorder() if not node.is_leaf]
    return sorted(nodes, key=lambda node: -node.depth)


def _improve(
    node: PlaneNode, root: PlaneNode, grower: PlaneGrower, term_charge: float, known: _Known
) -> bool:
    """Put a better decision in the place of a node's; True if there is one."""
    if node.is_leaf:  # closed since the round began
        return False
    care, sides = _care_rows(node, grower)
    if len(care.codes) < 2 or not sides.any() or sides.all():
        return False
    assert node.split is not None
    present = _misdirected(node.split, care, sides) + term_charge * node.split.n_terms
    allowed = _allowed_terms(root, grower)
    task = _digest(care.X, care.weights, sides, allowed)
    if task not in known:  # most nodes have the same task again in the next round
        known[task] = _best_plane(allowed, grower, care, sides, term_charge)
    best = known[task]
    if best is None or best[0] >= present - 1e-9:
        return False
    grower.split(node, best[1])
    close_equal_leaves(node)
    return True


def _digest(*arrays: NDArray[np.generic]) -> bytes:
    """Short name of what arrays hold."""
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


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


def _misdirected(split: Split, care: Rows, sides: Mask) -> float:
    """Weight of the rows that a decision sends the dearer way; of unknown ones, half."""
    branch = split.branch(care.X)
    wrong = np.where(branch < 0, 0.5, branch != sides)
    return float(care.weights @ wrong)


def _allowed_terms(root: PlaneNode, grower: PlaneGrower) -> Mask:
    """Terms that a decision may read: all, or where columns are limited, those in use."""
    columns = grower.searcher.columns
    if grower.max_columns >= len(grower.searcher.n_categories):
        return grower.usable
    return grower.usable & np.isin(columns, freeze(root).features)


def _best_plane(
    allowed: Mask,
    grower: PlaneGrower,
    care: Rows,
    sides: Mask,
    term_charge: float,
) -> tuple[float, Candidate] | None:
    """Plane with the least misdirected weight plus charge of its terms."""
    searcher = grower.searcher
    found = searcher.planes(
        care,
        fill_missing(care.E, care.weights),
        sides,
        allowed,
        searcher.max_terms,
        forward_only=True,
    )

    def paid(candidate: Candidate) -> float:
        return _misdirected(candidate.split, care, sides) + term_charge * candidate.n_terms

    best = min(found, key=paid, default=None)
    if best is None:
        return None
    best = searcher.settle(care, best)
    return paid(best), best
