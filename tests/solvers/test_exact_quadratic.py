"""Squared violations finished in whole numbers: systems are solved without fractions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.solvers.rational import solve_semidefinite

pytestmark = [pytest.mark.core, pytest.mark.filterwarnings("ignore::UserWarning")]


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 5), rank=st.integers(0, 5))
def test_elimination_without_fractions_solves_semidefinite_systems(seed, size, rank):
    rng = np.random.default_rng(seed)
    A = rng.integers(-9, 10, (rank, size)).astype(object)
    H, right = A.T @ A, A.T @ rng.integers(-9, 10, rank).astype(object)
    if rank == 0:
        H, right = np.zeros((size, size), dtype=object), np.zeros(size, dtype=object)
    y, d = solve_semidefinite(H, right)
    assert np.array_equal(H @ y, d * right)
