"""The widest pair of planes: the core against linear programs, and what its bound proves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from planetree import _core
from planetree.solvers import hull_distance, max_norm_planes
from planetree.solvers.max_norm import _independent_columns, _solve_by_highs

pytestmark = pytest.mark.core

normal_sets = st.builds(
    lambda seed, a, b, n, shift: (
        (rng := np.random.default_rng(seed)).normal(size=(a, n)) + shift,
        rng.normal(size=(b, n)),
    ),
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.3, 3.0]),
)
bit_sets = st.builds(
    lambda seed, a, b, n: tuple(
        np.random.default_rng(seed + c).integers(0, 3, size=(m, n)).astype(float)
        for c, m in enumerate((a, b))
    ),
    st.integers(0, 10**6),
    st.integers(1, 30),
    st.integers(1, 30),
    st.integers(1, 5),
)


def oracle(A, B, columns):
    """Problem (2.2) by its 2n programs, or the distance of the hulls where they are apart."""
    n = A.shape[1]
    rows = np.vstack(
        [np.column_stack([-A, np.tile([1, 0], (len(A), 1))]),
         np.column_stack([B, np.tile([0, -1], (len(B), 1))])]
    )  # fmt: skip

    def solve(box):
        bounds = [*box, (None, None), (None, None)]
        cost = np.append(np.zeros(n), [-1.0, 1.0])
        return -linprog(cost, A_ub=rows, b_ub=np.zeros(len(rows)), bounds=bounds).fun

    whole = [(-1.0, 1.0)] * n
    best = solve(whole)
    if best > 1e-8:
        return best
    free = [(-1.0, 1.0) if j in columns else (0.0, 0.0) for j in range(n)]
    return max(
        solve([(s, s) if j == i else free[j] for j in range(n)]) for i in columns for s in (1, -1)
    )


@given(st.one_of(normal_sets, bit_sets))
@settings(max_examples=60)
def test_the_value_is_that_of_problem_2_2(sets):
    A, B = sets
    columns = _independent_columns(np.vstack([A, B]))
    if np.ptp(np.vstack([A, B]), axis=0).max() == 0:
        return
    solution = max_norm_planes(A, B)
    assert solution.value == pytest.approx(oracle(A, B, columns), abs=1e-7)
    assert solution.value <= solution.bound <= solution.value + 1e-7
    for w in solution.weights:
        assert np.abs(w).max() == pytest.approx(1.0)
        assert (A @ w).min() - (B @ w).max() == pytest.approx(solution.value, abs=1e-7)


@given(normal_sets)
@settings(max_examples=20)
def test_highs_from_nothing_agrees(sets):
    A, B = sets
    assert _solve_by_highs(A, B).value == pytest.approx(max_norm_planes(A, B).value, abs=1e-7)


def test_programs_that_cannot_win_are_left():
    rng = np.random.default_rng(0)
    solution = max_norm_planes(rng.normal(size=(200, 8)) + 0.3, rng.normal(size=(200, 8)))
    assert not solution.separable
    assert solution.n_skipped > solution.n_programs
    assert solution.n_skipped + solution.n_programs == 17  # one of the hulls, and 2 n


@given(normal_sets)
@settings(max_examples=30)
def test_the_distance_from_a_hull_is_proved_by_its_normal(sets):
    A, B = sets
    distance, w = hull_distance(A[0], B)
    assert np.abs(w).max() <= 1.0
    assert A[0] @ w - (B @ w).max() == pytest.approx(distance, abs=1e-9)
    columns = len(B)
    d = A.shape[1]
    nearest = linprog(
        np.append(np.zeros(columns), np.ones(d)),
        A_ub=np.vstack([np.column_stack([B.T, -np.eye(d)]), np.column_stack([-B.T, -np.eye(d)])]),
        b_ub=np.concatenate([A[0], -A[0]]),
        A_eq=np.append(np.ones(columns), np.zeros(d))[None],
        b_eq=[1.0],
    )
    assert distance == pytest.approx(nearest.fun, abs=1e-7)


def test_a_column_that_others_determine_gets_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 2] = 2.0 * X[:, 0] - X[:, 1] + 1.0
    solution = max_norm_planes(X[:30], X[30:])
    assert solution.value < -0.1
    assert (solution.weights == 0).sum(axis=1).max() == 1


def test_units_of_the_points_scale_the_value():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(50, 4)), rng.normal(size=(50, 4))
    value = max_norm_planes(A, B).value
    for unit in (1e-6, 1e6):
        assert max_norm_planes(unit * A, unit * B).value == pytest.approx(unit * value, rel=1e-7)


@pytest.mark.parametrize(
    ("A", "B", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 2)), "same columns"),
        (np.zeros((0, 3)), np.zeros((2, 3)), "need a point"),
        (np.full((2, 3), np.nan), np.zeros((2, 3)), "finite"),
    ],
)
def test_the_core_refuses_what_it_cannot_read(A, B, message):
    with pytest.raises(ValueError, match=message):
        _core.solve_max_norm(A, B)


def test_equal_points_end():
    assert max_norm_planes(np.ones((3, 2)), np.ones((4, 2))).value == pytest.approx(0.0)
