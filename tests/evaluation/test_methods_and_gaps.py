"""Gaps cost `compare` no method: what fills them is learned from training rows alone."""

import numpy as np

from planetree.evaluation.comparison import compare_methods
from planetree.evaluation.methods import Settings, chosen_methods
from planetree.evaluation.reading import TrainingTable
from planetree.evaluation.validation import stratified_folds
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


def test_methods_are_asked_to_fill_gaps_only_where_there_are_some():
    table, labels = gappy()
    complete = Table(np.nan_to_num(table.values), table.columns)
    plane = chosen_methods(["plane"])[0]
    for each, missing in ((table, "impute"), (complete, "refuse")):
        rows = TrainingTable(each, labels, None, {}, ())
        assert plane.make(Settings(missing=rows.missing)).missing == missing
