"""The published searches: they find what decides, and keep their limit."""

import numpy as np
import pytest

from planetree import SparseSeparator

pytestmark = pytest.mark.core


@pytest.mark.parametrize("seed", range(6))
def test_the_published_searches_find_the_two_columns_that_decide(seed):
    """Algorithm 4.2 and (9): two columns separate, neither does alone, and the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 8))
    deciding = np.sort(rng.permutation(8)[:2])
    score = X[:, deciding].sum(axis=1)
    X[:, deciding] += 0.3 * np.sign(score)[:, None]
    y = score > 0
    for options in ({"error_increase": 0.0}, {"n_features": 2}):
        model = SparseSeparator(algorithm="published", **options).fit(X, y)
        assert np.array_equal(model.features_, deciding)
        assert model.separable_
