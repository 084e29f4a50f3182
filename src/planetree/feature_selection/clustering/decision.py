"""The decision of a clustering selector: planes whose ties do not depend on class names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin

from planetree.feature_selection.clustering.samples import Array, Samples
from planetree.planes import Planes
from planetree.separators.base import PlaneClassifier
from planetree.separators.problem import as_given

__all__ = ["ClusteringClassifier", "first_in_order"]


class ClusteringClassifier(SelectorMixin, PlaneClassifier):
    """A selector whose scores, one a class, are linear; of equal ones the first in order wins."""

    support_: NDArray[np.bool_]
    class_order_: NDArray[np.intp]

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the one with the largest score, of equals the first in order."""
        rows = self._read(X)
        if len(self.classes_) == 2:
            return self.classes_[self.planes_.branch(rows)]
        return self.classes_[first_in_order(self, self.planes_.scores(rows))]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        return self.support_

    def _set_scores(self, W: Array, offsets: Array, samples: Samples) -> None:
        """State scores, one a class of the samples, as planes in the order of `classes_`."""
        order = self.class_order_ = samples.order
        terms = (samples.terms.columns, samples.terms.categories)
        if len(W) == 2:
            plane = Planes(W[1:] - W[:1], offsets[1:] - offsets[:1], "slabs", *terms)
            self.planes_ = as_given(plane, bool(order[0] == 1))
        else:
            self.planes_ = Planes(samples.as_given(W), samples.as_given(offsets), "argmax", *terms)
        self.planes_ = self.planes_.in_term_order()
        self.coef_, self.intercept_ = self.planes_.weights, -self.planes_.offsets
        self.scale_ = samples.given_terms(samples.scale)


def first_in_order(estimator: Any, scores: Array) -> NDArray[np.intp]:
    """Code of the class with the largest score, of equals the first of `class_order_`."""
    order = getattr(estimator, "class_order_", np.arange(scores.shape[1]))
    found: NDArray[np.intp] = order[scores[:, order].argmax(axis=1)]
    return found
