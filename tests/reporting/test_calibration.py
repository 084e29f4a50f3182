"""What the report says of shares and scores agrees with scikit-learn and with the rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss

from planetree import C45Classifier, RobustSeparator
from planetree.reporting.calibration import _MAX_POINTS as MAX_POINTS
from planetree.reporting.calibration import _calibration as calibration
from planetree.reporting.calibration import _points as points
from planetree.tree.inspection.rows_in_tree import rows_in_tree


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 150))
    return X, np.where(X["a"] + rng.normal(size=150) > 0, "yes", "no")


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=200))
def test_points_hold_every_row_once_and_equal_shares_together(pairs):
    said = np.array([share / 30 for share, _ in pairs])
    right = np.array([each for _, each in pairs])
    found = points(said, right)
    assert sum(point.n_rows for point in found) == len(pairs)
    assert sum(point.n_right for point in found) == right.sum()
    assert len(found) <= max(MAX_POINTS, 1)
    means = [point.said for point in found]
    assert means == sorted(means)
    assert sum(p.said * p.n_rows for p in found) == pytest.approx(said.sum())
    if len(np.unique(said)) <= MAX_POINTS:
        assert means == pytest.approx(np.unique(said))


def test_the_brier_score_is_that_of_scikit_learn(rows):
    X, y = rows
    model = C45Classifier().fit(X, y)
    answers = (model.predict(X) == "yes").astype(int)
    found = calibration(rows_in_tree(model, X, y), answers)
    expected = 2 * brier_score_loss(y == "yes", model.predict_proba(X)[:, 1])
    assert found.brier == pytest.approx(expected)
    assert found.of_class == 1


def test_the_shares_of_a_tree_are_calibrated_on_its_training_rows(rows):
    """Each leaf's share is that of its rows, so every point lies on the diagonal."""
    X, y = rows
    model = C45Classifier().fit(X, y)
    found = calibration(rows_in_tree(model, X, y), np.zeros(150, dtype=int))
    for point in found.points:
        assert point.said == pytest.approx(point.n_right / point.n_rows, abs=1e-6)


def test_a_separator_is_judged_by_its_scores(rows):
    X, y = rows
    model = RobustSeparator().fit(X, y)
    found = calibration(rows_in_tree(model, X, y), np.zeros(150, dtype=int))
    assert not found.are_shares
    assert sum(p.said * p.n_rows for p in found.points) == pytest.approx(
        model.decision_function(X).sum()
    )
    X, y = load_iris(return_X_y=True)
    model = RobustSeparator().fit(X, y)
    found = calibration(rows_in_tree(model, X, y), model.predict(X))
    assert min(p.said for p in found.points) > 0
    assert sum(p.n_right for p in found.points) == (model.predict(X) == y).sum()
