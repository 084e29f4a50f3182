"""What the columns of a table held."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planetree.table import Table, column_ranges


@given(st.integers(0, 2**32 - 1))
def test_ranges_are_those_of_the_known_numbers_of_rows_that_count(seed):
    """Weights are repetition; numpy computes the same from the repeated known cells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 4)) * 10.0 ** rng.integers(-200, 200, 4)
    X[:, 1] = rng.integers(-3, 4, 12)
    X[rng.random(X.shape) < 0.2] = np.nan
    times = rng.integers(0, 3, 12)
    times[0] = 1
    seen = column_ranges(Table.read(X), times.astype(float))
    for j, cells in enumerate(np.repeat(X, times, axis=0).T):
        known = cells[~np.isnan(cells)]
        assert np.isclose(seen.missing[j], 1 - len(known) / len(cells))
        if not len(known):
            assert np.isnan([seen.low[j], seen.high[j], seen.deviation[j]]).all()
            continue
        assert (seen.low[j], seen.high[j]) == (known.min(), known.max())
        size = np.abs(known).max() or 1.0
        assert np.isclose(seen.deviation[j] / size, (known / size).std(), rtol=1e-9, atol=1e-15)
        assert seen.whole[j] == (known == np.floor(known)).all()


def test_fractional_weights_lose_nothing_and_rows_of_weight_0_are_not_there():
    """The bugs: -1.75e-14 of a complete column was missing, and a huge row of weight 0 counted."""
    full = column_ranges(Table.read(np.arange(1000.0)[:, None]), np.full(1000, 0.1))
    assert full.missing.tolist() == [0.0]
    X = np.array([[1e-300], [3e-300], [1e300]])
    seen = column_ranges(Table.read(X), np.array([1.0, 1.0, 0.0]))
    assert np.isclose(seen.deviation[0] / 1e-300, 1.0)


def test_categories_have_no_ranges_but_may_be_missing():
    seen = column_ranges(Table.read(np.array([["a"], ["b"], [None], ["a"]], dtype=object)))
    assert np.isnan([seen.low[0], seen.high[0], seen.deviation[0]]).all()
    assert (seen.whole.tolist(), seen.missing.tolist()) == ([False], [0.25])
