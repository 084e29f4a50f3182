"""Clustering selectors with missing values: distances over what is known, from their definition."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.metrics.pairwise import nan_euclidean_distances
from test_centroid import drawn, ignore_conflicts

from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.exceptions import ConflictError

pytestmark = ignore_conflicts
SELECTORS = [CentroidSelector, PairwiseSelector, BiclusteringSelector]


def with_gaps(seed, n_samples, n_features, n_classes, share=0.15, shift=2.0):
    """Samples of which some cells are missing, but no class lacks a column."""
    X, y = drawn(seed, n_samples, n_features, n_classes, shift=shift)
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    X[:n_classes] = np.nan_to_num(X[:n_classes])
    return X, y


def known_means(X, y):
    return np.array([np.nanmean(X[y == k], axis=0) for k in np.unique(y)])


def nearest_centroid(X, centroids, weights):
    apart = (X[:, None] - centroids) ** 2 * weights
    return np.nansum(apart, axis=2).argmin(axis=1)


@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=8)
def test_centroids_and_their_program_are_those_of_the_known_values(seed, n_classes):
    X, y = with_gaps(seed, 15, 40, n_classes)
    centroids = known_means(X, y)
    squares = np.nan_to_num((X[:, None] - centroids) ** 2)
    rows = [squares[j, y[j]] - squares[j, k] for j in range(15) for k in set(y) - {y[j]}]
    whole = linprog(-np.ones(40), A_ub=rows, b_ub=np.zeros(len(rows)), bounds=(0, 1))
    model = CentroidSelector(relax=False).fit(X, y)
    assert model.objective_ == pytest.approx(-whole.fun, rel=1e-7)
    assert model.objective_ <= model.bound_ <= model.objective_ * (1 + 1e-9)
    np.testing.assert_allclose(model.centroids_, centroids, rtol=1e-12, atol=1e-12)
    new = with_gaps(seed + 1, 12, 40, n_classes, share=0.5)[0]
    assert np.array_equal(model.predict(new), nearest_centroid(new, centroids, model.weights_))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_between_the_centroids_is_compared_in_the_columns_that_it_has(n_classes):
    """Rows halfway, of which all columns but one may be missing: every term decides."""
    X, y = with_gaps(4, 15, 12, n_classes)
    model = CentroidSelector().fit(X, y)
    rng = np.random.default_rng(0)
    new = model.centroids_.mean(axis=0) + rng.normal(size=(300, 12))
    new[:, 1:][rng.random((300, 11)) < 0.6] = np.nan
    expected = nearest_centroid(new, model.centroids_, model.weights_)
    assert np.array_equal(model.predict(new), expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_distances_of_pairs_are_those_of_scikit_learn(n_classes):
    """nan_euclidean_distances, squared, of columns times the roots of their weights."""
    for seed in range(4):
        X, y = with_gaps(seed, 12, 30, n_classes, shift=3.0)
        model = PairwiseSelector().fit(X, y)
        roots = np.sqrt(model.weights_)
        dropped = np.zeros((12, 12), dtype=bool)
        dropped[tuple(model.dropped_pairs_.T)] = True
        distances = nan_euclidean_distances(X * roots, squared=True)
        upper = np.triu(np.ones_like(dropped), 1) & ~dropped & ~dropped.T
        same = y[:, None] == y
        within, between = model.thresholds_
        assert within == pytest.approx(distances[upper & same].max(), rel=1e-9)
        assert between == pytest.approx(distances[upper & ~same].min(), rel=1e-9)
        new = with_gaps(seed + 1, 10, 30, n_classes, share=0.4)[0]
        to_samples = nan_euclidean_distances(new * roots, X * roots, squared=True)
        assert np.array_equal(model.predict(new), y[to_samples.argmin(axis=1)])


@pytest.mark.parametrize("objective", ["separation", "features"])
def test_the_value_with_gaps_is_that_of_the_whole_program(objective):
    X, y = with_gaps(2, 10, 40, 2, shift=4.0)
    first, second = np.triu_indices(10, 1)
    known = ~np.isnan(X)
    joint = (known[first] & known[second]).sum(axis=1)
    squares = np.nan_to_num((X[first] - X[second]) ** 2) * (40 / joint)[:, None]
    same = (y[first] == y[second])[:, None]
    rows = np.hstack([np.where(same, squares, -squares), -1.0 * same, 1.0 * ~same])
    rows = np.vstack([rows, np.append(np.zeros(40), [1.0, -1.0])])
    cost = np.append(np.zeros(40), [1.0, -1.0])
    if objective == "features":
        cost = np.append(-np.ones(40), [0.0, 0.0])
    whole = linprog(cost, rows, np.zeros(len(rows)), bounds=[(0, 1)] * 40 + [(0, None)] * 2)
    model = PairwiseSelector(objective=objective, relax=False).fit(X, y)
    assert model.objective_ == pytest.approx(-whole.fun, rel=1e-6)
    assert model.objective_ <= model.bound_ * (1 + 1e-12)


def filled_by_definition(X, classes):
    """Each missing value the mean of what its row has in the features of the same class."""
    filled = X.copy()
    for row, values in enumerate(X):
        for j in np.flatnonzero(np.isnan(values)):
            peers = values[classes == classes[j]]
            filled[row, j] = np.nanmean(peers if not np.isnan(peers).all() else values)
    return filled


@pytest.mark.parametrize("method", ["search", "iterative", "exact"])
def test_biclusters_with_gaps_are_those_of_the_rows_filled_by_definition(method):
    for seed in range(3):
        X, y = with_gaps(seed, 12, 10, 2, shift=2.0)
        model = BiclusteringSelector(method=method).fit(X, y)
        classes = known_means(X, y).argmax(axis=0)
        assert np.array_equal(model.feature_classes_, classes)
        filled = filled_by_definition(X, classes)
        averages = [filled[:, model.support_ & (classes == k)].mean(axis=1) for k in (0, 1)]
        wrong = np.where(y == 0, averages[0] < averages[1], averages[0] > averages[1])
        assert model.consistent_ == (not wrong.any())
        assert set(np.flatnonzero(wrong)) <= set(model.outliers_)
        assert np.array_equal(model.predict(X), np.argmax(averages, axis=0))


@pytest.mark.parametrize("selector", SELECTORS)
def test_weights_rows_and_units_do_what_they_do_without_gaps(selector):
    X, y = with_gaps(5, 14, 8, 2, shift=3.0)
    weight, order = np.resize([1, 2, 3], 14), np.random.default_rng(0).permutation(14)
    model = selector().fit(X, y, sample_weight=weight)
    repeated = selector().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    shuffled = selector().fit(X[order], y[order], sample_weight=weight[order])
    scaled = selector().fit(1024.0 * X, y, sample_weight=weight)
    for other, rows in ((repeated, X), (shuffled, X), (scaled, 1024.0 * X)):
        assert np.array_equal(other.weights_, model.weights_)
        assert np.array_equal(other.predict(rows), model.predict(X))
    alone = [model.predict(row[None])[0] for row in X]
    assert np.array_equal(alone, model.predict(X))


@pytest.mark.parametrize("selector", SELECTORS)
def test_a_table_is_transformed_with_its_gaps_and_empty_rows_have_the_first_class(selector):
    X, y = with_gaps(6, 14, 8, 2, shift=3.0)
    model = selector().fit(pd.DataFrame(X), np.array(["low", "high"])[y])
    np.testing.assert_array_equal(model.transform(pd.DataFrame(X)), X[:, model.support_])
    empty = pd.DataFrame(np.full((1, 8), np.nan))
    assert model.predict(empty).tolist() == [model.classes_[model.class_order_[0]]]


def test_a_column_that_a_class_lacks_has_no_weight():
    X, y = drawn(0, 12, 5, 2, shift=3.0)
    X[y == 1, 2] = np.nan
    model = CentroidSelector().fit(X, y)
    assert model.weights_[2] == 0.0
    others = CentroidSelector().fit(np.delete(X, 2, axis=1), y)
    np.testing.assert_allclose(np.delete(model.weights_, 2), others.weights_, rtol=1e-9)
    X[:, 2] = np.nan
    assert PairwiseSelector(objective="features").fit(X, y).weights_[2] == 0.0
    with pytest.raises(ValueError, match="no known value"):
        BiclusteringSelector().fit(X, y)


def test_rows_that_share_no_column_ask_nothing_of_each_other():
    X = np.array([[0.0, np.nan], [1.0, 5.0], [np.nan, 9.0], [8.0, 1.0]])
    model = PairwiseSelector().fit(X, ["a", "a", "b", "b"])
    assert [0, 2] not in model.dropped_pairs_.tolist()
    with pytest.raises(ValueError, match="common column"):
        PairwiseSelector().fit([[0.0, np.nan], [3.0, np.nan], [np.nan, 1.0]], ["a", "a", "b"])


def test_a_missing_category_is_compared_in_no_term():
    frame = pd.DataFrame(
        {
            "color": ["red", "red", None, "green", "blue", None],
            "size": [1.0, 2.0, 1.5, 8.2, None, 9.6],
        }
    )
    y = ["a", "a", "a", "b", "b", "b"]
    for selector in (CentroidSelector, PairwiseSelector):
        model = selector().fit(frame, y)
        assert model.predict(frame).tolist() == y


def test_conflicts_of_rows_with_gaps_name_rows_of_the_table():
    """Rows 3 and 7 are on the wrong side in the one column that both classes have."""
    X = np.array([[0.0, 0.2, 0.4, 9.0, 10.0, 10.2, 10.4, 1.0], [0.0, 3, 1, 2] + [np.nan] * 4]).T
    with pytest.raises(ConflictError) as caught:
        CentroidSelector(relax=False).fit(X, ["low"] * 4 + ["high"] * 4)
    assert set(caught.value.rows) <= {3, 7}
