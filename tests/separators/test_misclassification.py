"""MisclassificationSeparator: its value against every plane that there is, and its bound."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import planetree
from planetree import (
    MisclassificationSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.exceptions import TimeLimitWarning


def drawn(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y, rng.integers(1, 4, n).astype(float)


def least_of_all_planes(X, above, charges):
    """Through every d points in general position; those on the plane may fall to either side."""
    n, d = X.shape
    best = np.inf
    for chosen in map(list, itertools.combinations(range(n), d)):
        plane = np.linalg.svd(np.column_stack([X[chosen], -np.ones(d)]))[2][-1]
        scores = X @ plane[:-1] - plane[-1]
        off = np.ones(n, dtype=bool)
        off[chosen] = False
        for sign in (1, -1):
            best = min(best, charges[off & ((sign * scores > 0) != above)].sum())
    return best


def least_by_big_numbers(X, above, charges, big=1e4):
    """The textbook's program: s_i z >= 1 - big e_i, with weights of at most 100."""
    n, d = X.shape
    S = np.where(above, 1.0, -1.0)[:, None] * np.column_stack([X, -np.ones(n)])
    rows = LinearConstraint(np.hstack([S, big * np.eye(n)]), 1.0)
    box = Bounds(
        np.append(np.full(d + 1, -100.0), np.zeros(n)), np.append(np.full(d + 1, 100.0), np.ones(n))
    )
    cost = np.append(np.zeros(d + 1), charges)
    kinds = np.append(np.zeros(d + 1), np.ones(n))
    return milp(cost, constraints=rows, bounds=box, integrality=kinds).fun


@pytest.mark.parametrize("seed", range(6))
def test_no_plane_through_any_points_has_fewer_errors(seed):
    X, y, weights = drawn(seed, 10 + seed, 1 + seed % 3)
    costs = [[0, 2], [1, 0]] if seed % 2 else None
    model = MisclassificationSeparator(exact=True, costs=costs).fit(X, y, sample_weight=weights)
    charges = weights * (np.where(y == 0, 2, 1) if costs else 1)
    assert model.status_ == "optimal"
    assert model.objective_ == model.bound_ == least_of_all_planes(X, y == 1, charges)
    assert model.objective_ == charges[model.predict(X) != y].sum()


def test_the_value_is_that_of_the_program_with_large_numbers():
    X, y, weights = drawn(11, 16, 2)
    model = MisclassificationSeparator(exact=True).fit(X, y, sample_weight=weights)
    assert model.objective_ == pytest.approx(least_by_big_numbers(X, y == 1, weights))


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_holds_where_nothing_is_proved(seed):
    """Random classes need more conflicts than a fit without `exact` looks for."""
    X, y, _ = drawn(seed, 40, 2)
    model = MisclassificationSeparator().fit(X, y)
    least = least_of_all_planes(X, y == 1, np.ones(40))
    assert 0 < model.bound_ <= least <= model.objective_
    assert (model.status_ == "optimal") == (model.bound_ == model.objective_)


def test_rows_that_stand_in_both_classes_bound_the_errors_of_tables_of_any_size():
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(3000, 4)), 2, axis=0)
    y = np.tile([0, 1], 3000)
    model = MisclassificationSeparator().fit(X, y)
    assert model.bound_ == model.objective_ == 3000
    assert model.status_ == "optimal"


def test_classes_that_a_plane_separates_have_no_errors():
    X, _, _ = drawn(4, 60, 3)
    y = (X @ [1.0, -2.0, 0.5] > 0.3).astype(int)
    model = MisclassificationSeparator().fit(X, y)
    assert model.separable_
    assert (model.objective_, model.bound_, model.gap_, model.error_) == (0, 0, 0, 0)


def test_a_far_row_does_not_move_the_plane_as_it_moves_the_robust_one():
    x = np.append(np.arange(20.0), 1000.0)[:, None]
    y = np.append(np.arange(20) >= 10, False)
    fewest = MisclassificationSeparator().fit(x, y)
    assert fewest.objective_ == 1
    assert (RobustSeparator().fit(x, y).predict(x) != y).sum() > 1


def test_the_order_of_rows_of_classes_and_repetition_change_nothing():
    X, y, weights = drawn(5, 30, 2)
    model = MisclassificationSeparator().fit(X, y, sample_weight=weights)
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(30), weights.astype(int)))
    again = MisclassificationSeparator().fit(X[rows], y[rows])
    turned = MisclassificationSeparator().fit(X, 1 - y, sample_weight=weights)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(turned.coef_, -model.coef_)
    assert again.objective_ == turned.objective_ == model.objective_


def test_a_time_limit_keeps_a_plane_with_a_bound():
    X, y, _ = drawn(6, 150, 6)
    with pytest.warns(TimeLimitWarning, match="gap of"):
        model = MisclassificationSeparator(exact=True, time_limit=0.3).fit(X, y)
    assert model.status_ == "time_limit"
    assert 0 <= model.bound_ < model.objective_ == (model.predict(X) != y).sum()


def test_no_program_is_built_once_the_time_is_up():
    """Two were, whatever the limit: of 200,000 rows and 60 columns they took two seconds."""
    X, y, _ = drawn(6, 150, 6)
    with pytest.warns(TimeLimitWarning):
        model = MisclassificationSeparator(time_limit=1e-9).fit(X, y)
    assert (model.status_, model.n_programs_) == ("time_limit", 0)
    assert model.objective_ == (model.predict(X) != y).sum() < 75


def test_weights_that_are_no_whole_numbers_are_proved_within_rounding():
    X, y, weights = drawn(7, 12, 2)
    model = MisclassificationSeparator(exact=True).fit(X, y, sample_weight=weights / 7)
    least = least_of_all_planes(X, y == 1, weights / 7)
    assert model.status_ == "optimal"
    assert model.objective_ == pytest.approx(least, rel=1e-12)
    assert model.bound_ <= least


def test_it_makes_the_decisions_of_a_tree_and_goes_to_a_file(tmp_path):
    X, y, _ = drawn(8, 80, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = SeparatorTreeClassifier(MisclassificationSeparator(), max_splits=2).fit(X, y)
    planetree.save(tree, tmp_path / "tree.json")
    loaded = planetree.load(tmp_path / "tree.json")
    np.testing.assert_array_equal(loaded.predict(X), tree.predict(X))
    assert tree.certificates_[0].kind == "0-1 program over conflicts"


@pytest.mark.parametrize("unit", [1.0, 0.37])
def test_a_row_that_weighs_as_much_as_a_billion_others_hides_none_of_them(unit):
    """The best plane leaves the one row of its class, of 2 units, on the wrong side."""
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 0, 1, 0]
    weights = unit * np.array([1.0, 2.0, 3.0, 1e12, 2.0, 3.0])
    model = MisclassificationSeparator(exact=True).fit(X, y, weights)
    assert model.bound_ <= 2 * unit
    assert model.status_ != "optimal" or model.objective_ == 2 * unit
    assert model.bound_ == pytest.approx(2 * unit, rel=1e-4)


def test_an_exact_search_ends_by_default():
    """The problem is NP-complete: a proof may never come, but the plane does."""
    assert MisclassificationSeparator(exact=True).time_limit == 60.0
