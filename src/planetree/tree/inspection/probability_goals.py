"""What a changed row should get, as claims that are linear in the probabilities of the classes.

A class c has a probability of at least t:          P_c >= t
A class c is the cheapest answer, for all j:        sum_i P_i (cost_ij - cost_ic) >= 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices


class ProbabilityGoal(NamedTuple):
    """What a changed row should get: one of some classes, with a probability if one is given."""

    wanted: frozenset[int]
    probability: float | None = None


class _Claims(NamedTuple):
    """What must hold of the probabilities P: of some claim, rows P >= least for every row of it.

    Parameters
    ----------
    rows : array of shape (n_rows, n_classes)
    least : array of shape (n_rows,)
    of : array of shape (n_rows,)
        Which claim a row belongs to: one for each wanted class.
    """

    rows: Floats
    least: Floats
    of: Indices

    def allowed(self, most: Floats) -> bool:
        """Whether some claim may hold, where its sums are at most so much."""
        held = most >= self.least
        return any(bool(held[self.of == claim].all()) for claim in np.unique(self.of))


def claims_of(goal: ProbabilityGoal, costs: Floats) -> _Claims:
    """A class is the cheapest answer, or has a probability."""
    k, rows, of = len(costs), [], []
    for claim, c in enumerate(sorted(goal.wanted)):
        own = [np.eye(k)[c]]
        if goal.probability is None:
            own = [costs[:, j] - costs[:, c] for j in range(k) if j != c]
        rows += own
        of += [claim] * len(own)
    least = 0.0 if goal.probability is None else goal.probability
    return _Claims(np.array(rows), np.full(len(rows), least), np.array(of))
