"""Hinge programs in whole numbers: their value is the optimum, whatever rounding makes of it."""

import warnings

import numpy as np
import pytest

from planetree import RobustSeparator
from planetree.clock import UNLIMITED
from planetree.exceptions import AccuracyWarning
from planetree.solvers.exact_hinges import Hinges, minimum
from planetree.solvers.program_arrays import signed_rows


def fit_without_warning(X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        return RobustSeparator().fit(X, y)


@pytest.mark.parametrize("seed", range(6))
def test_columns_that_sum_to_one_leave_no_gap(seed):
    """The proof could not see that categories as columns depend on the constant."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 4, size=(40, 2))
    X = np.column_stack([np.eye(4)[kinds[:, 0]], np.eye(4)[kinds[:, 1]], rng.normal(size=40)])
    model = fit_without_warning(X, rng.integers(0, 3, size=40))
    assert model.status_ == "optimal"
    assert model.gap_ <= 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_column_that_is_a_rounded_combination_of_others_leaves_no_gap(seed):
    """Planes on the last digits of such columns lost 1e-8 of the value to rounding."""
    rng = np.random.default_rng(seed)
    A = np.round(rng.normal(size=(60, 4)), 6)
    X = np.column_stack([A, np.round(A.mean(axis=1), 6)])
    y = (A[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = fit_without_warning(X, y)
    assert model.status_ == "optimal"
    assert model.gap_ <= 1e-9


def test_a_vertex_where_too_many_kinks_meet_is_proved():
    """A table of few whole numbers has a degenerate optimum: its bound fell to 0."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(30, 6)).astype(float)
    y = np.r_[0, 1, 2, rng.integers(0, 3, size=27)]
    model = fit_without_warning(X, y)
    assert model.objective_ - model.bound_ <= 1e-9 * max(1.0, model.objective_)


def test_the_exact_value_is_that_of_a_program_solved_by_hand():
    """Rows 0 and 2 against 1: no threshold separates them, and w = 0 costs 1 each way."""
    X, classes = np.array([[0.0], [2.0], [1.0]]), np.array([0, 0, 1])
    signed = signed_rows(X, classes, 2, 1)
    hinges = Hinges(signed, np.array([0.5, 0.5, 1.0]), np.zeros(1), np.zeros(1), 1)
    found = minimum(hinges, np.array([0.3, 0.2]), np.zeros(3), UNLIMITED)
    assert found.value == 2
