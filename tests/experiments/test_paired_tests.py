"""Tests of differences against scipy where it has them, and against what they must satisfy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from experiments.harness.statistics import (
    corrected_resampled_t,
    matched_pair_t,
    mean_equal,
    mean_interval,
    rates_equal,
    wilcoxon_over_sets,
)
from planetree.statistics import holm

CHANCES = arrays(float, st.integers(1, 12), elements=st.floats(0, 1))
ERRORS = arrays(float, 20, elements=st.integers(0, 40).map(float))


@given(ERRORS, ERRORS)
def test_without_overlap_the_corrected_test_is_the_matched_pair_test(first, second):
    assert corrected_resampled_t(first, second, 0.0) == pytest.approx(
        matched_pair_t(first, second), abs=1e-9
    )


@given(ERRORS, ERRORS, st.floats(0.01, 1))
def test_overlap_makes_a_difference_less_certain(first, second, ratio):
    assert corrected_resampled_t(first, second, ratio) >= matched_pair_t(first, second) - 1e-12


def test_the_matched_pair_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 10))
    assert matched_pair_t(first, second) == stats.ttest_rel(first, second).pvalue


@pytest.mark.parametrize("test", [matched_pair_t, wilcoxon_over_sets])
def test_equal_values_do_not_differ(test):
    assert test([3.0, 4.0, 5.0], [3.0, 4.0, 5.0]) == 1.0


def test_one_pair_tells_nothing():
    assert matched_pair_t([1.0], [2.0]) == corrected_resampled_t([1.0], [2.0], 0.1) == 1.0


def test_a_constant_difference_is_as_certain_as_its_folds_can_show():
    """Of three folds, all of which differ alike: one of the four ways to give them signs."""
    assert matched_pair_t([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]) == 0.0
    assert corrected_resampled_t([1.0, 2.0, 3.0], [2.0, 3.0, 4.0], 0.1) == 0.25


def test_holm_on_the_example_that_can_be_done_by_hand():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


@given(CHANCES)
def test_holm_lies_between_no_correction_and_bonferroni(p):
    adjusted = holm(p)
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= np.minimum(1.0, p * len(p)))
    assert np.all(np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0)


@given(st.floats(1, 99), st.floats(1, 99), st.integers(10, 5000))
def test_equality_of_rates_has_no_side(ours, printed, n_rows):
    p = rates_equal(ours, printed, n_rows)
    assert p == pytest.approx(rates_equal(printed, ours, n_rows))
    assert p == pytest.approx(rates_equal(100 - ours, 100 - printed, n_rows), abs=1e-12)
    assert rates_equal(ours, ours, n_rows) == 1.0


def test_the_rate_test_keeps_its_level():
    """Two samples with the same true rate are called unequal about once in twenty."""
    rng = np.random.default_rng(0)
    ours, printed = 100 * rng.binomial(300, 0.2, size=(2, 4000)) / 300
    called = np.mean([rates_equal(a, b, 300) < 0.05 for a, b in zip(ours, printed, strict=True)])
    assert 0.035 < called < 0.065


def test_a_mean_is_the_printed_number_as_often_as_students_t_says():
    rng = np.random.default_rng(0)
    called = [mean_equal(draw, 3.0) < 0.05 for draw in rng.normal(3.0, 2.0, size=(2000, 6))]
    assert 0.035 < np.mean(called) < 0.065
    assert (mean_equal([2.0, 2.0], 2.0), mean_equal([2.0, 2.0], 3.0)) == (1.0, 0.0)


def test_the_interval_of_a_mean_holds_it_as_often_as_it_says():
    rng = np.random.default_rng(0)
    draws = rng.normal(3.0, 2.0, size=(2000, 6))
    held = [low < 3.0 < high for low, high in map(mean_interval, draws)]
    assert 0.935 < np.mean(held) < 0.965
