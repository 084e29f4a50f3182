"""Terms that others imply in every row: without prices their weights are not needed.

The offset implies a term with one value. A term implies its copies, also those times a power of two
or turned around, which no rounding changes. Of indicators of which just one is 1 in every row, the
offset and the others imply any one; tables hold them for the values of a category.

Some rows tell which terms may be such; all rows decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices, Mask

_PRODUCTS = 4e9  # about a second


class ImpliedTerms(NamedTuple):
    """Copies of terms, and unions of indicators.

    Parameters
    ----------
    copies : tuple of (int, int, float)
        A term, a later copy of it, and what it is multiplied by there.
    unions : tuple of arrays of int
    """

    copies: tuple[tuple[int, int, float], ...] = ()
    unions: tuple[Indices, ...] = ()

    @classmethod
    def among(cls, E: Floats, known: Sequence[Indices]) -> ImpliedTerms:
        """Those that some rows show, beside unions that are known."""
        copies = tuple(_copies(E))
        varies = E.min(axis=0, initial=np.inf) < E.max(axis=0, initial=-np.inf)
        taken = {j for _, j, _ in copies} | {int(j) for union in known for j in union}
        left = [j for j in np.flatnonzero(varies).tolist() if j not in taken]
        return cls(copies, tuple(_unions(E, left)))

    def hold(self, E: Floats) -> Mask:
        """Which of them other rows show too, the copies first."""
        found = [np.array_equal(factor * E[:, i], E[:, j]) for i, j, factor in self.copies]
        found += [
            bool(_are_indicators(E[:, union]).all() and (E[:, union].sum(axis=1) == 1).all())
            for union in self.unions
        ]
        return np.array(found, dtype=bool)

    def where(self, holds: Mask) -> ImpliedTerms:
        """Those that hold."""
        n = len(self.copies)
        copies = tuple(each for each, own in zip(self.copies, holds[:n], strict=True) if own)
        unions = tuple(each for each, own in zip(self.unions, holds[n:], strict=True) if own)
        return ImpliedTerms(copies, unions)

    def free(self, used: Floats, low: Floats, high: Floats, known: Sequence[Indices]) -> Mask:
        """Terms that need no weight: of a union the most used one, so that it is used at all."""
        free: Mask = low == high
        free[[j for _, j, _ in self.copies]] = True
        for union in (*known, *self.unions):
            free[union[np.argmax(used[union])]] = True
        return free


def _copies(E: Floats) -> Iterable[tuple[int, int, float]]:
    first: dict[bytes, tuple[int, float]] = {}
    for j in range(E.shape[1]):
        column = E[:, j]
        place = np.flatnonzero(column)[:1]
        if not len(place):
            continue
        value = float(column[place[0]])
        unit = float(np.copysign(2.0 ** np.floor(np.log2(abs(value))), value))
        key = (column / unit + 0.0).tobytes()
        i, other = first.setdefault(key, (j, unit))
        if i < j:
            yield i, j, unit / other


def _are_indicators(columns: Floats) -> Mask:
    return np.asarray(((columns == 0) | (columns == 1)).all(axis=0))


def _unions(E: Floats, columns: list[int]) -> Iterable[Indices]:
    """Sets of indicators that do not meet and are 1 in all rows together, as they come."""
    left = np.array([j for j in columns if _are_indicators(E[:, j : j + 1])[0]], dtype=np.intp)
    some = E[: int(_PRODUCTS / max(1, len(left)) ** 2) + 1000, left]
    meets = some.T @ some
    is_open = np.ones(len(left), dtype=bool)
    for start in range(len(left)):
        if not is_open[start]:
            continue
        group, apart, covered = [], is_open.copy(), 0.0
        while covered < len(some) and apart.any():
            group.append(int(np.argmax(apart)))
            apart &= meets[group[-1]] == 0
            apart[group[-1]] = False
            covered += meets[group[-1], group[-1]]
        if covered == len(some):
            is_open[group] = False
            yield left[group]
        is_open[start] = False
