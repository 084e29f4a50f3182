"""GeneticSelector: the same answer however it is computed, and clear words when it cannot be."""

import pickle
import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from short_search import SHORT, same
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from planetree import (
    C45Classifier,
    GeneticSelector,
    PlaneTreeClassifier,
    SeparatorTreeClassifier,
)
from planetree.exceptions import TimeLimitWarning
from planetree.feature_selection.genetic.genetic_search import GeneticSearch, Outcome, _fitness_of
from planetree.table.partitions import deal_folds


@pytest.fixture(scope="module")
def fitted(numbers):
    return GeneticSelector(**SHORT).fit(*numbers)


def test_the_answer_is_the_tree_of_all_rows_on_the_fittest_subset(fitted, numbers):
    X, y = numbers
    chosen = np.unique(fitted.best_genome_[fitted.best_genome_ >= 0])
    assert np.array_equal(np.flatnonzero(fitted.support_), chosen)
    named = pd.DataFrame(X, columns=[f"x{j}" for j in range(12)]).iloc[:, chosen]
    tree = C45Classifier(confidence=fitted.confidence_).fit(named, y)
    assert fitted.to_text() == tree.to_text()
    tree = C45Classifier(confidence=fitted.confidence_).fit(X[:, chosen], y)
    assert np.array_equal(fitted.predict(X), tree.predict(fitted.transform(X)))
    assert np.array_equal(fitted.predict_proba(X), tree.predict_proba(fitted.transform(X)))
    assert len(fitted.history_) == fitted.n_evaluations_ == 150 > fitted.n_distinct_
    assert fitted.status_ == "complete"


def test_the_pruning_level_is_the_one_that_c45_alone_would_choose(mixed):
    X, y = mixed
    alone = C45Classifier(confidence="cv").fit(X, y)
    assert GeneticSelector(**SHORT).fit(X, y).confidence_ == alone.confidence_
    assert GeneticSelector(**SHORT, confidence=0.4).fit(X, y).confidence_ == 0.4


@pytest.mark.parametrize("table", ["numbers", "iris"])
def test_the_answer_is_as_accurate_on_fresh_folds_as_all_features(table, request):
    """An oracle that cross-validates C45Classifier on ten divisions of its own."""
    X, y = load_iris(return_X_y=True) if table == "iris" else request.getfixturevalue(table)
    model = GeneticSelector(**SHORT, confidence=0.25).fit(X, y)

    def outcome_of(columns, seed):
        folds, found = deal_folds(X, y, 10, seed), []
        Z = X[:, columns] if columns.any() else np.zeros((len(y), 1))
        for out in (folds == k for k in range(10)):
            tree = C45Classifier().fit(Z[~out], y[~out])
            found.append((tree.score(Z[out], y[out]), tree.n_nodes_))
        return Outcome(*np.mean(found, axis=0))

    every = np.ones(X.shape[1], dtype=bool)
    pool = [*model.front_["support"], every]
    fresh = [np.mean([outcome_of(each, seed).accuracy for seed in range(1, 11)]) for each in pool]
    sizes = [outcome_of(each, 0).size for each in pool]
    fitness = [
        _fitness_of(Outcome(a, size), 135.0, each.mean()) if a >= fresh[-1] - 1e-12 else -1.0
        for a, size, each in zip(fresh, sizes, pool, strict=True)
    ]
    assert np.array_equal(model.support_, pool[int(np.argmax(fitness))])
    assert model.support_.all() == (table == "iris")  # no smaller one is as accurate there


@pytest.mark.core
@pytest.mark.parametrize(
    "setting", [{"n_jobs": 2}, {"n_jobs": 3, "memory": 0.01}, {"memory": 0}, {"memory": 0.05}]
)
@pytest.mark.parametrize("table", ["numbers", "mixed"])
def test_jobs_and_cache_change_nothing(setting, table, request):
    X, y = request.getfixturevalue(table)
    same(GeneticSelector(**SHORT, **setting).fit(X, y), GeneticSelector(**SHORT).fit(X, y))


def test_jobs_and_cluster_back_ends_change_nothing_for_other_trees(numbers):
    X, y = numbers
    tree = DecisionTreeClassifier(max_depth=4)
    model = GeneticSelector(tree, n_evaluations=12, cv=3, random_state=0)
    alone = clone(model).fit(X, y)
    with parallel_config(backend="threading", n_jobs=2):
        same(alone, clone(model).fit(X, y))
    assert isinstance(alone.estimator_, DecisionTreeClassifier)
    assert alone.confidence_ is None


