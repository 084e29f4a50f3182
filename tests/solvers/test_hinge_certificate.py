"""Values and bounds of hinge programs in the user's units, against HiGHS and sums by hand."""

import numpy as np
import pytest
from hinge_oracle import highs_value, hinges

from planetree.solvers import HingeProgram, hinge_certificate
from planetree.solvers.hinge_certificate import (
    at_offsets,
    at_planes,
    best_factor,
    hinge_bound,
    prove,
)

pytestmark = pytest.mark.core


def program_of(seed, k=2):
    rng = np.random.default_rng(seed)
    X, classes = rng.normal(size=(40, 3)), np.resize(np.arange(k), 40)
    X += 0.7 * classes[:, None]
    charges = 1.0 / np.bincount(classes)
    return HingeProgram(X, classes, np.ones(40), charges), X, classes, charges


def error_of(X, classes, charges, weights, offsets):
    """Sum of the lacks of margin, row by row."""
    scores, total = X @ weights.T - offsets, 0.0
    for score, c in zip(scores, classes, strict=True):
        if len(weights) == 1:
            total += charges[c] * max(0.0, 1.0 - (score[0] if c else -score[0]))
        else:
            rivals = [1.0 - (score[c] - s) for j, s in enumerate(score) if j != c]
            total += charges[c] * sum(max(0.0, each) for each in rivals)
    return total


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_value_is_that_of_highs_and_the_bound_is_not_above_it(k, seed):
    program, X, classes, charges = program_of(seed, k)
    solution = program.solve(duals=True)
    proved = prove(program, solution)
    best = highs_value(hinges(X, classes, charges))
    assert proved.bound <= proved.objective == pytest.approx(best, rel=1e-9)
    assert proved.status == "optimal"
    assert proved.error == pytest.approx(
        error_of(X, classes, charges, proved.weights, proved.offsets), rel=1e-12
    )
    assert hinge_bound(program, solution) <= proved.objective


@pytest.mark.parametrize("k", [2, 3])
def test_other_offsets_have_their_own_value_and_the_program_s_bound(k):
    program, X, classes, charges = program_of(5, k)
    proved = prove(program, program.solve(duals=True))
    moved = at_offsets(program, proved, proved.offsets + np.linspace(0.3, 0.5, len(proved.offsets)))
    by_hand = error_of(X, classes, charges, moved.weights, moved.offsets)
    assert moved.error == pytest.approx(by_hand, rel=1e-12)
    assert (moved.bound, moved.objective > proved.objective) == (proved.bound, True)


def test_a_multiple_of_the_best_plane_has_the_best_value():
    program, *_ = program_of(6)
    solution = program.solve(duals=True)
    proved = prove(program, solution)
    again = at_planes(program, solution, proved, 7.0 * proved.weights, 7.0 * proved.offsets)
    assert again.objective == pytest.approx(proved.objective, rel=1e-9)
    assert again.bound == proved.bound


@pytest.mark.parametrize("few", [1, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_factor_is_the_least_of_all_on_a_fine_grid(monkeypatch, seed, few):
    """Whether all hinges are sorted, or those near the best one; some rows are alike."""
    monkeypatch.setattr(hinge_certificate, "_SOME", few)
    rng = np.random.default_rng(seed)
    own, charges, paid = rng.normal(0.5, 1.0, 20).round(1), rng.random(20), rng.random()

    def value(s):
        return charges @ np.maximum(0.0, 1.0 - s * own) + s * paid

    found = best_factor(own, charges, paid)
    assert value(found) <= min(value(s) for s in np.linspace(0.0, 20.0, 2001)) + 1e-12
