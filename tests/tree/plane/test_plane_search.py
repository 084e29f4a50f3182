"""Planes of many rows are sought on some of them, drawn by weight."""

import numpy as np
import pytest
from scipy.optimize import linprog

from planetree import PlaneTreeClassifier
from planetree.datasets import load
from planetree.table import Table, canonical
from planetree.tree.constraints.monotonic_share import MonotonicShare
from planetree.tree.plane import candidates, plane_search
from planetree.tree.plane.candidates import Searcher
from planetree.tree.plane.plane_pairs import grid
from planetree.tree.plane.plane_search import _SEARCH_ROWS, Rows, sampled_rows, some_rows

pytestmark = pytest.mark.core


def drawn(weights, seed=0):
    """Rows of some weights, each with a number that it draws."""
    E = np.zeros((len(weights), 1))
    draws = np.random.default_rng(seed).random(len(weights))
    return Rows(E, E, np.zeros(len(weights), dtype=int), weights, draws)


def test_a_row_that_weighs_as_much_as_the_others_is_always_drawn_and_keeps_its_share():
    """The bug: rows were drawn by their number, so one of weight 5000 was mostly left out."""
    for seed in range(50):
        rows, weights = some_rows(drawn(np.append(np.ones(5000), 5000.0), seed))
        assert len(rows) == _SEARCH_ROWS
        assert rows[-1] == 5000
        assert 0.4 < weights[-1] / weights.sum() < 0.6


def test_sums_of_drawn_weights_are_on_average_those_of_all():
    """Priority sampling has no bias (Duffield, Lund & Thorup 2007, theorem 1)."""
    weights = np.where(np.arange(4000) < 400, 50.0, 1.0)
    shares = []
    for seed in range(200):
        rows, found = some_rows(drawn(weights, seed))
        shares.append(found[rows < 400].sum() / found.sum())
    expected = weights[:400].sum() / weights.sum()
    assert abs(np.mean(shares) - expected) < 4 * np.std(shares) / np.sqrt(len(shares))


def test_rows_of_one_weight_count_alike():
    _, weights = some_rows(drawn(np.full(3000, 7.0)))
    assert weights.tolist() == [1.0] * _SEARCH_ROWS


def test_thresholds_divide_weight_and_not_rows():
    """The bug: of rows with weights the grid took quantiles as if each weighed 1."""
    scores, weights = np.arange(200.0), np.where(np.arange(200) < 100, 1, 3)
    np.testing.assert_array_equal(
        grid(scores, weights.astype(float)), np.unique(grid_of_repeated(scores, weights))
    )


def grid_of_repeated(scores, times):
    repeated = np.repeat(scores, times)
    return grid(repeated, np.ones(len(repeated)))


def same_tree_by_weight_and_by_repetition(X, y, times, seed=0):
    weighted = PlaneTreeClassifier().fit(X, y, sample_weight=times.astype(float))
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), times))
    repeated = PlaneTreeClassifier().fit(X.take(rows, 0), y[rows])
    assert weighted.predict(X).tolist() == repeated.predict(X).tolist()
    assert weighted.to_text() == repeated.to_text()


def test_weights_are_repetition_where_rows_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1300, 3))
    y = (X[:, :2].sum(axis=1) + rng.normal(size=1300) > 0).astype(int)
    same_tree_by_weight_and_by_repetition(X, y, rng.integers(1, 4, 1300))


def test_a_tree_that_grows_from_a_sample_is_finished_with_all_rows(monkeypatch):
    """Its rows count, its planes are proved on them, and their order and repetition are nothing."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 150)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 3))
    y = (X[:, :2].sum(axis=1) + 0.3 * rng.normal(size=600) > 0).astype(int)
    model = PlaneTreeClassifier(max_splits=1, grading=None).fit(X, y)
    assert model.tree_.weights[0] == 600
    assert model.score(X, y) > 0.9
    (proof,) = model.certificates_
    assert proof.is_proved
    program = least_hinge(X[:, model.features_used_], y)
    assert proof.objective == pytest.approx(program, rel=1e-6)
    same_tree_by_weight_and_by_repetition(X, y, rng.integers(1, 3, 600))


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_monotonic_tree_that_grows_from_a_sample_keeps_its_decision(monkeypatch, sign):
    """The bug: a plane that had been turned upright lost its bounds, and the tree was one leaf."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 1))
    y = sign * X[:, 0] + 0.3 * rng.normal(size=600) > 0.3
    model = PlaneTreeClassifier(monotonic_cst=[sign], max_splits=1, grading=None)
    whole = model.fit(X, y).score(X, y)
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 300)
    sampled = model.fit(X, y)
    assert sampled.n_leaves_ == 2
    assert sampled.tree_.splits[0].weights[0, 0] > 0
    assert sampled.score(X, y) > whole - 0.02
    assert np.all(sign * np.diff(sampled.predict_proba(np.sort(X, axis=0))[:, 1]) >= 0)


