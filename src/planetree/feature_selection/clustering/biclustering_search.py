"""The largest consistent selection, proved in exact arithmetic: branch and bound over shares.

Where a selection has m_k features of class k, the shares z of `biclustering_programs` are 1 / m_k
for what is selected and 0 elsewhere. So all selections that have from L_k to U_k features of class
k, with some features decided, have shares in a box,

    z_i = 0                    for a feature that is left out,
    1 / U_k <= z_i <= 1 / L_k  for one that is selected,
    0 <= z_i <= 1 / L_k        for one that is undecided,

and satisfy (15) and, up to a small number e, (16) and (24). If the program

    min t   s.t.   (15),   g z + t >= -e  for every row g of (16)(24),   t >= 0,   z in its box

is above 0, none of them is consistent. Its duals prove that, whatever the solver: the bound that
`certificate.check` makes of them holds in exact arithmetic, because every column has finite bounds.
A box that this does not rule out is divided in two, first by the sizes of a class, and where
all sizes are known, by a feature. Where all features are decided, the definition decides.

e makes room for what the rows are rounded by, and for what `Biclustering.consistent` lets pass. So
a selection that it accepts is never ruled out, and one that it does not accept violates an
inequality also in exact arithmetic.

To prove that no selection has n features or more, it is enough to look at the sizes that sum to n
or more. All programs differ in their boxes alone, so each starts from the last basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Indices, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.exceptions import SolverError
from planetree.feature_selection.clustering.biclustering_programs import (
    Biclustering,
    ConsistencyProgram,
)
from planetree.solvers import LinearProgram

_EPSILON = float(np.finfo(np.float64).eps)
_FEW_BOXES = 100  # for each number of features tried: some tenths of a second


class _Answer(NamedTuple):
    """A selection that is large enough, None if none was found; and whether none exists."""

    selected: Mask | None
    impossible: bool


class _Box(NamedTuple):
    """Selections with these features and without those, and so many of each class."""

    chosen: Mask
    left_out: Mask
    least: Indices
    most: Indices


class SelectionSearch:
    """Looks for consistent selections of many features, or proves that there are none."""

    def __init__(self, problem: Biclustering) -> None:
        self.problem = problem
        m, size = len(problem.classes), float(np.abs(problem.values).max())
        rounded = (m + 16) * _EPSILON * (2.0 + problem.separation) * size
        self.is_exact: bool = rounded <= problem.rounding
        shares = ConsistencyProgram(problem)
        rows, r = shares.all_rows(), problem.n_classes
        room = 2.0 * (problem.rounding + rounded) / shares.scale
        self._most_t = 4.0 * float(np.abs(rows).max(initial=0.0))  # satisfies every row
        self._program = LinearProgram(
            np.append(np.zeros(m), 1.0),
            sp.block_array([[shares.sums, None], [sp.csr_array(rows), np.ones((len(rows), 1))]]),
            np.append(np.ones(r), np.full(len(rows), -room)),
            np.append(np.ones(r), np.full(len(rows), np.inf)),
            0.0,
            np.append(np.ones(m), self._most_t),
            presolve=False,
            name="program of BiclusteringSelector",
        )

    def most(self, found: int, clock: Clock = UNLIMITED) -> int:
        """How many features no consistent selection exceeds, by few boxes; `found` has one."""
        least, most = found, len(self.problem.classes)
        while least < most:
            middle = (least + most) // 2
            if self.at_least(middle + 1, _FEW_BOXES, clock).impossible:
                most = middle
            else:
                least = middle + 1
        return most

    def at_least(self, n_features: int, most_boxes: int, clock: Clock = UNLIMITED) -> _Answer:
        """Look for a consistent selection of so many features, in at most so many boxes."""
        nothing, sizes = np.zeros(len(self.problem.classes), bool), self.problem.members.sum(axis=1)
        boxes = [_Box(nothing, nothing, np.ones_like(sizes), sizes)]
        while boxes:
            box = self._tightened(boxes.pop(), n_features)
            if box is None:
                continue
            if most_boxes == 0 or clock.is_over:
                return _Answer(None, False)
            most_boxes -= 1
            z = self._shares(box, clock)
            if z is None:
                continue
            parts = list(self._parts(box, z))
            if not parts and self.problem.consistent(box.chosen):
                return _Answer(box.chosen, False)
            boxes += parts
        return _Answer(None, self.is_exact)

    def _tightened(self, box: _Box, n_features: int) -> _Box | None:
        """The box with the sizes that its features and the others' sizes allow; None if empty."""
        members = self.problem.members
        most = np.minimum(box.most, (members & ~box.left_out).sum(axis=1))
        least = np.maximum(box.least, (members & box.chosen).sum(axis=1))
        least = np.maximum(least, n_features - (most.sum() - most))
        return None if np.any(least > most) else box._replace(least=least, most=most)

    def _shares(self, box: _Box, clock: Clock) -> Floats | None:
        """Shares in a box that satisfy all rows as nearly as any can; None if none satisfy them."""
        classes = self.problem.classes
        lower = np.where(box.chosen, (1.0 - _EPSILON) / box.most[classes], 0.0)
        upper = np.where(box.left_out, 0.0, (1.0 + 2.0 * _EPSILON) / box.least[classes])
        self._program.change_bounds(np.append(lower, 0.0), np.append(upper, self._most_t))
        try:
            solution = self._program.solve(clock.at_least_a_moment)
        except SolverError:  # nothing is known, so the box is divided
            return lower
        return None if solution.bound > 0 else solution.x[:-1]

    def _parts(self, box: _Box, z: Floats) -> Iterator[_Box]:
        """Two halves of a box, the more promising last; none if it holds one selection."""
        undecided = ~(box.chosen | box.left_out)
        ratio = box.most / box.least
        k = int(ratio.argmax())
        if ratio[k] > 1.0:
            middle = int(np.sqrt(box.least[k] * box.most[k]))
            at_k = np.arange(len(ratio)) == k
            yield box._replace(most=np.where(at_k, middle, box.most))
            yield box._replace(least=np.where(at_k, middle + 1, box.least))
        elif undecided.any():
            x = z * box.least[self.problem.classes]
            i = int(np.where(undecided, np.abs(x - 0.5), np.inf).argmin())
            at_i = np.arange(len(z)) == i
            parts = (
                box._replace(left_out=box.left_out | at_i),
                box._replace(chosen=box.chosen | at_i),
            )
            yield from parts if x[i] > 0.5 else parts[::-1]
