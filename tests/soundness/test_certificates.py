"""What fitted separators say of themselves holds in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from campaigns import certificates, odd_tables
from campaigns.exact import programs
from campaigns.exact.rational import as_float
from planetree import QuadraticSeparator, RobustSeparator

N_TABLES = 60  # of each separator
SEPARATORS = (
    "GrinoldSeparator",
    "MaxNormSeparator",
    "QuadraticSeparator",
    "RobustSeparator",
    "SparseSeparator",
)


@pytest.mark.parametrize("separator", SEPARATORS)
def test_bounds_statuses_and_objectives_hold_in_exact_rationals(separator):
    trials = [certificates.trial(17, number, separator) for number in range(N_TABLES)]
    wrong = [(number, trial) for number, trial in enumerate(trials) if trial.found]
    assert not wrong, f"{len(wrong)} of {N_TABLES}, first: {wrong[0]}"


def test_the_exact_optimum_is_below_a_known_false_bound():
    """A bound of 0.66667 was printed for this table; a plane costs 0.08."""
    X, y = np.array([[1e8, 2e8], [1, 2], [4, -5], [0, 4]]), np.array([0, 1, 1, 0])
    model = QuadraticSeparator().fit(X, y)
    program = programs.of_model(model, X, y, np.ones(4))
    plane = [Fraction(4, 10), Fraction(-4, 10), Fraction(-1)]
    plane = [type(program.unit)(each.numerator, each.denominator) for each in plane]
    assert as_float(program.value(plane)) == pytest.approx(0.08)
    assert min(map(program.value, program.rivals())) <= program.value(plane)


@pytest.mark.parametrize("number", range(8))
def test_the_exact_optimum_of_ordinary_tables_is_the_library_s(number):
    """Two arithmetics that share no code agree where floats are accurate."""
    rng = np.random.default_rng(number)
    _, X, y, _ = odd_tables.draw(rng, 2 + number % 2, odd_tables.random)
    for model in (RobustSeparator(), RobustSeparator(perturbation=0.02), QuadraticSeparator()):
        program = programs.of_model(model.fit(X, y), X, y, np.ones(len(y)))
        best = as_float(min(map(program.value, program.rivals())))
        assert best == pytest.approx(model.objective_, rel=1e-9, abs=1e-9)


def test_a_false_bound_and_a_false_status_are_found():
    """The instrument must see what it is for."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    model = RobustSeparator().fit(X, y)
    model.bound_ = np.nextafter(model.objective_, 9.0)
    assert "false bound" in certificates.judge(model, X, y, np.ones(4))
    model = RobustSeparator().fit(X, y)
    model.coef_ = 1.01 * model.coef_
    assert {"false status", "wrong objective"} <= set(certificates.judge(model, X, y, np.ones(4)))
