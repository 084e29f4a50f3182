"""The best cut of a column, against all cuts one after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import _core
from planetree.tree.impurity import entropy

pytestmark = pytest.mark.core

COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "few values": lambda rng, n: rng.integers(-2, 3, size=n) * 1.0,
    "zeros of both signs": lambda rng, n: rng.choice([-0.0, 0.0, 1.0], size=n),
    "equal in their first digits": lambda rng, n: 1e9 + 1e-6 * rng.normal(size=n),
    "of all sizes": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, size=n),
    "some missing": lambda rng, n: np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
    "all missing": lambda rng, n: np.full(n, np.nan),
    "constant": lambda rng, n: np.full(n, 3.0),
}


def left_by(x, codes, weights, threshold, k, least):
    """Entropy of both sides of a cut; rows with a missing value go to both as the others do."""
    known = ~np.isnan(x)
    above, below = known & (x > threshold), known & (x <= threshold)
    share = weights[below].sum() / weights[known].sum()
    total = 0.0
    for side, part in ((below, share), (above, 1 - share)):
        classes = np.bincount(codes[side], weights[side], k)
        classes = classes + part * np.bincount(codes[~known], weights[~known], k)
        if classes.sum() < least:
            return np.inf
        total += entropy(classes)
    return total


@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.one_of(st.integers(1, 40), st.integers(128, 200)),
    k=st.integers(2, 4),
    whole=st.booleans(),
)
def test_no_cut_of_a_column_leaves_less(kind, seed, n, k, whole):
    """From 128 values on they are sorted by their digits."""
    rng = np.random.default_rng(seed)
    x, codes = COLUMNS[kind](rng, n), rng.integers(0, k, size=n)
    weights = rng.integers(1, 4, size=n) * 1.0 if whole else rng.uniform(0.1, 2.0, size=n)
    columns = np.column_stack([x, rng.normal(size=(n, 9)), x])
    found = _core.best_cuts(columns, codes.astype(np.int32), weights, k, 2.0)
    values = np.unique(x[~np.isnan(x)])
    best = min((left_by(x, codes, weights, v, k, 2.0) for v in values[:-1]), default=np.inf)
    for column in (0, 10):
        threshold, left = found[0][column], found[1][column]
        assert left == pytest.approx(best, abs=1e-9)
        if np.isfinite(left):
            assert left_by(x, codes, weights, threshold, k, 2.0) == pytest.approx(left, abs=1e-9)
