"""QuadraticSeparator: the theorems of its program, later rows, tuning sets and bad tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadratic_clouds import clouds

from planetree import QuadraticSeparator

pytestmark = pytest.mark.core

SOLVERS = ("newton", "gradient_distribution")


def planes_that_separate(seed, n_rows, n_columns, n_classes):
    """Rows labelled by the largest of random scores, those near a tie left out."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    scores = X @ rng.normal(size=(n_columns, n_classes))
    second, first = np.sort(scores, axis=1)[:, -2:].T
    clear = first - second > 0.05
    return X[clear], scores.argmax(axis=1)[clear]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_columns=st.integers(2, 5),
    n_classes=st.integers(2, 5),
)
def test_the_value_is_zero_if_planes_separate_the_classes(seed, n_columns, n_classes):
    """Theorem 6.1.1."""
    X, y = planes_that_separate(seed, 60, n_columns, n_classes)
    if len(np.unique(y)) < 2:
        return
    model = QuadraticSeparator().fit(X, y)
    assert model.separable_
    assert model.error_ == model.bound_ == model.gap_ == 0.0
    assert model.score(X, y) == 1.0


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4))
def test_the_value_is_positive_if_no_planes_separate_them(seed, n_classes):
    """Theorem 6.1.1: a row that two classes share is on the wrong side of one."""
    X, y = planes_that_separate(seed, 40, 3, n_classes)
    if len(np.unique(y)) < 2:
        return
    X, y = np.vstack([X, X[:1]]), np.append(y, y[y != y[0]][0])
    model = QuadraticSeparator().fit(X, y)
    assert not model.separable_
    assert model.bound_ > 0
    assert model.score(X, y) < 1.0


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 5),
    solver=st.sampled_from(SOLVERS),
)
def test_equal_class_means_leave_no_weights(seed, n_classes, solver):
    """Theorem 6.1.2, one direction; the value is then that of no planes."""
    X, y = clouds(seed, 20 * n_classes, 3, n_classes)
    for c in range(n_classes):
        X[y == c] -= X[y == c].mean(axis=0)
    model = QuadraticSeparator(solver=solver).fit(X, y)
    np.testing.assert_allclose(model.coef_ * model.scale_, 0.0, atol=1e-12)
    assert model.error_ == pytest.approx(n_classes * (n_classes - 1) / 2)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 5))
def test_class_means_that_differ_leave_weights(seed, n_classes):
    """Theorem 6.1.2, the other direction: in one column of one class alone they differ."""
    X, y = clouds(seed, 20 * n_classes, 3, n_classes)
    for c in range(n_classes):
        X[y == c] -= X[y == c].mean(axis=0)
    X[y == 0, 1] += 1e-3
    model = QuadraticSeparator().fit(X, y)
    assert np.abs(model.coef_ * model.scale_).max() > 1e-5
    assert model.error_ < n_classes * (n_classes - 1) / 2


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("l2", [0.0, 0.01])
def test_both_solvers_find_the_same_planes(n_classes, l2):
    X, y = clouds(0, 150, 4, n_classes, 0.5)
    newton = QuadraticSeparator(l2=l2).fit(X, y)
    assert newton.status_ == "optimal"
    assert newton.gap_ <= 1e-12
    for partition in ("classes", "attributes"):
        other = QuadraticSeparator(
            solver="gradient_distribution", l2=l2, partition=partition, tol=1e-10
        )
        other.fit(X, y)
        assert other.objective_ == pytest.approx(newton.objective_, rel=1e-8)
        np.testing.assert_allclose(other.coef_, newton.coef_, atol=1e-6)


