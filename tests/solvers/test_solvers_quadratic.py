"""Piecewise-quadratic programs: the value as printed, its gradient, its minimum and its bound."""

import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize

from planetree.solvers import HingeProgram, quadratic
from planetree.solvers.program_arrays import signed_rows
from planetree.solvers.quadratic import _Pieces, distribute, squared_hinges, start_at_means

pytestmark = pytest.mark.core


def clouds(seed, n_rows, n_columns, n_classes, shift=1.0):
    """Normal clouds that overlap, every class with at least one row."""
    rng = np.random.default_rng(seed)
    classes = np.resize(np.arange(n_classes), n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + shift * rng.normal(size=(n_classes, 1))[classes]
    return X, classes


def program_of(X, classes, **options):
    k = classes.max() + 1
    weights = options.pop("weights", np.ones(len(X)))
    return HingeProgram(X, classes, weights, 1 / np.bincount(classes, weights, k), **options)


def printed_value(planes, X, classes, l2=0.0, costs=None):
    """(6.6) as it is printed, class by class, and the squares of centered weights."""
    W, gamma = planes[:, :-1], planes[:, -1]
    value, k = 0.0, len(planes)
    for i in range(k):
        A = X[classes == i]
        for j in range(k):
            if j != i and len(A):
                short = np.maximum(0, -A @ (W[i] - W[j]) + (gamma[i] - gamma[j]) + 1)
                value += (1.0 if costs is None else costs[i, j]) * short @ short / (2 * len(A))
    return value + l2 / 2 * ((W - W.mean(axis=0)) ** 2).sum()


def all_planes(solution):
    planes = np.column_stack([solution.weights, solution.offsets])
    return planes if len(planes) > 1 else np.vstack([0 * planes, planes])


def scipy_minimum(X, classes, l2=0.0, costs=None):
    """The least printed value by a quasi-Newton method, with the gradient of `Pieces`."""
    f = squared_hinges(program_of(X, classes, costs=costs), l2)
    start = np.zeros(f.M.shape[1])
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 40}
    found = minimize(f.value, start, jac=f.gradient, method="L-BFGS-B", options=options)
    return found.fun


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    l2=st.sampled_from([0.0, 0.3]),
)
def test_the_function_is_the_printed_one_and_its_gradient_that_of_differences(seed, n_classes, l2):
    """Equations (6.6), (6.7) and (6.8)."""
    X, classes = clouds(seed, 12, 3, n_classes)
    f = squared_hinges(program_of(X, classes), l2)
    planes = np.random.default_rng(seed).normal(size=(n_classes, 4))
    planes[:, :-1] -= planes[:, :-1].mean(axis=0)
    z = planes.ravel()
    assert f.value(z) == pytest.approx(printed_value(planes, X, classes, l2), rel=1e-12)
    np.testing.assert_allclose(f.gradient(z), approx_fprime(z, f.value, 1e-7), atol=1e-4, rtol=1e-4)


@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4))
def test_margins_and_blocks_are_those_of_the_matrix_written_out(seed, n_classes):
    X, classes = clouds(seed, 9, 3, n_classes)
    margins = squared_hinges(program_of(X, classes)).M
    S = signed_rows(X, classes, n_classes, n_classes).toarray()
    np.testing.assert_allclose(margins @ np.eye(S.shape[1]), S, atol=1e-15)
    np.testing.assert_allclose(margins.T @ np.eye(len(S)), S.T, atol=1e-15)
    for partition in ("classes", "attributes"):
        for block in margins.blocks(partition):
            part = np.zeros((len(S), len(block.unknowns)))
            part[block.terms] = block.M
            np.testing.assert_allclose(part, S[:, block.unknowns], atol=1e-15)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(5, 60),
    n_columns=st.integers(1, 6),
    n_classes=st.integers(2, 5),
    l2=st.sampled_from([0.0, 1e-6, 1e-2, 1.0]),
    shift=st.sampled_from([0.0, 1.0, 10.0]),
)
def test_newton_has_the_value_it_says_and_proves_it(seed, n_rows, n_columns, n_classes, l2, shift):
    X, classes = clouds(seed, n_rows, n_columns, n_classes, shift)
    solution = program_of(X, classes).solve_quadratic(l2)
    value = printed_value(all_planes(solution), X, classes, l2)
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(value, rel=1e-9, abs=1e-15)
    assert solution.bound <= solution.objective * (1 + 1e-12)
    assert solution.objective - solution.bound <= 1e-9 * max(solution.objective, 1e-3)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    l2=st.sampled_from([0.0, 1e-2]),
)
def test_newton_equals_an_independent_optimizer(seed, n_classes, l2):
    X, classes = clouds(seed, 80, 3, n_classes, 0.5)
    solution = program_of(X, classes).solve_quadratic(l2)
    other = scipy_minimum(X, classes, l2)
    assert solution.objective <= other * (1 + 1e-10)
    assert solution.objective == pytest.approx(other, rel=1e-8)


