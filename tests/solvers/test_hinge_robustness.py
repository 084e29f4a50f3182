"""HingeProgram where things go wrong: bad input, answers that are not proved, limits, threads."""

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from hinge_families import FAMILIES
from hinge_oracle import highs_value, hinges
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import _core
from planetree.solvers import HingeProgram

pytestmark = pytest.mark.core

seeds = st.integers(0, 2**32 - 1)


def overlapping(m, n, k=2, seed=0):
    """Rows of classes that overlap, unit weights, and the charges of the robust program."""
    rng = np.random.default_rng(seed)
    classes = np.resize(np.arange(k), m)
    X = FAMILIES["continuous"](rng, classes, n)
    return X, classes, np.ones(m), 1.0 / np.bincount(classes)


def same(one, other):
    return np.array_equal(one.weights, other.weights) and np.array_equal(one.offsets, other.offsets)


@pytest.mark.parametrize(("m", "n", "k"), [(50, 4, 2), (60, 3, 4), (2000, 4, 2), (20, 40, 2)])
def test_the_order_of_rows_changes_nothing_not_even_a_bit(m, n, k):
    X, classes, weights, charges = overlapping(m, n, k)
    order = np.random.default_rng(1).permutation(m)
    first = HingeProgram(X, classes, weights, charges).solve(duals=True)
    again = HingeProgram(X[order], classes[order], weights, charges).solve(duals=True)
    assert same(first, again)
    assert np.array_equal(first.duals[order], again.duals)


@settings(max_examples=40)
@given(seed=seeds, k=st.integers(2, 4), price=st.sampled_from([0.0, 0.01]))
def test_a_weight_is_as_many_rows(seed, k, price):
    """Rows alike are merged, so the two programs are one to the last bit."""
    rng = np.random.default_rng(seed)
    X, classes, _, charges = overlapping(30, 3, k, seed)
    counts = rng.integers(1, 5, size=30)
    weighted = HingeProgram(X, classes, counts.astype(float), charges)
    repeated = HingeProgram(
        np.repeat(X, counts, axis=0), np.repeat(classes, counts), np.ones(counts.sum()), charges
    )
    assert weighted._core.n_rows == repeated._core.n_rows == 30
    one, other = weighted.solve(price, duals=True), repeated.solve(price, duals=True)
    assert same(one, other)
    assert one.bound == other.bound
    shares = np.repeat(one.duals / counts[:, None], counts, axis=0)
    np.testing.assert_allclose(other.duals, shares, rtol=1e-12, atol=1e-18)


def test_minus_zero_is_zero():
    X, classes, weights, charges = overlapping(20, 2)
    X[:10] = 0.0
    Y = X.copy()
    Y[:5] = -0.0
    one, other = (HingeProgram(each, classes, weights, charges) for each in (X, Y))
    assert one._core.n_rows == other._core.n_rows == 12
    assert same(one.solve(), other.solve())


def test_rows_without_weight_are_no_rows():
    X, classes, weights, charges = overlapping(40, 3)
    more = np.vstack([X, X + 100.0])
    padded = HingeProgram(
        more, np.tile(classes, 2), np.concatenate([weights, 0 * weights]), charges
    )
    solution = padded.solve(duals=True)
    assert same(solution, HingeProgram(X, classes, weights, charges).solve())
    assert not solution.duals[40:].any()


def test_moments_leave_out_rows_without_weight():
    """A column with one value in the rows that count once had a scale of 1e-17 for its rounding."""
    X = np.array([[0.1], [0.1], [0.1], [7.0]])
    center, scale = _core.column_moments(X, np.array([0.3, 0.3, 0.1, 0.0]))
    assert center.tolist() == [0.1]
    assert scale.tolist() == [0.0]


@settings(max_examples=60)
@given(seed=seeds, m=st.integers(4, 30), n=st.integers(2, 30), k=st.integers(2, 5))
def test_columns_that_depend_on_each_other_do_not_send_the_planes_to_infinity(seed, m, n, k):
    """Slopes of rounding size once chose a pivot of 1e-11 and planes with weights of 1e20."""
    rng = np.random.default_rng(seed)
    classes = np.resize(np.arange(k), max(m, k))
    X = FAMILIES["collinear_columns"](rng, classes, n) * 10.0
    charges = 1.0 / np.bincount(classes)
    program = HingeProgram(X, classes, np.ones(len(X)), charges, all_planes=True)
    price = 0.1 * (rng.random(n) < 0.5)
    for solution in (program.solve(), program.solve(price)):
        assert solution.gap <= 1e-9
        assert solution.method != "highs"
        assert np.abs(solution.weights).max() < 1e8