@pytest.mark.parametrize("partition", ["classes", "attributes"])
def test_a_constant_column_keeps_its_weight_by_distributed_gradients(partition):
    """Its curvature is 0, and a step divided by it: weights of 1e149 were called separation."""
    X, y = planes_that_separate(0, n_rows=150, n_columns=6, n_classes=4)
    X = np.insert(X, 2, 7.0, axis=1)
    model = QuadraticSeparator(solver="gradient_distribution", partition=partition).fit(X, y)
    assert model.separable_
    assert model.score(X, y) == 1.0
    assert np.abs(model.coef_).max() < 1e6
    assert not model.coef_[:, 2].any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_planes_that_separate_those_of_the_largest_penalty_are_taken(n_classes):
    X, y = planes_that_separate(1, n_rows=80, n_columns=4, n_classes=n_classes)
    penalized = (QuadraticSeparator(l2=10.0**-digits).fit(X, y) for digits in range(1, 12))
    first = next(each for each in penalized if each.score(X, y) == 1.0)
    model = QuadraticSeparator().fit(X, y)
    assert model.error_ == 0.0
    ratio = np.linalg.norm(model.coef_) / np.linalg.norm(first.coef_)
    np.testing.assert_allclose(model.coef_, ratio * first.coef_, rtol=1e-6)


def test_the_planes_of_classes_sum_to_zero():
    X, y = clouds(1, 90, 3, 3)
    model = QuadraticSeparator().fit(X, y)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-12)


def test_a_class_that_costs_more_loses_fewer_rows():
    X, y = clouds(2, 300, 2, 2, 0.5)
    dear = QuadraticSeparator(costs=[[0, 1], [20, 0]]).fit(X, y)
    plain = QuadraticSeparator().fit(X, y)
    assert dear.predict(X[y == 1]).mean() > plain.predict(X[y == 1]).mean()


@pytest.mark.parametrize("validation_fraction", [None, 0.25])
@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_count_as_repetition(solver, validation_fraction):
    X, y = clouds(3, 80, 3, 3)
    weight = np.random.default_rng(3).integers(0, 4, size=80)
    make = QuadraticSeparator(solver=solver, validation_fraction=validation_fraction, tol=1e-7)
    weighted = make.fit(X, y, sample_weight=weight).coef_
    repeated = make.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).coef_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_rows_that_arrive_later_give_the_planes_of_all_rows(solver):
    X, y = clouds(4, 200, 4, 3)
    whole = QuadraticSeparator(solver=solver, tol=1e-9).fit(X, y)
    parts = QuadraticSeparator(solver=solver, tol=1e-9)
    for rows in np.array_split(np.arange(200), 4):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    assert parts.objective_ == pytest.approx(whole.objective_, rel=1e-8)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-5)