def test_a_class_too_rare_to_be_drawn_is_added_to_the_sample(monkeypatch):
    """The bug: the tree grew from all rows, however many."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 150)
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = np.where(np.arange(600) < 2, 2, np.arange(600) % 2)
    rows = canonical(Table.read(X), y, np.where(y == 2, 0.1, 1.0), n_classes=3)
    few = sampled_rows(rows)
    rare = few.codes == rows.codes.max()
    assert len(few.codes) == 152
    assert rare.sum() == 2
    assert few.weights[rare].sum() / few.weights.sum() == pytest.approx(0.2 / 598.2, rel=0.2)
    places = (rows.table.values == few.table.values[rare][:1]).all(axis=1)
    assert rows.codes[places].tolist() == [rows.codes.max()]


def test_a_cut_that_looks_ahead_on_some_rows_pays_whole_prices_for_all(monkeypatch):
    """The bug: what the terms of its planes cost was counted as often as rows were left out."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 3))
    y = (np.where(X[:, 2] > 0, X[:, 0], X[:, 1]) + 0.2 * rng.normal(size=3000) > 0).astype(int)
    rows = Rows(X, X, y, np.ones(3000), rng.random(3000))
    monkeypatch.setattr(candidates, "_LOOKED_AT", 600)
    ahead = []
    for price in (50.0, 51.0):
        searcher = Searcher(
            columns=np.arange(3),
            categories=np.full(3, -1),
            n_categories=np.zeros(3, dtype=int),
            telling=np.zeros(3, dtype=bool),
            divided=np.zeros(3, dtype=bool),
            n_classes=2,
            max_terms=5,
            term_price=price,
            weight_price=0.0,
            monotonic=MonotonicShare(np.zeros(3), np.array([False, True])),
            min_weight=2.0,
        )
        (cut,) = searcher.cuts_ahead(rows, np.ones(3, dtype=bool))
        assert cut.split.features.tolist() == [2]
        ahead.append(cut.ahead)
    assert ahead[1] - ahead[0] == pytest.approx(
        3.0
    )  # the cut, and a plane of one term on each side


def test_trees_of_the_path_count_all_rows_where_they_grew_from_a_sample(monkeypatch):
    """The bug: they counted the rows of the sample."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 150)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(600, 2))
    y = (X.sum(axis=1) + 0.5 * rng.normal(size=600) > 0).astype(int)
    model = PlaneTreeClassifier(max_splits=2).fit(X, y)
    assert len(model.path_) > 1
    for step in model.path_:
        tree = step.tree
        counts = np.zeros((tree.n_nodes, 2))
        np.add.at(counts, (tree.apply(X), y), 1)
        leaves = tree.n_branches == 0
        assert tree.class_weights[0].sum() == 600
        np.testing.assert_allclose(tree.class_weights[leaves], counts[leaves])


def least_hinge(X, y):
    """The program of a node by another solver."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    n, d = Z.shape
    s = np.where(y == 1, 1.0, -1.0)[:, None]
    cost = np.concatenate([np.full(2 * d, 0.02), [0.0], np.full(n, 2.0 / n)])
    rows = np.hstack([-s * Z, s * Z, s, -np.eye(n)])
    bounds = [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n
    return linprog(cost, rows, -np.ones(n), bounds=bounds).fun


def test_weights_are_repetition_on_tic_tac_toe(data_folder):
    """The bug: 1.4% of the rows were answered otherwise."""
    data = load("tic-tac-toe")
    times = np.random.default_rng(1).integers(1, 4, len(data.y))
    same_tree_by_weight_and_by_repetition(data.X, np.asarray(data.y), times)