def test_a_value_of_0_is_exact_where_some_features_are_free():
    """A margin short of 1 by rounding once left a gap above 1e-9, and HiGHS had one too."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        classes = np.resize(np.arange(4), 30)
        X = FAMILIES["separable"](rng, classes, 6)
        program = HingeProgram(X, classes, np.ones(30), 1.0 / np.bincount(classes))
        solution = program.solve(np.array([0.0, 0.1, 0.0, 0.1, 0.0, 0.0]))
        if solution.bound == 0:
            assert solution.objective == 0
        assert solution.method != "highs"


def test_costs_of_0_ask_for_no_margin():
    """Rows that are not charged once kept a value of 0 from being exact."""
    X, classes, weights, charges = overlapping(30, 2, 3)
    costs = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    X[classes == 0] += 100.0
    solution = HingeProgram(X, classes, weights, charges, costs=costs).solve()
    assert (solution.objective, solution.gap, solution.method) == (0.0, 0.0, "simplex")
    nothing = HingeProgram(X, classes, weights, charges, costs=0 * costs).solve()
    assert (nothing.objective, nothing.gap) == (0.0, 0.0)


def test_classes_far_apart_do_not_lead_newton_astray():
    """Two classes that overlap and one far away: z once grew to 1e7 along a flat direction."""
    rng = np.random.default_rng(437)
    classes = np.resize(np.arange(3), 1100)
    X = rng.normal(size=(1100, 2)) + classes[:, None] * np.array([4.0, 0.3])
    charges = 1.0 / np.bincount(classes)
    program = HingeProgram(X, classes, np.ones(1100), charges)
    for price in (0.0, np.array([0.0, 0.01])):
        solution = program.solve(price)
        assert solution.method != "highs"
        expected = highs_value(hinges(X, classes, charges, price=price))
        assert solution.objective == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[np.nan], [1.0]]}, "infinite or NaN"),
        ({"X": [[np.inf], [1.0]]}, "infinite or NaN"),
        ({"X": np.empty((2, 0)), "center": [], "scale": []}, "needs a row, a feature"),
        ({"X": np.empty((0, 1)), "classes": [], "weights": []}, "needs a row, a feature"),
        ({"classes": [0, 2]}, "class code is out of range"),
        ({"classes": [0, -1]}, "class code is out of range"),
        ({"classes": [0]}, "one entry a row"),
        ({"weights": [1.0]}, "one entry a row"),
        ({"weights": [1.0, -1.0]}, "finite and not negative"),
        ({"weights": [1.0, np.nan]}, "finite and not negative"),
        ({"weights": [1.0, np.inf]}, "finite and not negative"),
        ({"charges": [1.0]}, "two classes"),
        ({"charges": [1.0, -1.0]}, "charges must be"),
        ({"charges": [1.0, np.nan]}, "charges must be"),
        ({"center": [np.nan]}, "centers must be finite"),
        ({"center": [0.0, 0.0]}, "center has 2 entries instead of 1"),
        ({"scale": [0.0]}, "scales must be positive"),
        ({"scale": [np.nan]}, "scales must be positive"),
        ({"costs": np.ones((3, 3))}, "a row and a column a class"),
        ({"costs": -np.ones((2, 2))}, "charges must be"),
    ],
)
def test_the_core_refuses_arrays_that_make_no_program(change, message):
    arrays = {"X": [[0.0], [1.0]], "classes": [0, 1], "weights": [1, 1], "charges": [1, 1]}
    arrays = {name: np.asarray(each) for name, each in {**arrays, **change}.items()}
    with pytest.raises(ValueError, match=message):
        HingeProgram(**arrays)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"rise": [-1.0, 0.0], "fall": [0.0, 0.0]}, "prices must be"),
        ({"rise": [0.0, 0.0], "fall": [np.nan, 0.0]}, "prices must be"),
        ({"rise": [np.inf, 0.0], "fall": [0.0, 0.0]}, "prices must be"),
        ({"rise": [0.0], "fall": [0.0, 0.0]}, "rise has 1 entries instead of 2"),
        ({"rise": [0.0, 0.0]}, "prices need rise and fall"),
    ],
)
def test_the_core_refuses_prices_that_are_none(asked, message):
    program = HingeProgram(*overlapping(10, 2))._core
    with pytest.raises(ValueError, match=message):
        program.solve(**{name: np.array(each) for name, each in asked.items()})


@pytest.mark.parametrize(
    ("features", "message"),
    [([-1], "out of range"), ([2], "out of range"), ([0, 7], "out of range"), ([1, 1], "twice")],
)
def test_the_core_refuses_features_that_are_not_there_or_there_twice(features, message):
    with pytest.raises(ValueError, match=message):
        HingeProgram(*overlapping(10, 2)).solve(features=np.array(features))


def test_a_start_must_be_of_a_program_of_the_same_shape():
    program = HingeProgram(*overlapping(10, 2))
    for m, n in ((10, 3), (40, 2)):
        with pytest.raises(ValueError, match="not one of this program"):
            program.solve(start=HingeProgram(*overlapping(m, n)).solve())


def test_what_solve_is_asked_for_is_checked():
    program = HingeProgram(*overlapping(10, 2))
    with pytest.raises(ValueError, match="finite and not negative"):
        program.solve(price=-1.0)
    with pytest.raises(ValueError, match="at least one feature"):
        program.solve(features=np.array([], dtype=int))
    for limit in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="time_limit must be positive"):
            program.solve(time_limit=limit)


def test_the_core_refuses_duals_of_another_program():
    one, other = (HingeProgram(*overlapping(m, 2))._core for m in (10, 40))
    with pytest.raises(ValueError, match="not one of this program"):
        one.duals(other.solve())
    with pytest.raises(ValueError, match="an entry a row and rival"):
        one.certify(np.zeros(3), np.zeros((9, 1)))


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0, -0.5], [np.nan, 1.0], [np.inf, 1.0]])
def test_moments_refuse_weights_that_weigh_nothing(weights):
    with pytest.raises(ValueError, match="finite, not negative and not all 0"):
        _core.column_moments(np.ones((2, 1)), np.array(weights))


class Unproved:
    """A core whose answers are as they were, but with another proof."""

    def __init__(self, core, gap, certify=None):
        self._core, self._gap, self._certify = core, gap, certify

    def __getattr__(self, name):
        return getattr(self._core, name)

    def solve(self, *arguments):
        answer = self._core.solve(*arguments)
        proof = type("Proof", (), {"gap": self._gap, "objective": 9.0, "error": 9, "bound": 0.0})()
        found = {"z": answer.z, "certificate": proof, "status": "optimal", "steps": 1, "method": ""}
        return type("Answer", (), found)()

    def certify(self, *arguments):
        proof = self._core.certify(*arguments)
        return proof if self._certify is None else self._certify


@pytest.mark.parametrize("gap", [1e-8, np.inf, np.nan])
@pytest.mark.parametrize("k", [2, 3])
def test_an_answer_that_is_not_proved_is_solved_again_by_highs(gap, k):
    rng = np.random.default_rng(0)
    costs, price = rng.integers(1, 4, size=(k, k)).astype(float), rng.random(3) * 0.1
    program = HingeProgram(*overlapping(40, 3, k), costs=costs)
    expected = program.solve(price, duals=True)
    program._core = Unproved(program._core, gap)
    solution = program.solve(price)
    assert solution.method == "highs"
    assert solution.status == "optimal"
    assert solution.gap <= 1e-9
    assert solution.objective == pytest.approx(expected.objective, rel=1e-9)
    assert solution.duals.sum() == pytest.approx(expected.duals.sum(), rel=1e-9)


def test_without_prices_an_orthonormal_basis_is_tried_before_highs():
    program = HingeProgram(*overlapping(40, 3, 3))
    expected = program.solve(features=np.array([0, 2]), duals=True)
    program._core = Unproved(program._core, 1.0)
    solution = program.solve(features=np.array([0, 2]))
    assert solution.method == "orthonormal"
    np.testing.assert_allclose(solution.weights, expected.weights, atol=1e-9)
    np.testing.assert_allclose(solution.offsets, expected.offsets, atol=1e-9)
    np.testing.assert_allclose(solution.pull, expected.pull, atol=1e-9)
    assert solution.objective == pytest.approx(expected.objective, rel=1e-12)


@pytest.mark.parametrize("gap", [1e-6, np.nan])
def test_an_answer_that_highs_cannot_prove_either_is_called_inaccurate(gap):
    """It used to raise, so that one huge row left the user without any plane."""
    program = HingeProgram(*overlapping(40, 3), name="program of a test")
    proof = type("Proof", (), {"gap": gap, "objective": 1.0, "error": 1.0, "bound": 0.0})()
    program._core = Unproved(program._core, 1.0, proof)
    assert program.solve(0.01).status == "inaccurate"


@pytest.mark.parametrize(("m", "n", "k"), [(3000, 60, 2), (200, 300, 2), (2000, 20, 5)])
def test_a_time_limit_returns_planes_with_an_honest_gap(m, n, k):
    X, classes, weights, charges = overlapping(m, n, k)
    program = HingeProgram(X, classes, weights, charges)
    price = 0.001 if n > m else 0.0
    best = program.solve(price)
    solution = program.solve(price, time_limit=1e-5)
    assert solution.status == "time_limit"
    assert solution.bound <= best.objective * (1 + 1e-9)
    assert solution.objective >= best.objective * (1 - 1e-9)
    difference = solution.objective - solution.bound
    assert solution.gap == pytest.approx(difference / solution.objective)
    assert np.isfinite(solution.weights).all()


def long_program():
    """Takes seconds: a simplex on many unknowns."""
    return HingeProgram(*overlapping(2500, 400, 3))


def test_a_time_limit_is_kept():
    program = long_program()
    start = time.monotonic()
    assert program.solve(time_limit=0.2).status == "time_limit"
    assert time.monotonic() - start < 2.0


def test_ctrl_c_is_heard_and_the_program_can_be_used_again():
    """In a process of its own: the signal goes to the main thread."""
    script = f"""
        import _thread, sys, threading, time
        sys.path[:0] = {[path for path in sys.path if "tests" in path]!r}
        from test_hinge_robustness import long_program
        program = long_program()
        threading.Timer(0.3, _thread.interrupt_main).start()
        start = time.monotonic()
        try:
            program.solve()
        except KeyboardInterrupt:
            assert 0.2 < time.monotonic() - start < 3
            print("heard", program.solve(time_limit=0.1).status)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert done.stdout.split() == ["heard", "time_limit"], done.stderr


