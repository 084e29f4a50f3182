"""What a fitted estimator says of its gap: the status, with a warning where it is not closed."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

from planetree.exceptions import AccuracyWarning

__all__ = ["check_time_limit", "judged_status"]


def judged_status(estimator: Any, status: str, tolerance: float) -> str:
    """`status`, or "inaccurate" where `gap_` exceeds the tolerance; both warn, unless optimal."""
    name, gap = type(estimator).__name__, estimator.gap_
    if status == "time_limit":
        told = f"{name} stopped at its time limit with a gap of {gap:.3g}."
    elif gap > tolerance:
        status = "inaccurate"
        told = (
            f"{name} found an answer, but rounding leaves a gap of {gap:.3g} between its value and "
            "its bound. Bring columns to one scale, or remove rows that are far from all others."
        )
    else:
        return status
    warnings.warn(told, AccuracyWarning, stacklevel=3)
    return status


def check_time_limit(time_limit: Any) -> None:
    """Refuse what is no time limit."""
    if time_limit is None:
        return
    if (
        isinstance(time_limit, bool)
        or not isinstance(time_limit, Real)
        or not float(time_limit) > 0
    ):
        raise ValueError(f"time_limit must be positive seconds or None, but it is {time_limit!r}.")