@pytest.mark.parametrize("partition", ["classes", "attributes"])
@pytest.mark.parametrize("l2", [0.0, 1e-2])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_distributed_gradients_reach_newtons_minimum(partition, l2, n_classes):
    X, classes = clouds(n_classes, 120, 4, n_classes, 0.7)
    program = program_of(X, classes)
    f = squared_hinges(program, l2)
    *_, planes = distribute(f, start_at_means(program), partition=partition, tol=1e-9)
    best = program.solve_quadratic(l2).objective
    assert f.value(planes.ravel()) == pytest.approx(best, rel=1e-8)


def test_a_round_never_raises_the_value_and_stops_by_the_printed_rule():
    """Theorem 6.2.1; section 6.2 halts at a gradient of 1e-3 or a change that is too small."""
    X, classes = clouds(1, 150, 5, 4)
    program = program_of(X, classes)
    f = squared_hinges(program)
    start = start_at_means(program)
    values = [f.value(planes.ravel()) for planes in (start, *distribute(f, start))]
    assert np.all(np.diff(values) <= 0)
    *_, planes = distribute(f, start, tol=1e-3)
    change = (values[-2] - values[-1]) / values[-2]
    assert np.abs(f.gradient(planes.ravel())).max() <= 1e-3 or change <= 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_the_value_of_planes_is_never_below_that_in_fractions(seed):
    """It was a sum in floating point, which may be too small by its rounding."""
    X, classes = clouds(seed, 40, 3, 3)
    program = program_of(X, classes)
    planes = start_at_means(program)
    W = [[Fraction(w) for w in row] for row in planes[:, :-1].tolist()]
    rows, charges, exact = X.tolist(), program.charge_table[:, 0].tolist(), Fraction(0)
    for x, own, charge in zip(rows, classes.tolist(), charges, strict=True):
        scores = [sum(Fraction(v) * w for v, w in zip(x, row, strict=True)) for row in W]
        lacks = [max(Fraction(0), 1 - scores[own] + s) for c, s in enumerate(scores) if c != own]
        exact += Fraction(charge) * sum(lack**2 for lack in lacks) / 2
    *_, value = quadratic.beyond_margins(program, planes[:, :-1], planes[:, -1])
    assert 0 <= Fraction(value.error) - exact <= Fraction(1, 10**12) * exact


def test_when_time_is_over_a_round_asks_for_nothing_more():
    """It went on to the gradients of all moves, and to combine them: a second on a large table."""

    class Spent:
        """A clock that is over once the first block has been moved."""

        is_over = False

    X, classes = clouds(6, 60, 2, 3)
    program, clock = program_of(X, classes), Spent()
    f = squared_hinges(program)
    asked = []

    class Counted(_Pieces):
        def gradient(self, u):
            asked.append(clock.is_over)
            return super().gradient(u)

    counted = Counted(f.M, f.charge, f.base, f.Q)

    def spent(*given, **named):
        clock.is_over = True
        return _best_move(*given, **named)

    _best_move = quadratic._best_move
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic, "_best_move", spent)
        assert list(distribute(counted, start_at_means(program), clock=clock)) == []
    assert asked == [False]


def test_the_start_is_the_printed_one():
    """(6.22): the mean of the class minus the mean of all rows, and no offset."""
    X, classes = clouds(2, 31, 3, 3)
    start = start_at_means(program_of(X, classes))
    for c in range(3):
        np.testing.assert_allclose(start[c, :-1], X[classes == c].mean(axis=0) - X.mean(axis=0))
    assert not start[:, -1].any()


def test_every_number_of_jobs_gives_the_same_planes(monkeypatch):
    X, classes = clouds(3, 90, 4, 4)
    program = program_of(X, classes)
    f, start = squared_hinges(program), start_at_means(program)
    seen = set()

    def watched(*arguments):
        seen.add(threading.get_ident())
        return best_move(*arguments)

    best_move = quadratic._best_move
    monkeypatch.setattr(quadratic, "_best_move", watched)
    monkeypatch.setattr(quadratic, "_CELLS_THAT_PAY", 0)
    one, two = (list(distribute(f, start, n_jobs=jobs))[-1] for jobs in (1, 2))
    assert np.array_equal(one, two)
    assert len(seen) > 1


