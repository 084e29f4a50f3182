"""Intervals hold what they should, and tests reject as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from planetree.statistics import (
    _calibration_points,
    corrected_t_test,
    holm,
    undominated,
    wilson_interval,
)


@given(st.integers(1, 2000), st.floats(0, 1), st.floats(0.5, 0.99))
def test_wilsons_interval_ends_where_the_score_test_does(n, share, confidence):
    low, high = wilson_interval(share, n, confidence)
    z = stats.norm.ppf(0.5 + confidence / 2)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    for end in (low, high):
        if 1e-9 < end < 1 - 1e-9:
            assert abs(share - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n), rel=1e-6)


@given(st.integers(1, 500), st.data())
def test_wilsons_interval_is_that_of_scipy(n, data):
    wrong = data.draw(st.integers(0, n))
    expected = stats.binomtest(wrong, n).proportion_ci(0.95, method="wilson")
    assert wilson_interval(wrong / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_without_overlap_the_corrected_test_is_the_t_test():
    differences = np.random.default_rng(0).normal(0.3, 1, 12)
    expected = stats.ttest_1samp(differences, 0).pvalue
    assert corrected_t_test(differences, 0.0) == pytest.approx(expected)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20), st.floats(0.01, 1))
def test_overlap_makes_the_test_more_careful(differences, share):
    assert corrected_t_test(differences, share) >= corrected_t_test(differences, 0.0)


def test_equal_errors_never_differ():
    assert corrected_t_test([0.0] * 10, 1 / 9) == 1.0
    assert corrected_t_test([0.1], 1 / 9) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_the_raw_value_and_bonferronis(chances):
    corrected = holm(chances)
    order = np.argsort(chances, kind="stable")
    assert np.all(np.diff(corrected[order]) >= 0)
    assert np.all(corrected >= np.array(chances))
    assert np.all(corrected <= np.minimum(1, np.array(chances) * len(chances)) + 1e-15)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=10))
def test_a_point_is_dominated_exactly_when_another_is_no_worse_and_somewhere_better(points):
    for point, kept in zip(points, undominated(points), strict=True):
        better = [p for p in points if p != point and p[0] <= point[0] and p[1] <= point[1]]
        assert kept == (not better)


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), min_size=1, max_size=300))
def test_points_of_calibration_hold_every_row_once_and_equal_probabilities_together(pairs):
    said = np.array([share / 60 for share, _ in pairs])
    right = np.array([each for _, each in pairs])
    found = _calibration_points(said, right)
    assert sum(point.n_rows for point in found) == len(pairs)
    assert sum(point.n_right for point in found) == right.sum()
    assert len(found) <= 10
    means = [point.predicted for point in found]
    assert means == sorted(means)
    assert sum(p.predicted * p.n_rows for p in found) == pytest.approx(said.sum())
    if len(np.unique(said)) <= 10:
        assert means == pytest.approx(np.unique(said))
    elif len(found) > 1:
        assert min(point.n_rows for point in found) >= 5
