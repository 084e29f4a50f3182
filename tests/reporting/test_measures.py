"""The figures of the report agree with scikit-learn's, and the fingerprint with the rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss, confusion_matrix

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.reporting.certificates import proofs
from planetree.reporting.measures import MAX_POINTS, calibration, confusion, points
from planetree.reporting.provenance import fingerprint, parameters
from planetree.tree.inspection.rows_in_tree import show


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc"))
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 150))
    return X, np.where(X["a"] + rng.normal(size=150) > 0, "yes", "no")


codes = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1)


@given(codes)
def test_the_confusion_matrix_is_that_of_scikit_learn(pairs):
    true, said = np.array(pairs).T
    assert np.array_equal(confusion(true, said, 4), confusion_matrix(true, said, labels=range(4)))


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
    found = calibration(show(model, X, y), answers)
    expected = 2 * brier_score_loss(y == "yes", model.predict_proba(X)[:, 1])
    assert found.brier == pytest.approx(expected)
    assert found.of_class == 1


def test_the_shares_of_a_tree_are_calibrated_on_its_training_rows(rows):
    """Each leaf's share is that of its rows, so every point lies on the diagonal."""
    X, y = rows
    model = C45Classifier().fit(X, y)
    found = calibration(show(model, X, y), np.zeros(150, dtype=int))
    for point in found.points:
        assert point.said == pytest.approx(point.n_right / point.n_rows, abs=1e-6)


def test_a_separator_is_judged_by_its_scores(rows):
    X, y = rows
    model = RobustSeparator().fit(X, y)
    found = calibration(show(model, X, y), np.zeros(150, dtype=int))
    assert not found.are_shares
    assert sum(p.said * p.n_rows for p in found.points) == pytest.approx(
        model.decision_function(X).sum()
    )
    X, y = load_iris(return_X_y=True)
    model = RobustSeparator().fit(X, y)
    found = calibration(show(model, X, y), model.predict(X))
    assert min(p.said for p in found.points) > 0
    assert sum(p.n_right for p in found.points) == (model.predict(X) == y).sum()


def test_the_fingerprint_is_that_of_the_rows_and_not_of_the_frame(rows):
    X, y = rows
    model = C45Classifier().fit(X, y)
    first = fingerprint(show(model, X, y))
    assert first == fingerprint(show(model, X[["kind", "c", "b", "a"]], list(y)))
    as_polars = pl.DataFrame({name: X[name].tolist() for name in X.columns})
    assert first == fingerprint(show(model, as_polars, pl.Series(y.tolist())))
    moved = X.copy()
    moved.loc[3, "b"] += 1e-12
    other = np.array(y)
    other[0] = "yes" if y[0] == "no" else "no"
    changed = [(moved, y), (X, other), (X[::-1], y[::-1]), (X.mask(X.iloc[0, 0] == X), y)]
    assert len({first, *(fingerprint(show(model, *each)) for each in changed)}) == 5


def test_parameters_that_differ_from_their_defaults_are_marked():
    found = {name: changed for name, _, changed in parameters(PlaneTreeClassifier(max_splits=3))}
    assert {name for name, changed in found.items() if changed} == {"max_splits"}


def test_every_decision_has_a_verdict(rows):
    X, y = rows
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    found = proofs(show(model, X, y))
    assert list(found) == np.flatnonzero(model.tree_.n_branches).tolist()
    assert all(proof.proved for proof in found.values())
    known = [figures for figures in model.certificates_ if figures]
    assert [p.objective for p in found.values() if np.isfinite(p.objective)] == [
        objective for objective, _, _ in known
    ]


def test_a_smaller_member_of_the_path_claims_no_proof_of_another(rows):
    X, y = rows
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    for step in model.path_[1:]:
        smaller = model.select(step.n_terms)
        found = proofs(show(smaller, X, y))
        if smaller.tree_ is not model.tree_:
            assert not any(proof.proved for proof in found.values())
