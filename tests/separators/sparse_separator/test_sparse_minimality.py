"""Searches for features against the enumeration of all sets, on random problems.

From 20 problems of each kind; `-m slow` takes 500 in all.
"""

import numpy as np
import pytest
from hinge_oracle import highs_value, hinges
from sparse_problems import delta_of, random_problem

from planetree import SparseSeparator

pytestmark = pytest.mark.core

SIZES = (1, 2, 3)


def test_bounded_searches_are_feasible_exact_ones_minimal_and_the_default_nearly_always(enumerated):
    """(7)(8) and (13)(14); the published algorithm is feasible and never better."""
    hits = 0
    for (X, y, separator), values in enumerated:
        delta = delta_of(values)
        fewest = min(len(s) for s in values if values[s] <= delta)
        default = SparseSeparator(separator).fit(X, y)
        exact = SparseSeparator(separator, exact=True).fit(X, y)
        published = SparseSeparator(separator, algorithm="published").fit(X, y)
        for model in (default, exact, published):
            assert model.objective_ <= delta
            assert model.objective_ == pytest.approx(values[tuple(model.features_)], abs=1e-9)
            assert model.error_bound_ == pytest.approx(delta, rel=1e-7, abs=1e-9)
            assert model.n_features_used_ >= fewest
        assert exact.proved_
        assert exact.n_features_used_ == exact.n_features_bound_ == exact.search_bound_ == fewest
        hits += default.n_features_used_ == fewest
    assert hits >= 0.95 * len(enumerated)


def test_limited_searches_keep_the_limit_exact_ones_are_best_and_the_default_nearly_always(
    enumerated,
):
    """Eq. (9)."""
    hits = 0
    for (X, y, separator), values in enumerated:
        for size in SIZES:
            best = min(values[s] for s in values if len(s) <= size)
            default = SparseSeparator(separator, n_features=size).fit(X, y)
            exact = SparseSeparator(separator, n_features=size, exact=True).fit(X, y)
            assert max(default.n_features_used_, exact.n_features_used_) <= size
            assert exact.proved_
            assert exact.objective_ == pytest.approx(best, abs=1e-7)
            assert exact.search_bound_ <= best + 1e-7
            assert default.objective_ >= best - 1e-7
            hits += default.objective_ <= best + 1e-7
    assert hits >= 0.95 * len(SIZES) * len(enumerated)


def test_the_published_limited_search_keeps_the_limit(enumerated):
    for (X, y, separator), values in enumerated[:30]:
        best = min(values[s] for s in values if len(s) <= 2)
        model = SparseSeparator(separator, n_features=2, algorithm="published").fit(X, y)
        assert model.n_features_used_ <= 2
        assert model.objective_ >= best - 1e-7


@pytest.mark.parametrize("price", [0.01, 0.1])
def test_the_exact_priced_search_is_best_and_the_default_nearly_always(enumerated, price):
    """(5)(6) and (11)(12)."""
    hits = 0
    for (X, y, separator), values in enumerated[:40]:
        best = min(values[s] + price * len(s) for s in values)
        for exact in (True, False):
            model = SparseSeparator(separator, feature_price=price, exact=exact).fit(X, y)
            found = model.objective_ + price * model.n_features_used_
            assert found >= best - 1e-7
            assert not exact or (model.proved_ and found <= best + 1e-7)
        hits += found <= best + 1e-7
    assert hits >= 0.95 * len(enumerated[:40])


def test_the_exact_search_minimizes_costs(enumerated):
    for number, ((X, y, separator), values) in enumerate(enumerated[:40]):
        rng = np.random.default_rng(number)
        n = len(max(values, key=len))
        costs = rng.integers(1, 5, n) if number % 2 else rng.uniform(0.5, 2.0, n)
        delta = delta_of(values)
        least = min(costs[list(s)].sum() for s in values if values[s] <= delta)
        for algorithm in ("greedy", "published"):
            options = {"feature_costs": costs, "algorithm": algorithm, "exact": True}
            model = SparseSeparator(separator, **options).fit(X, y)
            assert model.proved_
            assert costs[model.features_].sum() == pytest.approx(least)
            assert model.search_bound_ == pytest.approx(least)
            assert model.n_features_bound_ <= model.n_features_used_
        default = SparseSeparator(separator, feature_costs=costs).fit(X, y)
        assert default.objective_ <= delta
        assert costs[default.features_].sum() >= least - 1e-9


def test_a_free_feature_is_never_left_out_to_save(enumerated):
    for (X, y, separator), values in enumerated[:30]:
        delta = delta_of(values)
        least = min(len(set(s) - {0}) for s in values if values[s] <= delta)
        model = SparseSeparator(separator, feature_costs={0: 0.0}, exact=True).fit(X, y)
        assert len(set(model.features_) - {0}) == least


def test_required_and_excluded_features_are_respected_at_the_least_cost(enumerated):
    for (X, y, separator), values in enumerated[:40]:
        rest = max((s for s in values if 1 not in s), key=len)
        delta = 1.1 * values[rest] + 1e-8 * max(1e-3, values[rest])
        fitting = [s for s in values if 0 in s and 1 not in s and values[s] <= delta]
        options = {"required_features": [0], "excluded_features": [1]}
        for exact in (True, False):
            model = SparseSeparator(separator, exact=exact, **options).fit(X, y)
            assert 0 in model.features_
            assert 1 not in model.features_
            assert model.objective_ <= delta
            assert model.n_features_used_ >= min(map(len, fitting))
            assert not exact or model.n_features_used_ == min(map(len, fitting))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["plain", "correlated", "three_classes"])
def test_the_planes_are_optimal_for_their_features_by_another_solver(kind, seed):
    X, y, separator = random_problem(kind, seed)
    model = SparseSeparator(separator).fit(X, y)
    part = X[:, model.features_]
    codes = np.unique(y, return_inverse=True)[1]
    share = 1 - separator.perturbation
    program = hinges(
        (part - part.mean(axis=0)) / part.std(axis=0),
        codes,
        share / np.bincount(codes),
        price=separator.perturbation,
        all_planes=separator.perturbation > 0 and kind == "three_classes",
    )
    assert model.objective_ == pytest.approx(highs_value(program), abs=1e-8)
