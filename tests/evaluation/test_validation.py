"""What the command and the page share: data comes back, nothing is printed."""

import json
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

import planetree
from planetree.evaluation.comparison import _majority, compare_methods
from planetree.evaluation.figures import figures_of
from planetree.evaluation.methods import Settings, chosen_methods, method_named
from planetree.evaluation.reading import read_training_table
from planetree.evaluation.validation import fit_in_time, limited, stratified_folds, validate
from planetree.exceptions import MethodError, TimeLimitError
from planetree.statistics import corrected_t_test
from planetree.table import Table


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    size, shade = rng.normal(size=80), rng.choice(["dark", "light"], 80)
    label = np.where(size + (shade == "dark") > 0.5, "yes", "no")
    frame = pd.DataFrame({"noise": rng.normal(size=80), "size": size, "shade": shade, "y": label})
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_a_table_is_read_once_and_summed_up(path, capsys):
    rows = read_training_table(path, "y")
    assert rows.table.named
    assert [column.name for column in rows.table.columns] == ["noise", "size", "shade"]
    assert rows.summary["columns"]["shade"] == "2 categories"
    json.dumps(rows.summary)
    assert capsys.readouterr() == ("", "")


def test_a_fit_to_the_table_is_the_fit_to_the_frame(path):
    rows = read_training_table(path, "y")
    frame = pd.read_csv(path)
    for model in (planetree.C45Classifier(), planetree.RobustSeparator()):
        one = fit_in_time(model, rows, None)
        other = planetree.C45Classifier() if "C45" in repr(model) else planetree.RobustSeparator()
        other.fit(frame.drop(columns="y"), frame["y"])
        assert one.feature_names_in_.tolist() == other.feature_names_in_.tolist()
        shuffled = frame[["shade", "noise", "size"]]
        assert one.predict(shuffled).tolist() == other.predict(shuffled).tolist()


