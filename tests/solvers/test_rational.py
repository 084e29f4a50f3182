"""Linear algebra in whole numbers against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from planetree.solvers.rational import below, solve_linear, solve_semidefinite, whole


@pytest.mark.parametrize("seed", range(20))
def test_a_system_is_solved_without_rounding_or_has_no_solution(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 7, size=2)
    A = rng.integers(-3, 4, size=(m, n)).astype(object)
    A[:, -1] = A[:, 0]  # dependent columns
    right = A @ rng.integers(-9, 10, size=n).astype(object)
    y, d = solve_linear(A, right)
    assert d != 0
    assert (A @ y == d * right).all()
    A, right = np.vstack([A, A[:1]]), np.append(right, right[0] + 1)
    assert solve_linear(A, right) is None


@pytest.mark.parametrize("seed", range(20))
def test_normal_equations_of_dependent_rows_are_solved_without_rounding(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-5, 6, size=(rng.integers(1, 6), 4)).astype(object)
    H, right = rows.T @ rows, rows.T @ rng.integers(-9, 10, size=len(rows)).astype(object)
    y, d = solve_semidefinite(H, right)
    assert (H @ y == d * right).all()


def test_floats_are_whole_numbers_times_a_power_of_two():
    values = np.array([1e300, -0.1, 0.0, 5e-324, 3.0])
    numbers, unit = whole(values)
    assert [number * unit for number in numbers] == [Fraction(v) for v in values]


def test_a_fraction_lies_between_the_floats_below_and_above_it():
    for value in (Fraction(1, 3), Fraction(-1, 3), Fraction(1, 2), Fraction(10**30 + 1)):
        low, high = below(value), -below(-value)
        assert Fraction(low) <= value <= Fraction(high)
        assert high <= np.nextafter(low, np.inf)
