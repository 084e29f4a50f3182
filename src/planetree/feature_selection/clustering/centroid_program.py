"""The programs of k-means local optimality, whose rows are built only where they are violated.

With class centroids c_k and weights x of the features, row (j, k) asks of a sample a_j of class h

    g_jk x  =  sum_i [(a_ij - c_ik)^2 - (1 + margin) (a_ij - c_ih)^2] x_i  >=  0    for each k != h.

    most weight     max sum(x)   s.t.  g_jk x >= 0,    0 <= x <= upper
    widest room     max rho      s.t.  g_jk x >= rho,  0 <= x <= upper,  sum(x) = n_features
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.row_generation import solve_by_rows
from planetree.feature_selection.clustering.samples import Samples
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE

__all__ = ["CentroidProgram"]

_AT_ONCE = 100  # rows that join a program together


class CentroidProgram:
    """Constraints (2) of the samples that are `kept`, and the two programs on them."""

    def __init__(self, samples: Samples, margin: float, clock: Clock = UNLIMITED) -> None:
        self.samples = samples
        self.margin = margin
        self.clock = clock
        self.centers = samples.class_means()
        self.kept = np.ones(len(samples.codes), dtype=bool)
        self.joined: list[tuple[int, int]] = []

    def distances(self, x: Floats) -> Floats:
        """Weighted squared distance of each sample from each centroid."""
        weights = self.samples.by_term(x)
        return np.column_stack([(self.samples.values - c) ** 2 @ weights for c in self.centers])

    def slacks(self, x: Floats, distances: Floats | None = None) -> Floats:
        """By how much each constraint holds; infinite for a sample's own class."""
        distances = self.distances(x) if distances is None else distances
        own = np.take_along_axis(distances, self.samples.codes[:, None], axis=1)
        slacks = distances - (1.0 + self.margin) * own
        np.put_along_axis(slacks, self.samples.codes[:, None], np.inf, axis=1)
        return slacks

    def violated_samples(self, x: Floats) -> Mask:
        """Which of the kept samples violate a constraint, by more than rounding."""
        return self._violations(x, 0.0).max(axis=1) > 0

    def most_weight(self, upper: Floats) -> Solution:
        """Solve (18)(2): the largest sum of weights, none above its `upper`."""
        self.joined = []
        rows = self._join(upper)
        program = LinearProgram(
            np.full(len(upper), -1.0),
            rows if len(rows) else None,
            0.0,
            upper=upper,
            presolve=False,
            name="program of CentroidSelector",
        )
        return solve_by_rows(program, self._join, self.clock)

    def widest_room(self, upper: Floats, n_features: int) -> Floats:
        """Weights that sum to `n_features` and leave the most room in the tightest constraint."""
        self.joined = []
        m = len(upper)
        scale = np.abs(self._row(0, int(self.samples.codes[0] == 0))).mean() or 1.0
        program = LinearProgram(
            np.append(np.zeros(m), -1.0),
            np.append(np.ones(m), 0.0)[None],
            n_features,
            n_features,
            np.append(np.zeros(m), -np.inf),
            np.append(upper, self.distances(upper).max() / scale),
            presolve=False,
            name="program of CentroidSelector",
        )

        def join(point: Floats) -> Floats:
            rows = self._join(point[:-1], point[-1] * scale, scale)
            return np.column_stack([rows, np.full(len(rows), -1.0)]) if len(rows) else rows

        return solve_by_rows(program, join, self.clock).x[:-1]

    def _violations(self, x: Floats, room: float) -> Floats:
        """How far each constraint is violated, beyond rounding; 0 where it is not."""
        distances = self.distances(x)
        rounding = TOLERANCE * (2.0 + self.margin) * distances.max(axis=1, keepdims=True)
        short = room - self.slacks(x, distances)
        return np.where(self.kept[:, None] & (short > rounding), short, 0.0)

    def _join(self, x: Floats, room: float = 0.0, scale: float | None = None) -> Floats:
        """Rows that x violates most and that are not in the program yet."""
        short = self._violations(x, room)
        if self.joined:
            short[tuple(np.transpose(self.joined))] = 0.0
        worst = np.argsort(-short, axis=None, kind="stable")[:_AT_ONCE]
        pairs = [divmod(int(at), short.shape[1]) for at in worst if short.flat[at] > 0]
        self.joined += pairs
        return np.array([self._row(j, k, scale) for j, k in pairs])

    def _row(self, j: int, k: int, scale: float | None = None) -> Floats:
        """Row g_jk, divided by `scale` or by the mean size of its entries."""
        values, own, other = self.samples.values[j], self.centers[self.samples.codes[j]], k
        near, far = values - own, values - self.centers[other]
        row = self.samples.by_column(far**2 - near**2 - self.margin * near**2)
        return row / (scale or np.abs(row).mean())
