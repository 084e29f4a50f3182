"""How sure a decision is: probabilities from shares of branches, and how both are fitted.

A row takes each branch of a decision with a share (`Planes.shares`), and a leaf gives probabilities
of the classes; the probabilities p of the row are the mean of its leaves'. Its *way* is what a
reader finds by hand, and ends in a leaf with probabilities h. The class of the way is the one of
least expected cost under h. So that this class is the answer, p is mixed with h,

    p' = (1 - t) p + t h,

with the least t at which no other class is as cheap (`keep_class`): p is untouched where it agrees.

- the class of the way is the cheapest under p' by `MARGIN` of what the mistake costs: there is no
  tie that a reader, an export or another order of summation could decide otherwise;
- for two classes p' is p, or the point of even cost on the class's side: it grows with p and with
  the class of the way, so that it is monotonic in a column where both are.
"""

from __future__ import annotations

import numpy as np

from planetree.arrays import Floats, Indices

__all__ = ["MARGIN", "keep_class"]

MARGIN = 1e-9  # above what sums of shares round off, below what anyone reads


def keep_class(p: Floats, h: Floats, classes: Indices, costs: Floats) -> Floats:
    """Probabilities mixed with those of the way until its class is the cheapest.

    Parameters
    ----------
    p, h : array of shape (n_rows, n_classes)
        Graded probabilities, and those of the leaf at the end of each row's way.
    classes : array of shape (n_rows,)
        Code of the class of least expected cost under `h`.
    costs : array of shape (n_classes, n_classes)
        What it costs to take one class (row) for another (column): 0 on the diagonal, else above.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.grading import keep_class
    >>> p, h = np.array([[0.25, 0.75], [0.625, 0.375]]), np.array([[0.75, 0.25], [0.75, 0.25]])
    >>> keep_class(p, h, np.array([0, 0]), 1.0 - np.eye(2)).round(6)
    array([[0.5  , 0.5  ],
           [0.625, 0.375]])
    """
    rows = np.arange(len(p))[:, None]
    mistakes = costs[classes]  # what each answer costs where the class is right
    is_class = np.arange(p.shape[1]) == classes[:, None]
    h = h + MARGIN * (is_class - h)  # cheapest by the margin, even where classes tie
    dearer, room = (each @ costs - (each @ costs)[rows, classes[:, None]] for each in (p, h))
    short = np.where(is_class, 0.0, MARGIN * mistakes - dearer)
    need = np.divide(short, room - dearer, out=np.zeros_like(p), where=short > 0)
    t = np.minimum(need.max(axis=1, keepdims=True), 1.0)
    return np.where(t > 0, (1.0 - t) * p + t * h, p)
