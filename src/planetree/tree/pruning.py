"""Pruning by replacement: a subtree gives way to a leaf. No row is looked at again.

With N the training weight of a node and e the weight of its errors, were it a leaf,

    pessimistic        it is charged e + added(N, e), an upper confidence limit of a binomial share
                       times N (C4.5). From the leaves up, a subtree becomes a leaf where that is
                       charged at most 0.1 of an error more than its leaves are together;
    standard error     it is charged e + 1/2. A subtree becomes a leaf where that is charged at most
                       what its leaves are together and one standard error of a binomial count more,
                       sqrt(E (1 - E / N)) with E the charge of the leaves (Quinlan 1987, there
                       called pessimistic);
    cost-complexity    the link of a node is as strong as what its subtree saves for each leaf that
                       it has more, (e(node) - e(leaves below)) / (leaves - 1), as a share of all
                       weight. The weakest goes first (Breiman et al. 1984): the trees left as the
                       strength asked for grows lie within each other.

With costs, e is the cost of the rows that a node labels wrongly. A share of it is taken of the most
that one row can cost there, so costs of 1 give back errors.

- the smaller the confidence, or the larger the strength, the smaller the tree;
- a pruned tree labels every node as the whole tree does.
"""

from __future__ import annotations

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Mask
from planetree.tree.tree import Tree

# A leaf may be charged this much of an error more than the subtree it replaces: as in Release 8.
_SLACK = 0.1


def cut(tree: Tree, at: Mask, errors: Floats | None = None) -> Tree:
    """Tree whose nodes marked in `at` are leaves; `errors` are those of the nodes of `tree`.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.tree import Tree
    >>> from planetree.tree.pruning import cut
    >>> split, weights = Planes([[1.0]], [0.0]), [[2, 2], [2, 0], [0, 2]]
    >>> stump = Tree([split, None, None], [2, 0, 0], [1, 2], weights, [0, 0, 1], [4, 2, 2])
    >>> cut(stump, np.array([True, False, False])).n_nodes
    1
    """
    kept = _left(tree, at)
    nodes, number = np.flatnonzero(kept), np.cumsum(kept) - 1
    inner, given = [node for node in nodes.tolist() if not at[node]], tree.leaf_probabilities
    return Tree(
        splits=tuple(None if at[node] else tree.splits[node] for node in nodes.tolist()),
        n_branches=np.where(at, 0, tree.n_branches)[nodes],
        children=np.array([number[child] for node in inner for child in tree.children_of(node)]),
        class_weights=tree.class_weights[nodes],
        predicted=tree.predicted[nodes],
        weights=tree.weights[nodes],
        errors=None if errors is None else errors[nodes],  # type: ignore[arg-type]
        leaf_probabilities=None if given is None else given[nodes],
    )


def kept_decisions(pruned: Tree, whole: Tree) -> list[int]:
    """Which decisions of a tree, counted in preorder, are those of the tree it was cut to."""
    place = {node: i for i, node in enumerate(np.flatnonzero(whole.n_branches).tolist())}
    found, pending = [], [(0, 0)]
    while pending:
        node, other = pending.pop()
        if pruned.n_branches[node]:
            found.append(place[other])
            children = zip(pruned.children_of(node), whole.children_of(other), strict=True)
            pending.extend(reversed([(int(a), int(b)) for a, b in children]))
    return found


def _leaf_costs(tree: Tree, costs: Floats) -> Floats:
    """Cost of the training rows of each node if it were a leaf."""
    found: Floats = np.einsum("nc,cn->n", tree.class_weights, costs[:, tree.predicted])
    return found


def pessimistic(tree: Tree, confidence: float, costs: Floats) -> Tree:
    """Tree pruned by C4.5's estimate, without raising of subtrees; its `errors` are estimates.

    Parameters
    ----------
    tree : Tree
    confidence : float
        Above 0 and at most 1: the smaller, the more is pruned.
    costs : array of shape (n_classes, n_classes)
        What a row of one class costs that another is predicted for.
    """
    charged = _estimated_costs(tree, confidence, costs)
    at, total = np.zeros(tree.n_nodes, dtype=bool), charged.copy()
    slack = _SLACK * costs[~np.eye(len(costs), dtype=bool)].mean() if len(costs) > 1 else 0.0
    for node in np.flatnonzero(tree.n_branches)[::-1].tolist():
        below = total[tree.children_of(node)].sum()
        at[node] = charged[node] <= below + slack
        total[node] = charged[node] if at[node] else below
    return cut(tree, at, total)


