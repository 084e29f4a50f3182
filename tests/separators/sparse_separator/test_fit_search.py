"""Features of squared violations, largest errors and counts of errors, against scipy."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog, minimize

from planetree import (
    BilinearSeparator,
    MaxNormSeparator,
    MisclassificationSeparator,
    QuadraticSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)

pytestmark = pytest.mark.core


def drawn(seed, n_rows=30, n_columns=4, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], n_rows)
    X = rng.normal(size=(n_rows, n_columns))
    return X + shift * y[:, None] * (rng.random(n_columns) < 0.6), y


def squared_violations(Z, y):
    """Eq. (6.6) for two classes, by quasi-Newton steps."""
    signs, share = np.where(y == 1, 1.0, -1.0), 1 / np.bincount(y)[y]
    rows = signs[:, None] * np.column_stack([Z, np.ones(len(Z))])

    def value_and_slope(u):
        short = np.maximum(0, 1 - rows @ u)
        return share @ short**2 / 2, -rows.T @ (share * short)

    start = np.zeros(rows.shape[1])
    return minimize(value_and_slope, start, jac=True, options={"gtol": 1e-9}).fun


def largest_errors(Z, y):
    """Eqs. (2.2) to (2.4): beta - alpha, one linear program a side of the cube."""
    n, above, ones = Z.shape[1], y == 1, np.ones((len(Z), 1))
    rows = np.hstack(
        [np.where(above[:, None], -Z, Z), ones * above[:, None], -ones * ~above[:, None]]
    )
    values = []
    for j in range(n):
        for side in (-1.0, 1.0):
            bounds = [(side, side) if i == j else (-1, 1) for i in range(n)] + [(None, None)] * 2
            cost = np.append(np.zeros(n), [-1.0, 1.0])
            values.append(linprog(cost, rows, np.zeros(len(Z)), bounds=bounds).fun)
    return min(values)


def fewest_errors(Z, y):
    """Of the lines and thresholds beside one or two of the points, either way around."""
    n, best = len(Z), np.inf
    for chosen in map(list, combinations(range(n), Z.shape[1])):
        on = np.column_stack([Z[chosen], -np.ones(len(chosen))])
        plane = np.linalg.svd(on)[2][-1]
        off = np.ones(n, dtype=bool)
        off[chosen] = False
        scores = Z @ plane[:-1] - plane[-1]
        for sign in (1, -1):
            best = min(best, np.count_nonzero(off & ((sign * scores > 0) != (y == 1))))
    return best


ORACLES = [
    (QuadraticSeparator(), squared_violations, 1.0),
    (MaxNormSeparator(), largest_errors, 1.0),
    (MaxNormSeparator(), largest_errors, 6.0),
]


def values_of_all_sets(oracle, X, y, largest=None):
    Z, n = (X - X.mean(axis=0)) / X.std(axis=0), X.shape[1]
    sizes = range(1, (largest or n) + 1)
    sets = (list(s) for size in sizes for s in combinations(range(n), size))
    return {tuple(s): oracle(Z[:, s], y) for s in sets}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("separator", "oracle", "shift"), ORACLES)
def test_fewest_features_within_the_bound_are_those_of_the_enumeration(
    separator, oracle, shift, seed
):
    """(7) with another error function; the program of every set is scipy's."""
    X, y = drawn(seed, shift=shift)
    values = values_of_all_sets(oracle, X, y)
    best = values[tuple(range(4))]
    delta = best + 0.2 * abs(best)
    fewest = min(len(s) for s in values if values[s] <= delta + 1e-7)
    default = SparseSeparator(separator, error_increase=0.2).fit(X, y)
    exact = SparseSeparator(separator, error_increase=0.2, exact=True).fit(X, y)
    for model in (default, exact):
        assert model.objective_ == pytest.approx(values[tuple(model.features_)], abs=1e-6)
        assert model.objective_ <= model.error_bound_ == pytest.approx(delta, abs=1e-6)
    assert exact.proved_
    assert exact.n_features_used_ == exact.n_features_bound_ == fewest


@pytest.mark.parametrize(("separator", "oracle", "shift"), ORACLES)
def test_best_two_features_are_those_of_the_enumeration(separator, oracle, shift):
    """Eq. (9); the objective may be below zero where a plane separates the classes."""
    X, y = drawn(5, shift=shift)
    values = values_of_all_sets(oracle, X, y, largest=2)
    model = SparseSeparator(separator, n_features=2, exact=True).fit(X, y)
    assert model.objective_ == pytest.approx(min(values.values()), abs=1e-6)
    assert model.proved_
    assert model.search_bound_ <= min(values.values()) + 1e-6


