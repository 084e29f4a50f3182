"""Rows that a model should not answer alone.

The expected error of an answer is what its probability leaves: 1 - p of the predicted class. A row
is for a person where that exceeds a limit, or where a number that the tree reads lies outside the
range of the training rows, where no probability was ever checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats, Mask
from planetree.parameters import check_argument, number

ASK = "ask a person"


def is_for_a_person(model: Any, rows: Floats, shares: Floats, answers: Any, limit: float) -> Mask:
    """Whether each row is too uncertain, or outside the training ranges.

    Parameters
    ----------
    model : fitted tree
    rows : array of shape (n_rows, n_columns)
    shares : array of shape (n_rows, n_classes)
        Probabilities.
    answers : array of shape (n_rows,)
        Labels.
    limit : float
        The largest expected error of an answer.
    """
    check_argument("max_expected_error", limit, number(0, 1))
    place = {label: code for code, label in enumerate(model.classes_.tolist())}
    codes = np.array([place[label] for label in answers.tolist()], dtype=np.intp)
    unsure = 1.0 - shares[np.arange(len(rows)), codes] > limit
    return np.asarray(unsure | is_outside(model, rows))


def is_outside(model: Any, rows: Floats) -> Mask:
    """Whether a number that a tree reads is outside the range of the training rows, row by row."""
    if not hasattr(model, "ranges_"):
        raise ValueError(
            "This model has no ranges of its training columns; an older version saved it. Fit it "
            "again."
        )
    read = model.tree_.features
    cells, ranges = rows[:, read], model.ranges_.of_columns(read)
    return np.asarray(((cells < ranges.low) | (cells > ranges.high)).any(axis=1))
