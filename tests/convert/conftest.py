"""Models that every export is tried on, each fitted once."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from odd_tables import odd_labels, odd_table
from sklearn.base import clone
from sklearn.datasets import load_iris

from planetree import (
    BiclusteringSelector,
    BilinearSeparator,
    C45Classifier,
    CentroidSelector,
    MaxNormSeparator,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)
from planetree.exceptions import ConflictWarning

TREES = [
    (C45Classifier(), 3),
    (C45Classifier(subsets=True, arithmetic="double"), 2),
    (C45Classifier(prune=False, min_cases=1), 3),
    (PlaneTreeClassifier(), 2),
    (PlaneTreeClassifier(grading=None), 2),
    (PlaneTreeClassifier(size="accurate", costs=[[0, 1, 3], [1, 0, 1], [2, 1, 0]]), 3),
    (SeparatorTreeClassifier(pruning=None), 3),
    (SeparatorTreeClassifier(RobustSeparator(products="all"), max_splits=2, pruning=None), 2),
    (
        SeparatorTreeClassifier(
            BilinearSeparator(topology="first", max_restarts=0), costs=[[0, 1], [5, 0]]
        ),
        2,
    ),
    (
        SeparatorTreeClassifier(
            BilinearSeparator(topology="alternating", max_restarts=0), max_splits=3
        ),
        2,
    ),
]
PLANES = [
    (BilinearSeparator(topology="first", max_restarts=0), 2),
    (BilinearSeparator(topology="alternating", max_restarts=0), 2),
    (MaxNormSeparator(), 2),
    (MultisurfaceClassifier(conflicts="majority"), 2),
    (QuadraticSeparator(), 3),
    (RobustSeparator(), 2),
    (RobustSeparator(), 3),
    (RobustSeparator(products="all"), 3),
    (SparseSeparator(n_features=3), 2),
]
SELECTORS = [(BiclusteringSelector(), 2), (CentroidSelector(), 2), (CentroidSelector(), 3)]


def named(pair):
    return f"{pair[0]!r:.60}-{pair[1]}"


@pytest.fixture(scope="session", params=TREES, ids=named)
def tree(request):
    """A tree of an odd table with missing cells."""
    estimator, n_classes = request.param
    frame = odd_table(400, missing=0.05)
    model = clone(estimator).fit(frame, odd_labels(frame, n_classes))
    return pickle.loads(pickle.dumps(model))  # a copy keeps no training rows


@pytest.fixture(scope="session", params=PLANES, ids=named)
def planes(request):
    """A model that refuses missing cells, of an odd table."""
    estimator, n_classes = request.param
    frame = odd_table(120)
    return clone(estimator).fit(frame, odd_labels(frame, n_classes))


@pytest.fixture(scope="session", params=SELECTORS, ids=named)
def selector(request):
    """A selector that classifies by planes, of the iris data."""
    estimator, n_classes = request.param
    X, y = load_iris(return_X_y=True, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConflictWarning)
        return clone(estimator).fit(X[y < n_classes], y[y < n_classes])


@pytest.fixture(scope="session", params=[False, True], ids=["a branch each", "subsets"])
def with_strays(request):
    """A tree in which a category of each lookup belongs to no branch."""
    frame = odd_table(300, missing=0.05)
    labels = frame["select"].astype(str).isin(["it's", "NULL", "--"]) ^ (frame["int"] & True)
    model = C45Classifier(subsets=request.param).fit(frame, np.where(labels, "yes", "no"))
    splits = model.tree_.splits
    first = splits.n_mapped > 2
    starts = np.cumsum(splits.n_mapped) - splits.n_mapped
    branches = splits.branches.copy()
    branches[starts[first]] = -1
    assert first.any()
    model.tree_ = replace(model.tree_, splits=replace(splits, branches=branches))
    return pickle.loads(pickle.dumps(model))
