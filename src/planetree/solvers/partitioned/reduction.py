"""A hinge program over rows in parts: few rows one by one, all others by the means of groups.

F(z) is the program of all rows. In the reduced program R some rows stand one by one; every other
row is in a group of one class, and the group enters as one row: its mean, with its weight.

- By Jensen's inequality a hinge of a mean is at most the mean of the hinges, so R(z) <= F(z) for
  every z and *any* grouping: a bound of R bounds F. It is proved in exact arithmetic: a group's
  multiplier spreads over its rows in proportion to their weights, so what a group pulls is a
  factor times the sum of its rows, which is known with its rounding.
- Where every row is on the same side of its kinks as its group, F(z) = R(z).

So a solution of a sample says which rows are far from their kinks. They are summed into groups in
one read; the others are solved one by one; one more read gives F and the rows that are on another
side than their group: these leave it, and R is solved again, until value and bound meet. Where too
many rows are near, Newton's method on the rows that workers keep comes between.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree import _core
from planetree.arrays import Floats
from planetree.solvers.hinge import HingeProgram
from planetree.solvers.partitioned.implied_terms import ImpliedTerms
from planetree.solvers.partitioned.merging import (
    added_sums,
    class_of_group,
    joined_bands,
    merged_checks,
)
from planetree.solvers.partitioned.passes import (
    Band,
    Check,
    Departure,
    Grouping,
    GroupSum,
    RawPlanes,
    Stage,
    band_of,
    check_part,
    groups_of_band,
    newton_sums,
    residuals,
    split_part,
    summary_of,
    sums_of,
)
from planetree.solvers.partitioned.program import PartitionedProgram, PartitionedSolution
from planetree.solvers.partitioned.remainders import remainders_among
from planetree.solvers.partitioned.schedule import Pass, Program

_ENOUGH = 1e-9  # the gap at which it ends
_SAFETY = 0.75  # of how far a part of the sample is off it: so far the sample is off all rows
_OFF = 0.999  # quantile of that
_BUDGET = 300_000  # rows that are solved one by one without Newton's method first
_FEW = 50_000  # rows that are solved one by one whatever a sample says
_ROUNDS = 8
_RARE = 400  # rows of a class in the sample, all of which count wherever some would do
_SPARE = 1e-9  # by how much planes of separated rows are enlarged beyond their least margin


@dataclass
class PartitionedHinges(PartitionedProgram):
    """The program of rows in parts; `price` is that of one unit of each normalized weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_classes > 40:
            raise ValueError(
                f"Rows in parts are fitted for at most 40 classes, but there are {self.n_classes}. "
                "Fit planetree.distributed.sample(partitions, n) instead."
            )
        self.all_planes: bool = self.price > 0 and self.n_classes > 2
        self.totals: dict[int, list[GroupSum]] = {}

    def solve(self, E: Floats, codes: NDArray[np.int32], weights: Floats) -> Program:
        """Find the best planes, from rows of a sample: a program for `run_together`.

        Where all rows are few, each stands alone, and the sample tells nothing.
        """
        sample = Band(np.ascontiguousarray(E), codes, weights)
        first = RawPlanes(np.zeros((self.n_planes, E.shape[1])), np.zeros(self.n_planes))
        if self.n_rows is not None and self.n_rows <= _FEW:
            reach = np.inf
        elif len(np.unique(codes)) < self.n_classes:
            reach = 0.5  # a sample that lacks a class: all rows begin in one group a class
        else:
            first = self._of_sample(sample)
            reach = self._reach(sample, first)
        self.implied: ImpliedTerms = ImpliedTerms.among(sample.E, self.unions)
        self.grouping: Grouping = Grouping(self.n_classes, (Stage(first, reach),))
        rows = yield from self._near_rows(first)
        return (yield from self._finished(rows))

    # The sample, and how far from their kinks rows must be to be summed.

    def _of_sample(self, rows: Band) -> RawPlanes:
        """Planes of some rows, each class charged as much as all of its rows."""
        program = self._program(rows, self._sample_charges(rows))
        found = program.solve(self.price, time_limit=self.clock.at_least_a_moment)
        return self._planes(found.weights, found.offsets)

    def _reach(self, sample: Band, planes: RawPlanes) -> float:
        rare = np.bincount(sample.codes)[sample.codes] < _RARE
        some = rare | (np.arange(len(rare)) % 8 == 0)
        other = self._of_sample(Band(*(np.ascontiguousarray(each[some]) for each in sample)))
        off = [residuals(*sample[:2], each, self.n_classes) for each in (planes, other)]
        return _SAFETY * float(np.quantile(np.abs(off[0] - off[1]).max(axis=1), _OFF))

    def _near_rows(self, planes: RawPlanes) -> Generator[Pass, Any, Band]:
        """Read all rows: groups are summed, and the others stay where they are."""
        kept = yield Pass(split_part, (self.grouping, self.implied), keep=True)
        self.n_reads += 1
        found = self._gathered((yield Pass(summary_of, over=kept)))
        self._refuse_changes([each.digest for each in found])
        self._refuse_other_classes([each.class_weights for each in found])
        least = np.min([each.low for each in found], axis=0)
        self.range = least, np.max([each.high for each in found], axis=0)
        holds = np.all([each.implied for each in found], axis=0)
        self.implied = self.implied.where(holds)
        self._add_sums(each.sums for each in found)
        self.bands: Any = yield Pass(band_of, over=kept, keep=True)
        n_near = sum(each.n_alone for each in found)
        self.tell(self._note)
        if n_near > _BUDGET and self.n_classes == 2:
            yield from self._narrow(planes)
        taken = self._gathered((yield Pass(groups_of_band, (self.grouping,), self.bands)))
        if len(self.grouping.stages) > 1:
            self._add_sums(sums for _, sums in taken)
        return joined_bands([band for band, _ in taken])

    # Newton's method on the rows that workers keep.

    def _narrow(self, planes: RawPlanes) -> Generator[Pass, Any, None]:
        """Add a stage with fewer rows near the kinks of better planes."""
        reach = self.grouping.stages[0].reach
        edges = np.concatenate([[0.0], np.geomspace(reach * 1e-6, reach, 60), [np.inf]])
        far = self._group_rows()
        z = np.append(planes.weights[0] * self.scale, planes.offsets[0])
        z[-1] -= planes.weights[0] @ self.center
        h, shift, last = reach / 2, 1e-12, np.inf
        now = yield from self._newton_sums(far, z, h, edges)
        for _ in range(12):
            if self.clock.is_over or not np.trace(now.hessian) > 0:
                break
            step = _newton_step(now, shift)
            new = yield from self._newton_sums(far, z + step, h, edges)
            self.n_steps += 1
            decrement = -step @ now.gradient
            if new.value > now.value - 1e-3 * decrement and decrement > 1e-12 * abs(now.value):
                shift = max(shift, 1e-10) * 100
                if shift > 1e3:
                    break
                continue
            z, now, size = z + step, new, float(np.linalg.norm(step))
            expected = 4 * size if size < last / 2 else 8 * size
            last = size
            inside = now.near.cumsum()[min(np.searchsorted(edges, expected), 60)]
            if inside <= _BUDGET or size < 1e-12:
                break
            if (narrower := min(h, max(0.2 * h, 2 * size))) < h:
                h = narrower
                now = yield from self._newton_sums(far, z, h, edges)
        at = int(np.searchsorted(now.near.cumsum(), _BUDGET))
        weights = z[:-1] / self.scale
        better = RawPlanes(weights[None], np.array([z[-1] + weights @ self.center]))
        stage = Stage(better, float(min(reach, edges[max(1, min(at, 60))])))
        self.grouping = self.grouping._replace(stages=(*self.grouping.stages, stage))

    def _newton_sums(
        self, far: Band, z: Floats, h: float, edges: Floats
    ) -> Generator[Pass, Any, Any]:
        given = (self.center, self.scale, z, self.table, h, edges)
        found = self._gathered((yield Pass(newton_sums, given, self.bands)))
        found.append(newton_sums(far, *given))
        total = type(found[0])(*(sum(part) for part in zip(*found, strict=True)))
        if not self.price:
            return total
        w = np.append(z[:-1], 0.0)
        inside = np.abs(w) < h
        paid = self.price * np.where(inside, (w**2 + h * h) / (2 * h), np.abs(w))[:-1].sum()
        pull = np.append(self.price * np.clip(w / h, -1, 1)[:-1], 0.0)
        curve = np.append(np.where(inside, self.price / h, 0.0)[:-1], 0.0)
        return total._replace(
            value=total.value + paid,
            gradient=total.gradient + pull,
            hessian=total.hessian + np.diag(curve),
        )

    # The reduced program, solved and checked on all rows until value and bound meet.

    def _finished(self, rows: Band) -> Generator[Pass, Any, PartitionedSolution]:
        best: tuple[float, RawPlanes, Check] | None = None
        bound, gap, status = 0.0, np.inf, "optimal"
        try:
            for _ in range(_ROUNDS):
                planes, proved, rows = yield from self._reduced(rows)
                bound = max(bound, proved)
                checks = yield from self._check_all(planes)
                total = merged_checks(checks)
                objective = total.error + self._paid(planes)
                if best is None or objective < best[0]:
                    best = objective, planes, total
                gap = self._gap(best[0], bound)
                self.tell(f"{self._note}, gap {gap:.1e}")
                if gap <= _ENOUGH or total.n_strays == 0:
                    break
                if self.clock.is_over:
                    status = "time_limit"
                    break
                if total.n_strays > sum(len(each.keys) for each in checks):
                    rows = yield from self._regrouped(planes)
                else:
                    rows = self._without_strays(rows, checks, Departure(planes, 0))
            assert best is not None
            best = yield from self._enlarged(*best)
        except KeyboardInterrupt:
            if best is None:
                raise
            status = "interrupted"
        gap = self._gap(best[0], bound)
        if status == "optimal" and gap > 1e-6:
            status = "time_limit" if self.clock.is_over else "inaccurate"
        return PartitionedSolution(
            *best[1], best[0], best[2].error, bound, gap, status, best[2].n_wrong,
            self.n_reads, self.n_bytes, self.n_steps,
        )  # fmt: skip

    def _regrouped(self, planes: RawPlanes) -> Generator[Pass, Any, Band]:
        """Groups of better planes than those of the sample, with more rows that stand alone."""
        reach = 4 * self.grouping.stages[0].reach
        self.grouping = Grouping(self.n_classes, (Stage(planes, reach),))
        self.totals = {}
        return (yield from self._near_rows(planes))

    def _reduced(self, rows: Band) -> Generator[Pass, Any, tuple[RawPlanes, float, Band]]:
        """Planes and bound of the reduced program; kept rows that are strays are let in first."""
        for _ in range(_ROUNDS):
            planes, bound = self._solve_reduced(rows)
            if len(self.grouping.stages) == 1 or self.clock.is_over:
                break
            given = (self.grouping, planes, self.table, True)
            checks = self._gathered((yield Pass(check_part, given, self.bands)))
            n_strays = sum(each.n_strays for each in checks)
            if not n_strays or n_strays > sum(len(each.keys) for each in checks):
                break
            rows = self._without_strays(rows, checks, Departure(planes, 1))
        return planes, bound, rows

    def _solve_reduced(self, rows: Band) -> tuple[RawPlanes, float]:
        groups = self._resolved()
        whole = joined_bands([rows, self._group_rows(groups)])
        program = self._program(whole, self.charges)
        solution = program.solve(self.price, time_limit=self.clock.at_least_a_moment)
        self.n_steps += solution.n_iterations
        duals = program.multipliers(solution)
        planes = self._planes(solution.weights, solution.offsets)
        bound = 0.0 if duals is None else self._bound(rows, groups, program, duals)
        return planes, bound or self._bound_of_remainders(rows, groups)

    def _bound_of_remainders(self, rows: Band, groups: dict[int, GroupSum]) -> float:
        """The bound where terms that others make up but for rounding are replaced by what is left.

        It is 0 if there are none.
        """
        found = [] if self.price else remainders_among(rows.E, self.center, self.scale)
        E, center, scale = rows.E.copy(), self.center.copy(), self.scale.copy()
        for each in found:
            left = each.of_rows(rows.E)
            if left is None:
                return 0.0
            E[:, each.term], center[each.term], scale[each.term] = left, left.mean(), left.std()
            groups = {key: each.of_sums(group) for key, group in groups.items()}
        if not found or not scale.all() or self.clock.is_over:
            return 0.0
        rows = rows._replace(E=E)
        whole = joined_bands([rows, self._group_rows(groups)])
        program = HingeProgram(
            whole.E, whole.codes, whole.weights, self.charges, center=center, scale=scale,
            costs=self.costs, all_planes=self.all_planes, name="program of rows in parts",
        )  # fmt: skip
        duals = program.multipliers(program.solve(time_limit=self.clock.at_least_a_moment))
        return 0.0 if duals is None else self._bound(rows, groups, program, duals)

    def _bound(
        self, rows: Band, groups: dict[int, GroupSum], program: HingeProgram, duals: Floats
    ) -> float:
        """What no planes have less than, over all rows and in exact arithmetic."""
        m, n = rows.E.shape
        price = self.price * self.scale if self.price else self._free_terms(n, rows, duals)
        return _core.prove_hinge_bound(
            rows.E, rows.codes, rows.weights[:, None] * self.table[rows.codes],
            np.ascontiguousarray(duals[:m]), program.n_planes, price, price,
            self.clock.left_to_finish, self._row_groups(groups, duals[m:]),
        )  # fmt: skip

    def _free_terms(self, n: int, rows: Band, duals: Floats) -> Floats:
        """Price 0 for each term, and infinite for one that others imply in every row."""
        groups, m = self._group_rows(), len(rows.E)
        used = duals[:m].sum(axis=1) @ rows.E + duals[m:].sum(axis=1) @ groups.E
        return np.where(self.implied.free(used, *self.range, self.unions), np.inf, np.zeros(n))

    def _row_groups(self, groups: dict[int, GroupSum], duals: Floats) -> Any:
        """What the core asks of rows that are known by their sums."""
        if not groups:
            return None
        codes = np.array([class_of_group(key, self.n_classes) for key in groups], dtype=np.int32)
        high, low, error = (np.array(each) for each in zip(*groups.values(), strict=True))
        return codes, high, low, error, self.table[codes], duals / high[:, -1:]

    def _without_strays(self, rows: Band, checks: Sequence[Check], leave: Departure) -> Band:
        """Rows with those that leave their groups, whose sums lose them."""
        strays = joined_bands([each.strays for each in checks])
        keys = np.concatenate([each.keys for each in checks])
        for key, lost in sums_of(strays.E, keys, strays.weights).items():
            self.totals[key].append(lost._replace(high=-lost.high, low=-lost.low))
        departures = (*self.grouping.departures, leave)
        self.grouping = self.grouping._replace(departures=departures)
        return joined_bands([rows, strays])

    def _check_all(self, planes: RawPlanes) -> Generator[Pass, Any, list[Check]]:
        checks = self._gathered((yield Pass(check_part, (self.grouping, planes, self.table))))
        self.n_reads += 1
        self._refuse_changes([each.digest for each in checks])
        return checks

    def _enlarged(
        self, objective: float, planes: RawPlanes, check: Check
    ) -> Generator[Pass, Any, tuple[float, RawPlanes, Check]]:
        """Planes of separated rows are enlarged until no row lacks any margin."""
        if not (check.error > 0 and 0 < check.least_margin < 1) or self.price:
            return objective, planes, check
        larger = RawPlanes(*((1 + _SPARE) / check.least_margin * each for each in planes))
        total = merged_checks((yield from self._check_all(larger)))
        return (
            (total.error, larger, total) if total.error < objective else (objective, planes, check)
        )

    # Small things.

    def _program(self, rows: Band, charges: Floats) -> HingeProgram:
        return self._hinges(rows, charges, all_planes=self.all_planes)

    def _paid(self, planes: RawPlanes) -> float:
        return self.price * float(np.abs(planes.weights * self.scale).sum()) if self.price else 0.0

    def _gap(self, objective: float, bound: float) -> float:
        difference = max(0.0, objective - bound)
        whole = float(self.class_weights @ self.table.sum(axis=1))
        return difference and difference / max(objective, 1e-4 * whole)

    def _add_sums(self, parts: Any) -> None:
        for sums in parts:
            for key, each in sums.items():
                self.totals.setdefault(key, []).append(each)

    def _resolved(self) -> dict[int, GroupSum]:
        """Sums of all groups that have rows, over all parts."""
        found = {key: added_sums(each) for key, each in sorted(self.totals.items())}
        return {key: each for key, each in found.items() if each.high[-1] > each.error[-1]}

    def _group_rows(self, groups: dict[int, GroupSum] | None = None) -> Band:
        """Means of the groups, as rows."""
        groups = self._resolved() if groups is None else groups
        weights = np.array([each.high[-1] for each in groups.values()])
        means = [each.high[:-1] / each.high[-1] for each in groups.values()]
        E = np.array(means).reshape(len(groups), len(self.scale))
        codes = np.array([class_of_group(key, self.n_classes) for key in groups], dtype=np.int32)
        return Band(E, codes, weights)


def _newton_step(now: Any, shift: float) -> Floats:
    damped = now.hessian + shift * np.trace(now.hessian) * np.eye(len(now.gradient))
    return -np.linalg.lstsq(damped, now.gradient, rcond=None)[0]
