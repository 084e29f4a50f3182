"""Which columns weigh, where only so many may: in rounds, or one by one.

in rounds     the program of the widest room is solved, and the larger half of the weights in excess
              is kept, until few enough are left
one by one    each time the column that leaves the tightest constraint the most room, all weights 1

The first sees how columns make up for one another, the second which of them suffice alone. It is
tried where the first leaves constraints violated, and kept if it leaves none.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.clock import Clock
from planetree.solvers.certificate import TOLERANCE

_MOST_CELLS = 2e7  # of all constraints, that one step after the other looks at


class _RoomProgram(Protocol):
    usable: Mask
    clock: Clock
    n_rows: int

    def widest_room(self, upper: Floats, n_features: int) -> Floats: ...
    def worst_violation(self, x: Floats) -> float: ...
    def every_row(self) -> Floats: ...


def few_columns(program: _RoomProgram, most: int) -> Floats:
    """Upper bounds of the weights: 1, or 0 for the columns that are left out.

    Parameters
    ----------
    program : _RoomProgram
        Constraints on the weights of columns, of which some are usable.
    most : int
        Columns that may weigh.
    """
    upper = program.usable.astype(float)
    if upper.sum() <= most:
        return upper
    in_rounds = _in_rounds(program, most)
    if program.worst_violation(in_rounds) == 0 or program.n_rows * len(upper) > _MOST_CELLS:
        return in_rounds
    one_by_one = _one_by_one(program, most)
    return one_by_one if program.worst_violation(one_by_one) == 0 else in_rounds


def _in_rounds(program: _RoomProgram, most: int) -> Floats:
    allowed = program.usable.astype(float)
    while allowed.sum() > most:
        x = program.widest_room(allowed, most)
        n_used = int(np.count_nonzero(x > TOLERANCE))
        keep = np.argsort(-x, kind="stable")[: max(most, (most + n_used) // 2)]
        allowed = np.zeros(len(allowed))
        allowed[keep] = 1.0
    return allowed


def _one_by_one(program: _RoomProgram, most: int) -> Floats:
    rows, left = program.every_row(), program.usable.copy()
    room = np.zeros(len(rows))
    for n in range(most):
        tightest = np.where(left, (room[:, None] + rows).min(axis=0), -np.inf)
        best = int(tightest.argmax())
        if program.clock.is_over or (n > 0 and tightest[best] < 0 <= room.min()):
            break
        room, left[best] = room + rows[:, best], False
    return (program.usable & ~left).astype(float)
