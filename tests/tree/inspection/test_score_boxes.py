"""Bounds of shares hold for every score in a box, and are met at its corners."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import expit, softmax

from planetree.planes import Planes
from planetree.tree.inspection.score_boxes import (
    Box,
    directions_of,
    graded_shares,
    least_mixture,
    possible_branches,
)

RULES = ["slabs", "argmax", "both", "same_side"]


def shares_by_hand(rule, scores):
    """Shares of the branches, as the opening of the module states them."""
    if rule == "argmax":
        return softmax(scores)
    u = expit(scores)
    if rule == "slabs":
        u = -np.sort(-u)
        return np.append(np.append(1.0, np.cumprod(u))[:-1] * (1 - u), u.prod())
    up = u.prod() + ((1 - u).prod() if rule == "same_side" else 0.0)
    return np.array([1 - up, up])


def planes_of(rule, n=3):
    weights = np.tile([[1.0, 2.0]], (n, 1)) if rule == "slabs" else np.arange(2.0 * n).reshape(n, 2)
    return Planes(
        weights=weights, offsets=np.arange(float(n)), columns=[0, 1], rule=rule, spread=1.0
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_shares_of_scores_in_a_box_lie_within_its_bounds(rule, seed):
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.normal(scale=2, size=(2, 3)), axis=0)
    if rule == "slabs":  # scores of slabs fall
        ends = -np.sort(-ends, axis=1)
    least, most = graded_shares(planes_of(rule), *ends)
    for part in rng.random((200, 3)):
        scores = ends[0] + part * (ends[1] - ends[0])
        shares = shares_by_hand(rule, scores)
        assert (least <= shares + 1e-12).all()
        assert (shares <= most + 1e-12).all()


@pytest.mark.parametrize("rule", RULES)
def test_a_box_of_one_point_has_its_shares(rule):
    scores = np.array([1.5, 0.3, -0.7])
    for bounds in graded_shares(planes_of(rule), scores, scores):
        np.testing.assert_allclose(bounds, shares_by_hand(rule, scores), atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_the_possible_branches_are_those_that_rows_take(rule):
    """Every branch that some score of the box takes; on a grid, no other one."""
    planes = planes_of(rule)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        ends = np.sort(rng.integers(-2, 3, size=(2, 3)) + np.array([0.5, 0.6, 0.7]), axis=0)
        if rule == "slabs":
            ends = -np.sort(-ends, axis=1)
        lines = [np.linspace(low, high, 5) for low, high in ends.T]
        grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 3)
        if rule == "slabs":
            grid = grid[(np.diff(grid, axis=1) <= 0).all(axis=1)]
        taken = {branch_by_hand(planes.rule, scores) for scores in grid}
        assert taken == possible_branches(planes, *ends)


def branch_by_hand(rule, scores):
    if rule == "argmax":
        return int(scores.argmax())
    above = scores > 0
    if rule == "slabs":
        return int(above.sum())
    return int(above.all() or (rule == "same_side" and not above.any()))


@pytest.mark.parametrize("seed", range(5))
def test_the_least_mixture_is_the_value_of_its_program(seed):
    rng = np.random.default_rng(seed)
    shares, values = rng.dirichlet(np.ones(4)), rng.normal(size=(4, 3))
    low = shares * rng.random(4)
    high = shares + (1 - shares) * rng.random(4)
    found = least_mixture(low, high, values)
    for c in range(3):
        program = linprog(
            values[:, c], A_eq=np.ones((1, 4)), b_eq=1.0, bounds=[*zip(low, high, strict=True)]
        )
        assert found[c] == pytest.approx(program.fun, abs=1e-9)


def test_bounds_of_one_plane_bound_the_parallel_ones():
    """Scores of 2 x - 1 and 3 - 4 x, with x from 1 to 2."""
    spaces = SimpleNamespace(
        numbers=np.array([[2.0], [-4.0]]), categories={}, offsets=np.array([1.0, -3.0])
    )
    box = Box(np.array([1.0, -np.inf]), np.array([3.0, np.inf]))
    tight = directions_of(spaces).tightened(box)
    np.testing.assert_allclose([tight.low[1], tight.high[1]], [-5.0, -1.0], atol=1e-8)


def test_a_box_is_cut_along_one_score():
    below, above = Box(np.zeros(2), np.ones(2)).cut(1, 0.25, 0.5)
    assert [below.high.tolist(), above.low.tolist()] == [[1.0, 0.25], [0.0, 0.5]]
    assert [below.low.tolist(), above.high.tolist()] == [[0.0, 0.0], [1.0, 1.0]]