def test_any_classifier_can_take_the_place_of_c45(mixed, numbers):
    X, y = numbers
    by_weights = GeneticSelector(
        LogisticRegression(), n_evaluations=30, cv=3, random_state=0, size=lambda m: m.coef_.size
    ).fit(X, y)
    assert by_weights.score(X, y) > 0.7
    assert np.array_equal(by_weights.history_["size"], by_weights.history_["features"])
    model = GeneticSelector(
        PlaneTreeClassifier(), n_evaluations=5, cv=2, finish="published", random_state=0
    )
    frame, labels = mixed
    complete = frame.notna().all(axis=1).to_numpy()
    model.fit(frame[complete], labels[complete])
    assert model.score(frame[complete], labels[complete]) > 0.5


def test_a_classifier_without_nodes_needs_a_size(numbers):
    with pytest.raises(ValueError, match=r"LogisticRegression has no nodes to count.*size="):
        GeneticSelector(LogisticRegression(), n_evaluations=3).fit(*numbers)


def test_no_subset_of_a_search_exceeds_max_features(numbers):
    model = GeneticSelector(**SHORT, max_features=2).fit(*numbers)
    assert model.history_["features"].max() == 2
    assert model.front_["features"].max() <= 2


def test_the_front_offers_choices_that_can_be_fitted(numbers):
    X, y = numbers
    settings = {**SHORT, "random_state": 2, "finish": "published"}
    model = GeneticSelector(**settings, multi_objective=True).fit(X, y)
    assert len(model.front_) > 2
    assert model.best_fitness_ == pytest.approx(model.front_["fitness"].max())
    assert (np.diff(model.front_["features"]) >= 0).all()
    small = model.front_[model.front_["features"] > 0][0]
    tree = C45Classifier(confidence=model.confidence_).fit(X[:, small["support"]], y)
    assert tree.n_features_in_ == small["features"]


def test_a_subset_of_no_features_can_win_and_predicts_the_majority():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.repeat([0, 1], [50, 10])
    for tree in (None, DecisionTreeClassifier(max_depth=2)):
        model = GeneticSelector(tree, **SHORT, fitness=(0.0, 1.0)).fit(X, y)
        assert not model.support_.any()
        assert (model.predict(X) == 0).all()


def test_one_feature_is_searched_as_well():
    X, y = load_iris(return_X_y=True)
    model = GeneticSelector(n_evaluations=20, population_size=5, random_state=0).fit(X[:, 3:], y)
    assert model.support_.tolist() == [True]
    assert model.score(X[:, 3:], y) > 0.9


def test_rows_that_cannot_be_divided_are_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="two different rows"):
        GeneticSelector().fit(X[:1], y[:1])
    groups = [(np.arange(10, 150), np.arange(10)), (np.arange(10), np.arange(5, 150))]
    with pytest.raises(ValueError, match="cv leaves row 5 out 2 times"):
        GeneticSelector(cv=groups).fit(X, y)
    with pytest.raises(ValueError, match="groups"):
        GeneticSelector(cv=GroupKFold(3)).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_evaluations", 0),
        ("population_size", 2.5),
        ("genome_size", -1),
        ("crossover_rate", 1.1),
        ("genome", "words"),
        ("crossover", "two_points"),
        ("mutation_rate", "often"),
        ("cv", 1),
        ("fitness", (1.0,)),
        ("time_limit", -1.0),
        ("confidence", 0.0),
        ("max_features", 0),
        ("memory", -1),
        ("tree", "C4.5"),
    ],
)
def test_a_bad_parameter_is_named(name, value, numbers):
    with pytest.raises(ValueError, match=name):
        GeneticSelector(**{name: value}).fit(*numbers)


def test_a_time_limit_ends_the_search_with_the_best_so_far(numbers):
    with pytest.warns(TimeLimitWarning, match="the best subset"):
        model = GeneticSelector(n_evaluations=10**9, time_limit=0.2, random_state=0).fit(*numbers)
    assert model.status_ == "time_limit"
    assert model.best_fitness_ == model.history_["fitness"].max()


def test_a_time_limit_before_any_evaluation_leaves_all_features(numbers):
    """The limit was looked at between evaluations only: 20,000 rows took seven times of it."""
    with pytest.warns(TimeLimitWarning, match="no subset was judged"):
        model = GeneticSelector(time_limit=0.0, random_state=0, max_features=5).fit(*numbers)
    assert model.status_ == "time_limit"
    assert model.support_.sum() == 5
    assert len(model.history_) == len(model.front_) == model.n_evaluations_ == 0
    assert model.predict(numbers[0]).shape == numbers[1].shape


