"""What a fitted estimator says of its gap: the status, with a warning where it is not closed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from planetree.exceptions import AccuracyWarning, TimeLimitWarning
from planetree.planes import Planes
from planetree.separators.problem import Problem

__all__ = ["judged_status", "predicts_all"]

_ROUNDING = float(np.finfo(np.float64).eps)  # of a term of a sum


def judged_status(estimator: Any, status: str, tolerance: float) -> str:
    """`status`, or "inaccurate" where `gap_` exceeds the tolerance; both warn, unless optimal.

    What is called inaccurate, but has a gap within the tolerance, is optimal.
    """
    name, gap = type(estimator).__name__, estimator.gap_
    kind: type[Warning] = AccuracyWarning
    if status == "time_limit":
        kind = TimeLimitWarning
        told = f"{name} stopped at its time limit with a gap of {gap:.3g}."
    elif gap > tolerance:
        status = "inaccurate"
        told = (
            f"{name} found an answer, but rounding leaves a gap of {gap:.3g} between its value and "
            "its bound. Bring columns to one scale, or remove rows that are far from all others."
        )
    else:
        return "optimal" if status == "inaccurate" else status
    warnings.warn(told, kind, stacklevel=3)
    return status


def predicts_all(planes: Planes, problem: Problem, swapped: bool) -> bool:
    """Whether a plane predicts every row of a canonical problem right, whatever the rounding."""
    scores = problem.E @ planes.weights[0] - planes.offsets[0]
    sizes = np.abs(problem.E) @ np.abs(planes.weights[0]) + abs(planes.offsets[0])
    room = _ROUNDING * (len(planes.weights[0]) + 2) * sizes
    second = (problem.codes == 1) != swapped
    return bool(np.all(np.where(second, scores > room, scores < -room)))
