"""A call in a thread of its own, so that Ctrl-C and a deadline are heard while it lasts.

A solver may not ask for seconds whether it should stop. The caller is free at once all the same:
it is told to stop, and left behind. Python waits for it when the process ends, so that nothing is
torn down under a thread that still runs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

_PULSE = 0.05  # seconds between looks at the clock


def run_aside(work: Callable[[], _T], stop: threading.Event, deadline: float) -> _T:
    """Result of `work()`, or its exception.

    Parameters
    ----------
    work : callable
        Should end soon after `stop` is set.
    stop : threading.Event
        Set when the caller no longer waits.
    deadline : float
        On `time.monotonic`'s clock; a TimeoutError when it has passed.

    Examples
    --------
    >>> import math, threading
    >>> from planetree.solvers.interruptible import run_aside
    >>> run_aside(lambda: 6 * 7, threading.Event(), math.inf)
    42
    """
    done = threading.Event()
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run).start()
    try:
        while not done.wait(_PULSE):  # Thread.join would forget a thread when interrupted
            if time.monotonic() > deadline:
                raise TimeoutError
    except BaseException:
        stop.set()
        raise
    if errors:
        raise errors[0]
    return results[0]
