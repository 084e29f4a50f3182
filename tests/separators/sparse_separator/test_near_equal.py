"""Near-equal sets of columns: equal to the enumeration of all sets, with proof."""

from itertools import combinations

import numpy as np
import pytest

from planetree import RobustSeparator, SparseSeparator, load, save
from planetree.datasets import load as load_dataset


def random_problem(seed, n_columns):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_columns))
    X[:, -1] = X[:, 0] + 0.3 * rng.normal(size=40)  # columns that can stand in for each other
    noise = 0.0 if seed % 5 == 4 else 1.0
    y = X @ rng.normal(size=n_columns) + noise * rng.normal(size=40) > 0
    return X, y


def objective(X, y, columns, alone):
    """Objective of the planes on some columns; on none, that of an offset alone."""
    if not columns:
        return alone
    return RobustSeparator().fit(X[:, columns], y).objective_


def enumerated(X, y, within, required=frozenset()):
    """Minimal near-equal sets and the limit, by all sets of columns."""
    n = X.shape[1]
    values = {}
    for size in range(n + 1):
        for columns in combinations(range(n), size):
            values[frozenset(columns)] = objective(X, y, list(columns), alone=2.0)
    limit = (1 + within) * values[frozenset(range(n))] + 1e-9
    near = [each for each in values if values[each] <= limit and required <= each]
    return (
        {each for each in near if all(values[each - {j}] > limit for j in each - required)},
        limit,
        values,
    )


def check_against_enumeration(seed, n_columns, within):
    X, y = random_problem(seed, n_columns)
    expected, limit, values = enumerated(X, y, within)
    found = SparseSeparator().fit(X, y).near_equal(within=within, max_sets=10_000, time_limit=None)
    assert {frozenset(each.features) for each in found.sets} == expected
    assert len(found.sets) == len(expected)
    assert found.is_complete
    assert found.least_unlisted is None
    assert found.proved
    everything = frozenset(range(n_columns))
    needed = {f"x{j}" for j in everything if values[everything - {j}] > limit}
    assert set(found.indispensable) == needed
    assert needed == {f"x{j}" for j in frozenset.intersection(*expected)}
    for each in found.sets:
        assert each.objective == pytest.approx(values[frozenset(each.features)], abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_sets_are_those_of_an_enumeration(seed):
    check_against_enumeration(seed, n_columns=3 + seed % 4, within=[0.05, 0.3][seed % 2])


def test_required_columns_are_in_every_set_and_do_not_spoil_minimality():
    X, y = random_problem(1, 5)
    expected, _, _ = enumerated(X, y, 0.2, required=frozenset([2]))
    model = SparseSeparator(required_features=[2]).fit(X, y)
    assert {frozenset(each.features) for each in model.near_equal(0.2).sets} == expected


def test_a_limit_on_columns_or_sets_says_what_is_not_listed():
    X, y = random_problem(0, 6)
    model = SparseSeparator().fit(X, y)
    everything = model.near_equal(within=0.5)
    sizes = [len(each.features) for each in everything.sets]
    assert sizes == sorted(sizes)
    assert len(sizes) > 2
    few = model.near_equal(within=0.5, max_sets=2)
    assert [len(each.features) for each in few.sets] == sizes[:2]
    assert not few.is_complete
    assert few.least_unlisted <= sizes[2]
    small = model.near_equal(within=0.5, max_features=sizes[0])
    assert [len(each.features) for each in small.sets] == [s for s in sizes if s == sizes[0]]
    assert small.is_complete
    assert small.least_unlisted is None or small.least_unlisted > sizes[0]


def test_columns_that_stand_in_for_each_other_differ_in_one_place():
    X, y = random_problem(2, 6)
    found = SparseSeparator().fit(X, y).near_equal(within=0.5)
    sets = {frozenset(each.columns) for each in found.sets}
    expected = {}
    for one, two in combinations(sets, 2):
        if len(one) == len(two) == len(one & two) + 1:
            pair = tuple(sorted([*(one - two), *(two - one)]))
            expected[pair] = expected.get(pair, 0) + 1
    assert {(first, second): n for first, second, n in found.stand_ins} == expected


def test_held_out_errors_are_those_of_a_separator_fitted_to_the_columns():
    X, y = random_problem(3, 5)
    model = SparseSeparator().fit(X[:30], y[:30])
    for each in model.near_equal(within=0.3, validation=(X[30:], y[30:])).sets:
        alone = RobustSeparator().fit(X[:30][:, each.features], y[:30])
        expected = 1 - alone.score(X[30:][:, each.features], y[30:])
        assert each.held_out_error == pytest.approx(expected)


def test_a_model_without_its_training_rows_says_so(tmp_path):
    X, y = random_problem(0, 3)
    save(SparseSeparator().fit(X, y), tmp_path / "model.json")
    with pytest.raises(ValueError, match="fit it again"):
        load(tmp_path / "model.json").near_equal()


def test_a_search_without_time_lists_a_minimal_set_and_a_bound(data_folder):
    data = load_dataset("wdbc")
    model = SparseSeparator().fit(data.X, data.y)
    found = model.near_equal(within=0.05, time_limit=0.5)
    assert not found.is_complete
    assert found.sets
    assert 1 <= found.least_unlisted <= 30
