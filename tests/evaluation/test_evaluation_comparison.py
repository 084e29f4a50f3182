"""Methods beside each other on the same folds: ordered by a metric, none lost to gaps."""

import numpy as np
import pytest

import planetree
from planetree.evaluation.comparison import _majority, compare_methods
from planetree.evaluation.methods import Settings, chosen_methods, method_named
from planetree.evaluation.reading import TrainingTable, read_training_table
from planetree.evaluation.validation import stratified_folds, validate
from planetree.table import Column, Table


def gappy(n=80, seed=0):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=n), rng.normal(size=n), rng.integers(0, 2, n)])
    labels = np.where(values[:, 0] + 0.2 * rng.normal(size=n) > 0, "yes", "no")
    values[rng.random(values.shape) < 0.1] = np.nan
    columns = (Column("a"), Column("b"), Column("color", ("blue", "red")))
    return Table(values, columns), labels


def test_no_method_drops_out_of_a_comparison_on_a_table_with_gaps():
    table, labels = gappy()
    rows = TrainingTable(table, labels, None, {}, ())
    chosen = chosen_methods(
        ["plane", "sparse-plane", "quadratic-plane", "two-planes", "centroid", "c45"]
    )
    found = compare_methods(chosen, rows, Settings(), stratified_folds(labels, 3, 0))
    assert [each["method"] for each in found if each["reason"]] == []
    assert len(found) == 7


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
