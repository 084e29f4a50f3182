"""What the command and the page share: data comes back, nothing is printed."""

import json
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import planetree
from planetree.evaluation.comparison import compare_methods
from planetree.evaluation.methods import Settings, chosen_methods, method_named
from planetree.evaluation.reading import read_training_table
from planetree.evaluation.validation import fit_in_time, limited, stratified_folds, validate
from planetree.exceptions import MethodError, TimeLimitError
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
    assert found.n_rows == np.count_nonzero(folds.of_rows == 0)


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
    assert found.log_loss == pytest.approx(log_loss(rows.labels, expected, sample_weight=w))
    auc = roc_auc_score(rows.labels, shares, sample_weight=w, **several)
    assert found.auc == pytest.approx(auc)


def test_a_method_without_probabilities_has_neither_auc_nor_log_loss(path):
    rows = read_training_table(path, "y")
    rows = rows._replace(table=rows.table.select(["noise", "size"]))
    model = planetree.MultisurfaceClassifier(conflicts="majority")
    found = validate(model, rows, stratified_folds(rows.labels, 4, 0))
    assert (found.probabilities, found.auc, found.log_loss) == (None, None, None)


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
