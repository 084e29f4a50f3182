"""Hinge programs in whole numbers: what floating point cannot prove.

The program is that of `solvers.hinge`. Rows, charges and prices are float64 numbers, so each is a
whole number times a power of two, and the simplex of `cpp/hinge/simplex.hpp` can run on whole
numbers without rounding: a basis is as many kinks as there are unknowns, and fixes a vertex; its
multipliers prove the vertex optimal, or name an edge that descends.

- it begins at the kinks nearest to what floating point found, and so takes few steps;
- the inverse of the basis is kept as a whole matrix and a denominator; a kink that enters changes
  it by products and one exact division (Bareiss, 1968);
- unknowns that no kink fixes are held where they are: columns that depend on each other, planes
  that all may move together, and vertices where too many kinks meet cost nothing.
"""

from __future__ import annotations

import time
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planetree.solvers.exact_quadratic import whole

__all__ = ["ExactHinges", "Vertex", "affordable"]

Array = NDArray[np.float64]
Whole = NDArray[np.object_]

NEAR = 1e-6  # of the sizes of its terms: a margin that may be at its kink
MAX_STEPS = 300
PATIENCE = 60  # steps by the largest violation, before those of the least number
AFFORDABLE = 3_000_000  # products of whole numbers


class Vertex(NamedTuple):
    """Unknowns `(planes, features and offset)` at the optimum, and its value."""

    z: Array
    value: Fraction


def affordable(n_constraints: int, n_unknowns: int) -> bool:
    """Whether it takes seconds at most."""
    bits = 1 + n_unknowns // 20
    return (n_constraints + n_unknowns**2) * n_unknowns * bits <= AFFORDABLE


class ExactHinges:
    """The kinks of a program, without rounding.

    Parameters
    ----------
    signed : array of shape (n_constraints, n_planes, n_features + 1)
        What each unknown adds to the margin of each constraint.
    charges : array of shape (n_constraints,)
    rise, fall : arrays of shape (n_features,)
        Prices of a unit of weight above and below zero.
    """

    def __init__(self, signed: Array, charges: Array, rise: Array, fall: Array) -> None:
        n, planes, width = signed.shape
        rows = np.empty(signed.shape, dtype=object)
        units = [Fraction(1)] * width
        for j in range(width):
            numbers, units[j] = whole(signed[:, :, j].ravel())
            rows[:, :, j] = numbers.reshape(n, planes)
        self.n, self.size = n, planes * width
        self.units = np.tile(np.array(units, dtype=object), planes)
        self.rows = np.vstack([rows.reshape(n, -1), np.eye(self.size, dtype=int).astype(object)])
        prices = [
            np.array([Fraction(p) / u for p, u in zip([*side.tolist(), 0.0], units, strict=True)])
            for side in (fall, rise)
        ]
        charge, unit = whole(charges)
        below = [*charge, *(p / unit for p in np.tile(prices[0], planes))]
        above = [*([0] * n), *(p / unit for p in np.tile(prices[1], planes))]
        common = lcm(*(Fraction(v).denominator for v in below + above))
        self.unit = unit / common
        self.below, self.above = (
            np.array([int(v * common) for v in side], dtype=object) for side in (below, above)
        )
        self.is_kink = (self.below > 0) | (self.above > 0)

    def minimize(self, z: Array, duals: Array | None, deadline: float | None) -> Vertex | None:
        """The optimum, from planes and multipliers beside it; None where that takes too long."""
        self._hold(z, duals)
        for i in self._nearest(z, duals):
            self._enter_anchored(int(i))
        for step in range(MAX_STEPS):
            if deadline is not None and time.monotonic() > deadline:
                return None
            left = self.rows @ (self.inverse @ self.at[self.basis]) - self.determinant * self.at
            self.side = np.where(left > 0, 1, np.where(left < 0, -1, self.side))
            self.side[self.basis] = 0
            leaving = self._leaving(bland=step >= PATIENCE)
            if leaving is None:
                return self._vertex(left)
            if not self._step(left, *leaving):
                return None
        return None

    def _hold(self, z: Array, duals: Array | None) -> None:
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
        if duals is not None:
            charge = (self.below[: self.n] * self.unit).astype(float)
            self.side[: self.n][duals > charge / 2] = -1
        # An unknown that is not at the kink of its price is the first to be fixed otherwise.
        self.loose = ~priced | (z != 0)

    def _nearest(self, z: Array, duals: Array | None) -> NDArray[np.intp]:
        """Constraints that may be at their kinks: multipliers inside their ends first."""
        signed = (self.rows[: self.n] * self.units).astype(float)
        margins, sizes = signed @ z, np.abs(signed) @ np.abs(z)
        off = np.abs(margins - 1) / (1 + sizes)
        charge = (self.below[: self.n] * self.unit).astype(float)
        inside = np.zeros(self.n)
        if duals is not None:
            inside = np.minimum(duals, charge - duals) / np.where(charge > 0, charge, 1.0)
        order = np.lexsort((off, -np.where(inside > NEAR, inside, 0.0)))
        return order[((off < NEAR) | (inside > NEAR))[order] & (charge > 0)[order]]

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
        multipliers = -((slopes[used] @ self.rows[used]) @ self.inverse)
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
        costs = np.where(left > 0, self.above * left, -self.below * left)
        value = Fraction(int(costs.sum()), self.determinant * self.scale) * self.unit
        numerators = self.inverse @ self.at[self.basis]
        below = self.determinant * self.scale
        z = [Fraction(v, below) / u for v, u in zip(numerators, self.units, strict=True)]
        return Vertex(np.array([float(v) for v in z]), value)
