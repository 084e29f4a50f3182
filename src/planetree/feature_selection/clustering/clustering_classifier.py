"""What clustering selectors share: how they decide, and what they do about samples in conflict.

Scores are linear in a row, so the decision is planes; ties do not depend on class names.

The constraints of a clustering selector are homogeneous: the weights x = 0 satisfy them all, and
where any other weights do, so do all multiples. So the largest sum of weights in [0, 1] is either
0 or at least 1, and the duals y of a program whose answer is x = 0 prove it:

    sum_j y_j g_j <= -1  in every feature,    y >= 0,

where g_j x >= 0 is constraint j. The samples with y_j > 0 are in conflict. Section 3.2 of Busygin
& Pardalos (2005) drops such constraints and goes on.

- With all features at full weight, some constraint of a conflict is violated. If only such ones
  are dropped, the procedure ends: at the latest when full weights satisfy what is left.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin

from planetree.arrays import Floats, Indices, Mask
from planetree.exceptions import ConflictError, ConflictWarning
from planetree.feature_selection.clustering.samples import Samples
from planetree.planes import Planes
from planetree.separators.base import PlaneClassifier
from planetree.separators.problem import as_given, in_term_order

__all__ = [
    "ClusteringClassifier",
    "first_in_order",
    "in_use",
    "report_conflict",
    "stands_out",
    "warn_of_dropped",
]

_SHOWN = 10  # rows that an error lists: about a line
_STANDS_OUT = 3.0  # times the average


class ClusteringClassifier(SelectorMixin, PlaneClassifier):
    """A selector whose scores, one a class, are linear; of equal ones the first in order wins."""

    _is_graded = False  # scores compare centroids or samples: no training errors grade them

    support_: Mask
    class_order_: Indices

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one with the largest score, of equals the first in order."""
        rows = self._read(X)
        if len(self.classes_) == 2:
            return self.classes_[self.planes_.branch(rows)]
        return self.classes_[first_in_order(self, self.planes_.scores(rows))]

    def _get_support_mask(self) -> Mask:
        return self.support_

    def _set_scores(self, W: Floats, offsets: Floats, samples: Samples) -> None:
        """State scores, one a class of the samples, as planes in the order of `classes_`."""
        order = self.class_order_ = samples.order
        terms = (samples.terms.columns, samples.terms.categories)
        if len(W) == 2:
            plane = Planes(W[1:] - W[:1], offsets[1:] - offsets[:1], "slabs", *terms)
            self.planes_ = as_given(plane, bool(order[0] == 1))
        else:
            self.planes_ = Planes(samples.as_given(W), samples.as_given(offsets), "argmax", *terms)
        self.planes_ = in_term_order(self.planes_)
        self.coef_, self.intercept_ = self.planes_.weights, -self.planes_.offsets
        self.scale_ = samples.given_terms(samples.scale)


def first_in_order(estimator: Any, scores: Floats) -> Indices:
    """Code of the class with the largest score, of equals the first of `class_order_`."""
    order = getattr(estimator, "class_order_", np.arange(scores.shape[1]))
    found: Indices = order[scores[:, order].argmax(axis=1)]
    return found


def in_use(duals: Floats) -> Mask:
    """Which duals are not 0, up to rounding."""
    size = np.abs(duals)
    return size > 1e-9 * size.max(initial=0.0)


def stands_out(prices: Floats) -> Mask:
    """Which samples pay more than three times what the average sample pays."""
    return prices > _STANDS_OUT * prices.mean()


def report_conflict(owner: Any, rows: Sequence[int] | Indices, remedy: str) -> NoReturn:
    """Raise the error of samples that no selection can satisfy together."""
    raise ConflictError(
        f"{type(owner).__name__} found no features for which all training samples satisfy its "
        f"constraints. Rows {_shown(rows)} of X are in conflict. {remedy}",
        tuple(int(row) for row in rows),
    )


def warn_of_dropped(owner: Any, what: str, attribute: str) -> None:
    """Warn that constraints were dropped so that a selection exists."""
    warnings.warn(
        f"{type(owner).__name__} dropped {what}: no features satisfy the constraints of all "
        f"training samples. See `{attribute}`, or set relax=False to get an error instead.",
        ConflictWarning,
        stacklevel=5,
    )


def _shown(rows: Sequence[int] | Indices) -> str:
    """The first few of some row numbers, in words."""
    listed = ", ".join(str(row) for row in rows[:_SHOWN])
    return listed if len(rows) <= _SHOWN else f"{listed} and {len(rows) - _SHOWN} more"
