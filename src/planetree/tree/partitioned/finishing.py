"""Rounding, grading and certificates of a tree by all rows of a table in parts.

What these ask of the rows adds up, or is a least or a largest, so that each part tells its own:

- rounding asks, for each number of digits, which scores lie beside the threshold;
- grading fits spreads and thresholds to some rows, as in memory, and the probabilities of leaves to
  the expected counts of all; thresholds have few digits between the scores beside them;
- the certificate of a plane is its bound over all rows of its node, with its value there after
  rounding and moving. A plane and its multiples part rows alike, but leave other errors: a few
  multiples near the best of some rows are tried, and the least value counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from planetree import _core
from planetree.arrays import Floats, Indices, cells_of, encode
from planetree.certificate import Certificate
from planetree.grading import expected_counts
from planetree.planes import Planes, Split
from planetree.solvers.hinge_certificate import best_factor
from planetree.solvers.partitioned import PartitionedSolution
from planetree.tree.partitioned.reader import RowReader
from planetree.tree.partitioned.routing import (
    Decisions,
    PartRows,
    answers_of,
    node_counts,
)
from planetree.tree.partitioned.settling import NodeProgram, Settled
from planetree.tree.plane.rounding import (
    MOST_DIGITS,
    significant,
    threshold_between,
    whole_weights,
)
from planetree.tree.tree import Tree

_FACTORS = 1.0 + np.array([-0.08, -0.04, -0.02, -0.01, 0.0, 0.01, 0.02, 0.04, 0.08])
_ACCURATE = 1e-6  # the gap up to which a plane is called optimal


@dataclass(frozen=True, eq=False)
class AllRows:
    """What grading asks of all rows of a table in parts."""

    reader: RowReader
    n_classes: int

    def expected(self, tree: Tree) -> Callable[..., Floats]:
        """Function that gives the expected class weights of the leaves of a tree."""

        def counts(*given: Floats) -> Floats:
            return np.asarray(np.sum(self.reader.read(_expected, tree, *given), axis=0))

        return counts

    def counts(self, tree: Tree) -> Floats:
        """Class weights of the nodes of a tree."""
        children = Decisions.of(tree).children
        given = tree.splits, children, self.n_classes
        return node_counts(tree.splits, children, self.reader.read(answers_of, *given))[0]

    def totals_beside(self, tree: Tree, middles: Mapping[int, float]) -> dict[int, Floats]:
        """Sums of terms beside given ones, and the least and largest, of the rows of nodes."""
        if not middles:
            return {}
        found = self.reader.read(_beside, Decisions.of(tree), middles)
        return {node: np.unique(np.concatenate([each[node] for each in found])) for node in middles}


class LabeledParts(NamedTuple):
    """Some rows of a table in parts, as `LabeledRows`, and all of them."""

    X: Floats
    codes: Indices
    weights: Floats
    draws: None
    costs: Floats
    order: Indices
    all_rows: AllRows


def _expected(rows: Any, tree: Tree, *given: Floats) -> Floats:
    if not len(rows[1]):
        return np.zeros(tree.class_weights.shape)
    return expected_counts(tree, *rows, *given)


def _beside(rows: Any, decisions: Decisions, middles: Mapping[int, float]) -> dict[int, Floats]:
    reached, found = decisions(rows), {}
    for node, middle in middles.items():
        split = decisions.splits[node]
        assert isinstance(split, Planes)
        cells = cells_of(reached.X, reached.nodes[node][0], split.features)
        totals = (split.scores(cells) + split.offsets)[:, 0]
        totals = totals[~np.isnan(totals)]
        inner = totals[totals <= middle], totals[totals > middle]
        ends = [inner[0].max(initial=-np.inf), inner[1].min(initial=np.inf)]
        for sign in (1.0, -1.0):
            first = (sign * totals).min(initial=np.inf)
            beyond = sign * totals > first
            ends += [sign * first, sign * (sign * totals[beyond]).min(initial=np.inf)]
        found[node] = np.array(ends)[np.isfinite(ends)]
    return found


def rounded_tree(tree: Tree, reader: RowReader) -> Tree:
    """The tree with weights of few digits: no row of any node changes its branch."""
    choices = {
        node: _choices(split) for node, split in enumerate(tree.splits) if isinstance(split, Planes)
    }
    if not choices:
        return tree
    found = reader.read(_extremes, Decisions.of(tree), choices)
    splits = list(tree.splits)
    for node, tried in choices.items():
        split = splits[node]
        assert isinstance(split, Planes)
        low = np.max([each[node][0] for each in found], axis=0)
        high = np.min([each[node][1] for each in found], axis=0)
        splits[node] = _chosen(split, tried, low, high)
    return replace(tree, splits=tuple(splits))


def _choices(planes: Planes) -> list[Planes]:
    """Planes of 1, 2, ... digits, each followed by the same with whole weights if there are any."""
    weights = planes.weights
    single = np.all(np.count_nonzero(weights, axis=1) == 1)
    if planes.rule == "argmax":
        return [
            replace(planes, weights=significant(weights, d), offsets=significant(planes.offsets, d))
            for d in range(1, MOST_DIGITS + 1)
        ]
    found = []
    for digits in range(1, MOST_DIGITS + 1):
        few = significant(np.sign(weights) if single else weights, digits)
        found.append(replace(planes, weights=few))
        if (whole := whole_weights(few)) is not None:
            found.append(replace(planes, weights=whole))
        if np.array_equal(few, weights):
            break
    return found


def _extremes(
    rows: Any, decisions: Decisions, choices: Mapping[int, list[Planes]]
) -> dict[int, tuple[Floats, Floats]]:
    """Largest score of the rows below each plane, and least of those above it, by choice.

    Of planes for classes: 0 and 1 where all rows keep their branch, else 1 and 0.
    """
    reached, found = decisions(rows), {}
    for node, tried in choices.items():
        split = decisions.splits[node]
        assert isinstance(split, Planes)
        X = cells_of(reached.X, reached.nodes[node][0], split.features)
        ends = _same_branch if split.rule == "argmax" else _score_ends
        found[node] = ends(split, tried, X)
    return found


def _same_branch(split: Planes, tried: Sequence[Planes], X: Floats) -> tuple[Floats, Floats]:
    branch = split.branch(X)
    same = np.array([[float(np.array_equal(each.branch(X), branch))] for each in tried])
    return 1.0 - same, same


def _score_ends(split: Planes, tried: Sequence[Planes], X: Floats) -> tuple[Floats, Floats]:
    scores = split.scores(X)
    known = ~np.isnan(scores).any(axis=1)
    above, terms = scores[known] > 0, encode(X, split.columns, split.categories)[known]
    low, high = (np.full((len(tried), len(split.offsets)), end) for end in (-np.inf, np.inf))
    for c, each in enumerate(tried):
        totals = terms @ each.weights.T
        low[c] = np.where(above, -np.inf, totals).max(axis=0, initial=-np.inf)
        high[c] = np.where(above, totals, np.inf).min(axis=0, initial=np.inf)
    return low, high


def _chosen(split: Planes, tried: Sequence[Planes], low: Floats, high: Floats) -> Planes:
    """The planes with the fewest digits that part all rows as before; these if there are none."""
    for c, few in enumerate(tried):
        if split.rule == "argmax":
            if high[c, 0] > low[c, 0]:
                return few
            continue
        offsets = _thresholds(low[c], high[c])
        if offsets is None:
            continue
        following = tried[c + 1] if c + 1 < len(tried) else None
        if following is not None and _is_multiple(following, few):
            whole = _thresholds(low[c + 1], high[c + 1])
            if whole is not None:
                return replace(following, offsets=whole)
        return replace(few, offsets=offsets)
    return split


def _is_multiple(planes: Planes, other: Planes) -> bool:
    """Whether planes have the weights of others times one number, as whole ones have."""
    ratio = planes.weights[other.weights != 0] / other.weights[other.weights != 0]
    return bool(np.allclose(ratio, ratio[0], rtol=1e-9, atol=0.0))


def _thresholds(low: Floats, high: Floats) -> Floats | None:
    found = [threshold_between(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]
    return None if None in found else np.array(found, dtype=np.float64)


def plane_certificates(
    settled: Settled, final: Mapping[int, Split | None], reader: RowReader, sample: PartRows
) -> dict[int, Certificate]:
    """What is proved of the planes that predict, over all rows of their nodes.

    Parameters
    ----------
    settled : Settled
        Decisions that send rows to the nodes, with the programs of some of them.
    final : mapping of nodes to decisions
        What predicts there; None where the plane is as it was found, but for digits.
    reader : RowReader
    sample : PartRows
        Some rows, from which the size of a plane is guessed.
    """
    jobs, reached, certificates = {}, settled.decisions(sample), {}
    for node, program in settled.programs.items():
        plane, solution = final.get(node), settled.solutions[node]
        certificates[node] = _certificate(solution.objective, solution)
        if isinstance(plane, Planes):
            own = solution.weights[0]
            jobs[node] = program, *_multiples(program, plane, own, program.filled(reached, node))
    if not jobs:
        return certificates
    found = reader.read(_values, settled.decisions, jobs)
    for node, (program, weights, _) in jobs.items():
        errors = np.sum([each[node] for each in found], axis=0)
        paid = program.price * (np.abs(weights) * program.scale).sum(axis=1)
        objective = float(np.nextafter((errors + paid).min(), np.inf))
        certificates[node] = _certificate(objective, settled.solutions[node])
    return certificates


def _certificate(objective: float, solution: PartitionedSolution) -> Certificate:
    gap = max(0.0, objective - solution.bound) / max(objective, 2e-4)
    status = "rounded" if solution.status == "optimal" and gap > _ACCURATE else solution.status
    return Certificate("linear program", objective, solution.bound, gap, status)


def _multiples(
    program: NodeProgram, plane: Planes, found: Floats, rows: tuple[Floats, Any, Floats]
) -> tuple[Floats, Floats]:
    """Weights over the terms of a program, and offsets, of multiples of a plane to be tried.

    Among them are that of the size which the program found, and one with the best size of some
    rows. The plane may have been turned around.
    """
    terms = list(zip(program.columns.tolist(), program.categories.tolist(), strict=True))
    weights = np.zeros(len(terms))
    for t, key in enumerate(zip(plane.columns.tolist(), plane.categories.tolist(), strict=True)):
        weights[terms.index(key)] = plane.weights[0, t]
    as_found = float(found @ weights) / float(weights @ weights)
    sign, (E, sides, masses) = np.sign(as_found), rows
    own = sign * np.where(sides == 1, 1.0, -1.0) * (E @ weights - plane.offsets[0])
    paid = program.price * float(np.abs(weights) @ program.scale) * float(masses.sum())
    best = sign * best_factor(own, 2.0 * masses, paid) if len(own) else as_found
    sizes = np.append(best * _FACTORS, as_found)
    return np.outer(sizes, weights), sizes * plane.offsets[0]


def _values(
    rows: Any, decisions: Decisions, jobs: Mapping[int, tuple[NodeProgram, Floats, Floats]]
) -> dict[int, Floats]:
    """Errors of the planes that are tried, over the rows of their nodes, rounded up."""
    reached, found = decisions(rows), {}
    for node, (program, weights, offsets) in jobs.items():
        E, sides, masses = program.filled(reached, node)
        value = partial(_core.value_of_planes, E, sides, program.charge * masses[:, None])
        pairs = zip(weights, offsets, strict=True)
        errors = [value(w[None], np.array([b]))[0] if len(E) else 0.0 for w, b in pairs]
        found[node] = np.array(errors)
    return found