def test_threads_that_solve_at_once_find_what_one_finds():
    """One program for all: solving changes nothing in it."""
    program = HingeProgram(*overlapping(2000, 10))
    prices = [0.0, 0.001, 0.01, 0.1] * 2
    expected = [program.solve(price) for price in prices]
    found = [None] * len(prices)

    def work(i):
        found[i] = program.solve(prices[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(prices))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(one, other) for one, other in zip(expected, found, strict=True))


@pytest.mark.parametrize("k", [2, 3])
def test_columns_that_agree_in_all_but_their_last_digits_are_told_apart(k):
    """Weights of 1e7 and more left a gap above 1e-9, and HiGHS, to its tolerance, a wrong value."""
    rng = np.random.default_rng(k)
    classes = np.resize(np.arange(k), 300)
    X = FAMILIES["continuous"](rng, classes, 4)
    alike = np.round(X.sum(axis=1, keepdims=True), 9) + 3e-9 * X[:, :1] ** 2
    steep = np.column_stack([X, alike])
    charges = 1.0 / np.bincount(classes)
    program = HingeProgram(steep, classes, np.ones(300), charges)
    solution = program.solve(duals=True)
    assert solution.gap <= 1e-9
    assert solution.method != "highs"
    assert np.abs(solution.weights).max() > 1e6
    basis, _ = np.linalg.qr(steep - steep.mean(axis=0))
    expected = highs_value(hinges(basis * np.sqrt(300), classes, charges))
    assert solution.objective == pytest.approx(expected, rel=1e-6)
    scores = steep @ solution.weights.T - solution.offsets
    own = scores[np.arange(300), classes] if k > 2 else np.where(classes == 1, scores[:, 0], 0)
    rest = scores if k > 2 else np.column_stack([np.zeros(300), scores[:, 0]])
    short = np.maximum(0.0, 1.0 - (own[:, None] - rest))
    short[np.arange(300), classes] = 0.0
    assert charges[classes] @ short.sum(axis=1) == pytest.approx(solution.error, rel=1e-6)
