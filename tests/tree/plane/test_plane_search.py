"""Planes of many rows are sought on some of them, drawn by weight."""

import numpy as np
import pytest

from planetree import PlaneTreeClassifier
from planetree.datasets import load
from planetree.tree.plane.plane_pairs import _grid
from planetree.tree.plane.plane_search import _SEARCH_ROWS, Rows, some_rows

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
        _grid(scores, weights.astype(float)), np.unique(grid_of_repeated(scores, weights))
    )


def grid_of_repeated(scores, times):
    repeated = np.repeat(scores, times)
    return _grid(repeated, np.ones(len(repeated)))


def same_tree_by_weight_and_by_repetition(X, y, times, seed=0):
    weighted = PlaneTreeClassifier().fit(X, y, sample_weight=times.astype(float))
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), times))
    repeated = PlaneTreeClassifier().fit(X.take(rows, 0), y[rows])
    assert weighted.predict(X).tolist() == repeated.predict(X).tolist()
    assert weighted.to_text() == repeated.to_text()


def test_weights_are_repetition_where_rows_are_drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = (X[:, :2].sum(axis=1) + rng.normal(size=3000) > 0).astype(int)
    same_tree_by_weight_and_by_repetition(X, y, rng.integers(1, 4, 3000))


def test_weights_are_repetition_on_tic_tac_toe(data_folder):
    """The bug: 1.4 % of the rows were answered otherwise."""
    data = load("tic-tac-toe")
    times = np.random.default_rng(1).integers(1, 4, len(data.y))
    same_tree_by_weight_and_by_repetition(data.X, np.asarray(data.y), times)
