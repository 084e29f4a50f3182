"""Search for two planes that separate: starts, descents, and what is kept when none does.

A start is, in this order,

    the first two planes of a plane tree (section 7.4): the robust plane, and the robust plane of
    the half that it leaves most mixed;
    the moments: if the inside is the same side of the normals a and b, then the second moments of
    inside and outside differ mostly along a + b and a - b, with opposite signs, so these are read
    off the extreme eigenvectors of the difference;
    normals and quantiles at random.

A descent needs a feasible point (Algorithms 7.2.1 to 7.2.3): a start is first moved down, its
normals kept, until rows with a single way have their margin. From one that is not feasible, UBPA1
and BPA replace both planes at once, both for the same rows, and end at w = 0.

`descend` lowers the bilinear program. Where it stops above zero, the planes settle: every row holds
to the cheaper of its ways, each plane solves the program of hinges that its rows ask of it, and
again, which lowers sum_i weight_i min(x_i, y_i) until it stands still. Then the rows that are on a
wrong side count three times as much, and again. A weight other than 0 changes no zero of either
objective, so planes that separate are found by any weights or by none.

Starts and planes that have settled are also moved, their normals kept, to where the weight of rows
on a wrong side is least.

The thesis has the first start and the descent alone: a `Search` that is `plain` tries no other
start, settles nothing, moves no offsets and does not know the single robust plane.

- the search ends at the first planes that separate;
- else the planes with the least weight of rows on a wrong side are kept. The single robust plane is
  among the candidates, unless the search is plain, so they are never worse than it;
- `found_by` is the step that found the planes kept: "one plane", "start", "descent" or "settling".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planetree.arrays import Floats, Mask, midway
from planetree.separators.bilinear.bilinear_program import (
    ROUNDING,
    BilinearProgram,
    Demand,
    best_plane,
    descend,
)

_GROWTH = 3.0  # of the weight of a row on a wrong side
_ROUNDS = 10  # of settling, at most
_PATIENCE = 3  # rounds without fewer errors
_MAX_MOVES = 50  # a guard: moves end when no row changes its way


class Search:
    """The best planes so far for one topology, and the starts that are still to be tried."""

    error: float
    value: float

    def __init__(
        self,
        program: BilinearProgram,
        algorithm: str,
        rng: np.random.Generator,
        plain: bool = False,
    ) -> None:
        self.program: BilinearProgram = program
        self.algorithm: str = algorithm
        self.plain: bool = plain
        self.weights: Floats = program.weights
        self.error = self.value = np.inf
        self.first: Floats = _robust_plane(program, np.ones(len(program.X), dtype=bool))
        if plain:
            self.consider(self._tree_planes(), "start")
        else:
            self.consider(_one_plane(program, self.first), "one plane")
        nothing = np.zeros((2, program.X.shape[1] + 1))
        nothing[:, -1] = -1.0  # w = 0, a point that is feasible whatever the rows
        self.value = program.value(program.costs(nothing))
        self.starts: Iterator[Floats] = self._starts(rng)

    @property
    def separated(self) -> bool:
        """Whether the planes kept have every row where it should be."""
        return self.error == 0.0

    def consider(self, planes: Floats, found_by: str) -> float:
        """Keep planes if they are better than those before; the weight they have wrong."""
        planes = _planes_midway(self.program, planes)
        wrong = self.program.margins(planes)[0] <= 0
        error = float(self.weights[wrong].sum())
        if error < self.error:
            self.planes: Floats = planes
            self.error = error
            self.found_by: str = found_by
        return error

    def restart(self) -> None:
        """Descend from the next start, and settle where that did not separate."""
        start = next(self.starts)
        if not self.plain:
            self.consider(_best_offsets(self.program, start), "start")
        planes = descend(self.program, _feasible(self.program, start), self.algorithm)
        self.value = min(self.value, self.program.value(self.program.costs(planes)))
        if self.consider(planes, "descent") > 0 and not self.plain:
            self._settle(planes)

    def _settle(self, planes: Floats) -> None:
        weights = _class_means(self.program)
        fewest, idle = np.inf, 0
        for _ in range(_ROUNDS):
            planes = _settle(self.program, planes, weights)
            error = self.consider(_best_offsets(self.program, planes), "settling")
            idle = 0 if error < fewest else idle + 1
            fewest = min(error, fewest)
            if fewest == 0 or idle == _PATIENCE or self.program.late:
                break
            wrong = self.program.margins(planes)[0] <= 0
            weights = np.where(wrong, _GROWTH * weights, weights)

    def _tree_planes(self) -> Floats:
        """The first two planes of a plane tree."""
        half = _mixed_half(self.program, self.first)
        return np.array([self.first, _robust_plane(self.program, half)])

    def _starts(self, rng: np.random.Generator) -> Iterator[Floats]:
        yield self._tree_planes()
        yield _moment_planes(self.program)
        while True:
            normals = rng.normal(size=(2, self.program.X.shape[1]))
            scores = normals @ self.program.X.T
            offsets = [np.quantile(each, rng.random()) for each in scores]
            yield np.column_stack([normals, offsets])


def _feasible(program: BilinearProgram, planes: Floats) -> Floats:
    """Planes moved down, their normals kept, until rows with a single way have their margin."""
    lowest = (planes[:, :-1] @ program.X[program.single].T).min(axis=1, initial=np.inf)
    planes = planes.copy()
    planes[:, -1] = np.minimum(planes[:, -1], lowest - 1.0)
    return planes


def _class_means(program: BilinearProgram) -> Floats:
    """Weights that sum to 1 in the inside and in the outside."""
    inside, weights = program.inside, program.weights
    totals = np.where(inside, weights[inside].sum(), weights[~inside].sum())
    return weights / totals


def _robust_plane(program: BilinearProgram, rows: Mask) -> Floats:
    """Robust plane (RLP) of some rows, the inside above it; of all if these are of one kind."""
    inside = program.inside
    if not (inside[rows].any() and (~inside[rows]).any()):
        rows = np.ones(len(inside), dtype=bool)
    part = BilinearProgram(program.X[rows], program.weights[rows], inside[rows], program.rule)
    clock = program.clock
    sides = np.where(part.inside, 1, -1)
    plane, steps = best_plane(
        Demand(part.X, sides, _class_means(part)), np.zeros(program.X.shape[1] + 1), clock
    )
    program.n_programs += 1
    program.n_iterations += steps
    return plane


def _one_plane(program: BilinearProgram, plane: Floats) -> Floats:
    """Two planes that decide as one does: twice the same, or one with every row above it."""
    if program.rule == "both":
        return np.array([plane, plane])
    lowest = (program.X @ plane[:-1]).min()
    return np.array([plane, np.append(plane[:-1], lowest - 1.0)])


def _mixed_half(program: BilinearProgram, plane: Floats) -> Mask:
    """Rows of the half to split: the inside's own, or for the same side the more mixed one."""
    above = program.X @ plane[:-1] > plane[-1]
    if program.rule == "both":
        return above
    weights = _class_means(program)

    def share(half: Mask) -> float:
        total = weights[half].sum()
        inside = weights[half & program.inside].sum()
        return min(inside, total - inside) / total if total > 0 else 0.0

    return above if share(above) >= share(~above) else ~above


