"""Sums of squared violations: any planes prove a bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parted_rows import table

from planetree import QuadraticSeparator
from planetree.solvers.partitioned.implied_terms import ImpliedTerms
from planetree.solvers.partitioned.passes import RawPlanes
from planetree.solvers.partitioned.square_sums import (
    Normal,
    merged_squares,
    proved_bound,
    squares_of_part,
)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([2, 3]), l2=st.sampled_from([0.0, 0.2]))
def test_the_bound_of_any_planes_is_below_the_minimum(seed, k, l2):
    """The lemma: whatever planes the multipliers are of, no planes have less than their bound."""
    rng = np.random.default_rng(seed)
    X, y = table(seed, 80, 2, k, "plain")
    whole = QuadraticSeparator(l2=l2).fit(X, y)
    normal = Normal(X.mean(axis=0), whole.scale_)
    charges = np.repeat(1.0 / np.bincount(y)[:, None], k - 1, axis=1)
    planes = np.column_stack([whole.coef_ * normal.scale, -whole.intercept_])
    planes[:, -1] -= whole.coef_ @ normal.center
    best = planes if k == 2 else planes[1:] - planes[0]
    for size in (0.0, 1e-9, 1e-5, 1e-2, 1.0):
        z = best + size * rng.normal(size=best.shape)
        raw = RawPlanes(whole.coef_, -whole.intercept_)
        rows = [(X[i::2].copy(), y[i::2].astype(np.int32), np.ones(len(y[i::2]))) for i in range(2)]
        none = ImpliedTerms()
        parts = [squares_of_part(each, z, raw, charges, normal, none) for each in rows]
        found = merged_squares(parts)
        bound = proved_bound(found, normal, l2, np.zeros(2, dtype=bool))
        assert bound <= whole.objective_ * (1 + 1e-15)
        if size <= 1e-9:
            assert bound == pytest.approx(whole.objective_, rel=1e-7)
