"""LinearProgram against scipy, against itself solved cold, and against answers made wrong."""

import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linprog, milp

from planetree.certificate import Certificate
from planetree.exceptions import SolverError
from planetree.solvers import LinearProgram, linear_program
from planetree.solvers.certificate import Model, check

SHAPES = ("plain", "degenerate", "equations", "free", "boxed")


def feasible_program(seed, shape, n_rows, n_columns):
    """Arrays of a program with a known feasible point and a known dual bound."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, size=(n_rows, n_columns)).astype(float)
    x = rng.integers(0, 4, size=n_columns).astype(float)
    duals = rng.integers(-3, 4, size=n_rows).astype(float)
    room = rng.integers(0, 3, size=(2, n_rows)).astype(float)
    lower, upper = np.zeros(n_columns), np.full(n_columns, np.inf)
    if shape == "degenerate":
        rows[n_rows // 2 :] = rows[: n_rows - n_rows // 2]
        room[:] = 0.0
    if shape == "equations":
        room[:] = 0.0
    if shape == "boxed":
        upper = x + rng.integers(0, 3, size=n_columns)
    if shape == "free":
        lower[: n_columns // 2] = -np.inf
    if shape == "plain":
        room[0, ::2] = np.inf
        duals[::2] = -np.abs(duals[::2])
    activity = rows @ x
    reduced = np.where(np.isinf(lower), 0.0, rng.integers(0, 4, size=n_columns))
    if shape == "boxed":
        reduced = rng.integers(-3, 4, size=n_columns).astype(float)
    cost = rows.T @ duals + reduced
    return cost, rows, activity - room[0], activity + room[1], lower, upper


def scipy_value(cost, rows, row_lower, row_upper, lower, upper):
    above, below = np.isfinite(row_upper), np.isfinite(row_lower)
    result = linprog(
        cost,
        A_ub=np.vstack([rows[above], -rows[below]]),
        b_ub=np.concatenate([row_upper[above], -row_lower[below]]),
        bounds=np.column_stack([lower, upper]),
    )
    assert result.status == 0
    return result.fun


programs = st.builds(
    feasible_program,
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from(SHAPES),
    n_rows=st.integers(1, 12),
    n_columns=st.integers(1, 12),
)


@settings(max_examples=300)
@given(programs, st.booleans())
def test_the_value_is_scipys_and_the_duals_prove_it(arrays, presolve):
    solution = LinearProgram(*arrays, presolve=presolve).solve()
    cost, rows, row_lower, row_upper, lower, upper = arrays
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(scipy_value(*arrays), rel=1e-8, abs=1e-8)
    assert solution.objective == pytest.approx(cost @ solution.x, abs=1e-12)
    assert solution.gap <= 1e-9
    assert np.all(solution.x >= lower)
    assert np.all(solution.x <= upper)
    activity = rows @ solution.x
    assert np.all(activity >= row_lower - 1e-7)
    assert np.all(activity <= row_upper + 1e-7)
    np.testing.assert_allclose(solution.reduced_costs, cost - rows.T @ solution.duals, atol=1e-9)


@settings(max_examples=100)
@given(programs, st.integers(0, 2**32 - 1))
def test_a_changed_program_gives_the_value_of_a_new_one(arrays, seed):
    cost, rows, row_lower, row_upper, lower, upper = arrays
    rng = np.random.default_rng(seed)
    warm = LinearProgram(*arrays)
    warm.solve()
    added = rng.integers(-2, 3, size=(2, len(cost))).astype(float)
    x = warm.solve().x  # still feasible below, so the changed program has a point
    ends = np.floor(added @ x), np.ceil(added @ x) + 1
    upper = np.minimum(upper, np.abs(x) + 50.0)
    lower = np.maximum(lower, -np.abs(x) - 50.0)
    cost = cost + rng.integers(0, 3, size=len(cost))
    warm.change_costs(cost)
    warm.change_bounds(lower, upper)
    warm.add_rows(added, *ends)
    column = rng.integers(-2, 3, size=(len(rows) + 2, 1)).astype(float)
    warm.add_columns([1.0], sp.csr_array(column))
    cold = LinearProgram(
        np.append(cost, 1.0),
        np.hstack([np.vstack([rows, added]), column]),
        np.concatenate([row_lower, ends[0]]),
        np.concatenate([row_upper, ends[1]]),
        np.append(lower, 0.0),
        np.append(upper, np.inf),
    )
    assert warm.solve().objective == pytest.approx(cold.solve().objective, rel=1e-9, abs=1e-9)


def test_a_small_change_of_cost_restarts_from_the_last_basis():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 40))
    program = LinearProgram(-np.ones(40), rows, -np.inf, 1.0 + rng.random(60), 0.0, 1.0)
    first = program.solve().n_iterations
    program.change_costs(-np.ones(40) + 1e-3 * rng.normal(size=40))
    assert program.solve().n_iterations < first / 4


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 10))
def test_whole_number_programs_have_scipys_value_and_whole_answers(seed, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 9, size=(n_rows, n_columns)).astype(float)
    limit = rows.sum(axis=1) * 0.6
    cost = -rng.integers(1, 9, size=n_columns).astype(float)
    whole = rng.random(n_columns) < 0.7
    solution = LinearProgram(cost, rows, -np.inf, limit, 0.0, 2.0, whole).solve()
    expected = milp(
        cost,
        integrality=whole.astype(int),
        bounds=(0, 2),
        constraints=LinearConstraint(rows, -np.inf, limit),
        options={"mip_rel_gap": 0.0},
    )
    assert solution.objective == pytest.approx(expected.fun, rel=1e-8)
    assert np.array_equal(solution.x[whole], np.round(solution.x[whole]))
    assert solution.bound <= solution.objective
    assert isinstance(solution, Certificate)
    assert solution.is_proved
    assert solution.kind == ("program with whole numbers" if whole.any() else "linear program")
    if whole.any():
        assert np.isnan(solution.duals).all()
    assert solution.gap <= 1e-8


@pytest.mark.parametrize(
    ("arrays", "status"),
    [
        (([1.0], [[1.0], [1.0]], [2.0, -np.inf], [np.inf, 1.0]), "infeasible"),
        (([1.0], [[0.0]], 1.0, 2.0), "infeasible"),
        (([-1.0, 0.0], [[1.0, -1.0]], 0.0, 0.0), "unbounded"),
        (([1.0], None, -np.inf, np.inf, -np.inf), "unbounded"),
    ],
)
def test_a_program_without_an_optimum_is_an_error_that_says_which(arrays, status):
    with pytest.raises(SolverError, match=rf"The little test \(.*columns.*is {status}") as caught:
        LinearProgram(*arrays, name="little test").solve()
    assert caught.value.status == status
    assert pickle.loads(pickle.dumps(caught.value)).status == status


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost": [1.0, np.nan]}, "cost must be finite, but column 1"),
        ({"cost": [1.0, -np.inf]}, "cost must be finite, but column 1"),
        ({"cost": []}, "no columns"),
        ({"cost": [[1.0]]}, "one number per column"),
        ({"cost": [1.0], "rows": [[1.0, 2.0]]}, r"shape \(any, 1\), not \(1, 2\)"),
        ({"cost": [1.0], "rows": [[np.nan]]}, "finite numbers"),
        ({"cost": [1.0], "rows": [[1e15]]}, "below 1e15"),
        ({"cost": [1.0], "rows": [[1.0]], "row_lower": [1.0, 2.0]}, "lower bounds of 1 rows"),
        ({"cost": [1.0], "lower": 2.0, "upper": 1.0}, "column 0 must lie between 2.0 and 1.0"),
        ({"cost": [1.0], "lower": np.nan}, "column 0 must lie between nan"),
        ({"cost": [1.0], "lower": np.inf}, "column 0 must lie between inf"),
        ({"cost": [1.0], "integer": [1]}, "boolean array of length 1"),
        ({"cost": [1.0], "integer": [True, False]}, "boolean array of length 1"),
    ],
)
def test_bad_input_is_refused_before_it_reaches_the_solver(arguments, message):
    with pytest.raises(ValueError, match=message):
        LinearProgram(**arguments)


def test_bad_changes_are_refused_and_change_nothing():
    program = LinearProgram([1.0, 1.0], [[1.0, 1.0]], 1.0)
    for change in (
        lambda: program.change_costs([1.0]),
        lambda: program.change_bounds(upper=[-1.0, 1.0]),
        lambda: program.add_rows([[1.0]]),
        lambda: program.add_columns([1.0], [[1.0], [2.0]]),
        lambda: program.solve(time_limit=0),
    ):
        with pytest.raises(ValueError):
            change()
    assert program.solve().objective == pytest.approx(1.0)


def corrupt_getter(program, monkeypatch, times, spoil):
    """Make the next `times` solutions of the solver wrong."""
    honest, left = program._highs.getSolution, [times]

    def dishonest():
        solution = honest()
        if left[0] > 0:
            left[0] -= 1
            spoil(solution)
        return solution

    monkeypatch.setattr(program._highs, "getSolution", dishonest)


def move_point(solution):
    solution.col_value = [value + 1e-6 for value in solution.col_value]


def move_duals(solution):
    solution.row_dual = [value + 1e-6 for value in solution.row_dual]


def drop_point(solution):
    solution.col_value = [0.0 for _ in solution.col_value]


@pytest.mark.parametrize("spoil", [move_point, move_duals, drop_point])
def test_a_wrong_answer_is_caught_and_the_program_solved_again(monkeypatch, spoil):
    arrays = feasible_program(3, "equations", 4, 9)
    honest = LinearProgram(*arrays).solve()
    program = LinearProgram(*arrays)
    for times in (1, 2, 3):
        corrupt_getter(program, monkeypatch, times, spoil)
        assert program.solve().objective == pytest.approx(honest.objective)
    corrupt_getter(program, monkeypatch, 4, spoil)
    monkeypatch.setattr(linear_program, "refine", lambda model, solve: iter(()))
    with pytest.raises(SolverError, match="no answer passed") as caught:
        program.solve()
    assert caught.value.status == "unverified"


def test_a_point_that_breaks_a_row_of_a_whole_number_program_is_caught(monkeypatch):
    program = LinearProgram([-1.0, -1.0], [[1.0, 1.0]], row_upper=3.0, integer=[True, True])
    corrupt_getter(program, monkeypatch, 4, lambda s: setattr(s, "col_value", [3.0, 1.0]))
    with pytest.raises(SolverError, match="no answer passed"):
        program.solve()


@settings(max_examples=100)
@given(programs, st.integers(0, 2**32 - 1))
def test_the_bound_of_any_duals_stays_below_every_feasible_value(arrays, seed):
    """Weak duality, for duals that no solver made."""
    cost, rows, *ends = arrays
    model = Model(cost, sp.csr_array(rows), *ends, np.zeros(len(cost), dtype=bool))
    best = LinearProgram(*arrays).solve()
    y = np.random.default_rng(seed).normal(size=len(rows))
    certificate = check(model, best.x, y)
    assert certificate.bound <= best.objective + 1e-7 * max(1.0, abs(best.objective))


def hard_knapsack():
    rng = np.random.default_rng(1)
    weights = rng.integers(1000, 2000, size=(5, 60)).astype(float)
    value = weights.sum(axis=0) + rng.random(60)
    limit = weights.sum(axis=1) / 2.01
    return LinearProgram(-value, weights, -np.inf, limit, 0.0, 1.0, np.ones(60, dtype=bool))


def test_a_time_limit_returns_the_best_point_with_its_gap_each_time_it_is_asked():
    program = hard_knapsack()
    for _ in range(2):
        start = time.monotonic()
        solution = program.solve(time_limit=0.3)
        assert 0.25 < time.monotonic() - start < 1.5
        assert solution.status == "time_limit"
        assert solution.bound < solution.objective
        assert solution.gap == pytest.approx(
            (solution.objective - solution.bound) / -solution.objective
        )


def tall_program(n_rows=100, n_columns=2000):
    """A program that takes some tenths of a second; any with 5,000 entries goes to a thread."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, n_columns)) * rng.choice([-1.0, 1.0], size=n_columns)
    return LinearProgram(-np.ones(n_columns), rows, 1.0, 1.0, 0.0, 1.0, name="tall program")


