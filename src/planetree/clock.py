"""The time that a fit has left, and what is said when it runs out.

A solver may not ask for seconds whether it should stop. `run_aside` calls it in a thread of its
own, so that Ctrl-C and a deadline are heard while it lasts: the caller is free at once, and the
solver is told to stop, and left behind. Python waits for it when the process ends, so that nothing
is torn down under a thread that still runs.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any, TypeVar

from planetree.exceptions import TimeLimitWarning

_MOMENT = 1e-3  # seconds: a solver takes no limit of 0
_FINISH = (0.1, 0.2)  # to finish what was found: this share of the limit, and seconds


class Clock:
    """Seconds left of a time limit that began when the clock was made.

    Parameters
    ----------
    time_limit : float or None
        Seconds from 0 on; None for no limit.
    share : float
        Of the limit: the rest is for what must be done once the time is up.

    Examples
    --------
    >>> from planetree.clock import Clock
    >>> Clock(0.0).left, Clock(0.0).is_over, Clock(None).left
    (0.0, True, None)
    """

    def __init__(self, time_limit: Any, share: float = 1.0) -> None:
        if time_limit is not None and not (
            isinstance(time_limit, Real)
            and not isinstance(time_limit, bool)
            and float(time_limit) >= 0
        ):
            raise ValueError(
                f"time_limit must be None or a number of seconds, 0 or more, but it is "
                f"{time_limit!r}."
            )
        self._limit = None if time_limit is None else share * float(time_limit)
        self._start = time.monotonic()

    @property
    def left(self) -> float | None:
        """Seconds left, 0 at least; None without a limit."""
        return None if self._limit is None else max(0.0, self._limit - self._passed)

    def left_at_least(self, seconds: float) -> float | None:
        """Seconds left, but no fewer than these; None without a limit."""
        return None if self._limit is None else max(seconds, self._limit - self._passed)

    @property
    def at_least_a_moment(self) -> float | None:
        """Seconds left, a moment at least, for a solver; None without a limit."""
        return None if self.left is None else max(_MOMENT, self.left)

    @property
    def left_to_finish(self) -> float | None:
        """Seconds left, and some more to finish what was found; None without a limit."""
        if self._limit is None:
            return None
        share, seconds = _FINISH
        return max(0.0, self._limit * (1.0 + share) + seconds - self._passed)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.left == 0.0

    @property
    def _passed(self) -> float:
        return time.monotonic() - self._start


UNLIMITED = Clock(None)


def warn_of_time_limit(what: str, stacklevel: int = 3) -> None:
    """Warn that the time limit ended a fit: `what` says what was done instead."""
    warnings.warn(f"The time limit has passed: {what}.", TimeLimitWarning, stacklevel=stacklevel)


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
    >>> from planetree.clock import run_aside
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
