"""Work in a thread of its own: its result, its error, and a deadline that is kept."""

import math
import threading
import time

import pytest

from planetree.clock import run_aside


def test_the_result_and_the_error_are_those_of_the_work():
    stop = threading.Event()
    assert run_aside(lambda: threading.current_thread(), stop, math.inf) is not (
        threading.current_thread()
    )
    with pytest.raises(ZeroDivisionError):
        run_aside(lambda: 1 // 0, stop, math.inf)
    assert not stop.is_set()


def test_a_deadline_frees_the_caller_and_tells_the_work_to_stop():
    stop, ended = threading.Event(), threading.Event()

    def work():
        stop.wait(30)
        ended.set()

    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        run_aside(work, stop, begun + 0.05)
    assert stop.is_set()
    assert ended.wait(10)
    assert time.monotonic() - begun < 20