def test_a_class_may_arrive_later_than_the_others():
    X, y = clouds(5, 120, 3, 3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    model = QuadraticSeparator().partial_fit(X[:30], y[:30], classes=[0, 1, 2])
    assert set(model.predict(X[:30])) == {0}
    for first in (30, 60, 90):
        model.partial_fit(X[first : first + 30], y[first : first + 30])
    assert model.objective_ == pytest.approx(QuadraticSeparator().fit(X, y).objective_, rel=1e-9)


def test_later_rows_are_checked_against_the_first():
    model = QuadraticSeparator().partial_fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(
        ValueError,
        match=r"y holds 'c'.*classes=",
    ):
        model.partial_fit([[2.0]], ["c"])
    with pytest.raises(ValueError, match="X has 2 features"):
        model.partial_fit([[2.0, 1.0]], ["a"])
    with pytest.raises(ValueError, match="first call of partial_fit declared"):
        model.partial_fit([[2.0]], ["a"], classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit([[2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="at least 2"):
        QuadraticSeparator().partial_fit([[2.0]], ["a"])
    assert model.error_ == 0.0


def test_fit_forgets_the_rows_of_partial_fit():
    X, y = clouds(6, 60, 2, 2)
    model = QuadraticSeparator().partial_fit(-X, y).fit(X, y)
    np.testing.assert_allclose(model.coef_, QuadraticSeparator().fit(X, y).coef_)
    model.partial_fit(X[:30], y[:30])
    assert model.error_ == pytest.approx(QuadraticSeparator().fit(X[:30], y[:30]).error_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_warm_start_needs_no_more_steps_at_the_minimum(solver):
    X, y = clouds(7, 200, 4, 3)
    model = QuadraticSeparator(solver=solver, warm_start=True, tol=1e-6).fit(X, y)
    n_iter, objective = model.n_iter_, model.objective_
    model.fit(X, y)
    assert model.n_iter_ <= min(1, n_iter)
    assert model.objective_ == pytest.approx(objective, rel=1e-9)
    model.fit(X[:, :2], y == 1)
    assert model.coef_.shape == (1, 2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tuning_set_stops_the_solver_early_where_there_is_noise_to_fit(solver):
    """Twelve columns of which few tell the classes apart, and few rows."""
    tables = [clouds(seed, 60, 12, 3, 0.4) for seed in range(12)]
    make = QuadraticSeparator(solver=solver, validation_fraction=0.3, tol=1e-6)
    statuses = {make.fit(X, y).status_ for X, y in tables}
    assert "early_stopping" in statuses


def test_categories_and_names_reach_the_words():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "color": ["red", "blue", "red", "blue"]})
    text = QuadraticSeparator(l2=0.1).fit(frame, ["a", "b", "a", "b"]).to_text()
    assert "[color is red]" in text


AWKWARD = {
    "constant columns": lambda X, y: (np.column_stack([X, np.full(len(X), 7.0)]), y),
    "repeated columns": lambda X, y: (np.column_stack([X, X[:, :1]]), y),
    "rows of two classes": lambda X, y: (np.vstack([X, X[:9]]), np.append(y, (y[:9] + 1) % 3)),
    "a class with one row": lambda X, y: (np.vstack([X, [[3.0, 3.0]]]), np.append(y, 3)),
    "two rows": lambda X, y: (X[:2], y[:2]),
    "units far apart": lambda X, y: (X * [1e-12, 1e12], y),
}
LARGE = {
    "50 classes": lambda X, y: clouds(0, 200, 3, 50),
    "2000 columns": lambda X, y: clouds(0, 40, 2000, 3),
}


@pytest.mark.parametrize("l2", [0.0, 0.01])
@pytest.mark.parametrize("name", [*AWKWARD, *LARGE])
def test_awkward_tables_give_planes_that_are_proved(name, l2):
    X, y = (AWKWARD | LARGE)[name](*clouds(9, 60, 2, 3))
    model = QuadraticSeparator(l2=l2).fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    assert np.all(np.isfinite(model.intercept_))
    assert model.score(X, y) >= 1 / len(np.unique(y))
    assert model.gap_ <= 1e-8


@pytest.mark.parametrize("partition", ["classes", "attributes"])
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables_give_the_same_value_by_distributed_gradients(name, partition):
    X, y = AWKWARD[name](*clouds(9, 60, 2, 3))
    other = QuadraticSeparator(
        solver="gradient_distribution", l2=0.01, partition=partition, tol=1e-9
    )
    best = QuadraticSeparator(l2=0.01).fit(X, y).objective_
    assert other.fit(X, y).objective_ == pytest.approx(best, rel=1e-8)


def test_rows_that_are_all_alike_are_refused():
    with pytest.raises(ValueError, match="Every row of X has the same features"):
        QuadraticSeparator().fit([[1.0], [1.0], [1.0]], [0, 1, 1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"solver": "lbfgs"}, "must be 'newton' or 'gradient_distribution'. Got 'lbfgs'"),
        ({"weighting": "none"}, "'weighting' parameter of QuadraticSeparator must be"),
        ({"partition": "rows"}, "'partition' parameter of QuadraticSeparator must be"),
        ({"l2": -1.0}, "'l2' .* must be a number of at least 0. Got -1.0"),
        ({"l2": np.nan}, "'l2' .* must be"),
        ({"tol": 0.0}, "'tol' .* must be a number above 0"),
        ({"validation_fraction": 1.0}, "'validation_fraction' .* must be a number between 0 and 1"),
        ({"costs": [[0, 1]]}, r"costs must have a row and a column .* \[0, 1\]"),
        ({"costs": [[0, -1], [1, 0]]}, "positive elsewhere"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        QuadraticSeparator(**wrong).fit([[0.0], [1.0]], [0, 1])
