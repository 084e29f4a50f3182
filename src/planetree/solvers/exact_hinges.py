"""Hinge programs in whole numbers: what floating point cannot prove.

The program is that of `solvers.hinge`. Rows, charges and prices are float64 numbers, so each is a
whole number times a power of two, and the simplex of `cpp/hinge/simplex.hpp` can run on whole
numbers without rounding: a basis is as many kinks as there are unknowns, and fixes a vertex; its
multipliers prove the vertex optimal, or name an edge that descends.

- it begins at the kinks nearest to what floating point found, and so takes few steps;
- rows far from their kinks are taken on their side alone: as a straight line if they are violated,
  else not at all. A hinge is nowhere below either, so the optimum is a bound all the same;
- the inverse of the basis is kept as a whole matrix and a denominator; a kink that enters changes
  it by products and one exact division (Bareiss, 1968);
- unknowns that no kink fixes are held where they are: columns that depend on each other, planes
  that all may move together, and vertices where too many kinks meet cost nothing.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, lcm
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from planetree.arrays import Floats, Indices, Mask, Whole
from planetree.clock import Clock
from planetree.solvers.exact_quadratic import whole

_NEAR = 1e-6  # of the sizes of its terms: a margin that may be at its kink
_MAX_STEPS = 300  # a guard beside the clock
_PATIENCE = 60  # steps by the largest violation, before those of the least number
_AFFORDABLE = 3_000_000  # products of whole numbers


class Vertex(NamedTuple):
    """Unknowns `(planes, features and offset)` at the optimum, and its value."""

    z: Floats
    value: Fraction


def affordable(n_constraints: int, n_unknowns: int, n_far: int = 0) -> bool:
    """Whether it takes seconds at most."""
    bits = 1 + n_unknowns // 20
    return ((n_constraints + n_unknowns**2) * bits + n_far) * n_unknowns <= _AFFORDABLE


class Hinges(NamedTuple):
    """A program in floating point: signed rows, charges, prices, and the number of planes."""

    signed: sp.csr_array
    charges: Floats
    rise: Floats
    fall: Floats
    n_planes: int


def minimum(hinges: Hinges, z: Floats, duals: Floats, clock: Clock) -> Vertex | None:
    """Optimum from planes and multipliers beside it; None where it would take too long.

    Parameters
    ----------
    hinges : Hinges
    z : array of shape (n_unknowns,)
    duals : array of shape (n_constraints,)
    clock : Clock
    """
    margins = hinges.signed @ z
    ends = np.minimum(duals, hinges.charges - duals) > _NEAR * hinges.charges
    order = np.lexsort((np.abs(margins - 1), ~ends))
    count, size = max(200, 4 * len(z)), len(order)
    while affordable(min(count, size), len(z)):
        near = np.zeros(size, dtype=bool)
        near[order[:count]] = True
        used = np.flatnonzero((near | (margins < 1)) & (hinges.charges > 0))
        if not affordable(min(count, size), len(z), len(used)):
            return None
        signed = hinges.signed[used].toarray().reshape(len(used), hinges.n_planes, -1)
        exact = _ExactHinges(signed, hinges.charges[used], hinges.rise, hinges.fall, near[used])
        found = exact.minimize(z, duals[used][near[used]], clock)
        if found is not None or count >= size or clock.is_over:
            return found
        count *= 4
    return None


class _ExactHinges:
    """The kinks of a program, without rounding.

    Parameters
    ----------
    signed : array of shape (n_constraints, n_planes, n_features + 1)
        What each unknown adds to the margin of each constraint.
    charges : array of shape (n_constraints,)
    rise, fall : arrays of shape (n_features,)
        Prices of a unit of weight above and below zero.
    near : array of shape (n_constraints,)
        Those that are hinges; the others are straight lines.
    """

    def __init__(
        self, signed: Floats, charges: Floats, rise: Floats, fall: Floats, near: Mask
    ) -> None:
        count, planes, width = signed.shape
        n = int(near.sum())
        every = np.empty(signed.shape, dtype=object)
        units = [Fraction(1)] * width
        for j in range(width):
            numbers, units[j] = whole(signed[:, :, j].ravel())
            every[:, :, j] = numbers.reshape(count, planes)
        rows, far = every[near], every[~near].reshape(count - n, planes * width)
        self.n, self.size = n, planes * width
        self.units = np.tile(np.array(units, dtype=object), planes)
        self.rows = np.vstack(
            [rows.reshape(n, self.size), np.eye(self.size, dtype=int).astype(object)]
        )
        prices = [
            np.array([Fraction(p) / u for p, u in zip([*side.tolist(), 0.0], units, strict=True)])
            for side in (fall, rise)
        ]
        charge, unit = whole(charges)
        below = [*charge[near], *(p / unit for p in np.tile(prices[0], planes))]
        above = [*([0] * n), *(p / unit for p in np.tile(prices[1], planes))]
        common = lcm(*(Fraction(v).denominator for v in below + above))
        self.unit = unit / common
        self.below, self.above = (
            np.array([int(v * common) for v in side], dtype=object) for side in (below, above)
        )
        self.side = np.ones(len(self.rows), dtype=int)
        self.is_kink = (self.below > 0) | (self.above > 0)
        self.linear = common * (charge[~near] @ far) if n < count else 0 * self.rows[0]
        self.constant = common * int(charge[~near].sum())

    def minimize(self, z: Floats, duals: Floats, clock: Clock) -> Vertex | None:
        """The optimum, from planes and multipliers beside it; None where that takes too long."""
        self._hold(z, duals)
        for i in self._nearest(z, duals):
            self._enter_anchored(int(i))
        for step in range(_MAX_STEPS):
            if clock.is_over:
                return None
            left = self.rows @ (self.inverse @ self.at[self.basis]) - self.determinant * self.at
            self.side = np.where(left > 0, 1, np.where(left < 0, -1, self.side))
            self.side[self.basis] = 0
            leaving = self._leaving(bland=step >= _PATIENCE)
            if leaving is None:
                return self._vertex(left)
            if not self._step(left, *leaving):
                return None
        return None

    def _hold(self, z: Floats, duals: Floats) -> None:
        """Begin with unit rows; those without a price hold their unknown where it is."""
        priced = self.is_kink[self.n :]
        held = [
            Fraction(0) if p else Fraction(v) * u
            for v, u, p in zip(z.tolist(), self.units, priced, strict=True)
        ]
        common = lcm(*(v.denominator for v in held))
        self.scale = common
        self.at = np.array([common] * self.n + [int(v * common) for v in held], dtype=object)
        self.inverse = np.eye(self.size, dtype=int).astype(object)
        self.determinant = 1
        self.basis = np.arange(self.n, self.n + self.size)
        self.side = np.ones(len(self.rows), dtype=int)
        charge = (self.below[: self.n] * self.unit).astype(float)
        self.side[: self.n][duals > charge / 2] = -1
        # An unknown that is not at the kink of its price is the first to be fixed otherwise.
        self.loose = ~priced | (z != 0)

    def _nearest(self, z: Floats, duals: Floats) -> Indices:
        """Constraints that may be at their kinks: multipliers inside their ends first."""
        signed = (self.rows[: self.n] * self.units).astype(float)
        margins, sizes = signed @ z, np.abs(signed) @ np.abs(z)
        off = np.abs(margins - 1) / (1 + sizes)
        charge = (self.below[: self.n] * self.unit).astype(float)
        inside = np.minimum(duals, charge - duals) / charge
        order = np.lexsort((off, -np.where(inside > _NEAR, inside, 0.0)))
        return order[((off < _NEAR) | (inside > _NEAR))[order]]

    def _enter_anchored(self, row: int) -> None:
        """Bring a kink into the basis in place of a unit row, if it does not depend on others."""
        through = self.rows[row] @ self.inverse
        places = np.flatnonzero((self.basis >= self.n) & (through != 0))
        if len(places):
            loose = self.loose[self.basis[places] - self.n]
            sizes = np.abs(through[places])
            self._replace(places[max(range(len(places)), key=lambda p: (loose[p], sizes[p]))], row)

    def _replace(self, place: int, row: int) -> None:
        through = self.rows[row] @ self.inverse
        pivot, kept = through[place], self.inverse[:, place].copy()
        changed = (pivot * self.inverse - np.outer(kept, through)) // self.determinant
        changed[:, place] = kept
        sign = 1 if pivot > 0 else -1
        self.inverse, self.determinant = sign * changed, sign * pivot
        self.basis[place] = row

    def _leaving(self, bland: bool) -> tuple[int, int, int] | None:
        """Place in the basis whose multiplier breaks its ends, its direction, and the slope."""
        slopes = np.where(self.side > 0, self.above, np.where(self.side < 0, -self.below, 0))
        slopes[~self.is_kink] = 0
        used = slopes != 0
        multipliers = (self.linear - slopes[used] @ self.rows[used]) @ self.inverse
        over = multipliers - self.above[self.basis] * self.determinant
        under = -multipliers - self.below[self.basis] * self.determinant
        excess = np.maximum(over, under)
        wrong = np.flatnonzero(excess > 0)
        if not len(wrong):
            return None
        key = self.basis.__getitem__ if bland else lambda p: -excess[p]
        place = min(wrong.tolist(), key=key)
        return place, 1 if over[place] > 0 else -1, -excess[place]

    def _step(self, left: Whole, place: int, direction: int, slope: int) -> bool:
        """Walk the edge past kinks until it rises; the kink where it turns enters."""
        rates = direction * (self.rows @ self.inverse[:, place])
        meets = self.is_kink & (self.side * rates < 0)
        kinks = np.flatnonzero(meets)
        lengths = [Fraction(abs(left[i]), abs(rates[i])) for i in kinks]
        leaving = self.basis[place]
        for i in (int(kinks[o]) for o in sorted(range(len(kinks)), key=lengths.__getitem__)):
            slope += (self.below[i] + self.above[i]) * abs(rates[i])
            if slope >= 0:
                self.side[leaving] = direction
                self._replace(place, i)
                return True
            self.side[i] = -self.side[i]
        return False

    def _vertex(self, left: Whole) -> Vertex:
        numerators = self.inverse @ self.at[self.basis]
        below = self.determinant * self.scale
        costs = np.where(left > 0, self.above * left, -self.below * left).sum()
        total = costs + self.constant * below - self.linear @ numerators
        value = Fraction(int(total), below) * self.unit
        z = [Fraction(v, below) / u for v, u in zip(numerators, self.units, strict=True)]
        return Vertex(np.array([_rounded(v) for v in z]), value)


def _rounded(number: Fraction) -> float:
    """The nearest float, infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return copysign(inf, number)
