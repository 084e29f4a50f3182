"""Where a threshold lies between scores, and how far a term moves them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.planes import influence, midway

scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20).map(np.array)


@given(scores, st.floats(-1e6, 1e6))
def test_a_threshold_lies_midway_and_no_score_changes_its_side(values, offset):
    middle = midway(values, offset)
    assert np.array_equal(values > middle, values > offset)
    low, high = values[values <= offset], values[values > offset]
    if len(low) and len(high):
        assert middle == pytest.approx((low.max() + high.min()) / 2, rel=1e-12, abs=1e-300)
    else:
        assert middle == offset


def test_scores_that_rounding_puts_above_lie_below():
    values = np.array([-1.0, 1.0 + 1e-13, 3.0])
    assert midway(values, 1.0, rounding=1e-12) == pytest.approx(2.0)
    assert midway(values, 1.0, rounding=np.array([1e-12, 0.0, 0.0])) == pytest.approx(1e-13 / 2)


def test_neighboring_numbers_leave_the_threshold_on_the_lower_one():
    low = 1.0
    high = float(np.nextafter(low, 2.0))
    assert midway(np.array([low, high]), low) == low


def test_influence_is_size_times_deviation_whatever_the_sign_and_the_unit():
    weights, scale = np.array([[1.0, -2.0], [0.0, 3.0]]), np.array([10.0, 0.5])
    assert influence(weights, scale).tolist() == [10.0, 2.5]
    assert influence(weights / [10.0, 0.5], scale * [10.0, 0.5]).tolist() == [10.0, 2.5]
    assert influence(weights[0], scale).tolist() == [10.0, 1.0]