def test_the_time_limit_of_a_linear_program_counts_from_its_own_solve():
    program = tall_program()
    with pytest.raises(SolverError, match="no feasible point within its time limit") as caught:
        program.solve(time_limit=0.01)
    assert caught.value.status == "time_limit"
    assert program.solve(time_limit=60.0).status == "optimal"


@pytest.mark.parametrize("make", ["hard_knapsack", "tall_program"])
def test_a_long_solve_hears_ctrl_c_and_the_program_can_be_used_again(make):
    """In a process of its own: the signal goes to the main thread."""
    script = f"""
        import _thread, sys, threading, time
        sys.path.insert(0, {__file__.rsplit("/", 1)[0]!r})
        from test_linear_program import {make}
        program = {make}()
        threading.Timer(0.1, _thread.interrupt_main).start()
        start = time.monotonic()
        try:
            program.solve()
        except KeyboardInterrupt:
            assert time.monotonic() - start < 5
            program.change_costs([1.0] * program.n_columns)
            print("heard", program.solve(time_limit=60).status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert done.stdout.split() == ["heard", "optimal"], done.stderr


def test_a_script_that_ctrl_c_ends_ends_as_python_scripts_do():
    script = f"""
        import _thread, sys, threading
        sys.path.insert(0, {__file__.rsplit("/", 1)[0]!r})
        from test_linear_program import hard_knapsack
        threading.Timer(0.1, _thread.interrupt_main).start()
        hard_knapsack().solve()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert done.stderr.strip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("error", [MemoryError("no room"), ValueError("broken")])
