"""Curves of nested subsets: one error for each number of features, however they are ranked."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from planetree import DiscriminantPowerSelector, nested_subset_errors
from planetree.datasets import make_waveform
from planetree.feature_selection import CostComplexityTree


def halves(load):
    X, y = load(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def test_each_error_is_that_of_the_classifier_on_the_first_features():
    X, y, X_test, y_test = halves(load_wine)
    order = [6, 9, 12, 0]
    curve = nested_subset_errors(order, X, y, X_test, y_test, GaussianNB())["GaussianNB"]
    for d, error in enumerate(curve, 1):
        model = GaussianNB().fit(X[:, order[:d]], y)
        assert error == pytest.approx(1 - model.score(X_test[:, order[:d]], y_test))


def test_ranks_orders_and_names_say_the_same():
    X, y, X_test, y_test = halves(load_iris)
    model = DiscriminantPowerSelector(repeats=3).fit(X, y)
    names = np.array(["a", "b", "c", "d"])
    frames = pd.DataFrame(X, columns=names), y, pd.DataFrame(X_test, columns=names), y_test
    by_rank = nested_subset_errors(model.ranking_, X, y, X_test, y_test)
    by_order = nested_subset_errors(model.order_, X, y, X_test, y_test)
    by_name = nested_subset_errors(names[model.order_], *frames)
    assert list(by_rank) == ["tree", "3-NN"]
    for name, curve in by_rank.items():
        assert len(curve) == 4
        assert np.array_equal(curve, by_order[name])
        assert np.array_equal(curve, by_name[name])


def test_classifiers_go_by_their_names():
    rows = halves(load_iris)
    models = {"one": KNeighborsClassifier(1), "nine": KNeighborsClassifier(9)}
    assert list(nested_subset_errors([3, 2], *rows, models)) == ["one", "nine"]
    assert list(nested_subset_errors([3], *rows, [GaussianNB()])) == ["GaussianNB"]
    with pytest.raises(ValueError, match="two of one type"):
        nested_subset_errors([3], *rows, list(models.values()))


@pytest.mark.parametrize("ranking", [[0, 0], [4, 1], [-1, 2], [1, 2, 2, 3]])
def test_a_ranking_that_is_none_is_refused(ranking):
    with pytest.raises(ValueError, match="ranking must hold ranks from 1 to 4"):
        nested_subset_errors(ranking, *halves(load_iris))


def test_a_name_that_no_column_has_is_refused():
    with pytest.raises(ValueError, match="ranking names 'height'"):
        nested_subset_errors(["height"], *halves(load_iris))


def test_the_pruned_tree_is_no_worse_on_the_rows_that_chose_it_than_any_other():
    X, y = make_waveform(500, random_state=0)
    growing, held = np.arange(350), np.arange(350, 500)
    model = CostComplexityTree(holdout=(growing, held)).fit(X, y)
    chosen = model.tree_.score(X[held], y[held])
    full = DecisionTreeClassifier(random_state=0).fit(X[growing], y[growing])
    root = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[growing], y[growing])
    assert chosen >= max(full.score(X[held], y[held]), root.score(X[held], y[held]))
    assert model.tree_.get_n_leaves() < full.get_n_leaves()
