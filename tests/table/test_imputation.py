"""What stands for missing cells: medians by weight, and a category of their own."""

import numpy as np
import pytest

from planetree.table import Table
from planetree.table.imputation import OWN_CATEGORY, imputed


@pytest.mark.parametrize("seed", range(5))
def test_a_row_of_weight_three_counts_three_times_for_the_median(seed):
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(30, 2)), 1)
    values[rng.random(values.shape) < 0.2] = np.nan
    weights = rng.integers(1, 4, 30).astype(float)
    found = imputed(Table.read(values), weights)
    repeated = np.repeat(values, weights.astype(int), axis=0)
    fills = [column.fill for column in found.columns]
    np.testing.assert_allclose(fills, np.nanmedian(repeated, axis=0), atol=1e-15)


def test_a_missing_category_is_one_of_its_own_and_the_most_frequent_where_training_had_none():
    gaps = imputed(Table.read([["a"], [None], ["b"]]), np.ones(3))
    assert gaps.columns[0].categories == ("a", "b", OWN_CATEGORY)
    assert gaps.values[:, 0].tolist() == [0.0, 2.0, 1.0]
    whole = imputed(Table.read([["a"], ["b"], ["b"]]), np.array([5.0, 1.0, 1.0]))
    assert (whole.columns[0].categories, whole.columns[0].fill) == (("a", "b"), 0.0)


def test_a_table_without_gaps_comes_out_as_it_is():
    X = np.random.default_rng(0).normal(size=(7, 2))
    found = imputed(Table.read(X), np.ones(7))
    assert np.array_equal(found.values, X)
    assert [column.fill for column in found.columns] == np.median(X, axis=0).tolist()