@pytest.mark.parametrize(
    ("tree", "finish"),
    [(None, "fresh_folds"), (DecisionTreeClassifier(random_state=0), "published")],
    ids=["C4.5", "other"],
)
def test_classes_by_other_names_have_the_same_subset(tree, finish):
    """Folds were dealt out in the order of the class names.

    scikit-learn's tree decides ties by that order itself, so it judges no subsets again.
    """
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(50, 4)).round(2)
        y = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
        found = [
            GeneticSelector(
                tree, n_evaluations=40, population_size=8, cv=5, random_state=0, finish=finish
            )
            .fit(X, labels)
            .support_
            for labels in (y, 1 - y)
        ]
        assert np.array_equal(*found)


def test_an_interrupt_ends_the_search_with_the_best_so_far(numbers):
    n_fits = 0

    def size(model):
        nonlocal n_fits
        n_fits += 1
        if n_fits == 30:
            signal.raise_signal(signal.SIGINT)
        return model.tree_.node_count

    model = GeneticSelector(DecisionTreeClassifier(max_depth=3), size=size, cv=3, random_state=0)
    with pytest.warns(UserWarning, match="Interrupted after 9 of 5000 evaluations"):
        model.fit(*numbers)
    assert model.status_ == "interrupted"
    assert model.n_evaluations_ == 9
    assert model.score(*numbers) > 0.5


def test_an_interrupt_of_the_finish_keeps_the_fittest_of_the_search(numbers, monkeypatch):
    """The bug: Ctrl-C while the best were judged again threw the whole search away."""

    def interrupted(search, accuracy_of):
        raise KeyboardInterrupt

    monkeypatch.setattr(GeneticSearch, "choose", interrupted)
    model = GeneticSelector(n_evaluations=20, population_size=10, random_state=0)
    with pytest.warns(UserWarning, match="Interrupted after 20 of 20 evaluations"):
        model.fit(*numbers)
    assert model.status_ == "interrupted"
    assert model.best_fitness_ == model.history_["fitness"].max()


def test_an_interrupt_before_there_is_anything_to_return_is_passed_on(numbers):
    def size(model):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        GeneticSelector(DecisionTreeClassifier(), size=size).fit(*numbers)


def test_callbacks_of_scikit_learn_see_every_evaluation_and_can_stop(numbers):
    pytest.importorskip("sklearn.callback")

    class Stop:
        n_seen = 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.n_seen += context.task_name == "evaluation"
            return self.n_seen == 25

    callback = Stop()
    model = GeneticSelector(**SHORT).set_callbacks(callback).fit(*numbers)
    assert model.status_ == "stopped"
    assert model.n_evaluations_ == callback.n_seen == 25


def test_it_serves_in_pipelines_and_cross_validation(mixed):
    X, y = mixed
    model = GeneticSelector(n_evaluations=40, population_size=10, random_state=0)
    predicted = cross_val_predict(model, X, y, cv=3)
    assert np.mean(predicted == y) > 0.6
    pipeline = make_pipeline(model, C45Classifier()).fit(X, y)
    assert pipeline[-1].n_features_in_ == pipeline[0].support_.sum()


def test_a_copy_predicts_with_categories_by_name(mixed):
    X, y = mixed
    model = GeneticSelector(**SHORT).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(copy.predict(X[X.columns[::-1]]), model.predict(X))


def test_a_subset_of_no_features_may_win_with_any_tree():
    """The leaf that stands for it was handed a table, which scikit-learn cannot read."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat(["a", "b"], [30, 10])
    model = GeneticSelector(
        SeparatorTreeClassifier(max_splits=2), n_evaluations=20, population_size=5, cv=3,
        fitness=(0.1, 0.9), random_state=0,
    ).fit(X, y)  # fmt: skip
    assert not model.support_.any()
    assert set(model.predict(X)) == {"a"}


@pytest.mark.parametrize("crossover", ["uniform", "one_point"])
def test_a_search_over_bits_keeps_each_feature_in_its_place(numbers, crossover):
    model = GeneticSelector(genome="bits", crossover=crossover, **SHORT).fit(*numbers)
    held = model.best_genome_
    assert ((held == -1) | (held == np.arange(12))).all()
    assert np.array_equal(held >= 0, model.support_)
    assert model.history_["fitness"].max() > model.history_["fitness"][:20].max()


def test_options_of_the_paper_that_do_nothing_or_contradict_are_told(numbers):
    one_point = GeneticSelector(crossover="one_point", **SHORT)
    same(one_point.fit(*numbers), clone(one_point).set_params(crossover_rate=0.9).fit(*numbers))
    with pytest.raises(ValueError, match="one entry for each of 12 features"):
        GeneticSelector(genome="bits", genome_size=5).fit(*numbers)
