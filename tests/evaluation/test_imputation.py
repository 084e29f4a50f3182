"""Gaps cost `compare` no method: what fills them is learned from training rows alone."""

import numpy as np
import pytest

from planetree import C45Classifier, RobustSeparator
from planetree.evaluation.comparison import compare_methods
from planetree.evaluation.imputation import filled_in
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


@pytest.mark.parametrize("seed", range(3))
def test_numbers_get_the_median_of_repeated_rows_and_categories_their_own(seed):
    table, labels = gappy(seed=seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(labels)).astype(float)
    model = filled_in(RobustSeparator(), table).fit(table, labels, weights)
    repeated = np.repeat(table.values[:, :2], weights.astype(int), axis=0)
    np.testing.assert_array_equal(model.fill_, [*np.nanmedian(repeated, axis=0), 2.0])
    filled = model.filled(table)
    assert not np.isnan(filled.values).any()
    assert filled.columns[2].categories == ("blue", "red", "(missing)")
    assert model.predict_proba(table).shape == (80, 2)


def test_what_takes_gaps_and_what_has_none_is_left_alone():
    table, _ = gappy()
    complete = Table(np.nan_to_num(table.values), table.columns)
    tree, plane = C45Classifier(), RobustSeparator()
    assert filled_in(tree, table) is tree
    assert filled_in(plane, complete) is plane
