"""What the command and the page share: data comes back, nothing is printed."""

import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    log_loss,
    roc_auc_score,
)

import planetree
from planetree.evaluation.reading import read_training_table
from planetree.evaluation.validation import fit_in_time, limited, stratified_folds, validate
from planetree.exceptions import TimeLimitError
from planetree.statistics import corrected_t_test
from planetree.table import Table


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


def test_a_named_table_keeps_its_names_through_rows_and_columns():
    table = Table.read(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    assert table.take([1]).select(["b"]).named
    assert not Table.read([[1.0], [2.0]]).named


def test_folds_that_differ_equally_show_no_probability_below_that_of_equal_signs():
    """Ten equal differences once gave p = 0.000, which no ten folds can show."""
    for k in (2, 5, 10):
        assert corrected_t_test([0.1] * k, 1 / 9) == 2.0 ** (1 - k)
        assert corrected_t_test(0.5 + 1e-6 * np.arange(k), 1 / 9) == 2.0 ** (1 - k)
    assert corrected_t_test([0.1, -0.1, 0.1, -0.1], 1 / 3) > 0.9
