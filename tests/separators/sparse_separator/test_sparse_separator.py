"""SparseSeparator: signs, rules for features, limits of time, refusals and wide tables."""

import time

import numpy as np
import pandas as pd
import pytest
from sparse_problems import random_problem

from planetree import RobustSeparator, SparseSeparator, datasets
from planetree.solvers import LinearProgram

pytestmark = pytest.mark.core


@pytest.fixture
def rows():
    """Two classes that overlap; features 0 to 2 tell them apart, 3 to 7 tell nothing."""
    rng = np.random.default_rng(5)
    y = np.resize([0, 1], 120)
    X = rng.normal(size=(120, 8))
    X[:, :3] += y[:, None] * [1.5, -1.0, 1.0]
    return X, y


def rlp_with_signs(X, y, signs):
    """Value of RLP with the signs as bounds of the weights: a plain linear program."""
    Z, s = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == y.max(), 1.0, -1.0)
    (m, n), charge = X.shape, 1.0 / np.bincount(y)[y]
    lower = np.concatenate([np.where(signs > 0, 0.0, -np.inf), [-np.inf], np.zeros(m)])
    upper = np.concatenate([np.where(signs < 0, 0.0, np.inf), [np.inf], np.full(m, np.inf)])
    matrix = np.hstack([s[:, None] * np.column_stack([Z, -np.ones(m)]), np.eye(m)])
    cost = np.concatenate([np.zeros(n + 1), charge])
    return LinearProgram(cost, matrix, 1.0, np.inf, lower, upper).solve().objective


@pytest.mark.parametrize("seed", range(20))
def test_signs_hold_and_the_optimum_is_that_of_the_program_with_bounds(seed):
    rng = np.random.default_rng(seed)
    y = np.resize([0, 1], 60)
    X = rng.normal(size=(60, 5)) + 0.5 * y[:, None] * rng.normal(size=5)
    signs = rng.integers(-1, 2, 5)
    everything = SparseSeparator(error_increase=0.0, monotonic_cst=signs).fit(X, y)
    assert everything.objective_ == pytest.approx(rlp_with_signs(X, y, signs), abs=1e-8)
    fewer = SparseSeparator(error_increase=0.2, monotonic_cst=signs).fit(X, y)
    chosen = fewer.features_
    value = rlp_with_signs(X[:, chosen], y, signs[chosen])
    assert fewer.objective_ == pytest.approx(value, abs=1e-8)
    for model in (everything, fewer):
        assert np.all(model.coef_[0][signs > 0] >= 0)
        assert np.all(model.coef_[0][signs < 0] <= 0)