def within_standard_error(tree: Tree, costs: Floats) -> Tree:
    """Tree pruned by the rule of 1987: a leaf where its errors are within one standard error.

    The rule is asked of each node of the whole tree, from the root down; with costs, errors are
    counted in units of the most that one row can cost at the node.

    Parameters
    ----------
    tree : Tree
    costs : array of shape (n_classes, n_classes)
        What a row of one class costs that another is predicted for.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.planes import Planes
    >>> from planetree.tree import Tree
    >>> from planetree.tree.pruning import within_standard_error
    >>> split, weights = Planes([[1.0]], [0.0]), [[20, 2], [15, 0], [5, 2]]
    >>> stump = Tree([split, None, None], [2, 0, 0], [1, 2], weights, [0, 0, 0], [22, 15, 7])
    >>> within_standard_error(stump, 1.0 - np.eye(2)).n_nodes
    1
    """
    worst = costs.max(axis=0)[tree.predicted]
    unit = np.where(worst > 0, worst, 1.0)
    charged = _leaf_costs(tree, costs) + 0.5 * unit
    below = charged.copy()
    for node in np.flatnonzero(tree.n_branches)[::-1].tolist():
        below[node] = below[tree.children_of(node)].sum()
    total = np.maximum(tree.weights, np.finfo(float).tiny) * unit
    spread = np.sqrt(unit * below * (1.0 - np.clip(below / total, 0.0, 1.0)))
    return cut(tree, (charged <= below + spread) | (tree.n_branches == 0), charged)


def _estimated_costs(tree: Tree, confidence: float, costs: Floats) -> Floats:
    """What each node is charged as a leaf."""
    worst = costs.max(axis=0)[tree.predicted]
    reached = (tree.weights > 0) & (worst > 0)
    charged = np.zeros(tree.n_nodes)
    n = np.ascontiguousarray(tree.weights[reached])
    errors = _leaf_costs(tree, costs)[reached] / worst[reached]
    added = _core.added_errors(n, np.ascontiguousarray(errors), float(confidence))
    charged[reached] = worst[reached] * (errors + added)
    return charged


def link_strengths(tree: Tree, costs: Floats) -> Floats:
    """Strength up to which each node keeps its subtree; infinite at leaves.

    `cut(tree, link_strengths(tree, costs) <= strength)` is the smallest tree with the least
    cost + strength * leaves.
    """
    alone = _leaf_costs(tree, costs) / max(float(tree.weights[0]), np.finfo(float).tiny)
    strengths = np.full(tree.n_nodes, np.inf)
    at, strength = np.zeros(tree.n_nodes, dtype=bool), 0.0
    while True:
        link = _links(tree, alone, at)
        if np.isinf(link).all():
            return strengths
        strength = max(strength, float(link.min()))
        weakest = link <= strength + 1e-12
        strengths[weakest] = strength
        at |= weakest


def _links(tree: Tree, alone: Floats, at: Mask) -> Floats:
    """Strength of the link of each inner node of the tree that is left; infinite for others."""
    below, leaves = alone.copy(), np.ones(tree.n_nodes)
    for node in np.flatnonzero(tree.n_branches)[::-1].tolist():
        if not at[node]:
            children = tree.children_of(node)
            below[node], leaves[node] = below[children].sum(), leaves[children].sum()
    link = np.full(tree.n_nodes, np.inf)
    inner = (leaves > 1) & _left(tree, at)
    link[inner] = np.maximum(alone - below, 0.0)[inner] / (leaves[inner] - 1.0)
    return link


def _left(tree: Tree, at: Mask) -> Mask:
    """Whether each node is still in the tree cut at some nodes."""
    left = np.ones(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes):
        if at[node] or not left[node]:
            left[tree.children_of(node)] = False
    return left


def strengths_to_try(strengths: Floats) -> Floats:
    """One strength for each of the nested trees: the geometric mean of where it begins and ends."""
    begins = np.unique(np.append(0.0, strengths[np.isfinite(strengths)]))
    return np.append(np.sqrt(begins[:-1] * begins[1:]), begins[-1])
