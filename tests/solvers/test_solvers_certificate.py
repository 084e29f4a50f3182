"""What is true of a point and duals, whoever made them: feasible, optimal, or nothing proved."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from planetree.solvers import LinearProgram
from planetree.solvers.certificate import Model, check, refine, steady


def boxed(seed, n_rows=4, n_columns=6):
    """A program of whole numbers between finite bounds, which 0 solves."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, (n_rows, n_columns)).astype(float)
    cost = rng.integers(-5, 6, n_columns).astype(float)
    room = rng.integers(1, 5, n_rows).astype(float)
    low, high = np.full(n_columns, -3.0), np.full(n_columns, 3.0)
    none = np.zeros(n_columns, dtype=bool)
    return Model(cost, sp.csr_array(rows), -room, room, low, high, none)


def exact_bound(model, y):
    """The bound of duals, in fractions."""
    y, A = [Fraction(v) for v in y], model.rows.toarray()
    d = [
        Fraction(c) - sum(Fraction(A[i, j]) * y[i] for i in range(len(y)))
        for j, c in enumerate(model.cost)
    ]
    ends = [(y, model.row_lower, model.row_upper), (d, model.lower, model.upper)]
    return sum(
        min(v * Fraction(a), v * Fraction(b))
        for values, low, high in ends
        for v, a, b in zip(values, low, high, strict=True)
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_of_any_duals_is_not_above_the_one_in_fractions(seed):
    model, rng = boxed(seed), np.random.default_rng(seed)
    for y in rng.normal(size=(5, 4)) * 10.0 ** rng.integers(-9, 9, (5, 1)):
        found = check(model, np.zeros(6), y)
        assert found.rigorous
        assert Fraction(found.bound) <= exact_bound(model, y)
        assert found.bound == pytest.approx(float(exact_bound(model, y)), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_solver_s_point_is_optimal_and_a_moved_one_is_not(seed):
    model = boxed(seed)
    best = LinearProgram(*model[:6]).solve()
    assert check(model, best.x, best.duals).optimal
    inside = check(model, 0.5 * best.x, best.duals)
    assert (inside.primal_feasible, inside.optimal) == (True, False)
    assert inside.bound <= best.objective <= inside.value


def test_a_point_outside_a_row_is_not_feasible_and_outside_a_bound_is_moved_into_it():
    model = Model(
        np.ones(2), sp.csr_array([[1.0, 1.0]]), np.ones(1), np.array([np.inf]), np.zeros(2),
        np.ones(2), np.zeros(2, dtype=bool),
    )  # fmt: skip
    assert not check(model, np.zeros(2), np.zeros(1)).primal_feasible
    moved = check(model, np.array([-1.0, 5.0]), np.array([-7.0]))
    assert moved.x.tolist() == [0.0, 1.0]
    assert moved.y.tolist() == [0.0]  # the row has no upper end


def test_duals_that_ask_for_an_infinite_end_prove_nothing():
    model = boxed(0)._replace(upper=np.full(6, np.inf), lower=np.full(6, -np.inf))
    found = check(model, np.zeros(6), np.zeros(4))
    assert (found.bound, found.optimal, found.rigorous) == (-np.inf, False, False)


def test_what_is_left_over_is_solved_again_and_each_pass_is_nearer():
    """A solver that is exact to three digits: its remainders lead to the answer all the same."""
    model = boxed(3)
    best = LinearProgram(*model[:6]).solve()

    def rough(part):
        found = LinearProgram(*part[:6]).solve()
        return found.x * (1 + 1e-3), found.duals * (1 + 1e-3)

    distances = [np.abs(x - best.x).max() for x, _ in refine(model, rough)]
    assert len(distances) > 1
    assert distances[-1] <= distances[0]
    assert distances[-1] < 1e-6


def test_duals_moved_by_their_rounding_lose_less_to_a_far_bound():
    """Rounding of a dual leaves a slope of 1e-16, which a bound of 1e12 makes a loss of 1e-4."""
    far = Model(
        np.array([0.3]), sp.csr_array([[0.1], [0.2]]), np.ones(2), np.full(2, np.inf),
        np.zeros(1), np.array([1e12]), np.zeros(1, dtype=bool),
    )  # fmt: skip
    x, best = np.array([10.0]), 3.0
    rounded = np.array([np.nextafter(3.0, 4.0), 0.0])
    before, after = (check(far, x, y).bound for y in (rounded, steady(far, rounded)))
    assert before < best - 1e-5
    assert best - 1e-9 < after <= best