def test_signs_may_be_given_by_name(rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = SparseSeparator(monotonic_cst={"b": 1}).fit(frame, y)
    assert model.coef_[0][1] >= 0
    assert SparseSeparator().fit(frame, y).coef_[0][1] < 0


def test_separable_rows_stay_separated_with_fewer_features():
    """delta is 0 for RLP."""
    for seed in range(0, 40, 2):
        X, y, separator = random_problem("separable", seed)
        for algorithm in ("greedy", "published", "forward", "backward"):
            model = SparseSeparator(separator, algorithm=algorithm).fit(X, y)
            assert model.separable_
            assert model.error_ == 0.0
            assert np.array_equal(model.predict(X), y)


def test_unused_columns_have_weight_0_and_used_ones_do_not(rows):
    X, y = rows
    model = SparseSeparator().fit(X, y)
    assert np.array_equal(np.flatnonzero(model.coef_.any(axis=0)), model.features_)
    assert np.array_equal(model.planes_.features, model.features_)
    assert model.n_features_used_ == len(model.features_) < 8


def test_a_required_feature_that_tells_nothing_is_counted_with_weight_0():
    y = np.resize([0, 1], 80)
    X = np.column_stack([y, np.resize([0.0, 0.0, 1.0, 1.0], 80)])
    separator = RobustSeparator(perturbation=0.05)
    model = SparseSeparator(separator, required_features=[1], exact=True).fit(X, y)
    assert model.coef_[0][1] == 0.0
    assert model.features_.tolist() == [0, 1]
    assert model.n_features_used_ == model.n_features_bound_ == 2


def test_the_order_of_classes_does_not_matter():
    """No class has its plane fixed at zero while features are searched.

    This is not asked of the published algorithm: it ends in the stationary point that it meets
    first, and which vertex a linear program ends in is a matter of rounding.
    """
    for seed in range(0, 20, 2):
        X, y, separator = random_problem("three_classes", seed)
        renamed = np.array([{"a": "z"}.get(label, label) for label in y])
        model = SparseSeparator(separator).fit(X, y)
        other = SparseSeparator(separator).fit(X, renamed)
        assert model.n_features_used_ == other.n_features_used_
        assert model.objective_ == pytest.approx(other.objective_, abs=1e-8)


def test_a_category_column_counts_once():
    rng = np.random.default_rng(1)
    word = rng.choice(list("pqrst"), 200)
    y = np.isin(word, ["p", "t"]).astype(int)
    frame = pd.DataFrame({"noise": rng.normal(size=200), "word": pd.Categorical(word)})
    model = SparseSeparator(exact=True).fit(frame, y)
    assert model.features_.tolist() == [1]
    assert model.separable_
    assert len(model.coef_[0]) > 2


def test_the_separators_own_step_after_the_program_is_taken(rows):
    X, y = rows
    plain = SparseSeparator().fit(X, y)
    refined = SparseSeparator(RobustSeparator(refine_offset=True)).fit(X, y)
    alone = RobustSeparator(refine_offset=True).fit(X[:, refined.features_], y)
    assert np.array_equal(plain.features_, refined.features_)
    assert refined.intercept_ == pytest.approx(alone.intercept_, abs=1e-8)
    assert refined.intercept_ != pytest.approx(plain.intercept_, abs=1e-8)


def test_where_no_feature_tells_anything_none_is_used():
    """RLP-P: w = 0 is the only optimum, and the bound says no more than what was found."""
    X = np.tile([[0.0, 1.0], [1.0, 0.0]], (10, 1))
    y = np.repeat([0, 1], 10)
    for algorithm in ("greedy", "published", "forward"):
        separator = RobustSeparator(perturbation=0.5)
        model = SparseSeparator(separator, algorithm=algorithm, exact=True).fit(X, y)
        assert model.n_features_used_ == model.n_features_bound_ == 0
        assert not model.coef_.any()


@pytest.mark.parametrize(
    "options",
    [
        {"exact": True},
        {"exact": True, "n_features": 3},
        {"exact": True, "feature_price": 0.001},
        {"algorithm": "published"},
        {"algorithm": "published", "n_features": 3},
        {"algorithm": "backward", "n_features": 3},
    ],
    ids=str,
)
def test_a_time_limit_keeps_the_best_found_and_every_promise(options):
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 150)
    X = rng.normal(size=(150, 40)) + 0.3 * y[:, None]
    for limit in (1e-9, 0.05):
        start = time.monotonic()
        model = SparseSeparator(time_limit=limit, **options).fit(X, y)
        assert time.monotonic() - start < 5.0
        assert model.objective_ <= model.error_bound_
        assert model.n_features_used_ <= options.get("n_features", 40)
        assert model.n_features_bound_ <= model.n_features_used_
        if limit < 1e-8:
            assert model.status_ == "time_limit"
            assert not model.proved_


def test_a_path_cut_short_by_time_is_a_path(rows):
    path = SparseSeparator(time_limit=1e-9).feature_path(*rows)
    assert len(path.n_features) == len(path.errors) == len(path.features) >= 1
    assert path.n_features[-1] == 8


def test_a_path_may_stop_early_and_holds_what_is_required(rows):
    path = SparseSeparator(required_features=[6, 7]).feature_path(*rows, max_features=4)
    assert path.n_features.tolist() == [2, 3, 4]
    assert all({6, 7} <= set(features) for features in path.features)


