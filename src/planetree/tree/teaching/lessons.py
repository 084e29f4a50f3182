"""Lessons: invented rows that a teacher has labeled, beside the real ones; and what was learned.

A *smeared* row is a real one of which each cell, with probability 1/4, is that of another row.
Cells move whole, so categories stay valid and missing cells stay missing. The class of such a row
is the teacher's, and its weight the teacher's margin: the probability of the first class less that
of the second. Rows with next to no margin are dropped; all others together weigh as much as the
real rows, which keep their classes.

- rows are smeared by a seed that the content of the real rows fixes: the same rows in any order,
  and weights in the place of repetition, give the same lesson;
- fidelity is counted on rows that neither the tree nor a teacher fitted with it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from planetree.arrays import Floats, Indices
from planetree.table import Canonical, Table
from planetree.tree.plane.plane_search import digest
from planetree.tree.teaching.teacher import Teacher

# Measured on 16 data sets: shares of .1 and .5, nearest donors, twice the weight were no better.
_SMEARED_SHARE = 0.25
_SMEARED_ROWS, _MOST_SMEARED = 4, 20_000  # for each row; in all, if rows are not more than that
_LEAST_MARGIN = 0.02
_DRAWS = 2
_FOLDS = 3  # for fidelity


def lessons(rows: Canonical, weights: Floats, teacher: Teacher) -> Iterator[Canonical]:
    """Real rows and smeared ones, several times."""
    for draw in range(_DRAWS):
        yield _lesson(rows, weights, teacher, draw)


def _lesson(rows: Canonical, weights: Floats, teacher: Teacher, draw: int) -> Canonical:
    values = rows.table.values
    seed = np.frombuffer(digest(values, rows.codes, weights), dtype=np.uint32)
    random = np.random.default_rng([draw, *seed.tolist()])
    cells = _smeared(weights, values.shape[1], random)
    shares = teacher.probabilities(rows, cells)
    second, first = np.partition(shares, -2, axis=1)[:, -2:].T
    told = np.flatnonzero(first - second > _LEAST_MARGIN)
    margin = (first - second)[told]
    margin *= weights.sum() / max(margin.sum(), 1e-9)
    smeared = values[cells[told], np.arange(values.shape[1])]
    return rows._replace(
        table=Table(np.concatenate([values, smeared]), rows.table.columns),
        codes=np.concatenate([rows.codes, shares[told].argmax(axis=1)]),
        weights=np.concatenate([weights, margin]),
        draws=np.concatenate([rows.draws, 1.0 - random.random(len(told))]),
    )


def _smeared(weights: Floats, n_columns: int, random: np.random.Generator) -> Indices:
    """Rows of which cells of smeared rows are, drawn by weight."""
    n = len(weights)
    m = min(_SMEARED_ROWS * n, max(n, _MOST_SMEARED))
    ends = np.cumsum(weights) / weights.sum()
    own = np.searchsorted(ends[:-1], (np.arange(m) + 0.5) / m, side="right")
    others = np.searchsorted(ends[:-1], random.random((m, n_columns)), side="right")
    return np.where(random.random((m, n_columns)) < _SMEARED_SHARE, others, own[:, None])


class Pupil(NamedTuple):
    """What a tree answers, and its teacher.

    Parameters
    ----------
    answers : function of canonical rows
        Class of each by its place in canonical order.
    teacher : Teacher
    """

    answers: Callable[[Canonical], Indices]
    teacher: Teacher


def fidelity(rows: Canonical, taught: Callable[[Canonical], Pupil | None]) -> float:
    """Share of the weight of rows to which trees and their teachers give one class, unseen.

    Rows are dealt into three parts by their content. Each part is classified by a tree of the
    other two and by its teacher, which is fitted to these too unless it was fitted before. NaN
    where no part can be, because the others hold one class or have no tree.
    """
    part, agreed, counted = np.floor(rows.draws * _FOLDS), 0.0, 0.0
    for fold in range(_FOLDS):
        inside, unseen = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        if len(np.unique(rows.codes[inside])) < 2 or not len(unseen):
            continue
        pupil = taught(rows.part(inside))
        if pupil is None:
            continue
        held, cells = rows.part(unseen), np.repeat(unseen[:, None], len(rows.columns), axis=1)
        said = pupil.teacher.probabilities(rows, cells).argmax(axis=1)
        agreed += float(held.weights @ (pupil.answers(held) == said))
        counted += float(held.weights.sum())
    return agreed / counted if counted else float("nan")
