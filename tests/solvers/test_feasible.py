"""A system with a solution in a box: what the core proves holds in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from planetree import _core


def solve_exactly(rows, right):
    """One solution of a regular system in rationals."""
    work = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for i in range(len(work)):
        pivot = next(j for j in range(i, len(work)) if work[j][i] != 0)
        work[i], work[pivot] = work[pivot], work[i]
        work[i] = [v / work[i][i] for v in work[i]]
        for j in range(len(work)):
            if j != i and work[j][i] != 0:
                work[j] = [a - work[j][i] * b for a, b in zip(work[j], work[i], strict=True)]
    return [row[-1] for row in work]


def assert_holds(columns, b, lower, upper, x, found):
    """Hold all but the columns that were moved, and solve for those: the answer is in the box."""
    near, low, radius = found
    moved = np.flatnonzero(radius > 0)
    exact = [Fraction(v) for v in x]
    rest = [Fraction(v) for v in b]
    for i in set(range(len(x))) - set(moved.tolist()):
        rest = [r - Fraction(a) * exact[i] for r, a in zip(rest, columns[i], strict=True)]
    A = [[Fraction(columns[i, j]) for i in moved] for j in range(len(b))]
    kept = independent_rows(A)
    answer = solve_exactly([A[j] for j in kept], [rest[j] for j in kept])
    for j in range(len(b)):
        assert sum(a * v for a, v in zip(A[j], answer, strict=True)) == rest[j]
    for i, value in zip(moved, answer, strict=True):
        assert abs(value - Fraction(near[i]) - Fraction(low[i])) <= Fraction(radius[i])
        assert lower[i] <= value <= upper[i]


def independent_rows(A):
    kept, basis = [], []
    for j, row in enumerate(A):
        row = list(row)
        for lead, other in basis:
            row = [a - row[lead] * b for a, b in zip(row, other, strict=True)]
        lead = next((i for i, v in enumerate(row) if v != 0), None)
        if lead is not None:
            kept.append(j)
            basis.append((lead, [v / row[lead] for v in row]))
    return kept


def random_system(rng, kind):
    p, m = int(rng.integers(1, 6)), int(rng.integers(6, 14))
    columns = rng.standard_normal((m, p))
    if kind == 1:
        columns = np.round(3 * columns)
    if kind == 2:
        columns *= 10.0 ** rng.integers(-8, 9, size=(m, 1))
    if kind == 3:
        columns = np.column_stack([columns, columns[:, 0] + columns[:, 0], np.zeros(m)])
    if kind == 4:
        columns = np.column_stack([columns, 1e8 + columns[:, 0]])
    lower, upper = np.zeros(m), rng.uniform(0.5, 2.0, m)
    x = lower + (upper - lower) * rng.uniform(0.05, 0.95, m)
    b = columns.T @ x
    if kind == 3:
        b[-2], b[-1] = 2 * b[0], 0.0
    return columns, b, lower, upper, x


@pytest.mark.parametrize("kind", range(5), ids=["plain", "ties", "units", "dependent", "far"])
def test_the_solution_that_is_proved_exists_in_rationals(kind):
    """Rump's theorem with every rounding counted: dependent rows and bad units included."""
    rng = np.random.default_rng(kind)
    proved = 0
    for _ in range(60):
        system = random_system(rng, kind)
        found = _core.prove_feasible(*system)
        if found is not None:
            proved += 1
            assert_holds(*system, found)
    assert proved >= (60 if kind != 1 else 50)


def test_a_row_that_no_column_can_mend_is_not_proved():
    """The second row is a third of the first but for rounding, so x = 1 solves only one of them."""
    columns = np.array([[1.0, 1.0 / 3.0]])
    box = np.zeros(1), np.full(1, 2.0)
    assert _core.prove_feasible(columns, np.array([1.0, 0.333]), *box, np.ones(1)) is None


def test_a_solution_just_outside_of_the_box_is_not_proved():
    columns, b = np.array([[3.0]]), np.array([1.0])
    third = 1.0 / 3.0  # below the exact third
    low = np.zeros(1)
    assert _core.prove_feasible(columns, b, low, np.array([third]), np.array([third])) is None
    assert _core.prove_feasible(columns, b, low, np.ones(1), np.array([third])) is not None
