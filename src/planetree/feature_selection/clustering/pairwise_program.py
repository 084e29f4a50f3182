"""The programs of pairwise thresholds, whose rows are built only where they are violated.

Columns are the weights x of the features and the thresholds I and E. With d_p the differences of
the two samples of pair p, squared, feature by feature:

    I - d_p x >= 0   for every pair of one class that is kept,                           (3)
    d_p x - E >= 0   for every pair of two classes that is kept,                         (4)
    E - I >= 0.                                                                          (5)

    separation    max E - I        (20)
    features      max sum(x)       (18)

Squared differences are scaled so that the median distance within classes is 1000 at x = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist

from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.row_generation import given_weights, solve_by_rows
from planetree.feature_selection.clustering.samples import Samples
from planetree.solvers import LinearProgram, Solution
from planetree.solvers.certificate import TOLERANCE

__all__ = ["PairwiseProgram"]

_AT_ONCE = 40  # rows of each kind that join a program together
_MEDIAN = 1000.0
_BLOCK = 16  # terms compared at a time: most pairs differ in the first few


class _Thresholds(NamedTuple):
    """Largest distance of a kept pair of one class, and smallest of a kept pair of two."""

    within: float
    between: float


class PairwiseProgram:
    """Constraints (3)-(5) of the pairs that are `kept`, and the program on them."""

    def __init__(self, samples: Samples, clock: Clock = UNLIMITED) -> None:
        n = len(samples.codes)
        self.samples = samples
        self.clock = clock
        self.first, self.second = np.triu_indices(n, 1)
        self.same = samples.codes[self.first] == samples.codes[self.second]
        self.kept = np.ones(len(self.same), dtype=bool)
        self.n_features = samples.n_columns
        full = self.distances(np.ones(self.n_features))
        within = np.median(full[self.same]) if self.same.any() else 0.0
        self.scale = (within or full.max()) / _MEDIAN
        self.largest = full.max() / self.scale
        self.joined = np.zeros(0, dtype=np.intp)
        self.joined = self._worst(np.where(self.same, full, -full), room=-np.inf)

    def distances(self, x: Floats) -> Floats:
        """Weighted squared distance of each pair."""
        used = self.samples.by_term(x) > 0
        roots = np.sqrt(self.samples.by_term(x)[used])
        if not used.any():
            return np.zeros(len(self.same))
        return pdist(self.samples.values[:, used] * roots, "sqeuclidean")

    def thresholds(self, x: Floats) -> _Thresholds:
        """The thresholds that the weights x leave, from the definition."""
        distances = self.distances(x)
        return _Thresholds(
            float(distances[self.kept & self.same].max(initial=0.0)),
            float(distances[self.kept & ~self.same].min(initial=np.inf)),
        )

    def solve(self, objective: str) -> Solution:
        """Solve for one of the objectives, from the rows that joined before and are kept."""
        self.joined = self.joined[self.kept[self.joined]]
        m = self.n_features
        cost = np.append(np.zeros(m), [1.0, -1.0])
        if objective == "features":
            cost = np.append(np.full(m, -1.0), [0.0, 0.0])
        rows = np.vstack([np.append(np.zeros(m), [-1.0, 1.0])[None], self._rows(self.joined)])
        upper = np.append(np.ones(m), [self.largest, self.largest])
        name = "program of PairwiseSelector"
        program = LinearProgram(cost, rows, 0.0, upper=upper, presolve=False, name=name)
        return solve_by_rows(program, self._join, self.clock)

    def satisfied(self, solution: Solution, objective: str) -> bool:
        """Whether weights other than 0 satisfy the thresholds of all kept pairs."""
        within, between = self.thresholds(solution.x[:-2])
        return within <= between and not self.trivial(solution, objective)

    def full_weights(self, objective: str) -> Solution:
        """All weights 1, after the fewest pairs are dropped that keep them from thresholds.

        A threshold t drops the pairs of one class beyond it and those of two classes below it.
        """
        full = self.distances(np.ones(self.n_features))
        apart = np.unique(full[~self.same])
        below, same = np.sort(full[~self.same]), np.sort(full[self.same])
        dropped = np.searchsorted(below, apart) + len(same) - np.searchsorted(same, apart, "right")
        threshold = apart[dropped.argmin()]
        self.kept = np.where(self.same, full <= threshold, full >= threshold)
        self.joined = np.zeros(0, dtype=np.intp)
        within, between = self.thresholds(np.ones(self.n_features))
        x = np.append(np.ones(self.n_features), np.array([within, between]) / self.scale)
        bound = -float(self.n_features if objective == "features" else between / self.scale)
        return given_weights(x, bound, n_rows=1)

    def trivial(self, solution: Solution, objective: str) -> bool:
        """Whether x = 0 is all that the constraints allow.

        The constraints are homogeneous, so another optimum would have a weight of 1.
        """
        return -solution.value <= (0.5 if objective == "features" else TOLERANCE * _MEDIAN)

    def drop(self, pairs: Indices) -> None:
        """Drop pairs, and those that ask for more in every single feature than one of them."""
        self.kept[pairs] = False
        for pair in pairs:
            self.kept[self._as_strict(pair)] = False

    def squares(self, pairs: Indices) -> Floats:
        """Squared differences of pairs, feature by feature, in the units of the program."""
        values = self.samples.values
        differences = values[self.first[pairs]] - values[self.second[pairs]]
        return self.samples.by_column(differences**2) / self.scale

    def _rows(self, pairs: Indices) -> Floats:
        same = self.same[pairs][:, None]
        sign = np.where(same, -1.0, 1.0)
        return np.hstack([sign * self.squares(pairs), same * 1.0, ~same * -1.0])

    def _join(self, point: Floats) -> Floats:
        """Rows that a point violates most and that are not in the program yet."""
        distances = self.distances(point[:-2]) / self.scale
        inner, outer = point[-2:]
        short = np.where(self.same, distances - inner, outer - distances)
        new = self._worst(short, room=TOLERANCE * max(_MEDIAN, inner, outer))
        self.joined = np.append(self.joined, new)
        return self._rows(new)

    def _worst(self, short: Floats, room: float) -> Indices:
        """Pairs of each kind that fall short most, those that joined before left out."""
        open_pairs = self.kept & (short > room)
        open_pairs[self.joined] = False
        kinds = (np.flatnonzero(open_pairs & kind) for kind in (self.same, ~self.same))
        order = [pairs[np.argsort(-short[pairs], kind="stable")[:_AT_ONCE]] for pairs in kinds]
        return np.concatenate(order)

    def _as_strict(self, pair: int) -> Indices:
        """Other kept pairs that ask at least as much as this one in every single feature."""
        sign = 1.0 if self.same[pair] else -1.0
        others = np.flatnonzero(self.kept & (self.same == self.same[pair]))
        for start in range(0, self.samples.values.shape[1], _BLOCK):
            values = self.samples.values[:, start : start + _BLOCK]
            own = np.abs(values[self.first[pair]] - values[self.second[pair]])
            sizes = np.abs(values[self.first[others]] - values[self.second[others]])
            others = others[np.all(sign * (sizes - own) >= 0, axis=1)]
            if not len(others):
                break
        return others