def test_a_small_table_has_one_thread_however_many_are_asked_for(monkeypatch):
    X, classes = clouds(3, 90, 4, 4)
    program = program_of(X, classes)
    threads = set()
    monkeypatch.setattr(
        quadratic._Pieces,
        "minimize",
        lambda part, u, *_, **__: threads.add(threading.get_ident()) or u,
    )
    list(distribute(squared_hinges(program), start_at_means(program), n_jobs=2))
    assert threads == {threading.get_ident()}


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_costs_multiply_the_charge_of_a_class_for_a_rival(seed):
    X, classes = clouds(seed, 60, 2, 3, 0.5)
    costs = np.random.default_rng(seed).uniform(0.1, 5.0, size=(3, 3))
    solution = program_of(X, classes, costs=costs).solve_quadratic()
    planes = all_planes(solution)
    assert solution.objective == pytest.approx(printed_value(planes, X, classes, 0.0, costs))
    assert solution.objective == pytest.approx(scipy_minimum(X, classes, 0.0, costs), rel=1e-8)


@given(seed=st.integers(0, 2**32 - 1), l2=st.sampled_from([1e-3, 1.0]))
def test_more_features_than_rows_lose_nothing(seed, l2):
    """The normals with the least squares lie in the span of the rows."""
    X, classes = clouds(seed, 12, 40, 3)
    solution = program_of(X, classes).solve_quadratic(l2)
    value = printed_value(all_planes(solution), X, classes, l2)
    assert solution.objective == pytest.approx(value, rel=1e-9)
    assert solution.gap <= 1e-9
    outside = solution.weights - solution.weights @ np.linalg.pinv(X) @ X
    np.testing.assert_allclose(outside, 0.0, atol=1e-9)


@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_large_programs_by_conjugate_gradients_are_solved_too(l2):
    """42 classes and 40 columns: more unknowns than are solved for by factorization."""
    X, classes = clouds(5, 420, 40, 42, 0.3)
    solution = program_of(X, classes).solve_quadratic(l2)
    assert solution.status == "optimal"
    assert solution.gap <= 1e-6


def test_columns_that_repeat_one_another_to_rounding_do_not_disturb():
    X, classes = clouds(6, 200, 3, 3)
    rng = np.random.default_rng(0)
    again = X + 1e-9 * rng.normal(size=X.shape)
    plain = program_of(X, classes).solve_quadratic()
    doubled = program_of(np.hstack([X, again, X.sum(axis=1, keepdims=True)]), classes)
    solution = doubled.solve_quadratic()
    assert solution.objective == pytest.approx(plain.objective, rel=1e-6)
    assert np.abs(solution.weights).max() < 10 * np.abs(plain.weights).max()


def test_a_warm_start_ends_at_the_same_minimum_in_fewer_steps():
    X, classes = clouds(7, 400, 6, 3)
    cold = program_of(X[:390], classes[:390]).solve_quadratic()
    whole = program_of(X, classes)
    warm, fresh = whole.solve_quadratic(start=cold), whole.solve_quadratic()
    assert warm.objective == pytest.approx(fresh.objective, rel=1e-12)
    assert warm.n_iterations <= fresh.n_iterations


def test_steps_can_be_taken_one_by_one():
    X, classes = clouds(8, 200, 5, 3)
    program, values, solution = program_of(X, classes), [np.inf], None
    while solution is None or solution.status != "optimal":
        solution = program.solve_quadratic(start=solution, max_steps=1)
        assert solution.objective <= values[-1] * (1 + 1e-12)
        values.append(solution.objective)
    assert values[-1] == pytest.approx(program.solve_quadratic().objective, rel=1e-12)


def test_bad_numbers_are_refused_by_the_core():
    program = program_of(*clouds(0, 10, 2, 2))
    with pytest.raises(ValueError, match="l2 must be finite"):
        program.solve_quadratic(-1.0)
    with pytest.raises(ValueError, match="l2 must be finite"):
        program.solve_quadratic(np.nan)


def test_a_minimum_of_one_unknown_is_found_from_anywhere():
    f = _Pieces(np.array([[1.0], [-1.0], [2.0]]), np.ones(3), np.zeros(3), np.zeros(1))
    for start in (-100.0, 0.0, 0.4, 100.0):
        u = f.minimize(np.array([start]))
        np.testing.assert_allclose(f.gradient(u), 0.0, atol=1e-12)
