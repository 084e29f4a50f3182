"""What judges subsets: neighbors counted feature by feature are those of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from planetree.datasets import make_waveform
from planetree.feature_selection.ranking.subset_criteria import Neighbors

pytestmark = pytest.mark.core

seeds = st.integers(0, 10**6)


@pytest.mark.parametrize("k", [1, 3, 4])
@pytest.mark.parametrize("max_kept", [10**9, 0], ids=["kept", "recomputed"])
def test_neighbors_counted_by_feature_are_those_of_scikit_learn(monkeypatch, k, max_kept):
    monkeypatch.setattr("planetree.feature_selection.ranking.subset_criteria._MAX_KEPT", max_kept)
    X, y = make_waveform(211, random_state=1)
    parts = list(StratifiedKFold(3).split(X, y))
    criterion = Neighbors(X, y, np.ones(len(y)), k, parts, None)
    rng = np.random.default_rng(0)

    def accuracy(features):
        return cross_val_score(KNeighborsClassifier(k), X[:, features], y, cv=parts).mean()

    for _ in range(5):
        chosen = rng.choice(21, size=rng.integers(1, 8), replace=False)
        others = np.setdiff1d(np.arange(21), chosen)[:3]
        found = criterion.with_each(tuple(chosen), others.tolist())
        np.testing.assert_allclose(found, [accuracy([*chosen, j]) for j in others])
        if len(chosen) > 1:
            found = criterion.without_each(tuple(chosen))
            np.testing.assert_allclose(found, [accuracy(chosen[chosen != j]) for j in chosen])


@given(seeds)
def test_a_neighbor_of_weight_w_votes_as_w_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    weights = rng.integers(1, 4, size=30)
    which = np.repeat(np.arange(30), weights)
    once = [(np.arange(20), np.arange(20, 30))]
    often = [(np.flatnonzero(which < 20), np.flatnonzero(which >= 20))]
    weighted = Neighbors(X, y, weights.astype(float), 5, once, None)
    repeated = Neighbors(X[which], y[which], np.ones(len(which)), 5, often, None)
    assert weighted.with_each((0,), [1, 2]) == pytest.approx(repeated.with_each((0,), [1, 2]))
    assert weighted.without_each((0, 1)) == pytest.approx(repeated.without_each((0, 1)))
