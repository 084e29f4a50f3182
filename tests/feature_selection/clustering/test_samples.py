"""Samples: each different row once, with means and distances of what is known, by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import nan_euclidean_distances

from planetree import CentroidSelector
from planetree.feature_selection.clustering.samples import (
    joint_factors,
    known_factors,
    known_means,
    read_samples,
    sums_over_known,
)


def gappy(seed, n=12, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[rng.random((n, p)) < 0.2] = np.nan
    X[:, 0] = np.arange(n)
    return X, np.resize([0, 1], n)


@pytest.mark.parametrize("seed", range(3))
def test_distances_over_known_columns_are_those_of_scikit_learn(seed):
    X, y = gappy(seed)
    samples = read_samples(CentroidSelector(), X, y)
    V = samples.values
    expected = nan_euclidean_distances(V) ** 2
    sums = np.array([sums_over_known(V, row) for row in V])
    np.testing.assert_allclose(known_factors(samples) * sums, expected, atol=1e-12)
    factors = joint_factors(samples.terms.columns, V, V[0])
    np.testing.assert_allclose(factors * sums[0], expected[0], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_means_are_weighted_and_of_known_values(seed):
    X, _ = gappy(seed)
    weights = np.random.default_rng(seed).integers(1, 4, len(X)).astype(float)
    repeated = np.nanmean(np.repeat(X, weights.astype(int), axis=0), axis=0)
    np.testing.assert_allclose(known_means(X, weights), repeated)


def test_a_repeated_row_is_one_sample_of_its_weight_and_order_changes_nothing():
    X, y = gappy(0)
    order = np.random.default_rng(1).permutation(24)
    once = read_samples(CentroidSelector(), X, y, np.full(12, 2.0))
    twice = read_samples(CentroidSelector(), np.vstack([X, X])[order], np.tile(y, 2)[order])
    assert np.array_equal(once.values, twice.values, equal_nan=True)
    assert once.weights.tolist() == twice.weights.tolist() == [2.0] * 12
    of_rows = twice.spread(np.arange(12.0))
    assert np.array_equal(np.tile(once.spread(np.arange(12.0)), 2)[order], of_rows)
    assert sorted(twice.rows_of(np.array([3]))) == np.flatnonzero(of_rows == 3).tolist()


def test_rows_of_weight_0_are_no_samples():
    X, y = gappy(2)
    weights = np.ones(12)
    weights[[1, 5]] = 0.0
    samples = read_samples(CentroidSelector(), X, y, weights)
    assert len(samples.codes) == 10
    assert set(samples.first_rows().tolist()) == set(range(12)) - {1, 5}
    assert samples.spread(np.ones(10))[[1, 5]].tolist() == [0.0, 0.0]


def test_a_category_is_one_column_of_several_terms():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "kind": ["x", "y", "z", "x"]})
    samples = read_samples(CentroidSelector(), frame, [0, 1, 0, 1])
    assert samples.n_columns == 2
    assert samples.values.shape[1] == 4
    summed = samples.given_columns(samples.by_column(samples.values).T).T
    assert summed[:, 1].tolist() == [1.0] * 4
    spread = samples.given_terms(samples.by_term(samples.columns.astype(float)))
    assert sorted(spread.tolist()) == [0.0, 1.0, 1.0, 1.0]
