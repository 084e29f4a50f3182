"""Candidates of a node: their prices, and what is called optimal."""

import numpy as np
import pandas as pd
import pytest

from planetree import PlaneTreeClassifier
from planetree.planes import Categories
from planetree.tree.constraints.monotonic_share import MonotonicShare
from planetree.tree.impurity import entropy
from planetree.tree.plane import candidates
from planetree.tree.plane.candidates import Searcher
from planetree.tree.plane.plane_search import PlaneSearch, Rows

pytestmark = pytest.mark.core


def searcher_of(n, **given):
    """A searcher for two classes and `n` columns of numbers."""
    own = dict(max_terms=5, term_price=1.0, weight_price=0.0, min_weight=2.0) | given
    return Searcher(
        columns=np.arange(n),
        categories=np.full(n, -1),
        n_categories=np.zeros(n, dtype=int),
        telling=np.zeros(n, dtype=bool),
        divided=np.zeros(n, dtype=bool),
        n_classes=2,
        monotonic=MonotonicShare(np.zeros(n), np.array([False, True])),
        **own,
    )


def test_a_division_of_categories_costs_one_term():
    rng = np.random.default_rng(2)
    letters = rng.choice(list("abcdefgh"), size=400)
    y = np.isin(letters, list("bdfg"))
    model = PlaneTreeClassifier().fit(pd.DataFrame({"letter": letters}), y)
    assert model.n_terms_ == 1
    assert isinstance(model.tree_.splits[0], Categories)
    assert model.score(pd.DataFrame({"letter": letters}), y) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_division_of_categories_is_called_optimal_where_no_other_is_better(n_classes):
    """The bug: of three classes too, where the order of the shares of one rules out better ones."""
    counts = np.array([[8, 0, 4], [5, 7, 0], [0, 6, 6], [4, 0, 8], [7, 5, 0]]) * 10
    if n_classes == 2:
        counts = np.array([[11, 1], [9, 3], [1, 11], [2, 10], [10, 2]]) * 10
    cells = [(c, k) for c in range(5) for k in range(n_classes) for _ in range(counts[c, k])]
    names, y = np.array(cells).T
    X = pd.DataFrame({"x": pd.Categorical(names.astype(str))})
    model = PlaneTreeClassifier(max_splits=1, max_features_per_split=1, size=0.0).fit(X, y)
    assert isinstance(model.tree_.splits[0], Categories)
    sides = [np.array([m >> c & 1 for c in range(5)]) == 1 for m in range(1, 31)]
    least = min(
        float(entropy(np.array([counts[s].sum(0), counts[~s].sum(0)])).sum()) for s in sides
    )
    left = float(entropy(model.tree_.class_weights[1:]).sum())
    (certificate,) = model.certificates_
    assert certificate.is_proved == (left < least + 1e-9) == (n_classes == 2)
    assert ("order of class shares" in certificate.kind) == (n_classes == 3)


def test_a_cut_that_looks_ahead_on_some_rows_pays_whole_prices_for_all(monkeypatch):
    """The bug: what the terms of its planes cost was counted as often as rows were left out."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 3))
    y = (np.where(X[:, 2] > 0, X[:, 0], X[:, 1]) + 0.2 * rng.normal(size=3000) > 0).astype(int)
    rows = Rows(X, X, y, np.ones(3000), rng.random(3000))
    monkeypatch.setattr(candidates, "_LOOKED_AT", 600)
    ahead = []
    for price in (50.0, 51.0):
        searcher = searcher_of(3, term_price=price)
        (cut,) = searcher.cuts_ahead(rows, np.ones(3, dtype=bool))
        assert cut.split.features.tolist() == [2]
        ahead.append(cut.ahead)
    assert ahead[1] - ahead[0] == pytest.approx(
        3.0
    )  # the cut, and a plane of one term on each side


def test_planes_that_divide_nothing_are_not_worth_many_terms(monkeypatch):
    """The bug: where one class is rare, planes of up to twenty terms were tried for nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 20)), (np.arange(400) < 40).astype(int)
    rows, allowed, sizes = Rows(X, X, y, np.ones(400), rng.random(400)), np.ones(20, bool), []
    solve = PlaneSearch._solve

    def counted(self, key, start):
        sizes.append(len(key))
        return solve(self, key, start)

    monkeypatch.setattr(PlaneSearch, "_solve", counted)
    searcher = searcher_of(20, max_terms=20)
    assert list(searcher.planes(rows, X, y == 1, allowed, 20, forward_only=True)) == []
    assert max(sizes) == candidates.FEW_TERMS
