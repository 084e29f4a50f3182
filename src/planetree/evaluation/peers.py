"""scikit-learn's tree and logistic regression, as methods to compare with.

They are given the terms of a table: its numbers, and an indicator for each category. Logistic
regression gets them in standard units, with the mean for a missing value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from planetree.planes import encode
from planetree.table import Table

__all__ = ["Peer", "peer"]


class Peer(ClassifierMixin, BaseEstimator):
    """A classifier of scikit-learn that reads the terms of a `Table`."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: Table, y: Any, sample_weight: Any = None) -> Peer:
        """Fit the classifier to the terms."""
        self.terms_ = X.terms()
        self.classifier_ = clone(self.classifier)
        last = getattr(self.classifier_, "steps", [("", None)])[-1][0]
        key = f"{last}__sample_weight" if last else "sample_weight"
        self.classifier_.fit(self.matrix(X), y, **{key: sample_weight})
        return self

    def predict(self, X: Table) -> NDArray[Any]:
        """Class of each row."""
        answers: NDArray[Any] = self.classifier_.predict(self.matrix(X))
        return answers

    def matrix(self, X: Table) -> NDArray[np.float64]:
        """Terms of the rows."""
        return encode(X.values, self.terms_.columns, self.terms_.categories)

    def size(self) -> tuple[int, int, int, int]:
        """Decisions, leaves, columns and terms."""
        model = self.classifier_
        if isinstance(model, DecisionTreeClassifier):
            tested = model.tree_.feature[model.tree_.feature >= 0]
            columns = np.unique(self.terms_.columns[tested])
            return len(tested), model.get_n_leaves(), len(columns), len(tested)
        used = model[-1].coef_.any(axis=0)
        columns = np.unique(self.terms_.columns[: len(used)][used])
        return 1, len(model[-1].classes_), len(columns), int(used.sum())


def peer(name: str, seed: int, class_weight: Any = None) -> Peer:
    """A peer by its name."""
    if name == "sklearn-tree":
        return Peer(DecisionTreeClassifier(random_state=seed, class_weight=class_weight))
    regression = LogisticRegression(max_iter=1000, class_weight=class_weight)
    filled = SimpleImputer(keep_empty_features=True)
    return Peer(make_pipeline(filled, StandardScaler(), regression))
