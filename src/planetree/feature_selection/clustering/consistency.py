"""Consistent biclusterings: what they are, and how a selection is made one.

Every feature belongs to the class of samples in which its mean is largest, (8). With m_k selected
features in the class F_k of features, sample j has the averages

    d_jk  =  (1 / m_k) sum of a_ij over the selected features i of F_k,

and the selection is consistent if for every sample j of class h and every other class k

    d_jh  >=  d_jk + t max(0, d_jk).

At t = 0 this is (9) of Busygin & Pardalos (2005). For t > 0 it is (9) and (24) together: where d_jk
is positive it is their d_jh >= (1 + t) d_jk. Where d_jk is negative (24) alone would ask for less
than (9), so (9) stays.

A selection that is not consistent is repaired: the feature goes that leaves the smallest sum of
violations, until there are none; then comes back what does no harm. Each step looks at every
feature once, in closed form. Once hundreds are gone, several go at a time.

A class that no feature belongs to has the same average for all samples, its baseline: a constant
feature of its own. The class then is where all other averages are low.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planetree.arrays import Floats, Indices, Mask

__all__ = ["Biclustering", "feature_classes"]


_ROUNDING = 1e-10  # of the largest value, what an average may be wrong by
_SINGLY = 100  # features that go one at a time, before two go together


def feature_classes(means: Floats) -> Indices:
    """Class in which the mean of each feature is largest, the first of equals, (8)."""
    return means.argmax(axis=0)


@dataclass(frozen=True, eq=False)
class Biclustering:
    """Samples with their classes, features with theirs, and the separation t asked for.

    `kept` says which samples count.
    """

    values: Floats
    codes: Indices
    classes: Indices
    separation: float
    kept: Mask

    @cached_property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.classes.max()) + 1

    @cached_property
    def members(self) -> Mask:
        """Which features belong to each class: F of the paper, one row a class."""
        return self.classes == np.arange(self.n_classes)[:, None]

    @cached_property
    def rounding(self) -> float:
        """How far an average may be wrong."""
        return _ROUNDING * float(np.abs(self.values).max())

    def averages(self, selected: Mask) -> Floats:
        """Average of the selected features of each class in each sample: D of the paper."""
        chosen = self.members & selected
        return self.values @ (chosen / chosen.sum(axis=1, keepdims=True)).T

    def slacks(self, averages: Floats) -> Floats:
        """By how much each inequality holds; infinite for a sample's own class."""
        own = np.take_along_axis(averages, self.codes[:, None], axis=1)
        slacks = own - raised(averages, self.separation)
        np.put_along_axis(slacks, self.codes[:, None], np.inf, axis=1)
        return slacks

    def violated(self, selected: Mask) -> Mask:
        """Which samples, kept or not, violate an inequality, from the definition."""
        return np.any(self.slacks(self.averages(selected)) < -self.rounding, axis=1)

    def consistent(self, selected: Mask) -> bool:
        """Whether the samples that are kept violate nothing."""
        return not np.any(self.violated(selected) & self.kept)

    def repair(self, selected: Mask) -> Mask | None:
        """Make a selection consistent, or None: take features away, then put back what can be."""
        found = self._reduce(selected.copy())
        return None if found is None else self._fill(found)

    def _reduce(self, selected: Mask) -> Mask | None:
        n_gone = 0
        while not self.consistent(selected):
            costs = self._violations_after(selected, selected, -1.0)
            at_a_time = 1 + n_gone // _SINGLY
            best = np.argsort(costs, kind="stable")[:at_a_time]
            n_before = n_gone
            for feature in best[np.isfinite(costs[best])]:
                if np.count_nonzero(selected & (self.classes == self.classes[feature])) > 1:
                    selected[feature] = False
                    n_gone += 1
            if n_gone == n_before:
                return None
        return selected

    def _fill(self, selected: Mask) -> Mask:
        while not selected.all():
            costs = self._violations_after(selected, ~selected, 1.0)
            best = int(costs.argmin())
            if costs[best] > 0:
                break
            selected[best] = True
        return selected

    def _violations_after(self, selected: Mask, candidates: Mask, step: float) -> Floats:
        """Sum of violations once one candidate is taken away (step -1) or put in (step 1).

        Infinite for what is no candidate, and for the last feature of a class.
        """
        costs = np.full(len(self.classes), np.inf)
        averages = self.averages(selected)[self.kept]
        for k in range(self.n_classes):
            size = np.count_nonzero(selected & (self.classes == k))
            features = np.flatnonzero(candidates & (self.classes == k))
            if size + step >= 1 and len(features):
                values = self.values[np.ix_(self.kept, features)]
                moved = averages[:, [k]] + step * (values - averages[:, [k]]) / (size + step)
                costs[features] = self._violations(averages, k, moved)
        return costs

    def _violations(self, averages: Floats, k: int, moved: Floats) -> Floats:
        """Sum of violations when the averages of class k are each column of `moved`."""
        t, codes = self.separation, self.codes[self.kept]
        mine, level = codes == k, raised(averages, t)
        level[:, k] = -np.inf
        # A sample of class k compares its moved average with the others, which stay.
        total = sum(
            np.maximum(0.0, level[mine, [other]][:, None] - moved[mine] - self.rounding).sum(axis=0)
            for other in range(self.n_classes)
            if other != k
        )
        own = np.take_along_axis(averages, codes[:, None], axis=1)[~mine]
        excess = raised(moved[~mine], t) - own - self.rounding
        np.maximum(excess, 0.0, out=excess)
        np.put_along_axis(level, codes[:, None], -np.inf, axis=1)
        fixed = np.maximum(0.0, level[~mine] - own - self.rounding).sum()
        return total + excess.sum(axis=0) + fixed


def raised(averages: Floats, separation: float) -> Floats:
    """What another class's average must not exceed the own one by: d + t max(0, d)."""
    return averages + separation * np.maximum(averages, 0.0)
