"""The heat map: ordered by class, standardized, and read without a window."""

import matplotlib
import numpy as np
import pytest

from planetree import BiclusteringSelector, PairwiseSelector
from planetree.plot import heatmap

matplotlib.use("agg")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = np.resize([1, 0, 2], 18)
    X = rng.normal(size=(18, 12)) + 5.0 * (y[:, None] == np.arange(12) % 3)
    return X, np.array(["a", "b", "c"])[y]


def cells_of(ax):
    return np.asarray(ax.images[0].get_array())


def test_blocks_on_the_diagonal_are_high_and_the_rest_is_low(data):
    ax = heatmap(BiclusteringSelector().fit(*data), *data)
    cells = cells_of(ax)
    assert cells.shape == (12, 18)
    blocks = cells.reshape(3, 4, 3, 6).mean(axis=(1, 3))
    assert np.all(np.diag(blocks) > 0.5)
    assert np.all(blocks[~np.eye(3, dtype=bool)] < 0)
    np.testing.assert_allclose(cells.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(cells.std(axis=1), 1.0)


def test_classes_are_named_and_divided_by_lines(data):
    ax = heatmap(BiclusteringSelector().fit(*data), *data)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    assert len(ax.lines) == 4


def test_a_selector_without_classes_of_features_is_drawn_on_the_axes_given(data):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    model = PairwiseSelector().fit(*data)
    assert heatmap(model, *data, ax=ax) is ax
    assert cells_of(ax).shape == (model.support_.sum(), 18)


def test_labels_that_do_not_fit_are_refused(data):
    X, y = data
    model = BiclusteringSelector().fit(X, y)
    with pytest.raises(ValueError, match="'z'"):
        heatmap(model, X, np.where(y == "a", "z", y))
    with pytest.raises(ValueError, match="18 rows"):
        heatmap(model, X, y[:5])
