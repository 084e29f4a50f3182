"""A teacher: what it is asked, what must not change the lesson, and what is told of the pupil."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import planetree
from planetree import PlaneTreeClassifier, TreeEditor
from planetree.table import Table, canonical
from planetree.tree.plane import plane_tree, tree_choice
from planetree.tree.teaching import fidelity, lessons, read_teacher

pytestmark = pytest.mark.core


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows the rule; keeps what it was asked."""

    def __init__(self, rule=None):
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.asked_, self.seen_ = np.unique(y), [], X
        return self

    def predict_proba(self, X):
        self.asked_.append(X)
        yes = np.asarray(self.rule(X), dtype=float)
        return np.column_stack([1.0 - yes, yes])


def noisy(seed=0, n_rows=150):
    """Classes by a sum of two columns, a third of the labels near the border wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(3)
    score = X[:, 0] + X[:, 1]
    y = (score + 0.8 * rng.normal(size=n_rows) > 0).astype(int)
    return X, y


def table_with_gaps(seed=0, n_rows=80):
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "green", "blue"], n_rows)
    size = rng.normal(size=n_rows).round(2)
    y = np.where((color == "red") ^ (rng.random(n_rows) < 0.1), "yes", "no")
    size[rng.random(n_rows) < 0.2] = np.nan
    color = np.where(rng.random(n_rows) < 0.1, None, color)
    return pd.DataFrame({"color": pd.Categorical(color), "size": size}), y


def forest():
    return RandomForestClassifier(10, min_samples_leaf=2)


def lesson_of(teacher, X, y, weights=None):
    table = Table.read(X)
    weights = np.ones(len(y)) if weights is None else weights
    labels, codes = np.unique(y, return_inverse=True)
    rows = canonical(table, codes, weights, n_classes=len(labels))
    known = read_teacher(teacher, X, np.arange(len(y)))(rows, rows.weights, labels[rows.order])
    return rows, next(lessons(rows, rows.weights, known))


def test_smeared_rows_are_made_of_whole_cells_and_weigh_as_much_as_the_real_ones():
    X, y = table_with_gaps()
    rows, taught = lesson_of(forest(), X, y)
    n, values = len(rows.codes), taught.table.values
    assert np.array_equal(values[:n], rows.table.values, equal_nan=True)
    assert taught.weights[n:].sum() == pytest.approx(rows.weights.sum())
    assert (taught.weights[n:] > 0).all()
    for cells in values.T:
        assert np.isin(cells[n:], cells[:n]).sum() == (~np.isnan(cells[n:])).sum()
    real = np.average(np.isnan(values[:n]), axis=0, weights=rows.weights)
    np.testing.assert_allclose(np.isnan(values[n:]).mean(axis=0), real, atol=0.08)


def test_their_classes_are_the_teachers_and_their_weights_its_margins():
    X, y = noisy()
    teacher = LogisticRegression().fit(X, y)
    rows, taught = lesson_of(teacher, X, y)
    n = len(rows.codes)
    given = np.empty((len(taught.codes) - n, 4))
    given[:, rows.columns] = np.ldexp(taught.table.values[n:], rows.exponents)
    p = teacher.predict_proba(given)
    assert np.array_equal(rows.order[taught.codes[n:]], p.argmax(axis=1))
    margins = np.abs(p[:, 1] - p[:, 0])
    assert margins.min() > 0.02
    np.testing.assert_allclose(taught.weights[n:], margins * (rows.weights.sum() / margins.sum()))


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


def test_a_fitted_teacher_is_asked_with_rows_like_those_of_x():
    """Columns keep names and types, whatever order they are sought in."""
    X, y = table_with_gaps()
    oracle = Oracle(lambda rows: rows["color"] == "red").fit(X, y)
    model = PlaneTreeClassifier(teacher=oracle).fit(X, y)
    assert oracle.asked_
    for asked in oracle.asked_:
        assert isinstance(asked, pd.DataFrame)
        assert asked.dtypes.equals(X.dtypes)
        assert set(asked["size"].dropna()) <= set(X["size"].dropna())
    assert oracle.seen_ is X  # nothing fitted it again
    assert model.fidelity_ > 0.9


def test_a_teacher_that_is_not_fitted_sees_numbers_and_stays_as_it_was():
    X, y = table_with_gaps()
    rows, taught = lesson_of(LogisticRegression(), X, y)
    assert len(taught.codes) > len(rows.codes)  # it takes neither text nor gaps
    teacher = LinearSVC()  # nor has it probabilities
    model = PlaneTreeClassifier(teacher=teacher).fit(X, y)
    assert not hasattr(teacher, "coef_")
    assert 0.5 < model.fidelity_ <= 1.0


def test_fidelity_is_the_agreement_on_rows_that_were_held_out():
    """A pupil that knows its own rows alone agrees on none; one that says the same on all."""
    X, y = noisy(n_rows=60)
    rows, _ = lesson_of(GaussianNB(), X, y)
    seen = []

    class _Says:
        def probabilities(self, rows, cells):
            assert (cells == cells[:, :1]).all()  # whole rows
            return np.eye(2)[rows.codes[cells[:, 0]]]

    def pupil(answers):
        def taught(some):
            seen.append(some)
            return plane_tree.Pupil(lambda held: answers(some, held), _Says())

        return taught

    def parrot(some, held):
        known = {row.tobytes(): c for row, c in zip(some.table.values, some.codes, strict=True)}
        return np.array([known.get(row.tobytes(), -1) for row in held.table.values])

    assert fidelity(rows, pupil(parrot)) == 0.0
    assert sum(len(some.codes) for some in seen) == 2 * len(rows.codes)
    assert fidelity(rows, pupil(lambda some, held: held.codes)) == 1.0


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


def test_what_cannot_teach_is_refused():
    X, y = noisy(n_rows=40)
    with pytest.raises(ValueError, match="teacher"):
        PlaneTreeClassifier(teacher="forest").fit(X, y)
    strange = GaussianNB().fit(X, y + 5)
    with pytest.raises(ValueError, match="knows the class"):
        PlaneTreeClassifier(teacher=strange).fit(X, y)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        PlaneTreeClassifier(teacher=KNeighborsClassifier()).fit(
            X, y, sample_weight=np.linspace(0.5, 1.5, 40)
        )


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