def _moment_planes(program: BilinearProgram) -> Floats:
    """Planes through the mean, by the difference of second moments of inside and outside."""
    weights = _class_means(program) * np.where(program.inside, 1.0, -1.0)
    center = program.weights @ program.X / program.weights.sum()
    Z = program.X - center
    values, vectors = np.linalg.eigh((Z.T * weights) @ Z)
    sum_, difference = (
        np.sqrt(max(0.0, size)) * vector
        for size, vector in ((values[-1], vectors[:, -1]), (-values[0], vectors[:, 0]))
    )
    normals = np.array([sum_ + difference, sum_ - difference])
    return np.column_stack([normals, normals @ center])


def _settle(program: BilinearProgram, planes: Floats, weights: Floats) -> Floats:
    """Let every row hold to the cheaper of its ways, and the planes follow, until none changes."""
    row, last = np.arange(len(program.X)), np.inf
    for _ in range(_MAX_MOVES):
        costs = program.costs(planes)
        way = np.where(program.single, 0, costs.argmin(axis=0))
        value = float(weights @ costs[way, row])
        if program.separated(planes) or program.late or value >= last * (1.0 - ROUNDING):
            break
        last, sides = value, program.sides[way, :, row]
        for p in (0, 1):
            asked = sides[:, p] != 0
            demand = Demand(program.X[asked], sides[asked, p], weights[asked])
            planes = planes.copy()
            planes[p], steps = best_plane(demand, planes[p], program.clock)
            program.n_programs += 1
            program.n_iterations += steps
    return planes


def _best_offsets(program: BilinearProgram, planes: Floats) -> Floats:
    """Move one plane, then the other, to where the least weight of rows is on a wrong side."""
    planes, sign = planes.copy(), np.where(program.inside, 1, -1)
    for p in (0, 1):
        other = program.scores(planes)[1 - p] > 0
        wish = np.where(other, sign, 0 if program.rule == "both" else -sign)
        scores = program.X @ planes[p, :-1]
        planes[p, -1] = _best_cut(scores, wish * program.weights, planes[p, -1])
    return planes


def _best_cut(scores: Floats, gains: Floats, offset: float) -> float:
    """Offset with the most gain above it and the least below, midway between scores.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.separators.bilinear.bilinear_search import _best_cut
    >>> _best_cut(np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, -1.0, -1.0, 1.0]), 0.0)
    2.5
    """
    values, where = np.unique(scores, return_inverse=True)
    above = np.append(0.0, np.cumsum(np.bincount(where.ravel(), gains)[::-1]))[::-1]
    ends = np.concatenate([[values[0] - 1.0], values, [values[-1] + 1.0]])
    cuts = (ends[:-1] + ends[1:]) / 2.0
    best = int(above.argmax())
    kept = gains[scores > offset].sum() >= above[best]
    return offset if kept else float(cuts[best])


def _planes_midway(program: BilinearProgram, planes: Floats) -> Floats:
    """Move each plane midway between the scores beside it; a row on a plane counts as below it."""
    planes = planes.copy()
    for plane in planes:
        rounding = ROUNDING * float(np.linalg.norm(plane[:-1]))
        plane[-1] = midway(program.X @ plane[:-1], plane[-1], rounding)
    return planes


def centered(program: BilinearProgram, planes: Floats) -> Floats:
    """Move planes that separate midway between the rows that rely on them; unit margins."""
    row, planes = np.arange(len(program.X)), planes.copy()
    sides = program.sides[program.margins(planes)[1], :, row].T
    for p, scores in enumerate(program.scores(planes)):
        above, below = scores[sides[p] > 0], scores[sides[p] < 0]
        if len(above) and len(below):
            planes[p, -1] += (above.min() + below.max()) / 2.0
        reached = (sides[p] * program.scores(planes)[p])[sides[p] != 0].min(initial=np.inf)
        planes[p] /= reached if np.isfinite(reached) else 1.0
    return planes
