"""Searches and cross-validation on a cluster: the table is sent once, the answer is the same."""

import os

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from planetree import FloatingSelector, GeneticSelector, RobustSeparator
from planetree.distributed import using
from planetree.distributed.shared_calls import cluster_calls
from planetree.evaluation.comparison import compare_methods
from planetree.evaluation.methods import Settings, method_named
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import stratified_folds, validate
from planetree.table import Table

pytest.importorskip("distributed")

CART = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=200) > 0.7) * 1


def add(shared, item):
    return shared + item


def add_or_die(shared, item):
    """The first two workers that come here go down: none is left that has the table."""
    folder, number = shared
    for flag in ("first", "second"):
        try:
            os.close(os.open(f"{folder}/{flag}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        os._exit(1)
    return number + item


def test_calls_are_answered_in_their_order(client):
    assert cluster_calls(add, 1) is None
    with using(None):
        assert cluster_calls(add, 1) is None
    with using(client):
        assert cluster_calls(add, 10).run(range(5)) == [10, 11, 12, 13, 14]


def test_workers_that_are_lost_change_nothing(client, tmp_path):
    with using(client):
        calls = cluster_calls(add_or_die, (str(tmp_path), 10))
        assert calls.run(range(6)) == [10, 11, 12, 13, 14, 15]
    assert (tmp_path / "second").exists()


@pytest.mark.parametrize("tree", [None, CART], ids=["c45", "cart"])
def test_a_genetic_search_finds_the_same_on_a_cluster(client, rows, tree, tmp_path):
    given = {"n_evaluations": 25, "population_size": 8, "random_state": 0, "verbose": -1, "cv": 3}
    alone = GeneticSelector(tree, **given).fit(*rows)
    with using(client):
        cluster = GeneticSelector(tree, **given, checkpoint=tmp_path / "kept").fit(*rows)
        again = GeneticSelector(tree, **given, checkpoint=tmp_path / "kept").fit(*rows)
    for found in (cluster, again):
        assert found.history_.tolist() == alone.history_.tolist()
        assert found.support_.tolist() == alone.support_.tolist()
        assert found.best_fitness_ == alone.best_fitness_


def test_the_first_subsets_run_at_once_on_a_cluster(client, rows, monkeypatch):
    from planetree.feature_selection.genetic.subset_trees import C45Subsets

    asked = []
    plain = C45Subsets.evaluate
    monkeypatch.setattr(
        C45Subsets, "evaluate", lambda self, chosen: asked.append(1) or plain(self, chosen)
    )
    with using(client):
        GeneticSelector(
            n_evaluations=8, population_size=8, random_state=0, verbose=-1, cv=3, finish="published"
        ).fit(*rows)
    assert not asked


@pytest.mark.parametrize("tree", [None, CART], ids=["c45", "cart"])
def test_a_search_runs_ahead_on_a_cluster_and_finds_the_same(client, tree, monkeypatch):
    """Batches of several subsets once the population is full."""
    from planetree.feature_selection.genetic import subset_trees

    rng, batches = np.random.default_rng(1), []
    X = rng.normal(size=(120, 14))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.4 * rng.normal(size=120) > 0.7) * 1
    for trees in (subset_trees.C45Subsets, subset_trees.ClassifierSubsets):
        plain = trees.evaluate_all
        monkeypatch.setattr(
            trees,
            "evaluate_all",
            lambda self, subsets, plain=plain: batches.append(len(subsets)) or plain(self, subsets),
        )
    monkeypatch.setattr(subset_trees, "_WORTH_SENDING", 0.0)
    monkeypatch.setattr("planetree.distributed.engines._DaskEngine.n_workers", 7)
    given = {"n_evaluations": 40, "population_size": 6, "random_state": 1, "verbose": -1, "cv": 3}
    alone = GeneticSelector(tree, **given, finish="published").fit(X, y)
    assert not batches
    with using(client):
        cluster = GeneticSelector(tree, **given, finish="published").fit(X, y)
    assert cluster.history_.tolist() == alone.history_.tolist()
    assert cluster.support_.tolist() == alone.support_.tolist()
    assert batches[0] == 6
    most = 7 if tree is None else 3  # three folds a subset
    assert max(batches[1:]) == most
    assert len(batches) < 0.7 * alone.n_distinct_, "a batch gives more than one outcome of use"


def test_a_floating_search_finds_the_same_on_a_cluster(client, rows):
    alone = FloatingSelector(CART, n_features_to_select=3)
    alone.fit(*rows)
    with using(client):
        cluster = FloatingSelector(CART, n_features_to_select=3)
        cluster.fit(*rows)
    assert cluster.support_.tolist() == alone.support_.tolist()
    assert vars(cluster).keys() == vars(alone).keys()


def test_folds_and_comparisons_are_the_same_on_a_cluster(client, rows):
    X, y = rows
    data = TrainingTable(Table.read(X), y, None, {}, ())
    folds = stratified_folds(y, 4, 0)
    alone = validate(RobustSeparator(), data, folds)
    with using(client):
        cluster = validate(RobustSeparator(), data, folds)
    assert cluster.fold_errors.tolist() == alone.fold_errors.tolist()
    chosen = [method_named("c45"), "sklearn-logistic"]
    here = compare_methods(chosen, data, Settings(), folds)
    with using(client):
        there = compare_methods(chosen, data, Settings(), folds)
    assert [each["error"] for each in there] == [each["error"] for each in here]