def test_a_wide_table_needs_few_features():
    rng = np.random.default_rng(0)
    y = np.resize([0, 1], 40)
    X = rng.normal(size=(40, 2000))
    X[:, 17] += 3.0 * y
    X[:, 1234] -= 3.0 * y
    model = SparseSeparator().fit(X, y)
    assert model.separable_
    assert model.n_features_used_ <= 3


def test_leukemia_needs_a_handful_of_genes(data_folder):
    data = datasets.load("leukemia-train")
    start = time.process_time()
    model = SparseSeparator().fit(data.X, data.y)
    assert time.process_time() - start < 10.0
    assert model.n_features_in_ == 7129
    assert model.separable_
    assert model.n_features_used_ <= 3


REFUSED = [
    ({"separator": 3}, "separator must be a RobustSeparator"),
    ({"algorithm": "magic"}, "'algorithm' .* must be 'greedy'"),
    ({"error_increase": -0.1}, "'error_increase' .* must be a number of at least 0"),
    ({"error_increase": None}, "'error_increase' .* must be a number of at least 0"),
    ({"error_increase": np.inf}, "'error_increase' .* must be a number of at least 0"),
    ({"feature_price": "dear"}, "'feature_price' .* must be a number of at least 0 or None"),
    ({"time_limit": 0}, "'time_limit' .* must be a number of seconds above 0"),
    ({"n_features": 0}, "'n_features' .* must be a whole number of at least 1"),
    ({"n_features": 1.5}, "'n_features' .* must be a whole number of at least 1"),
    ({"n_features": 1, "required_features": [0, 1]}, "a whole number of at least 2 or None. Got 1"),
    ({"n_features": 1, "feature_price": 1.0}, "not both"),
    ({"n_features": 1, "feature_costs": np.ones(8)}, "limits the number of features"),
    ({"feature_price": 1.0, "algorithm": "published"}, "no algorithm for priced features"),
    ({"required_features": "age"}, "must be a sequence of column names or numbers"),
    ({"required_features": [8]}, r"required_features names 8, but the columns are \['x0'"),
    ({"required_features": [True]}, "required_features names True"),
    ({"excluded_features": ["age"]}, "excluded_features names 'age'"),
    ({"required_features": [1], "excluded_features": [1]}, r"both required and excluded: \['x1'\]"),
    ({"excluded_features": range(8)}, "leaves no feature to choose from"),
    ({"feature_costs": [1.0, 2.0]}, "feature_costs must hold one finite number for each of 8"),
    ({"feature_costs": -np.ones(8)}, "feature_costs must not be negative"),
    ({"feature_costs": {0: "dear"}}, "feature_costs must hold numbers"),
    ({"feature_costs": {"age": 1.0}}, "feature_costs names 'age'"),
    ({"monotonic_cst": np.full(8, 2)}, "monotonic_cst must hold -1, 0 or 1"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=lambda part: str(part)[:50])
def test_what_cannot_be_meant_is_refused_with_a_reason(rows, options, message):
    with pytest.raises(ValueError, match=message):
        SparseSeparator(**options).fit(*rows)


def test_a_sign_needs_two_classes_and_numbers(rows):
    X, _ = rows
    with pytest.raises(ValueError, match="needs two classes, but y holds 3"):
        SparseSeparator(monotonic_cst={0: 1}).fit(X, np.resize([0, 1, 2], len(X)))
    frame = pd.DataFrame({"word": pd.Categorical(np.resize(list("pqr"), 9)), "number": range(9)})
    with pytest.raises(ValueError, match=r"set for \['word'\], which hold categories"):
        SparseSeparator(monotonic_cst={"word": 1}).fit(frame, np.resize([0, 1], 9))


@pytest.mark.parametrize("most", [0, 1.5])
def test_a_path_needs_a_whole_number_of_features(rows, most):
    with pytest.raises(ValueError, match=r"'max_features' .* must be a whole number of at least 1"):
        SparseSeparator().feature_path(*rows, max_features=most)
