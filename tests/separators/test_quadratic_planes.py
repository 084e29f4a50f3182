"""Planes of squared violations as they predict: tuning rows, and what is proved of them."""

import numpy as np
import pytest
from quadratic_clouds import clouds

from campaigns.exact.hinges import Kink, newton, quadratic_value
from campaigns.exact.rational import ONE, ZERO, as_float, dot, exact, exact_array
from planetree import QuadraticSeparator
from planetree.separators.problem import read_problem
from planetree.separators.quadratic_planes import (
    _balanced_bound,
    before_accuracy_falls,
    tuning_rows,
)
from planetree.solvers import HingeProgram

pytestmark = pytest.mark.core

FOUND = {"status": "tolerance", "method": "by hand"}


def test_the_last_planes_before_the_accuracy_falls_are_kept():
    """Section 6.3.2: thresholds get 2, 3, 3, 1 and 4 of four rows right; the third is kept."""
    X, codes = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    program = HingeProgram(X, codes, np.ones(4), np.ones(2))
    rounds = [
        program.judge_quadratic(np.array([[sign]]), np.array([sign * at]), n_iterations=i, **FOUND)
        for i, (sign, at) in enumerate([(1, 0.5), (1, 1.5), (1, 3.5), (-1, 3.5), (1, 2.5)])
    ]
    kept = before_accuracy_falls(iter(rounds), X, codes, np.ones(4))
    assert (kept.n_iterations, kept.status) == (2, "early_stopping")
    assert before_accuracy_falls(iter(rounds[:3]), X, codes, np.ones(4)) is rounds[2]


def test_every_class_is_held_back_in_part():
    X, y = clouds(8, 100, 2, 4)
    X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(y, 4)
    held_back = tuning_rows(read_problem(QuadraticSeparator(), X, y), 0.2)
    assert np.bincount(y[held_back], minlength=5).tolist() == [5, 5, 5, 5, 0]


@pytest.mark.parametrize("seed", range(8))
def test_balanced_multipliers_bound_the_exact_minimum_though_columns_imply_each_other(seed):
    """Indicators of categories and classes that no row connects left a gap of 1."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, 24)
    S = np.column_stack(
        [np.eye(3)[kind], kind == 0, np.ones(24), rng.normal(size=24), np.zeros(24)]
    )
    S *= rng.choice([-1.0, 1.0], 24)[:, None]
    charges = rng.choice([0.1, 1 / 3], 24)
    rows, c = exact_array(S), exact_array(charges)
    kinks = [Kink(a, ONE, charge, ZERO) for a, charge in zip(rows, c, strict=True)]
    nothing = [[ZERO] * S.shape[1]] * S.shape[1]
    z = newton(kinks, nothing, [ZERO] * S.shape[1])
    value = quadratic_value(kinks, nothing, z)
    short = np.array([as_float(ONE - dot(a, z)) for a in rows])
    kept = short > 1e-10
    bound = _balanced_bound(S[kept], charges[kept], charges[kept] * short[kept], None)
    assert exact(bound) <= value
    assert bound == pytest.approx(as_float(value), rel=1e-12)
    worse = charges[kept] * short[kept] * rng.uniform(1 - 1e-9, 1 + 1e-9, kept.sum())
    assert exact(_balanced_bound(S[kept], charges[kept], worse, None)) <= value


def test_multipliers_that_cannot_balance_prove_nothing():
    assert _balanced_bound(np.ones((3, 1)), np.ones(3), np.ones(3), None) == -np.inf
