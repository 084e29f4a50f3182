"""A search for large consistent biclusterings: linear programs find the sizes, repair the rest.

Once the proportions of the class sizes m_k are fixed, consistency is linear in the weights of the
features, and the program `proportional` has the largest sum of weights in a moment. So it is enough
to search among r classes for r - 1 proportions; each is moved up and down by a step that shrinks
when nothing gains. At the best proportions all but a few weights are 0 or 1. They are rounded with
a little room left, for several amounts of room; what rounding broke is repaired by taking features
away, and what does no harm is put back (`consistency`). The largest selection wins.

Algorithm 1 of the paper, in contrast, lets one class shrink step by step until its sizes agree.
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.clock import UNLIMITED, Clock
from planetree.feature_selection.clustering.biclustering_programs import ConsistencyProgram
from planetree.feature_selection.clustering.consistency import Biclustering

__all__ = ["larger", "search"]

_ROOMS = (0.0, 1.0, 2.0, 4.0)  # in units of what an average feature adds to an average
_FIRST_STEP, _LAST_STEP = 0.1, 1e-3  # of the logarithm of a proportion
_GAIN = 0.1  # features: less is not worth a move


def search(problem: Biclustering, clock: Clock = UNLIMITED) -> Mask | None:
    """Find a large consistent selection, or None; it ends early once the time is up."""
    full = np.ones(len(problem.classes), dtype=bool)
    if problem.consistent(full):
        return full
    program = ConsistencyProgram(problem)
    sizes, most = _best_proportions(program, clock)
    unit, best = 1.0 / problem.members.sum(axis=1).min(), None
    for room in _ROOMS:
        if best is not None and clock.is_over:
            break
        x = program.proportional(sizes, room * unit)
        counts = np.maximum(1.0, np.rint(problem.members @ x))
        best = larger(best, problem.repair(program.largest(x, counts)))
        if best is not None and best.sum() >= np.floor(most):
            break
    return problem.repair(full) if best is None else best


def _best_proportions(program: ConsistencyProgram, clock: Clock) -> tuple[Floats, float]:
    """Proportions of the class sizes with the largest sum of weights, and that sum."""
    sizes = program.problem.members.sum(axis=1).astype(float)
    most, step = float(program.proportional(sizes).sum()), _FIRST_STEP
    while step > _LAST_STEP and not clock.is_over:
        before = most
        for k in range(1, len(sizes)):
            for factor in (np.exp(step), np.exp(-step)):
                moved = sizes * np.where(np.arange(len(sizes)) == k, factor, 1.0)
                value = float(program.proportional(moved).sum())
                if value > most + _GAIN:
                    sizes, most = moved, value
                    break
        step *= 1.5 if most > before else 1 / 3
    return sizes, most


def larger(selected: Mask | None, other: Mask | None) -> Mask | None:
    """The selection with more features, the first of equals, None only if both are."""
    if selected is None or (other is not None and other.sum() > selected.sum()):
        return other
    return selected
