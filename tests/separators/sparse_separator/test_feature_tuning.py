"""The number of features that errs least on rows held back."""

import numpy as np
import pytest

from planetree import RobustSeparator, SparseSeparator

pytestmark = pytest.mark.core


def test_the_tuned_number_of_features_errs_least_on_the_tuning_set():
    """Oracle: robust planes of the path's columns, counted row by row."""
    rng = np.random.default_rng(12)
    X = rng.normal(size=(120, 6))
    y = (X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=120) > 0).astype(int)
    train, tune = np.arange(40), np.arange(40, 120)
    model = SparseSeparator()
    path = model.feature_path(X[train], y[train])
    errors = {}
    for features in map(list, path.features):
        plane = RobustSeparator().fit(X[train][:, features], y[train])
        errors[len(features)] = (plane.predict(X[tune][:, features]) != y[tune]).sum()
    best = min(n for n, wrong in errors.items() if wrong == min(errors.values()))
    assert model.tuned_n_features(X[train], y[train], X[tune], y[tune]) == best
    assert best < 6
