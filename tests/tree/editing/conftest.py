"""A tree of the breast cancer data, fitted once for all edits: an editor changes no model."""

import pytest
from sklearn.datasets import load_breast_cancer

from planetree import PlaneTreeClassifier


@pytest.fixture(scope="session")
def breast():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = PlaneTreeClassifier(size=0.5).fit(X, y)
    return model, X, y
