"""What a clock says is left, by a time that the test sets."""

import pytest

from planetree import clock
from planetree.clock import UNLIMITED, Clock, warn_of_time_limit
from planetree.exceptions import TimeLimitWarning


@pytest.fixture
def passing(monkeypatch):
    """Seconds since some beginning, in a list that the test changes."""
    now = [100.0]
    monkeypatch.setattr(clock.time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_falls_to_0_and_not_below(passing):
    limited = Clock(10)
    found = []
    for passing[0] in (100.0, 104.0, 110.0, 200.0):
        found.append((limited.left, limited.is_over))
    assert found == [(10.0, False), (6.0, False), (0.0, True), (0.0, True)]


def test_a_solver_gets_a_moment_and_others_as_long_as_they_need(passing):
    limited = Clock(10)
    passing[0] = 111.0
    assert limited.at_least_a_moment == 1e-3
    assert limited.left_at_least(2.5) == 2.5
    passing[0] = 101.0
    assert (limited.at_least_a_moment, limited.left_at_least(2.5)) == (9.0, 9.0)


def test_to_finish_there_is_a_tenth_of_the_limit_more_and_a_fifth_of_a_second(passing):
    limited = Clock(10)
    passing[0] = 110.0
    assert limited.left_to_finish == pytest.approx(1.2)
    passing[0] = 112.0
    assert limited.left_to_finish == 0.0


def test_a_share_of_the_limit_leaves_the_rest_for_what_follows(passing):
    limited = Clock(10, share=0.75)
    assert (limited.left, Clock(None, share=0.75).left) == (7.5, None)


def test_without_a_limit_nothing_is_ever_over(passing):
    passing[0] = 1e12
    assert UNLIMITED.left is UNLIMITED.at_least_a_moment is UNLIMITED.left_to_finish is None
    assert UNLIMITED.left_at_least(1.0) is None
    assert not UNLIMITED.is_over


@pytest.mark.parametrize("limit", [-1, True, "1", float("nan")])
def test_a_limit_that_is_no_number_of_seconds_is_refused(limit):
    with pytest.raises(ValueError, match="time_limit must be None or a number of seconds"):
        Clock(limit)


def test_a_limit_that_ended_a_fit_is_told_with_what_was_done_instead():
    with pytest.warns(TimeLimitWarning, match="time limit has passed: the tree stays small"):
        warn_of_time_limit("the tree stays small")
