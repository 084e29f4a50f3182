"""The search for two planes: what found them, and what they are never worse than."""

import numpy as np
import pytest
from bilinear_rows import RULES, TOPOLOGIES, rows_of_two_planes
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import BilinearSeparator, RobustSeparator
from planetree.datasets import two_planes

pytestmark = pytest.mark.core


def test_what_found_the_planes_is_told():
    """One plane where that suffices; settling where the descent of the thesis falls short."""
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert BilinearSeparator().fit(X, [0, 0, 1, 1]).found_by_ == "one plane"
    found = set()
    for seed in range(8):
        X, y = two_planes(500, 5, alternating=True, random_state=seed)
        alone = BilinearSeparator(topology="alternating", start="thesis").fit(X, y)
        model = BilinearSeparator(topology="alternating").fit(X, y)
        assert model.separable_
        assert alone.separable_ == (model.found_by_ == "descent" and model.n_restarts_ == 0)
        found.add(model.found_by_)
    assert found == {"descent", "settling"}


def test_at_least_99_in_100_of_separable_data_are_solved():
    solved = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rule = RULES[seed % 2]
        X, inside, _ = rows_of_two_planes(
            seed, int(rng.integers(5, 120)), int(rng.integers(1, 8)), rule
        )
        model = BilinearSeparator(topology="second" if rule == "both" else "alternating").fit(
            X, inside
        )
        assert model.separable_ == (model.score(X, inside) == 1.0)
        solved.append(model.separable_)
    assert np.mean(solved) >= 0.99


@given(st.integers(0, 10**6), st.integers(6, 60), st.integers(1, 4), st.sampled_from(TOPOLOGIES))
@settings(max_examples=40)
def test_never_worse_than_the_robust_plane(seed, n_rows, n_features, topology):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 6, size=(n_rows, n_features)).astype(float), rng.integers(0, 2, n_rows)
    X[:, 0] += 0.01 * np.arange(n_rows)
    y[:2] = 0, 1
    robust = RobustSeparator().fit(X, y)
    model = BilinearSeparator(topology=topology, max_restarts=0).fit(X, y)
    assert model.error_ == pytest.approx(1.0 - model.score(X, y))
    assert model.score(X, y) >= robust.score(X, y) - 1e-12
