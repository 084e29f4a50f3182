"""Piecewise-quadratic programs in whole numbers: what floating point cannot finish.

The program is that of `solvers.quadratic`. Rows, weights, charges, scales and the penalty are
float64 numbers, so each is a whole number times a power of two, and Newton's method can run on
whole numbers without rounding:

- a step solves the normal equations of the violated rows by elimination without fractions
  (Bareiss, 1968); an unknown whose pivot is exactly 0 is free and stays where it is;
- the gradient is exactly 0 at the end, so the value there is the minimum and no bound is needed;
- rows of 1e8 beside rows of 1, columns that depend on each other and rows that coincide cost time,
  not digits.

It begins where floating point ended, and so takes one or two steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planetree.arrays import Floats, Indices
from planetree.clock import UNLIMITED, Clock
from planetree.solvers.program_arrays import steepness
from planetree.solvers.rational import Whole, below, solve_semidefinite, whole

_MAX_STEPS = 40  # a guard beside the clock
_DIGITS = 256  # bits of the unknowns that are kept after a step that was cut short
_STEEP = 1e5  # terms this large, which cancel in every row's score, weigh how X was rounded
_AFFORDABLE = 4_000_000  # products of whole numbers a step


@dataclass(frozen=True)
class _Point:
    """Unknowns, which are `numerators / denominator`."""

    numerators: Whole
    denominator: int

    def moved(self, step: _Point, share: float) -> _Point:
        """The point with a share of a step added."""
        top, bottom = share.as_integer_ratio()
        numerators = self.numerators * (step.denominator * bottom)
        numerators = numerators + step.numerators * (self.denominator * top)
        return _Point(numerators, self.denominator * step.denominator * bottom)

    def rounded(self) -> _Point:
        """Almost the same point, in fewer digits."""
        excess = self.denominator.bit_length() - _DIGITS
        if excess <= 0:
            return self
        top = (self.numerators << _DIGITS) // self.denominator
        return _Point(top, 1 << _DIGITS)


class _ExactQuadratic:
    """The program of some rows, without rounding.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
    classes : array of shape (n_rows,)
    charges : array of shape (n_rows, n_classes - 1)
        Of each row against each other class in order.
    n_classes : int
    l2 : float
    scale : array of shape (n_features,)
        What a weight is multiplied by before it is penalized.
    """

    def __init__(
        self,
        X: Floats,
        classes: NDArray[np.integer],
        charges: Floats,
        n_classes: int,
        l2: float = 0.0,
        scale: Floats | None = None,
    ) -> None:
        m, n = X.shape
        self.k, self.width = n_classes, n + 1
        self.classes = classes
        self.rows = np.full((m, n + 1), -1, dtype=object)
        self.units = np.full(n + 1, Fraction(1), dtype=object)
        for j in range(n):
            self.rows[:, j], self.units[j] = whole(X[:, j])
        charge, unit = whole(charges.ravel())
        self.charges = charge.reshape(m, n_classes - 1)
        self.unit = unit
        # In units of `unit`, what the square of each whole weight costs.
        sizes = np.ones(n) if scale is None else scale
        self.ridge = [
            Fraction(l2) * Fraction(s) ** 2 / u**2 / unit
            for s, u in zip(sizes.tolist(), self.units[:-1], strict=True)
        ]
        self.ridge_unit = lcm(n_classes, *((r / n_classes).denominator for r in self.ridge))

    @staticmethod
    def affordable(n_rows: int, n_features: int, n_classes: int) -> bool:
        """Whether a step takes seconds at most."""
        width, size = n_features + 1, (n_features + 1) * (n_classes - 1)
        products = n_rows * (n_classes - 1) * width**2 // 2 + size**3 // 3 * (1 + size // 20)
        return products <= _AFFORDABLE

    def point(self, weights: Floats, offsets: Floats) -> _Point:
        """The unknowns of planes, one for two classes or one a class."""
        planes = [[Fraction(v) for v in row] for row in np.column_stack([weights, offsets])]
        if len(planes) == self.k:
            planes = [[v - f for v, f in zip(p, planes[0], strict=True)] for p in planes[1:]]
        z = [v * u for plane in planes for v, u in zip(plane, self.units, strict=True)]
        common = lcm(*(v.denominator for v in z))
        return _Point(np.array([int(v * common) for v in z], dtype=object), common)

    def planes(self, at: _Point) -> tuple[Floats, Floats]:
        """The planes of a point, rounded; of more than two classes they sum to 0."""
        z = at.numerators.reshape(self.k - 1, self.width)
        exact = [[Fraction(v, at.denominator) / u for v, u in zip(row, self.units, strict=True)]
                 for row in z]  # fmt: skip
        if self.k > 2:
            exact.insert(0, [Fraction(0)] * self.width)
            means = [sum(column, Fraction(0)) / self.k for column in zip(*exact, strict=True)]
            exact = [[v - m for v, m in zip(row, means, strict=True)] for row in exact]
        planes = np.array([[float(v) for v in row] for row in exact])
        return planes[:, :-1], planes[:, -1]

    def minimize(self, start: _Point, clock: Clock = UNLIMITED) -> _Point | None:
        """The exact minimum; None if it is not found in time."""
        at = start
        for _ in range(_MAX_STEPS):
            if clock.is_over:
                return None
            slope = self._gradient(at)
            if not any(slope.numerators):
                return at
            top, bottom = solve_semidefinite(self._hessian(at), -slope.numerators)
            step = _Point(top, bottom * slope.denominator)
            ahead = at.moved(step, 1.0)
            if not any(self._gradient(ahead).numerators):
                return ahead
            at = at.moved(step, self._length(at, ahead)).rounded()
        return None

    def value(self, at: _Point) -> tuple[Fraction, Fraction]:
        """The squared violations, and what they and the weights cost together."""
        total = 0
        for _, _, charge, short in self._violations(at):
            total += int(charge @ short**2)
        error = total * self.unit / 2 / at.denominator**2
        pull = self._penalty(at.numerators) @ at.numerators
        return error, error + pull * self.unit / 2 / at.denominator**2 / self.ridge_unit

    def _violations(self, at: _Point) -> Iterator[tuple[int, int, Whole, Whole]]:
        """For each class and rival the charges of its rows and their numerators below 1."""
        for own, rival, rows, slot in self._pairs():
            short = np.maximum(at.denominator - self._margins(rows, own, rival, at.numerators), 0)
            yield own, rival, self.charges[rows, slot], short

    def _pairs(self) -> Iterator[tuple[int, int, Indices, int]]:
        for own in range(self.k):
            rows = np.flatnonzero(self.classes == own)
            for slot in range(self.k - 1):
                if len(rows):
                    yield own, slot + (slot >= own), rows, slot

    def _margins(self, rows: Indices, own: int, rival: int, z: Whole) -> Whole:
        blocks = np.vstack([np.zeros((1, self.width), dtype=object), z.reshape(-1, self.width)])
        return np.asarray(self.rows[rows] @ (blocks[own] - blocks[rival]))

    def _gradient(self, at: _Point) -> _Point:
        out = np.zeros((self.k, self.width), dtype=object)
        for own, rival, charge, short in self._violations(at):
            pull = (charge * short) @ self.rows[self.classes == own]
            out[own] -= pull
            out[rival] += pull
        slope = out[1:].ravel() * self.ridge_unit + self._penalty(at.numerators)
        return _Point(slope, at.denominator)

    def _penalty(self, z: Whole) -> Whole:
        """Gradient of the penalty on weights, times `ridge_unit`."""
        planes = z.reshape(-1, self.width)
        out = np.zeros_like(planes)
        for j, ridge in enumerate(self.ridge):
            if ridge:
                share = int(ridge * self.ridge_unit / self.k)
                out[:, j] = share * (self.k * planes[:, j] - planes[:, j].sum())
        return out.ravel()

    def _hessian(self, at: _Point) -> Whole:
        shape = (self.k, self.width, self.k, self.width)
        H = np.zeros(shape, dtype=object)
        for own, rival, charge, short in self._violations(at):
            kept = short > 0
            rows = self.rows[self.classes == own][kept]
            part = (rows.T * charge[kept]) @ rows
            H[own, :, own] += part
            H[rival, :, rival] += part
            H[own, :, rival] -= part
            H[rival, :, own] -= part
        size = (self.k - 1) * self.width
        H = H[1:, :, 1:].reshape(size, size) * self.ridge_unit
        if any(self.ridge):
            H += np.array([self._penalty(unit) for unit in np.eye(size, dtype=int).astype(object)])
        return H

    def _length(self, at: _Point, ahead: _Point) -> float:
        """Share of a step at which its slope, which rises in straight pieces, is almost 0."""
        low, high = 0.0, 1.0
        step = ahead.moved(at, -1.0)
        for _ in range(20):
            middle = (low + high) / 2
            slope = self._gradient(at.moved(step, middle)).numerators @ step.numerators
            low, high = (middle, high) if slope < 0 else (low, middle)
        return high


def finish_exactly(program: Any, l2: float, found: Any, clock: Clock = UNLIMITED) -> Any:
    """A solution of a `HingeProgram` with the exact minimum for a bound, if that is affordable.

    Its planes are those of the minimum, rounded, if they are better than those found and do not
    live on the last digits of columns that nearly repeat one another.
    """
    m, n = program.X.shape
    k = len(program.charges)
    if not _ExactQuadratic.affordable(m, n, k):
        return found
    charges = program.charge_table
    exact = _ExactQuadratic(program.X, program.classes, charges, k, l2, program.scale)
    weights = found.weights / program.scale
    planes = weights, found.offsets + weights @ program.center
    minimum = exact.minimize(exact.point(*planes), clock)
    if minimum is None:
        return found
    # Charges are rounded: a share of 2**-50 covers it.
    bound = below(exact.value(minimum)[1] * (1 - Fraction(1, 2**50)))
    options = [planes, exact.planes(minimum)]
    if steepness(program.X, options[1][0]) > _STEEP:
        options.pop()
    values = [exact.value(exact.point(*option)) for option in options]
    best = min(range(len(options)), key=lambda i: values[i][1])
    error, objective = map(float, values[best])
    unit = max(objective, 1e-6 * float(charges.sum()))
    raw = options[best]
    return replace(
        found,
        weights=raw[0] * program.scale,
        offsets=raw[1] - raw[0] @ program.center,
        objective=objective,
        error=error,
        bound=bound,
        gap=max(0.0, objective - bound) / unit,
        method="exact",
        raw=raw,
    )
