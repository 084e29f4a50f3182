"""Bilinear programs: zero exactly where planes separate; descents never raise the value."""

import numpy as np
import pytest
from bilinear_rows import XOR, separable
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from planetree.datasets import two_planes
from planetree.separators.bilinear.bilinear_program import (
    BilinearProgram,
    Demand,
    _best_share,
    _is_zero,
    best_plane,
    descend,
)
from planetree.separators.bilinear.bilinear_search import Search, centered

pytestmark = pytest.mark.core


class Unheld(BilinearProgram):
    """A program whose planes may come to w = 0."""

    def anchor(self, plane, planes):
        return None


@given(separable, st.integers(0, 10**6))
def test_a_row_is_on_the_right_side_exactly_when_its_margin_is_positive(drawn, seed):
    X, inside, _, rule = drawn
    planes = np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    above = planes[:, :-1] @ X.T > planes[:, -1:]
    region = above.all(axis=0) if rule == "both" else above[0] == above[1]
    assert np.array_equal(program.margins(planes)[0] > 0, region == inside)


@given(separable)
def test_planes_that_separate_have_value_zero_once_their_margin_is_one(drawn):
    """Theorem 7.3.1, one direction; and `centered` keeps every row where it is."""
    X, inside, planes, rule = drawn
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    margin = program.margins(planes)[0].min()
    assert program.value(program.costs(planes / margin)) == 0.0
    moved = centered(program, planes)
    assert program.margins(moved)[0].min() >= 1.0 - 1e-6
    assert program.value(program.costs(moved)) == 0.0


@given(separable, st.integers(0, 10**6))
def test_value_zero_means_that_the_planes_separate(drawn, seed):
    """Theorem 7.3.1, the other direction, for planes that have not been told of the rows."""
    X, inside, _, rule = drawn
    program = BilinearProgram(X, np.ones(len(X)), inside, rule)
    planes = 1e3 * np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    if program.value(program.costs(planes)) == 0.0:
        assert program.separated(planes)
    if not program.separated(planes):
        assert program.value(program.costs(planes)) > 0.0


def test_a_charge_of_twice_the_others_acts_as_a_constraint():
    """The program of a plane has the value of the linear program with its rows held exactly."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, inside = rng.normal(size=(30, 3)), rng.random(30) < 0.4
        inside[:2] = True, False
        program = BilinearProgram(X, np.ones(30), inside, "both")
        charges = np.tile(rng.random(30), (2, 1))
        plane, _ = best_plane(program.demand(0, charges), np.zeros(4))
        scores = X @ plane[:-1] - plane[-1]
        assert scores[inside].min() >= 1.0 - 1e-9
        value = charges[0, ~inside] @ np.maximum(0.0, 1.0 + scores[~inside])
        n_out = int((~inside).sum())
        signed = np.column_stack([X, -np.ones(30)])
        above = np.column_stack([-signed[inside], np.zeros((30 - n_out, n_out))])
        below = np.column_stack([signed[~inside], -np.eye(n_out)])
        oracle = linprog(
            np.concatenate([np.zeros(4), charges[0, ~inside]]),
            A_ub=np.vstack([above, below]),
            b_ub=-np.ones(30),
            bounds=[(None, None)] * 4 + [(0, None)] * n_out,
        )
        assert value == pytest.approx(oracle.fun, rel=1e-7, abs=1e-9)


@given(separable, st.sampled_from(["serial", "parallel", "frank_wolfe"]), st.integers(0, 10**6))
def test_a_descent_never_raises_the_value_and_ends(drawn, algorithm, seed):
    X, inside, _, rule = drawn
    algorithm = "frank_wolfe" if rule == "same_side" else algorithm
    program = Unheld(X, np.ones(len(X)), inside, rule)
    start = np.random.default_rng(seed).normal(size=(2, X.shape[1] + 1))
    first = program.value(program.costs(start))
    planes = descend(program, start, algorithm)
    assert program.separated(planes) or program.value(program.costs(planes)) <= first


@pytest.mark.parametrize("algorithm", ["serial", "parallel"])
def test_a_descent_stops_only_where_neither_plane_can_lower_the_value(algorithm):
    """Theorem 7.2.1: it ends at zero or where the minimum principle (7.3) holds."""
    rng, stopped = np.random.default_rng(1), 0
    for _ in range(60):
        X, inside = rng.normal(size=(25, 2)), rng.random(25) < 0.3
        inside[:2] = True, False
        program = Unheld(X, np.ones(25), inside, "both")
        planes = descend(program, rng.normal(size=(2, 3)), algorithm)
        if program.separated(planes):
            continue
        stopped += 1
        costs = program.costs(planes)
        for p in (0, 1):
            moved = planes.copy()
            moved[p], _ = best_plane(program.demand(p, costs[::-1]), planes[p])
            assert program.value(program.costs(moved)) >= program.value(costs) * (1 - 1e-6)
    assert stopped > 10


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_the_step_length_is_exact(slope, curvature):
    share = _best_share(slope, curvature)
    grid = np.linspace(0.0, 1.0, 101)
    assert 0.0 <= share <= 1.0
    assert slope * share + curvature * share**2 <= (slope * grid + curvature * grid**2).min() + 1e-9


def test_a_zero_normal_is_detected_and_cured():
    """Section 7.4: rows on the sphere bring the first plane to w = 0 unless it is held off."""
    X, y = two_planes(500, 10, random_state=0)
    program = BilinearProgram(X, np.ones(500), y == 1, "both")
    start = next(Search(program, "serial", np.random.default_rng(0)).starts)
    plain, _ = best_plane(program.demand(0, program.costs(start)[::-1]), start[0])
    assert _is_zero(plain)
    anchors = [None, None]
    planes = program.best_planes([0], start, program.costs(start), anchors)
    assert anchors[0] is not None
    assert not _is_zero(planes[0])
    assert program.separated(descend(program, start, "serial"))


def test_demands_of_one_side_leave_a_plane_alone():
    plane = np.array([1.0, 2.0, 3.0])
    demand = Demand(XOR, np.ones(4, dtype=int), np.ones(4))
    kept, steps = best_plane(demand, plane)
    assert kept is plane
    assert steps == 0
