"""Planes of a tree that some rows grew, found again on all rows of a table in parts.

Level by level from the root: the rows that reach a node are those that the planes above it, found
already, send there. The programs of one level share their reads: one tells the moments of the terms
in each node, then each program is solved as that of a table in parts is (`solvers.partitioned`),
with its bound over all rows of the node; one more tells the scores beside each threshold, which is
then midway between them, and the moments of the next level.

A decision stays as some rows found it where no program found it: cuts, divisions of categories,
pairs of planes and planes for classes; and where the time is up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask, cells_of, encode, midway
from planetree.clock import Clock
from planetree.distributed.survey import Moments, merged_moments, number_moments
from planetree.planes import Planes, Split
from planetree.progress import tell_reader
from planetree.separators.sparse.feature_search import coarse
from planetree.solvers.partitioned import PartitionedHinges, PartitionedSolution
from planetree.tree.impurity import entropy
from planetree.tree.partitioned.reader import RowReader
from planetree.tree.partitioned.routing import Decisions, PartRows, Reached, branch_of

_NEGLIGIBLE = 1e-9  # weights below this share of the largest are rounding
_ROUNDING = 1e-9  # of the largest score: more than the order of adding up can move one


class NodeProgram(NamedTuple):
    """The program of a node between two sides of the classes, over some terms.

    Parameters
    ----------
    columns, categories : arrays of shape (n_terms,)
    way : boolean array of shape (n_classes,)
        Classes that belong above the plane.
    price : float
        Of one unit of each normalized weight.
    fill : array of shape (n_terms,)
        What stands for a missing cell: the mean of the node's rows.
    center, scale : arrays of shape (n_terms,)
    far : array of shape (n_terms,)
        The largest size of a cell.
    gaps : boolean array of shape (n_terms,)
        Terms that some row of the node lacks.
    charge : float
        Of a unit of weight.
    """

    columns: Indices
    categories: Indices
    way: Mask
    price: float
    fill: Floats = np.empty(0)
    center: Floats = np.empty(0)
    scale: Floats = np.empty(0)
    far: Floats = np.empty(0)
    gaps: Mask = np.empty(0, dtype=bool)
    charge: float = 0.0

    @property
    def _read(self) -> Indices:
        """Columns that the terms read."""
        n = len(self.columns)
        every = Planes(np.ones((1, n)), np.zeros(1), "slabs", self.columns, self.categories)
        return every.features

    def terms(self, rows: Reached, node: int) -> tuple[Floats, Floats, Floats]:
        """Terms of the rows of a node as they stand, their sides and weights."""
        at, weights = rows.nodes[node]
        X = rows.X if len(at) == len(rows.X) else cells_of(rows.X, at, self._read)
        E = np.ascontiguousarray(encode(X, self.columns, self.categories))
        return E, self.way[rows.codes[at]].astype(np.int32), weights

    def filled(self, rows: Reached, node: int) -> tuple[Floats, Any, Floats]:
        """The same with missing cells filled in."""
        E, sides, weights = self.terms(rows, node)
        gaps = np.isnan(E)
        if gaps.any():
            E = np.ascontiguousarray(np.where(gaps, self.fill, E))
        return E, sides, weights


class _View(NamedTuple):
    """Rows of a node as its program reads them."""

    program: NodeProgram
    node: int

    def __call__(self, rows: Reached) -> tuple[Floats, Any, Floats]:
        return self.program.filled(rows, self.node)


class _Sketch(NamedTuple):
    """What a part tells of a node whose program is next."""

    n_rows: int
    sides: Floats
    moments: Moments
    gaps: Mask


class _Measure(NamedTuple):
    """What a part tells of a node with a decision.

    `beside` are the largest score below the threshold and the least above it; `classes` the weight
    of each class on each branch, and in the last row of those whose answer is unknown.
    """

    beside: tuple[float, float]
    classes: Floats


class Settled(NamedTuple):
    """Decisions by all rows, the programs of those that were found again, and their answers."""

    decisions: Decisions
    programs: dict[int, NodeProgram]
    solutions: dict[int, PartitionedSolution]


def _look(
    rows: Any, decisions: Decisions, nodes: Sequence[int], jobs: Mapping[int, NodeProgram], k: int
) -> tuple[dict[int, _Measure], dict[int, _Sketch]]:
    """Look at the rows of a part where they stand."""
    reached = decisions(rows)
    measures = {node: _measure(reached, node, decisions.splits[node], k) for node in nodes}
    return measures, {node: _sketch(reached, node, job) for node, job in jobs.items()}


def _measure(rows: Reached, node: int, split: Split | None, k: int) -> _Measure:
    assert split is not None
    at, weights = rows.nodes[node]
    branch, codes, b = branch_of(split, rows.X, at), rows.codes[at], split.n_branches
    place = np.where(branch < 0, b, branch) * k + codes
    classes = np.bincount(place, weights, (b + 1) * k).astype(np.float64).reshape(b + 1, k)
    low, high = -np.inf, np.inf
    if isinstance(split, Planes) and len(split.offsets) == 1 and len(at):
        scores = split.scores(cells_of(rows.X, at, split.features))[:, 0] + split.offsets[0]
        below = scores <= split.offsets[0]
        low = float(scores[below].max(initial=-np.inf))
        high = float(scores[scores > split.offsets[0]].min(initial=np.inf))
    return _Measure((low, high), classes)


def _sketch(rows: Reached, node: int, job: NodeProgram) -> _Sketch:
    E, sides, weights = job.terms(rows, node)
    totals = np.bincount(sides, weights, 2).astype(np.float64)
    return _Sketch(len(E), totals, number_moments(E, weights), _gaps(E))


def _gaps(E: Floats) -> Mask:
    return np.asarray(np.isnan(E).any(axis=0))


def settle(
    reader: RowReader,
    sample: PartRows,
    decisions: Decisions,
    jobs: Mapping[int, NodeProgram],
    telling: Mask,
    min_weight: float,
    n_classes: int,
    clock: Clock,
) -> Settled:
    """Find planes again on all rows.

    Parameters
    ----------
    reader : RowReader
    sample : PartRows
        Some rows, from which the programs begin.
    decisions : Decisions
        As some rows found them.
    jobs : mapping of nodes to NodeProgram
    telling : boolean array of shape (n_columns,)
        Columns whose gaps may have a branch of their own.
    min_weight : float
        Least weight of a branch.
    n_classes : int
    clock : Clock
    """
    own = _Settling(reader, sample, telling, min_weight, n_classes, clock)
    return own.run(decisions, dict(jobs))


class _Settling:
    def __init__(
        self, reader: RowReader, sample: PartRows, telling: Mask, least: float, k: int, clock: Clock
    ) -> None:
        self.reader, self.sample, self.telling, self.clock = reader, sample, telling, clock
        self.least, self.k = least, k
        self.programs: dict[int, NodeProgram] = {}
        self.solutions: dict[int, PartitionedSolution] = {}

    def run(self, decisions: Decisions, jobs: dict[int, NodeProgram]) -> Settled:
        levels = _levels(decisions)
        sketches: dict[int, list[_Sketch]] = {}
        for nodes, below in zip(levels, [*levels[1:], []], strict=False):
            own = {node: jobs[node] for node in nodes if node in jobs and not self.clock.is_over}
            if own and not sketches:
                found = self.reader.read(_look, decisions, [], own, self.k)
                sketches = {node: [each[1][node] for each in found] for node in own}
            tried = self._solved(decisions, own, sketches) if own else decisions
            following = {node: jobs[node] for node in below if node in jobs}
            found = self.reader.read(_look, tried, nodes, following, self.k)
            measures = {node: [each[0][node] for each in found] for node in nodes}
            decisions, is_final = self._measured(decisions, tried, measures)
            sketches = {}
            if is_final:
                sketches = {node: [each[1][node] for each in found] for node in following}
        return Settled(decisions, self.programs, self.solutions)

    def _solved(
        self, decisions: Decisions, jobs: dict[int, NodeProgram], sketches: dict[int, list[_Sketch]]
    ) -> Decisions:
        """Decisions with planes of all rows; rows at their thresholds are below them."""
        reached, programs, posed = decisions(self.sample), {}, {}
        views: dict[int, Any] = {}
        for node, job in jobs.items():
            made = self._program(job, sketches[node])
            if made is None:
                continue
            posed[node], program = made
            views[node] = _View(posed[node], node)
            program.tell = tell_reader
            programs[node] = program.solve(*posed[node].filled(reached, node))
        found = self.reader.solve(programs, decisions, views)
        splits = list(decisions.splits)
        for node, solution in found.items():
            self.reader.n_bytes += solution.n_bytes
            plane = _plane(posed[node], solution)
            if plane is not None:
                self.programs[node], self.solutions[node] = posed[node], solution
                splits[node] = plane
        return replace(decisions, splits=splits)

    def _program(
        self, job: NodeProgram, sketches: Sequence[_Sketch]
    ) -> tuple[NodeProgram, PartitionedHinges] | None:
        """The program of a node, once its moments are known; None if it tells nothing."""
        found = merged_moments([each.moments for each in sketches])
        shares = zip(*(each.sides for each in sketches), strict=True)
        totals = np.array([math.fsum(each) for each in shares])
        whole = float(totals.sum())
        if not totals.all() or not (found.low < found.high).any():
            return None
        scale = np.sqrt(found.squares / whole)  # cells that are filled in are at the mean
        varies = (found.low < found.high) & (scale > 0)
        keep = np.flatnonzero(varies)
        posed = job._replace(
            columns=job.columns[keep],
            categories=job.categories[keep],
            fill=found.mean[keep],
            center=found.mean[keep],
            scale=scale[keep],
            far=np.maximum(np.abs(found.low), np.abs(found.high))[keep],
            gaps=np.any([each.gaps for each in sketches], axis=0)[keep],
            charge=2.0 / whole,
        )
        program = PartitionedHinges(
            np.full(2, posed.charge), totals, posed.center, posed.scale, job.price,
            n_rows=sum(each.n_rows for each in sketches), clock=self.clock,
        )  # fmt: skip
        return posed, program

    def _measured(
        self, before: Decisions, tried: Decisions, measures: dict[int, list[_Measure]]
    ) -> tuple[Decisions, bool]:
        """Decisions with thresholds midway, and whether rows go where they went in this read."""
        splits, parts, is_final = list(tried.splits), list(tried.parts), True
        for node, found in measures.items():
            classes = np.sum([each.classes for each in found], axis=0)
            split = splits[node]
            if node in self.solutions and isinstance(split, Planes):
                low = max(each.beside[0] for each in found)
                high = min(each.beside[1] for each in found)
                split = self._settled(node, split, low, high, classes)
                if split is None:  # a branch would be too light
                    del self.solutions[node], self.programs[node]
                    splits[node], is_final = before.splits[node], False
                    continue
            splits[node] = split
            parts[node] = _shares(classes[:-1].sum(axis=1), split)
            is_final &= not classes[-1].any()
        decisions = Decisions(splits, tried.children, parts)
        lost = [node for node in measures if parts[node] is None]
        return (self._counted(decisions, lost), False) if lost else (decisions, is_final)

    def _counted(self, decisions: Decisions, nodes: list[int]) -> Decisions:
        """Decisions that stay as they were, with what their branches get of unknown rows."""
        found = self.reader.read(_look, decisions, nodes, {}, self.k)
        parts = list(decisions.parts)
        for node in nodes:
            classes = np.sum([each[0][node].classes for each in found], axis=0)
            parts[node] = _shares(classes[:-1].sum(axis=1), decisions.splits[node])
        return replace(decisions, parts=parts)

    def _settled(
        self, node: int, plane: Planes, low: float, high: float, classes: Floats
    ) -> Planes | None:
        """The plane midway between its scores, with the best branch for its gaps; None if light."""
        offset = midway(np.array([low, high]), float(plane.offsets[0]))
        if not np.isfinite(offset):
            return None
        plane = replace(plane, offsets=np.array([offset]))
        below, above, unknown = classes
        known = below.sum() + above.sum()
        if known == 0:
            return None
        shares = below.sum() / known, above.sum() / known
        choices = [(plane, (below + shares[0] * unknown, above + shares[1] * unknown))]
        job = self.programs[node]
        lost = np.intersect1d(job.columns[job.gaps], plane.features)
        if unknown.any() and self.telling[lost].all():
            choices += [
                (replace(plane, unknown=0), (below + unknown, above)),
                (replace(plane, unknown=1), (below, above + unknown)),
            ]
        left = [_left(sides, self.least) for _, sides in choices]
        if not np.isfinite(left[0]):
            return None
        return choices[int(coarse(np.array(left)).argmin())][0]


def _left(sides: tuple[Floats, Floats], least: float) -> float:
    """Entropy of two branches; infinite if one has too little weight."""
    light = min(side.sum() for side in sides) < least
    return float("inf") if light else float(sum(entropy(side) for side in sides))


def _plane(job: NodeProgram, solution: PartitionedSolution) -> Planes | None:
    """Plane of the terms that count, its threshold above scores that reach it by rounding alone."""
    weights = solution.weights[0]
    sizes = np.abs(weights) * job.scale
    used = np.flatnonzero(sizes > _NEGLIGIBLE * sizes.max(initial=0.0))
    if not len(used):
        return None
    offset = float(solution.offsets[0]) + _ROUNDING * float(np.abs(weights[used]) @ job.far[used])
    return Planes(
        weights[None, used], np.array([offset]), "slabs", job.columns[used], job.categories[used]
    )


def _shares(totals: Floats, split: Split | None) -> Floats:
    if isinstance(split, Planes) and split.unknown >= 0:
        return np.asarray(np.eye(len(totals))[split.unknown])
    whole = totals.sum()
    return totals / whole if whole > 0 else np.zeros(len(totals))


def _levels(decisions: Decisions) -> list[list[int]]:
    """Nodes with a decision, by how many lie above them."""
    depth = {0: 0}
    levels: list[list[int]] = []
    for node, split in enumerate(decisions.splits):
        if split is None:
            continue
        while len(levels) <= depth[node]:
            levels.append([])
        levels[depth[node]].append(node)
        depth.update(dict.fromkeys(decisions.children[node], depth[node] + 1))
    return levels
