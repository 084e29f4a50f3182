"""A decision that a node could make: what it leaves, what it costs, and what is proved of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask
from planetree.certificate import Certificate
from planetree.planes import Planes, Split
from planetree.solvers import HingeProgram, HingeSolution
from planetree.solvers.hinge_certificate import ProvedPlanes, at_planes, prove


class Candidate(NamedTuple):
    """A decision, the entropy it leaves, how many terms it has, and what its search cost.

    Parameters
    ----------
    split : Planes or Categories
    entropy : float
        Weight times nats, over the branches.
    n_terms : int
    searched : float
        Nats for what was searched beside the terms: a threshold, or a division of categories.
    solved : HingeProgram and HingeSolution, or None
        The plane's program, and its answer.
    used : array of int, or None
        The columns of that program that the terms of the plane are.
    draft : pair of arrays, or None
        Of planes found on some of the rows: which rows belong above the plane, or to which plane
        each belongs, and its terms.
    ahead : float
        What the planes that it makes possible would leave, where that is why it is proposed.
    way : boolean array of shape (n_classes,), or None
        Of a plane between classes: those above it.
    sampled : bool
        Whether it was chosen by a sample of the rows that it divides, and not found again on all.
    taught : bool
        Whether it was found on taught rows: real ones, and others that a teacher labeled.
    in_order : bool
        Of a division of categories: whether better ones may lie outside the order that it was
        sought in: that of the share of one of more than two classes, or of shares that are drawn
        toward those of all rows.
    required : bool
        Whether its column was given, and not chosen.
    """

    split: Split
    entropy: float
    n_terms: int
    searched: float = 0.0
    solved: tuple[HingeProgram, HingeSolution] | None = None
    draft: tuple[Mask | Indices, Indices] | None = None
    used: Indices | None = None
    ahead: float = np.inf
    way: Mask | None = None
    sampled: bool = False
    taught: bool = False
    in_order: bool = False
    required: bool = False

    def certificate(
        self, time_limit: float | None = None, planes: Planes | None = None
    ) -> Certificate:
        """How it was found; the bound of a plane's program is true in exact arithmetic.

        Parameters
        ----------
        time_limit : float, optional
            Seconds that the proof may take.
        planes : Planes, optional
            What predicts in its place: with rounded weights, or another threshold.
        """
        if self.solved is not None:
            proved = prove(*self.solved, time_limit)
            if planes is not None:
                proved = self._at(proved, planes)
            figures = proved.objective, proved.bound, proved.gap, proved.status
            return Certificate(f"linear program{self._where}", *figures)
        if isinstance(self.split, Planes) and len(self.split.offsets) > 1:
            return Certificate(f"search for a pair of planes{self._where}", status="stationary")
        if self.ahead < np.inf:
            kind = f"cut for the planes that follow it{self._where}"
            return Certificate(kind, status="stationary")
        if self.in_order:
            kind = f"division of categories in the order of class shares{self._where}"
            return Certificate(kind, status="stationary")
        kind = f"best cut of {'a required' if self.required else 'every'} column"
        if self._where:
            return Certificate(f"{kind}{self._where}", status="stationary")
        return Certificate(f"{kind}, by entropy", status="optimal")

    @property
    def _where(self) -> str:
        """Which rows it was found on, unless on all rows of its node."""
        if self.taught:
            return " on taught rows"
        return " on a sample of the rows" if self.sampled else ""

    def _at(self, proved: ProvedPlanes, planes: Planes) -> ProvedPlanes:
        """What is proved of other planes of the same terms; a single one may be turned."""
        assert isinstance(self.split, Planes)
        assert self.solved is not None
        after, before = (each / np.abs(each).max() for each in (planes.weights, self.split.weights))
        turned = len(planes.offsets) == 1 and float(np.sum(after * before)) < 0
        sign = -1.0 if turned else 1.0
        weights = np.zeros((len(planes.offsets), self.solved[0].X.shape[1]))
        weights[:, self.used] = sign * planes.weights
        return at_planes(*self.solved, proved, weights, sign * planes.offsets)


class Pricing(NamedTuple):
    """What decisions cost in nats.

    Parameters
    ----------
    unit : float
        Nats that name one term: ln(all terms) + ln(rows) / 2.
    price : float
        What a nat of a decision counts against one of entropy.
    costs : array of shape (n_columns,), optional
        What measuring a column costs, in prices of a term.
    """

    unit: float
    price: float
    costs: Floats | None = None

    @property
    def of_term(self) -> float:
        """Price of a term."""
        return self.price * self.unit

    @property
    def term_charge(self) -> float:
        """Errors that a term must save in the alternating pass: 1 at 0.75, 3 at 1.5."""
        return float((self.price / 0.75) ** np.log2(3.0))

    def of(self, candidate: Candidate, read: frozenset[int] = frozenset()) -> float:
        """Price of a decision below others that read some columns."""
        size = candidate.n_terms + self.measuring(candidate.split, read)
        return self.price * size * self.unit + candidate.searched

    def measuring(self, split: Split, read: frozenset[int]) -> float:
        """Cost of the columns of a decision that were not read before, in prices of a term."""
        if self.costs is None:
            return 0.0
        return sum(float(self.costs[j]) for j in split.features.tolist() if j not in read)

    def size(self, split: Split, read: frozenset[int]) -> float:
        """Terms of a decision and what its columns cost."""
        return split.n_terms + self.measuring(split, read)


def best_of_each_size(candidates: list[Candidate]) -> list[Candidate]:
    """Least entropy for each number of terms and cost of search."""
    best: dict[tuple[int, bool], Candidate] = {}
    for candidate in candidates:
        key = candidate.n_terms, candidate.searched > 0
        if key not in best or candidate.entropy < best[key].entropy - 1e-9:
            best[key] = candidate
    return list(best.values())