def test_the_tree_of_a_selector_is_given_as_it_is(path):
    rows = read_training_table(path, "y")
    selector = planetree.GeneticSelector(n_evaluations=20, random_state=0, verbose=-1)
    tree = fit_in_time(selector, rows, None)
    names = rows.table.select(tree.feature_names_in_.tolist()).columns
    assert tree.columns_ == names
    chosen = pd.read_csv(path)[tree.feature_names_in_.tolist()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.predict(chosen).tolist() == selector.predict(rows.table).tolist()


def test_methods_are_compared_and_those_that_fail_say_why(path, capsys):
    rows = read_training_table(path, "y")
    folds, ticks = stratified_folds(rows.labels, 3, 0), []
    chosen = [
        *chosen_methods(["c45", "sklearn-tree"]),
        method_named("c45")._replace(fixed={"a": 1}),
    ]
    records = compare_methods(chosen, rows, Settings(), folds, tick=lambda: ticks.append(1))
    assert len(ticks) == 6
    assert [each["reason"] != "" for each in records] == [False, False, False, True]
    assert records[0]["error"] == min(each["error"] for each in records[:3])
    assert capsys.readouterr() == ("", "")


def test_a_method_that_is_not_there_is_named_with_what_is_near():
    with pytest.raises(MethodError, match="did you mean c45"):
        method_named("c54")
    with pytest.raises(MethodError, match="--max-splits"):
        method_named("plane").make(Settings(max_splits=2))


def test_a_time_limit_ends_a_fit_in_the_main_thread_and_is_let_be_in_others():
    def wait():
        try:
            with limited(planetree.MultisurfaceClassifier(), 0.05):
                threading.Event().wait(0.2)
            ended.append("in peace")
        except TimeLimitError:
            ended.append("in time")

    class Slow(planetree.RobustSeparator):
        def get_params(self, deep=True):
            return {}

    ended = []
    with pytest.raises(TimeLimitError, match=r"0\.05 seconds"), limited(Slow(), 0.05):
        threading.Event().wait(5.0)
    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert ended == ["in peace"]


def test_validation_stops_after_a_fold_when_time_is_over(path):
    rows = read_training_table(path, "y")
    folds = stratified_folds(rows.labels, 4, 0)
    found = validate(planetree.C45Classifier(), rows, folds, until=0.0)
    assert len(found.fold_errors) == 1
    assert found.figures.n_rows == np.count_nonzero(folds.of_rows == 0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_auc_and_log_loss_of_new_rows_are_those_of_scikit_learn(path, n_classes, weighted):
    frame = pd.read_csv(path)
    if n_classes == 3:
        frame.loc[frame["noise"] > 0.8, "y"] = "a third"
    if weighted:
        frame["w"] = 1.0 + np.arange(80) % 3
    frame.to_csv(path, index=False)
    rows = read_training_table(path, "y", sample_weight="w" if weighted else None)
    folds = stratified_folds(rows.labels, 4, 0)
    found = validate(planetree.PlaneTreeClassifier(), rows, folds)
    expected = np.full((80, n_classes), np.nan)
    for fold in range(4):
        train, test = folds.of_rows != fold, folds.of_rows == fold
        w = rows.weights[train] if weighted else None
        model = planetree.PlaneTreeClassifier()
        model.fit(rows.table.take(train), rows.labels[train], sample_weight=w)
        expected[test] = model.predict_proba(rows.table.take(test))
    assert np.array_equal(found.probabilities, expected)
    w, several = rows.weights, {} if n_classes == 2 else {"multi_class": "ovr"}
    shares = expected[:, 1] if n_classes == 2 else expected
    assert found.figures.log_loss == pytest.approx(log_loss(rows.labels, expected, sample_weight=w))
    is_so = (rows.labels[:, None] == np.unique(rows.labels)).astype(int)
    squares = ((expected - is_so) ** 2).sum(axis=1) / (2 if n_classes == 2 else 1)
    assert found.figures.brier == pytest.approx(np.average(squares, weights=w))
    if n_classes == 2:
        brier = brier_score_loss(is_so[:, 1], expected[:, 1], sample_weight=w)
        assert found.figures.brier == pytest.approx(brier)
        rare = is_so.sum(axis=0).argmin()
        is_so, expected = is_so[:, rare], expected[:, rare]
    precision = average_precision_score(is_so, expected, sample_weight=w)
    assert found.figures.average_precision == pytest.approx(precision)
    auc = roc_auc_score(rows.labels, shares, sample_weight=w, **several)
    assert found.figures.auc == pytest.approx(auc)


def test_a_method_without_probabilities_has_neither_auc_nor_log_loss(path):
    rows = read_training_table(path, "y")
    rows = rows._replace(table=rows.table.select(["noise", "size"]))
    model = planetree.MultisurfaceClassifier(conflicts="majority")
    found = validate(model, rows, stratified_folds(rows.labels, 4, 0))
    assert (found.probabilities, found.figures.auc, found.figures.log_loss) == (None, None, None)


def test_a_method_is_graded_as_asked_or_refuses():
    make = method_named("sparse-planes").make
    assert [make(Settings(grading=each)).grading for each in (None, "leaf", "soft", "none")] == [
        "leaf",
        "leaf",
        "soft",
        None,
    ]
    with pytest.raises(MethodError, match="--grading"):
        method_named("c45").make(Settings(grading="soft"))


def test_a_named_table_keeps_its_names_through_rows_and_columns():
    table = Table.read(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert table.take([1]).select(["b"]).named
    assert not Table.read([[1.0], [2.0]]).named


def test_recall_and_precision_of_each_class_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    labels, answers = rng.choice(["a", "b", "c"], (2, 200))
    weights = rng.uniform(size=200)
    found = figures_of(labels, answers, np.array(["a", "b", "c"]), None, weights)
    for score, own in ((recall_score, found.recall), (precision_score, found.precision)):
        expected = score(labels, answers, average=None, sample_weight=weights)
        np.testing.assert_allclose(own, expected)
    assert found.metric("recall") == pytest.approx(np.mean(found.recall))
    assert found.error == pytest.approx(weights @ (labels != answers) / weights.sum())


def test_the_mean_precision_counts_a_class_that_is_never_predicted_as_scikit_learn_does():
    """Such a class was once left out, so that always saying the most frequent class won."""
    labels = np.array(["a"] * 8 + ["b"] * 2)
    found = figures_of(labels, np.full(10, "a"), np.unique(labels))
    expected = precision_score(labels, np.full(10, "a"), average="macro", zero_division=0)
    assert found.metric("precision") == expected == 0.4


def test_errors_of_folds_are_weighted_as_the_error_is(path):
    """The p of `compare` once tested the share of rows beside an error by weight."""
    rows = read_training_table(path, "y")
    rows = rows._replace(weights=np.random.default_rng(0).uniform(size=80))
    folds = stratified_folds(rows.labels, 3, 0)
    for found in (validate(planetree.C45Classifier(), rows, folds), _majority(rows, folds)):
        shares = [rows.weights[folds.of_rows == fold].sum() for fold in folds.used]
        mean = np.average(found.fold_errors, weights=shares)
        assert mean == pytest.approx(found.figures.error)


def test_methods_are_ordered_by_the_metric_asked_for(path):
    rows = read_training_table(path, "y")
    folds = stratified_folds(rows.labels, 3, 0)
    chosen = chosen_methods(["c45", "sparse-planes", "sklearn-tree"])
    for metric, sign in (("auc", -1), ("log-loss", 1), ("brier", 1), ("average-precision", -1)):
        records = compare_methods(chosen, rows, Settings(), folds, metric=metric)
        values = [sign * each[metric.replace("-", "_")] for each in records[:-1]]
        assert values == sorted(values)
        assert records[-1]["method"] == "majority"  # has no probabilities
        least = min(records, key=lambda each: each["error"])
        assert least["p"] is None


def test_folds_that_differ_equally_show_no_probability_below_that_of_equal_signs():
    """Ten equal differences once gave p = 0.000, which no ten folds can show."""
    for k in (2, 5, 10):
        assert corrected_t_test([0.1] * k, 1 / 9) == 2.0 ** (1 - k)
        assert corrected_t_test(0.5 + 1e-6 * np.arange(k), 1 / 9) == 2.0 ** (1 - k)
    assert corrected_t_test([0.1, -0.1, 0.1, -0.1], 1 / 3) > 0.9
