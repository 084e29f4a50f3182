"""Rows that the cheapest change takes to another class lie just beyond a plane: exports agree."""

import numpy as np
import pandas as pd
import pytest
from export_targets import answers, every_target
from odd_tables import odd_table
from test_onnx import run

from planetree.convert import to_network
from planetree.tree import Explanations, fitted_tree

N_ROWS = 40


def changed(model):
    """Rows after their cheapest changes, and the classes that these promise."""
    if fitted_tree(model).tree.multiplies:
        pytest.skip("the nearest change of a row is for sums of columns")
    frame = odd_table(N_ROWS, seed=3)
    found = [each for (each,) in filter(None, Explanations(model, frame).counterfactuals())]
    assert len(found) > N_ROWS / 2
    rows = pd.DataFrame([each.values for each in found], columns=frame.columns)
    rows["select"] = pd.Categorical(rows["select"], model.columns_[3].categories)
    rows["rank"] = pd.Categorical(rows["rank"], [1, 2, 30])
    return rows, np.array([each.answer for each in found])


@every_target
def test_every_language_gives_a_changed_row_of_a_tree_its_class(tree, target, tmp_path):
    rows, promised = changed(tree)
    assert np.array_equal(tree.predict(rows), promised)
    assert np.array_equal(answers(target, tree, rows, tmp_path), promised)


@every_target
def test_every_language_gives_a_changed_row_of_planes_its_class(planes, target, tmp_path):
    rows, promised = changed(planes)
    assert np.array_equal(answers(target, planes, rows, tmp_path), promised)


def test_networks_and_onnx_give_a_changed_row_its_class(tree):
    rows, promised = changed(tree)
    assert np.array_equal(to_network(tree).predict(rows), promised)
    pytest.importorskip("onnxruntime")
    assert np.array_equal(run(tree, rows)[0], promised)
