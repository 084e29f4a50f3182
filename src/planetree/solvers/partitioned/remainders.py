"""Terms that others make up but for rounding: what is left of them takes their place in a proof.

Let c be the rounded sum of the terms a and b, and e = c - a - b what rounding left. Planes of
(a, b, c) are planes of (a, b, e), since w c = w a + w b + w e. So the programs are the same, but
floating point cannot tell c from a + b: multipliers that balance c to rounding say nothing of e.
With e, a column of its own size, they are found and proved as for any other.

That holds where e has no rounding of its own, which is checked row by row. Terms may be halved,
doubled and so on, which rounds nothing; other factors are not looked for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from planetree.arrays import Floats, Indices
from planetree.solvers.partitioned.passes import GroupSum

_NEARLY = 1e-11  # of the largest column: what is left of one that others make up
_ROWS = 2000  # that tell which terms may be such
_SURE = 1e-7  # a factor this near to a power of two is one
_LEAST = 1e-300  # more than what is lost where numbers are too small for all of their bits


class _Remainder(NamedTuple):
    """A term, and what is taken from it: other terms, each times a factor."""

    term: int
    others: Indices
    factors: Floats

    def of_rows(self, E: Floats) -> Floats | None:
        """What is left in each row, exactly; None if some float64 does not hold it."""
        left, rounded = E[:, self.term], np.zeros(len(E))
        for j, factor in zip(self.others, self.factors, strict=True):
            taken = factor * E[:, j]
            left, lost = _two_sum(left, -taken)
            rounded, more = _two_sum(rounded, lost)
            if more.any() or (taken / factor != E[:, j]).any():
                return None
        left, lost = _two_sum(left, rounded)
        return None if lost.any() or not left.any() else left

    def of_sums(self, group: GroupSum) -> GroupSum:
        """The sum of what is left in the rows of a group, with its error."""
        factors = np.append(1.0, -self.factors)
        terms = np.append(self.term, self.others)
        parts = np.concatenate([factors * group.high[terms], factors * group.low[terms]])
        high, low, error = (np.array(each) for each in group)
        high[self.term] = math.fsum(parts)
        low[self.term] = math.fsum([*parts, -high[self.term]])
        off = math.fsum(np.abs(factors) * group.error[terms]) + np.spacing(abs(low[self.term]))
        error[self.term] = 2 * off + _LEAST
        return GroupSum(high, low, error)


def remainders_among(E: Floats, center: Floats, scale: Floats) -> list[_Remainder]:
    """Terms that others may make up but for rounding, as some rows show.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.solvers.partitioned.remainders import remainders_among
    >>> E = np.random.default_rng(0).normal(size=(50, 3))
    >>> E = np.column_stack([E, E[:, 0] + E[:, 1]])
    >>> remainders_among(E[:, :3], np.zeros(3), np.ones(3))
    []
    >>> len(remainders_among(E, np.zeros(4), np.ones(4)))
    1
    """
    if len(E) <= E.shape[1] + 1:
        return []
    Z = (E[:: len(E) // _ROWS + 1] - center) / scale
    Z = np.column_stack([Z, np.ones(len(Z))])
    R, order = qr(Z, mode="r", pivoting=True)
    sizes = np.abs(np.diagonal(R))
    rank = int(np.count_nonzero(sizes > _NEARLY * sizes[0]))
    basis, n = order[:rank], E.shape[1]
    found = []
    for place, term in enumerate(order[rank : len(sizes)].tolist(), rank):
        if term == n:
            return []
        shares = np.linalg.lstsq(R[:rank, :rank], R[:rank, place], rcond=None)[0]
        factors = shares * scale[term] / np.append(scale, 1.0)[basis]
        used = (np.abs(shares) > _SURE) & (basis < n)
        powers = np.copysign(np.exp2(np.round(np.log2(np.abs(factors[used])))), factors[used])
        if used.any() and np.allclose(powers, factors[used], rtol=_SURE, atol=0):
            found.append(_Remainder(term, basis[used], powers))
    return found


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sums, and what rounding left."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)
