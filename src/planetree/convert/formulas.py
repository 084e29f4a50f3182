"""A decision as formulas: for each branch, the alternatives under which a row takes it.

A formula is a list of alternatives, and an alternative a list of tests, all of which hold: sides of
planes over the terms that have a weight, or a column's category among some. With P_i for "the row
is above plane i",

    slabs       branch b    above the b-th lowest offset and not above the next (parallel planes)
    argmax      branch b    above every earlier plane's score, and none later above it
    both        branch 1    all P_i                         branch 0    some not P_i
    same_side   branch 1    all P_i, or all not P_i         branch 0    some P_i and not P_(i+1)

- of a row that is known, the formula of exactly one branch holds, so branches may be asked in any
  order and the last one needs no question.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planetree.planes import Categories, HalfSpace, Planes, Split
from planetree.tree import Among, Side

__all__ = ["Comparison", "Decision", "Formula", "Test", "decision_of"]


class Comparison(NamedTuple):
    """The sum of some weighted terms exceeds an offset if `above`, else it does not.

    A term is a column and the category it asks for, -1 for the column's number.
    """

    terms: tuple[tuple[int, int], ...]
    weights: tuple[float, ...]
    offset: float
    above: bool


Test = Comparison | Among
Formula = tuple[tuple[Test, ...], ...]


class Decision(NamedTuple):
    """What must be known of a row, and the formula of each branch.

    `strays` are the categories of a tested column that belong to no branch, as if missing.
    """

    columns: tuple[int, ...]
    branches: tuple[Formula, ...]
    strays: Among | None = None


def decision_of(split: Split) -> Decision:
    """Say a split as formulas.

    Examples
    --------
    >>> from planetree.convert.formulas import decision_of
    >>> from planetree.planes import Planes
    >>> for formula in decision_of(Planes([[2.0, 0.0]], [3.0])).branches:
    ...     print(formula)
    ((Comparison(terms=((0, -1),), weights=(2.0,), offset=3.0, above=False),),)
    ((Comparison(terms=((0, -1),), weights=(2.0,), offset=3.0, above=True),),)
    """
    if isinstance(split, Categories):
        return _lookup(split)
    columns = tuple(split.features.tolist())
    return Decision(columns, tuple(_formula(split, b) for b in range(split.n_branches)))


def _lookup(split: Categories) -> Decision:
    codes = [np.flatnonzero(split.branches == b).tolist() for b in range(split.n_branches)]
    strays = tuple(np.flatnonzero(split.branches < 0).tolist())
    return Decision(
        (split.column,),
        tuple(((Among(split.column, tuple(each)),),) if each else () for each in codes),
        Among(split.column, strays) if strays else None,
    )


def _formula(planes: Planes, branch: int) -> Formula:
    above = [_side(planes, p, True) for p in range(len(planes.offsets))]
    below = [test._replace(above=False) for test in above]
    if planes.rule == "argmax" or (planes.rule == "slabs" and not _parallel(planes)):
        patterns = Side(planes, branch).patterns()
        return tuple(tuple(_comparison(planes, half) for half in each) for each in patterns)
    if planes.rule == "slabs":
        above.sort(key=lambda test: test.offset)
        low, high = above[:branch][-1:], above[branch:][:1]
        return ((*low, *(test._replace(above=False) for test in high)),)
    if branch == 1:
        return (tuple(above),) if planes.rule == "both" else (tuple(above), tuple(below))
    if planes.rule == "both":
        return tuple((test,) for test in below)
    return tuple(zip(above, [*below[1:], below[0]], strict=True))


def _parallel(planes: Planes) -> bool:
    return bool(np.all(planes.weights == planes.weights[0]))


def _side(planes: Planes, p: int, above: bool) -> Comparison:
    return _comparison(planes, HalfSpace(planes.weights[p], float(planes.offsets[p]), above))


def _comparison(planes: Planes, half: HalfSpace) -> Comparison:
    used = np.flatnonzero(half.weights)
    terms = zip(planes.columns[used].tolist(), planes.categories[used].tolist(), strict=True)
    return Comparison(tuple(terms), tuple(half.weights[used].tolist()), half.offset, half.above)