def test_an_error_inside_the_solver_reaches_the_caller_and_the_program_can_be_used_again(
    monkeypatch, error
):
    """The thread of a long run died without a word, and the caller waited for ever."""
    program = tall_program(20, 300)

    def fail():
        raise error

    monkeypatch.setattr(program._highs, "run", fail)
    with pytest.raises(type(error), match=str(error)):
        program.solve()
    assert program.solve().status == "optimal"


def test_a_solver_that_is_deaf_to_its_limit_is_left_behind(monkeypatch):
    program, released = tall_program(), threading.Event()
    monkeypatch.setattr(program._highs, "run", released.wait)
    start = time.monotonic()
    with pytest.raises(SolverError) as caught:
        program.solve(time_limit=0.2)
    released.set()
    assert caught.value.status == "time_limit"
    assert time.monotonic() - start < 5.0
    assert program.solve().status == "optimal"


def test_programs_in_threads_do_not_disturb_each_other():
    arrays = [feasible_program(seed, "boxed", 20, 20) for seed in range(8)]
    expected = [LinearProgram(*each).solve().objective for each in arrays]
    found = [0.0] * 8

    def work(i):
        found[i] = LinearProgram(*arrays[i]).solve().objective

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def test_rounding_that_many_steps_leave_behind_is_shed():
    """The solver's first point leaves a gap above 1e-9 here, although it calls it optimal."""
    program = tall_program()
    program.change_costs(np.ones(2000))
    assert program.solve().gap <= 1e-9


def test_the_solver_prints_nothing(capfd):
    LinearProgram(*feasible_program(0, "plain", 5, 5)).solve()
    with pytest.raises(SolverError):
        LinearProgram([1.0], [[1.0]], 2.0, upper=1.0).solve()
    hard_knapsack().solve(time_limit=0.05)
    assert capfd.readouterr() == ("", "")
