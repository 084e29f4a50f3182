"""A teacher: what it is asked, what must not change the lesson, and what is told of the pupil."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from teachers import Oracle, forest, noisy

import planetree
from planetree import PlaneTreeClassifier, TreeEditor
from planetree.tree.plane import plane_tree, tree_choice

pytestmark = pytest.mark.core


@pytest.mark.parametrize("make", [forest, lambda: KNeighborsClassifier(3)])
def test_rows_in_any_order_and_weights_for_repetition_give_the_same_pupil(make):
    """Of a teacher that takes weights and has no seed, and of one that takes no weights."""
    X, y = noisy(n_rows=45)
    times = np.random.default_rng(1).integers(1, 4, len(X))
    order = np.random.default_rng(2).permutation(times.sum())
    again = np.repeat(np.arange(len(X)), times)[order]
    weighted = PlaneTreeClassifier(teacher=make()).fit(X, y, sample_weight=times)
    repeated = PlaneTreeClassifier(teacher=make()).fit(X[again], y[again])
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    assert weighted.fidelity_ == repeated.fidelity_
    assert weighted.certificates_ == repeated.certificates_


def test_a_teacher_that_knows_the_rule_makes_a_better_tree(monkeypatch):
    """Two of four columns are noise, and labels are wrong near the border."""
    monkeypatch.setattr(plane_tree, "fidelity", lambda *arguments: 1.0)  # to save its time
    unseen = np.random.default_rng(9).normal(size=(4000, 4))
    truth, errors = unseen[:, 0] + unseen[:, 1] > 0, []
    for seed in range(3):
        X, y = noisy(seed, 60)
        oracle = Oracle(lambda rows: rows[:, 0] + rows[:, 1] > 0).fit(X, y)
        taught = PlaneTreeClassifier(teacher=oracle).fit(X, y)
        plain = PlaneTreeClassifier().fit(X, y)
        errors.append([np.mean(m.predict(unseen) != truth) for m in (plain, taught)])
    plain, taught = np.mean(errors, axis=0)
    assert taught < plain - 0.01


def test_certificates_say_that_they_are_of_taught_rows(monkeypatch):
    """Where a taught tree is kept; its nodes count real rows all the same."""
    X, y = noisy(n_rows=80)
    monkeypatch.setattr(tree_choice, "_cheapest_tree", lambda trees, *prices: len(trees) - 1)
    model = PlaneTreeClassifier(teacher=forest()).fit(X, y)
    assert model.certificates_
    assert all(each.kind.endswith("on taught rows") for each in model.certificates_)
    assert model.tree_.weights[0] == len(X)
    plain = PlaneTreeClassifier().fit(X, y)
    assert not any("taught" in each.kind for each in plain.certificates_)
    assert plain.fidelity_ is None


def test_files_leave_out_a_teacher_that_they_cannot_hold(tmp_path):
    X, y = noisy(n_rows=60)
    held = PlaneTreeClassifier(teacher=GaussianNB()).fit(X, y)
    fitted = PlaneTreeClassifier(teacher=FrozenEstimator(GaussianNB().fit(X, y))).fit(X, y)
    for model, kind in ((held, GaussianNB), (fitted, type(None))):
        planetree.save(model, tmp_path / "model.json")
        again = planetree.load(tmp_path / "model.json")
        assert type(again.teacher) is kind
        assert again.fidelity_ == model.fidelity_
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_teacher_has_no_more_time_than_the_tree():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(planetree.exceptions.TimeLimitWarning):
        model = PlaneTreeClassifier(teacher=GaussianNB(), time_limit=1e-3).fit(X, y)
    assert np.isnan(model.fidelity_)


def test_a_part_that_a_required_column_does_not_divide_is_not_counted_and_stops_nothing():
    """One third of the rows holds two of the three that tell the column apart."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + 0.3 * X[:, 1] + 0.5 * rng.normal(size=150) > 0
    X[:, 2] = np.arange(150) < 3
    model = PlaneTreeClassifier(required_features=[2], teacher=LogisticRegression()).fit(X, y)
    assert 2 in model.features_used_
    assert 0.5 < model.fidelity_ <= 1.0


def test_another_tree_does_not_claim_the_fidelity_of_the_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=90) > 0
    model = PlaneTreeClassifier(teacher=LogisticRegression()).fit(X, y)
    assert model.fidelity_ > 0.5
    assert np.isnan(model.select(0).fidelity_)
    assert np.isnan(TreeEditor(model, X, y).close(0).fidelity_)
    assert PlaneTreeClassifier().fit(X, y).select(0).fidelity_ is None
