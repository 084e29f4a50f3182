"""The cheapest change of a row that changes its answer, with the proof that nothing cheaper does.

Where the answer is that of a way, it is one in each region between the planes (`answer_regions`).
So the cheapest row with another answer is the best of one program for each region,

    min   sum over changed columns of  price_j |x'_j - x_j| / deviation_j
    s.t.  x' is in the region and within its bounds, at most `max_changes` columns change,
          whole numbers stay whole,

where a change of a category costs its price. The core solves them all by one branch and bound, in
which multipliers of the planes prove the bound (`cpp/changes`).

A side of a plane that does not contain the plane has no cheapest row. What is returned clears it,
as does every row that the proof is about, by `_CLEARANCE` times the size of the sum: far more than
rounding, so exports, which may add terms in another order, give the same class. A row on a plane
counts only where its sum has no rounding: a single number, or whole numbers times whole ones.

- the model gives the row its new answer: each is asked before it is returned;
- the certificate's bound holds for every such row, in any region;
- of several answers for one row, none changes all the columns that an earlier one changes, and
  each is the cheapest of that kind.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np

from planetree._core import cheapest_change
from planetree.arrays import Floats, Indices, Mask
from planetree.certificate import Certificate
from planetree.exceptions import SolverError
from planetree.planes import Planes
from planetree.table import Column, ColumnRanges, Table, column_ranges
from planetree.tree.inspection.answer_regions import AnswerRegions, HalfSpaces, Regions
from planetree.tree.inspection.fitted_tree import FittedTree
from planetree.tree.inspection.row_moves import Change, Changeable, cell_value, read_changeable

_CLEARANCE = 4e-9  # of a sum's size; four times what the core takes for a whole number of steps


class Counterfactual(NamedTuple):
    """The cheapest change of a row that changes its answer.

    Parameters
    ----------
    answer : object
        The class that the changed row gets.
    changes : tuple of Change
        The cells that change, the largest change first.
    values : dict
        The changed row: the value of each column, None where it is missing.
    cost : float
        Sum of the prices of the changes.
    certificate : Certificate
        That no cheaper change gets there.
    """

    answer: Any
    changes: tuple[Change, ...]
    values: dict[str, Any]
    cost: float
    certificate: Certificate

    def to_text(self) -> str:
        """The change in one sentence."""
        parts = [str(change) for change in self.changes]
        return f"{', '.join(parts) or 'no change'}: {self.answer} (cost {self.cost:.4g})"


class ChangedRow(NamedTuple):
    """A row after its cheapest change; no cells where none gets there.

    Parameters
    ----------
    cells : array of shape (n_columns,) or None
    code : int
        Code of its class.
    cost, bound : float
        What it costs, and the least that any such change does.
    """

    cells: Floats | None
    code: int
    cost: float
    bound: float


@dataclass(eq=False)
class ChangeSearch:
    """Searches for the cheapest changes of rows.

    Parameters
    ----------
    regions : AnswerRegions
    changeable : Changeable
    max_changes : int
    clearance : float
        By which share of a sum's size changed rows clear planes; 0 for the closed regions.
    """

    kind: ClassVar[str] = "branch and bound over regions"  # of its certificates
    proved: ClassVar[float] = 1e-6  # share of the cost that the bound may leave open

    regions: AnswerRegions
    changeable: Changeable
    max_changes: int
    clearance: float = _CLEARANCE
    _members: dict[Any, tuple[Indices, Indices, Indices]] = field(default_factory=dict)
    _half_spaces: HalfSpaces | None = None
    _exact: Mask = field(default_factory=lambda: np.empty(0, dtype=bool))
    _seen: Regions | None = None  # those of the last row

    def cheapest(
        self, cells: Floats, wanted: frozenset[int], held: frozenset[int] = frozenset()
    ) -> ChangedRow:
        """Cheapest change of a row to one of the wanted classes, with the cells of `held` as is."""
        missing, unseen = self.open_cells(cells)
        regions = self.regions.of(missing, unseen)
        half_spaces = self._spaces(regions)
        moves = self.changeable.moves(cells, half_spaces, held)
        chosen, members, starts = self._chosen((missing, unseen), regions, wanted)
        sizes, place, cost, bound, _ = cheapest_change(
            moves.parts,
            moves.columns,  # moves of one cell exclude each other
            len(cells),
            np.concatenate([moves.effects, -moves.effects]),
            self._rights(cells, half_spaces),
            members,
            starts,
            self.max_changes,
        )
        if place < 0:
            return ChangedRow(None, -1, np.inf, bound)
        region = int(chosen[place])
        new = self.changeable.changed(cells, moves, sizes)
        new = _onto_the_side(cells, new, regions.sides[region], half_spaces)
        cost = self.changeable.cost(cells, new)
        return ChangedRow(new, int(regions.codes[region]), cost, min(bound, cost))

    def diverse(self, cells: Floats, wanted: frozenset[int], n: int) -> list[ChangedRow]:
        """The cheapest change, then the cheapest ones that do not change all that one before did.

        Every later answer leaves a column of each earlier one as it is: columns are held in all
        ways that do so, the cheapest way first.
        """
        if n == 1:
            cheapest = self.cheapest(cells, wanted)
            return [] if cheapest.cells is None else [cheapest]
        found: list[tuple[frozenset[int], ChangedRow]] = []
        waiting: list[tuple[float, int, frozenset[int], ChangedRow]] = []
        numbers, asked = count(), set()

        def ask(held: frozenset[int]) -> None:
            if held not in asked:
                asked.add(held)
                row = self.cheapest(cells, wanted, held)
                if row.cells is not None:
                    heapq.heappush(waiting, (row.cost, next(numbers), held, row))

        ask(frozenset())
        while waiting and len(found) < n:
            _, _, held, row = heapq.heappop(waiting)
            assert row.cells is not None
            changed = frozenset(np.flatnonzero(_differs(cells, row.cells)).tolist())
            earlier = next((columns for columns, _ in found if columns <= changed), None)
            if earlier is None:
                found.append((changed, row))
                earlier = changed
            if len(found) < n:
                for column in sorted(earlier):
                    ask(held | {column})
        return [row for _, row in found]

    def _spaces(self, regions: Regions) -> HalfSpaces:
        """Half-spaces of all regions found so far."""
        if self._seen is not regions:
            used = max((number for sides in regions.sides for number, _ in sides), default=-1)
            if self._half_spaces is None or used >= len(self._half_spaces.offsets):
                self._half_spaces = self.regions.half_spaces
                self._exact = self._half_spaces.are_exact(self.changeable.whole)
                self._members.clear()
            self._seen = regions
        assert self._half_spaces is not None
        return self._half_spaces

    def open_cells(self, cells: Floats) -> tuple[frozenset[int], frozenset[int]]:
        """Columns whose cells are missing, and those whose categories training did not have."""
        new = self.changeable.categorical & (cells < 0)
        return (
            frozenset(np.flatnonzero(np.isnan(cells)).tolist()),
            frozenset(np.flatnonzero(new).tolist()),
        )

    def _chosen(
        self, missing: Any, regions: Regions, wanted: frozenset[int]
    ) -> tuple[Indices, Indices, Indices]:
        """Regions of the wanted classes: numbers, and their half-spaces one after another."""
        key = missing, wanted
        if key not in self._members:
            assert self._half_spaces is not None
            n = len(self._half_spaces.offsets)
            chosen = np.flatnonzero(np.isin(regions.codes, list(wanted)))
            sides = [regions.sides[r] for r in chosen]
            members = [number + n * above for each in sides for number, above in each]
            starts = np.concatenate([[0], np.cumsum([len(each) for each in sides])])
            self._members[key] = chosen, np.array(members, np.int64), starts.astype(np.int64)
        return self._members[key]

    def _rights(self, cells: Floats, half_spaces: HalfSpaces) -> Floats:
        """How far scores may rise to stay below each plane, and fall to stay above it."""
        scores = half_spaces.scores(cells)
        spare = self.clearance * half_spaces.sizes(self.changeable.reach(cells))
        below = np.where(self._exact, 0.0, spare)
        return np.concatenate([-scores - below, scores - spare])


def counterfactuals(
    search: ChangeSearch,
    rows: Floats,
    wanted: list[frozenset[int]],
    n_answers: int,
    codes_of: Callable[[Floats], Indices],
) -> list[list[ChangedRow]]:
    """Cheapest changes of rows, each confirmed by the model; `codes_of` asks it."""
    found = [search.diverse(r, w, n_answers) for r, w in zip(rows, wanted, strict=True)]
    for _ in range(3):
        wrong = _refused(found, codes_of)
        if not wrong:
            return found
        search.clearance *= 100.0  # sums of cells that cancel round more than their size says
        for row in wrong:
            found[row] = search.diverse(rows[row], wanted[row], n_answers)
    raise SolverError(
        f"Changes of row {wrong[0]} do not get the class of their region from the model: its "
        "weights are scaled too badly.",
        "unverified",
    )


def radii(
    fitted: FittedTree,
    rows: Floats,
    codes: list[int],
    ranges: ColumnRanges,
    regions: AnswerRegions | None = None,
) -> Floats:
    """Radius of each row within which no change of its numbers changes its class.

    The regions are taken with their borders, where the least sum of changes in deviations is
    attained: it is the radius, and its bound is what is returned. NaN where borders are curved.
    """
    if is_curved(fitted):
        return np.full(len(rows), np.nan)
    numbers = [j for j, column in enumerate(fitted.columns) if column.categories is None]
    free = read_changeable(
        fitted.columns, ranges, changeable=numbers, bounds=None, whole_numbers=False
    )
    regions = AnswerRegions(fitted) if regions is None else regions
    search = ChangeSearch(regions, free, len(numbers), clearance=0.0)
    wanted = [other_classes(fitted, code) for code in codes]
    return np.array([search.cheapest(*pair).bound for pair in zip(rows, wanted, strict=True)])


def other_classes(fitted: FittedTree, code: int) -> frozenset[int]:
    """Codes of all classes but one."""
    return frozenset(range(len(fitted.classes))) - {code}


def column_ranges_of(model: Any, rows: Floats) -> ColumnRanges:
    """Ranges of the columns in training; of some rows where a model keeps none."""
    kept: ColumnRanges | None = getattr(model, "ranges_", None)
    return kept or column_ranges(Table(rows, model.columns_))


def is_curved(fitted: FittedTree) -> bool:
    """Whether the class follows graded probabilities, and not the way of a row."""
    graded = (isinstance(split, Planes) and split.spread > 0 for split in fitted.tree.splits)
    return fitted.missing and not fitted.keeps_class and any(graded)


def _refused(found: list[list[ChangedRow]], codes_of: Callable[[Floats], Indices]) -> list[int]:
    """Rows of which a change does not get its class from the model."""
    places = [(row, each) for row, answers in enumerate(found) for each in answers]
    if not places:
        return []
    codes = codes_of(np.array([each.cells for _, each in places]))
    return sorted(
        {row for (row, each), code in zip(places, codes, strict=True) if code != each.code}
    )


def described(
    row: ChangedRow,
    cells: Floats,
    columns: tuple[Column, ...],
    answer: Any,
    search: ChangeSearch,
) -> Counterfactual:
    """A changed row in the terms of its table."""
    scales = search.changeable.scales
    new = row.cells
    assert new is not None
    changes = [
        Change(
            columns[j].name,
            cell_value(columns[j], cells[j]),
            cell_value(columns[j], new[j]),
            answer,
            float("nan")
            if columns[j].categories is not None
            else float(abs(new[j] - cells[j]) / scales[j]),
        )
        for j in np.flatnonzero(_differs(cells, new)).tolist()
    ]
    changes.sort(key=lambda change: (np.isnan(change.size), -change.size))
    values = dict(zip([column.name for column in columns], new.tolist(), strict=True))
    for j in np.flatnonzero(search.changeable.categorical | np.isnan(new)).tolist():
        values[columns[j].name] = cell_value(columns[j], new[j])
    gap = (row.cost - row.bound) / row.cost if row.cost > 0 else 0.0
    status = "optimal" if gap <= search.proved else "unproved"
    proof = Certificate(search.kind, row.cost, row.bound, gap, status)
    return Counterfactual(answer, tuple(changes), values, row.cost, proof)


def _onto_the_side(
    cells: Floats, new: Floats, sides: tuple[tuple[int, bool], ...], half_spaces: HalfSpaces
) -> Floats:
    """The row with numbers that rounding took beyond a threshold of theirs put back onto it."""
    for number, above in sides:
        j = int(half_spaces.single_columns[number])
        if above or j < 0 or new[j] == cells[j]:
            continue
        sign = half_spaces.numbers[number, j]
        limit = sign * half_spaces.offsets[number]
        new[j] = min(new[j], limit) if sign > 0 else max(new[j], limit)
    return new


def _differs(cells: Floats, new: Floats) -> Any:
    return ~np.isnan(cells) & (cells != new)
