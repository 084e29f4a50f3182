"""The part of a network that gives probabilities: the units of a tree with a smooth threshold.

Every decision has a group of units, which give signals between 0 and 1: a sigmoid of the score in
units of its spread where the decision is graded, the softmax of several scores, or a threshold
where it is hard. A region is reached with the product of the signals that lead there, or of what
they lack of 1, and the classes are sums over the regions:

    signals    one group a decision (`planetree.convert.plan` lists the kinds; and `threshold`)
    regions    products of signals
    classes    regions times the probabilities of their leaves

- the regions of a row sum to 1, and as spreads go to 0 all but one are 0: the network of threshold
  units;
- where the model keeps the class of the way, its regions by signs are mixed in
  (`planetree.grading.keep_class`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from planetree.arrays import Floats, Indices
from planetree.convert.plan import (
    Grading,
    Numbering,
    Plan,
    Signs,
    plane_matrix,
    side_of,
    sides_above,
)
from planetree.grading import keep_class
from planetree.tree.classifier import least_cost

_LARGEST = 1e308  # score: what lies beyond is infinite, and has no differences


class _UnitGroup(NamedTuple):
    """Units of one decision, over the inputs of the network.

    Parameters
    ----------
    kind : {"sigmoid", "softmax", "both", "same_side", "threshold"}
    weights : array of shape (n_planes, n_inputs)
    thresholds : array of shape (n_planes,)
    spread : float
        In units of the scores; 0 for a threshold.
    """

    kind: str
    weights: Floats
    thresholds: Floats
    spread: float

    def signals(self, inputs: Floats) -> Floats:
        """What the units give for rows of inputs."""
        scores = np.clip(inputs @ self.weights.T - self.thresholds, -_LARGEST, _LARGEST)
        if self.kind == "threshold":
            return (scores > 0).astype(np.float64)
        with np.errstate(over="ignore"):
            if self.kind == "softmax":
                steps = (scores - scores.max(axis=1, keepdims=True)) / self.spread
                return np.asarray(softmax(steps, axis=1))
            if self.kind != "sigmoid":
                depth = scores.min(axis=1, keepdims=True)
                outside = -scores.max(axis=1, keepdims=True)
                scores = depth if self.kind == "both" else np.maximum(depth, outside)
            return np.asarray(expit(scores / self.spread))


@dataclass(frozen=True, eq=False)
class _ShareUnits:
    """Units, regions and probabilities of a network.

    Parameters
    ----------
    groups : tuple of _UnitGroup
        Their signals are numbered one group after the other.
    regions : tuple
        Numbers of signals, and whether each counts as it is or by what it lacks of 1.
    probabilities : array of shape (n_regions, n_classes)
    """

    groups: tuple[_UnitGroup, ...]
    regions: tuple[Signs, ...]
    probabilities: Floats

    def shares(self, inputs: Floats) -> Floats:
        """Probability of each class for rows of inputs."""
        signals = np.hstack([np.ones((len(inputs), 1)), *(g.signals(inputs) for g in self.groups)])
        found = np.zeros((len(inputs), self.probabilities.shape[1]))
        for signs, of_region in zip(self.regions, self.probabilities, strict=True):
            reached = signals[:, 0].copy()
            for number, up in signs:
                signal = signals[:, number + 1]
                reached *= signal if up else 1.0 - signal
            found += reached[:, None] * of_region
        return np.asarray(found / found.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class ProbabilityUnits:
    """Probabilities of a network, and the class that follows from them.

    Parameters
    ----------
    graded : _ShareUnits
        With all units as they are.
    way : _ShareUnits, optional
        With thresholds alone, where the class is that of the way and p is mixed with it.
    decides : bool
        Whether the class is the cheapest by the probabilities, and not that of threshold units.
    costs, order : arrays
        As of `planetree.tree.FittedTree`.
    """

    graded: _ShareUnits
    way: _ShareUnits | None
    decides: bool
    costs: Floats
    order: Indices

    def probabilities(self, inputs: Floats) -> Floats:
        """Probability of each class for rows of inputs."""
        shares = self.graded.shares(inputs)
        if self.way is None:
            return shares
        way = self.way.shares(inputs)
        return keep_class(shares, way, least_cost(way, self.costs, self.order), self.costs)

    def to_data(self) -> dict[str, Any]:
        """The units as dicts, lists and numbers, for JSON."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}

    def codes(self, inputs: Floats) -> Indices:
        """Class of least expected cost by the probabilities."""
        return least_cost(self.probabilities(inputs), self.costs, self.order)


def probability_units(plan: Plan, inputs: Numbering) -> ProbabilityUnits | None:
    """Units of a model; None where it has no probabilities.

    Parameters
    ----------
    plan : Plan
    inputs : Numbering
        The input that each term is; those that are not there yet are added.
    """
    if plan.probabilities is None:
        return None
    hard = {node: _threshold_units(plan, node) for node in plan.decisions}
    graded = hard | plan.gradings
    for units in (*graded.values(), *hard.values()):
        inputs.of(term for plane in units.scores for term in plane.terms)
    return ProbabilityUnits(
        _share_units(plan, inputs, graded),
        _share_units(plan, inputs, hard) if plan.mixes else None,
        not plan.by_way,
        plan.fitted.costs,
        plan.fitted.order,
    )


def _share_units(plan: Plan, inputs: Numbering, decisions: dict[int, Grading]) -> _ShareUnits:
    """Regions, one for each way to a leaf, over the units of decisions."""
    assert plan.probabilities is not None
    branches: dict[int, list[list[Signs]]] = {}
    n_signals = 0
    for node, units in decisions.items():
        branches[node] = [
            [tuple((n_signals + i, up) for i, up in signs) for signs in branch]
            for branch in units.branches
        ]
        n_signals += 1 if units.kind in ("both", "same_side") else len(units.scores)
    regions, leaves = [], []
    for leaf, way in plan.fitted.tree.ways():
        for parts in product(*(branches[node][b] for node, b in way)):
            regions.append(tuple(step for signs in parts for step in signs))
            leaves.append(leaf)
    groups = tuple(
        _UnitGroup(units.kind, *plane_matrix(units.scores, inputs), units.spread)
        for units in decisions.values()
    )
    return _ShareUnits(groups, tuple(regions), plan.probabilities[leaves])


def _threshold_units(plan: Plan, node: int) -> Grading:
    """Units of a decision taken as a hard one."""
    split, planes = plan.fitted.tree.splits[node], Numbering()
    assert split is not None
    branches = tuple(
        tuple(
            tuple(side_of(test, planes) for test in pattern)
            for pattern in split.side(b).patterns(disjoint=True)
        )
        for b in range(len(plan.children(node)))
    )
    return Grading("threshold", tuple(sides_above(planes)), 0.0, branches)


def _plain(value: Any) -> Any:
    """Records as dicts and arrays as lists, whatever they are in."""
    if isinstance(value, _ShareUnits):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, _UnitGroup):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray) else value
