"""The time that a fit has left, and what is said when it runs out."""

from __future__ import annotations

import time
import warnings
from numbers import Real
from typing import Any

from planetree.exceptions import TimeLimitWarning

_MOMENT = 1e-3  # seconds: a solver takes no limit of 0
_FINISH = (0.1, 0.2)  # to finish what was found: this share of the limit, and seconds


class Clock:
    """Seconds left of a time limit that began when the clock was made.

    Parameters
    ----------
    time_limit : float or None
        Seconds from 0 on; None for no limit.

    Examples
    --------
    >>> from planetree.clock import Clock
    >>> Clock(0.0).left, Clock(0.0).is_over, Clock(None).left
    (0.0, True, None)
    """

    def __init__(self, time_limit: Any) -> None:
        if time_limit is not None and not (
            isinstance(time_limit, Real)
            and not isinstance(time_limit, bool)
            and float(time_limit) >= 0
        ):
            raise ValueError(
                f"time_limit must be None or a number of seconds, 0 or more, but it is "
                f"{time_limit!r}."
            )
        self._limit = None if time_limit is None else float(time_limit)
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
