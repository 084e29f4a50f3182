"""Exact rational numbers and linear equations: nothing here rounds."""

from fractions import Fraction

import numpy as np

try:
    import flint
except ImportError:
    flint = None

Rational = Fraction if flint is None else flint.fmpq

ZERO, ONE = Rational(0), Rational(1)


def exact(number):
    """A float as the rational that it is."""
    return Rational(*float(number).as_integer_ratio())


def exact_array(numbers):
    """Array of floats as nested lists of rationals."""
    if np.ndim(numbers) == 0:
        return exact(numbers)
    return [exact_array(each) for each in numbers]


def as_float(number):
    """Nearest float, or infinity; a rational too large for floats is infinite too."""
    if isinstance(number, float):
        return number
    try:
        return int(number.numerator) / int(number.denominator)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def dot(left, right):
    """Inner product."""
    total = ZERO
    for a, b in zip(left, right, strict=True):
        if a and b:
            total += a * b
    return total


def solve_first(equations, n):
    """Solve those equations that are independent of the ones before; unknowns left free are 0.

    An equation is a list of n coefficients and a side. Gives the solution, the numbers of the
    equations that it solves, and the unknowns that they determine.
    """
    reduced, chosen = {}, []
    for number, equation in enumerate(equations):
        row = list(equation)
        for pivot, other in reduced.items():
            if row[pivot]:
                row = _less(row, row[pivot], other)
        pivot = next((j for j in range(n) if row[j]), None)
        if pivot is None:
            continue
        lead = row[pivot]
        row = [a / lead if a else a for a in row]
        reduced = {p: _less(o, o[pivot], row) if o[pivot] else o for p, o in reduced.items()}
        reduced[pivot] = row
        chosen.append(number)
        if len(reduced) == n:
            break
    solution = [ZERO] * n
    for pivot, row in reduced.items():
        solution[pivot] = row[n]
    return solution, chosen, sorted(reduced)


def inverse(matrix):
    """Inverse of a square matrix that has one."""
    n = len(matrix)
    identity = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    rows = [list(row) + unit for row, unit in zip(matrix, identity, strict=True)]
    for j in range(n):
        at = next(i for i in range(j, n) if rows[i][j])
        rows[j], rows[at] = rows[at], rows[j]
        lead = rows[j][j]
        rows[j] = [a / lead if a else a for a in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                rows[i] = _less(rows[i], rows[i][j], rows[j])
    return [row[n:] for row in rows]


def _less(row, factor, other):
    return [a - factor * b if b else a for a, b in zip(row, other, strict=True)]
