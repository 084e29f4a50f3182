"""The curve of sizes: every point is a cross-validation of its own, at the cost of one."""

import numpy as np
import pytest

from planetree import PlaneTreeClassifier
from planetree.evaluation.figures import figures_of
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import (
    of_size,
    path_sizes,
    stratified_folds,
    validate,
    validate_sizes,
)
from planetree.table import Table


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    labels = np.where(X[:, 0] - X[:, 1] + 0.8 * rng.normal(size=90) > 0, "ill", "well")
    return TrainingTable(Table.read(X), labels, None, {}, ())


def test_the_figures_of_each_size_are_those_of_folds_fitted_and_cut_by_hand(data):
    tree, folds = PlaneTreeClassifier(), stratified_folds(data.labels, 3, 0)
    sizes = path_sizes(tree.fit(data.table, data.labels))
    found = validate_sizes(PlaneTreeClassifier(), data, folds, [None, *sizes])
    assert found[0].figures == validate(PlaneTreeClassifier(), data, folds).figures
    for n_terms, each in zip(sizes, found[1:], strict=True):
        answers = np.empty_like(data.labels)
        for fold in folds.used:
            train = folds.of_rows != fold
            model = PlaneTreeClassifier().fit(data.table.take(train), data.labels[train])
            answers[~train] = model.select(n_terms).predict(data.table.take(~train))
        expected = figures_of(data.labels, answers, np.unique(data.labels))
        assert each.figures.error == expected.error
        assert each.figures.recall == expected.recall


def test_a_size_is_the_largest_tree_with_at_most_so_many_terms(data):
    model = PlaneTreeClassifier().fit(data.table, data.labels)
    assert of_size(model, None) is model
    for n_terms in path_sizes(model):
        assert of_size(model, n_terms).n_terms_ == n_terms
