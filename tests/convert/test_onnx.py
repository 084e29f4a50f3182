"""A model as ONNX answers in onnxruntime as the model does."""

import numpy as np
import pandas as pd
import pytest
from odd_tables import (
    NUMBERS,
    around_iris,
    heaviest_way,
    is_tied,
    odd_labels,
    odd_table,
    onnx_inputs,
    quietly,
    used_columns,
)

from planetree import C45Classifier, RobustSeparator
from planetree.convert import to_onnx

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def run(model, frame, **options):
    session = onnxruntime.InferenceSession(to_onnx(model, **options).SerializeToString())
    return session.run(None, onnx_inputs(session, model, frame))


def test_a_tree_answers_as_it_does_here_missing_and_unseen_values_included(tree):
    frame = odd_table(3000, seed=2, missing=0.1, unseen=0.1)
    labels, shares = run(tree, frame)
    tied = is_tied(tree, frame)
    assert np.array_equal(labels[~tied], quietly(tree.predict, frame)[~tied])
    np.testing.assert_allclose(shares, quietly(tree.predict_proba, frame), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("missing", [None, "majority"])
def test_categories_of_no_branch_are_as_good_as_missing(with_strays, missing):
    frame = odd_table(1000, seed=8, missing=0.1)
    labels, _ = run(with_strays, frame, missing=missing)
    way = heaviest_way if missing else type(with_strays).predict
    tied = is_tied(with_strays, frame) & (missing is None)
    assert np.array_equal(labels[~tied], way(with_strays, frame)[~tied])


def test_planes_answer_as_they_do_here(planes):
    frame = odd_table(3000, seed=3)
    labels, *_ = run(planes, frame)
    assert np.array_equal(labels, planes.predict(frame))


def test_planes_that_fill_gaps_answer_as_they_do_here(filling):
    frame = odd_table(1000, seed=4, missing=0.2)
    labels, shares = run(filling, frame)
    assert np.array_equal(labels, filling.predict(frame))
    np.testing.assert_allclose(shares, filling.predict_proba(frame), rtol=1e-12, atol=1e-15)


def test_planes_give_the_empty_label_where_a_value_is_missing(planes):
    frame = odd_table(300, seed=5, missing=0.3)
    lacking = frame.iloc[:, used_columns(planes)].isna().any(axis=1)
    assert lacking.any()
    assert np.array_equal(run(planes, frame)[0] == "", lacking)


def test_missing_values_can_go_with_the_majority(tree):
    frame = odd_table(1000, seed=4, missing=0.2, unseen=0.1)
    labels, _ = run(tree, frame, missing="majority")
    assert np.array_equal(labels, quietly(heaviest_way, tree, frame))


def test_selectors_that_are_planes_answer_as_they_do_here(selector):
    rows = around_iris(2000)
    labels, *_ = run(selector, rows)
    assert labels.dtype == np.int64
    assert np.array_equal(labels, selector.predict(rows))


def test_numbers_alone_are_one_matrix_and_a_leaf_alone_is_a_model():
    X = np.arange(8.0)[:, None]
    split = to_onnx(C45Classifier().fit(X, [0] * 4 + [7] * 4))
    assert [each.name for each in split.graph.input] == ["X"]
    frame = pd.DataFrame().assign(x0=[1.0, 6.0])
    assert run(C45Classifier().fit(X, [0] * 4 + [7] * 4), frame)[0].tolist() == [0, 7]
    assert run(C45Classifier().fit(X, [3] * 8), frame)[0].tolist() == [3, 3]


def test_a_refused_row_of_numbered_classes_is_the_least_number():
    model = RobustSeparator().fit([[0.0], [1.0]], [0, 1])
    frame = pd.DataFrame().assign(x0=[np.nan, 2.0])
    assert run(model, frame)[0].tolist() == [-(2**63), 1]


def test_the_number_that_release_8_reads_as_missing_is_missing():
    with pytest.warns(UserWarning, match="-999"):
        model = C45Classifier(min_cases=1).fit(
            [[-999.0], [1], [2], [3], [4], [5]], [0] * 3 + [1] * 3
        )
    rows = np.array([-999.0, -999.00002, -998.9999, -999.0001, 1.0, 5.0, np.nan])
    frame = pd.DataFrame().assign(x0=rows)
    assert np.array_equal(run(model, frame)[0], model.predict(rows[:, None]))


def test_a_column_may_have_the_name_of_an_output():
    odd_names = {NUMBERS[0]: "label", "rank": "", "select": "planetree/Add_1"}
    frame = odd_table(60).rename(columns=odd_names)
    model = RobustSeparator().fit(frame, odd_labels(odd_table(60), 2))
    names = [each.name for each in to_onnx(model).graph.input]
    assert {"input label", "input ", "input planetree/Add_1"} <= set(names)
    frame = frame.rename(columns=lambda name: f"input {name}" if f"input {name}" in names else name)
    columns = [column.name for column in model.columns_]
    found = run(model, frame)[0]
    assert np.array_equal(found, model.predict(frame.set_axis(columns, axis=1)))
