"""Trees of subsets: by the core, through joblib, on folds that leave each row out once."""

import numpy as np
import pytest
from short_search import SHORT, same
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from planetree import (
    C45Classifier,
    GeneticSelector,
)
from planetree.feature_selection.genetic.genetic_search import Outcome, _fitness_of
from planetree.table.partitions import deal_folds


def test_the_fitness_is_the_papers_of_trees_grown_one_by_one(numbers):
    """An oracle that cross-validates C45Classifier on the chosen columns."""
    X, y = numbers
    fitted = GeneticSelector(**SHORT, finish="published").fit(X, y)
    Z, folds = fitted.transform(X), deal_folds(X, y)
    right, sizes = [], []
    for fold in range(10):
        out = folds == fold
        tree = C45Classifier(confidence=fitted.confidence_).fit(Z[~out], y[~out])
        right.append(tree.score(Z[out], y[out]))
        sizes.append(tree.n_nodes_)
    outcome = Outcome(np.mean(right), np.mean(sizes))
    assert fitted.best_fitness_ == pytest.approx(_fitness_of(outcome, 135.0, Z.shape[1] / 12))
    best = fitted.history_[fitted.history_["fitness"].argmax()]
    assert best["accuracy"] == pytest.approx(outcome.accuracy)
    assert best["size"] == outcome.size
    assert best["features"] == Z.shape[1]


def test_c45_in_the_core_and_through_joblib_are_one(mixed):
    X, y = mixed
    model = GeneticSelector(confidence=0.25, n_evaluations=25, random_state=0)
    by_joblib = clone(model).set_params(size=lambda tree: tree.n_nodes_).fit(X, y)
    in_core = model.fit(X, y)
    assert np.array_equal(in_core.best_genome_, by_joblib.best_genome_)
    np.testing.assert_allclose(in_core.history_["fitness"], by_joblib.history_["fitness"])


def test_a_class_with_fewer_rows_than_folds_is_pointed_out(numbers):
    X, y = numbers
    labels = y.copy()
    labels[:4] = 7
    with pytest.warns(UserWarning, match=r"fewer rows than the 10 folds of cv: 7 \(4\).*lower cv"):
        GeneticSelector(n_evaluations=5).fit(X, labels)


def test_folds_may_be_given_by_a_splitter(numbers):
    X, y = numbers
    cv = StratifiedKFold(5, shuffle=True, random_state=3)
    given = GeneticSelector(**SHORT, cv=cv).fit(X, y)
    same(given, GeneticSelector(**SHORT, cv=list(cv.split(X, y))).fit(X, y))


def test_a_tree_without_weights_is_given_whole_ones_as_rows(numbers):
    from sklearn.neighbors import KNeighborsClassifier

    X, y = numbers
    weight = np.arange(len(y)) % 3
    search = GeneticSelector(
        KNeighborsClassifier(3), size=lambda _: 1.0, n_evaluations=8, cv=3, random_state=0
    )
    weighted = clone(search).fit(X, y, sample_weight=weight)
    repeated = clone(search).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.array_equal(weighted.history_, repeated.history_)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    with pytest.raises(ValueError, match="takes no sample_weight"):
        search.fit(X, y, sample_weight=weight + 0.5)