def test_fewest_errors_with_two_columns_are_those_of_every_line():
    X, y = drawn(3, n_rows=14, n_columns=4)
    values = values_of_all_sets(fewest_errors, X, y, largest=2)
    separator = MisclassificationSeparator(exact=True)
    model = SparseSeparator(separator, n_features=2, exact=True).fit(X, y)
    assert model.objective_ == min(values.values()) == np.count_nonzero(model.predict(X) != y)
    assert model.proved_


def test_planes_are_those_of_the_separator_on_the_chosen_columns():
    """Three classes, one column of categories, which counts once."""
    rng = np.random.default_rng(2)
    y = np.resize(["a", "b", "c"], 60)
    X = pd.DataFrame(
        rng.normal(size=(60, 3)) + (y == "b")[:, None] * [1, 0, 2], columns=list("pqr")
    )
    X["kind"] = np.where(rng.random(60) < 0.8, y, "other")
    model = SparseSeparator(QuadraticSeparator(), n_features=2, exact=True).fit(X, y)
    alone = QuadraticSeparator().fit(X.iloc[:, model.features_], y)
    assert "kind" in X.columns[model.features_]
    assert np.array_equal(model.predict(X), alone.predict(X.iloc[:, model.features_]))
    assert (model.objective_, model.bound_) == (alone.objective_, alone.bound_)
    assert model.proved_


def test_nothing_is_proved_of_largest_errors_where_columns_follow_from_others():
    """The bound of all columns holds some of them at 0, so it says nothing of sets with these."""
    X, y = drawn(1, n_columns=3)
    model = SparseSeparator(MaxNormSeparator(), n_features=2, exact=True)
    model.fit(np.column_stack([X, X[:, 0] + X[:, 1]]), y)
    assert not model.proved_
    assert model.search_bound_ == -np.inf


def test_near_equal_sets_and_paths_have_other_errors_too():
    X, y = drawn(0, n_columns=4, shift=6.0)
    model = SparseSeparator(MaxNormSeparator(), error_increase=0.5).fit(X, y)
    near = model.near_equal(within=0.5)
    best = MaxNormSeparator().fit(X, y).objective_
    assert near.is_complete
    assert best < 0
    for each in near.sets:
        alone = MaxNormSeparator().fit(X[:, each.features], y).objective_
        assert each.objective == pytest.approx(alone)
        assert each.increase == pytest.approx((alone - best) / -best)
        assert each.increase <= 0.5 + 1e-6
    objectives = SparseSeparator(MaxNormSeparator()).feature_path(X, y).objectives
    assert (np.diff(objectives) <= 1e-12).all()
    assert objectives[-1] == pytest.approx(best)


def test_a_tree_of_squared_violations_reads_few_columns():
    X, y = drawn(4, n_rows=80, n_columns=6)
    tree = SeparatorTreeClassifier(
        SparseSeparator(QuadraticSeparator(), n_features=1), max_splits=2
    )
    assert all(split.n_terms == 1 for split in tree.fit(X, y).tree_.splits if split is not None)


@pytest.mark.parametrize(
    ("separator", "given", "told"),
    [
        (BilinearSeparator(), {}, "never rise with one more"),
        (QuadraticSeparator(validation_fraction=0.2), {}, "stops before the minimum"),
        (QuadraticSeparator(solver="gradient_distribution"), {}, "solver='newton'"),
        (QuadraticSeparator(), {"algorithm": "published"}, "linear programs"),
        (MaxNormSeparator(), {"monotonic_cst": [1, 0, 0, 0]}, "sign of a weight"),
    ],
)
def test_what_another_error_function_does_not_have_is_refused(separator, given, told):
    with pytest.raises(ValueError, match=told):
        SparseSeparator(separator, **given).fit(*drawn(0))


def test_two_classes_are_asked_for_where_the_separator_takes_no_more():
    X, _ = drawn(0)
    with pytest.raises(ValueError, match="MaxNormSeparator separates two"):
        SparseSeparator(MaxNormSeparator()).fit(X, np.resize([0, 1, 2], len(X)))


def test_a_time_limit_keeps_the_best_set_found():
    X, y = drawn(0, n_rows=200, n_columns=20)
    with pytest.warns(UserWarning, match="time limit"):
        model = SparseSeparator(MaxNormSeparator(), time_limit=0.001, exact=True).fit(X, y)
    assert model.status_ == "time_limit"
    assert not model.proved_
