"""A model as Python, C or SQL answers as the model does, on thousands of rows of odd tables."""

import numpy as np
import pandas as pd
import pytest
from export_targets import TARGETS, answers, every_target
from odd_tables import (
    around_iris,
    heaviest_way,
    is_tied,
    matrix_of,
    odd_labels,
    odd_table,
    quietly,
    used_columns,
)

from planetree import (
    C45Classifier,
    GeneticSelector,
    RobustSeparator,
)
from planetree.convert import to_c, to_python, to_sql

N_ROWS = 3000


@every_target
def test_a_tree_answers_as_it_does_here_missing_and_unseen_values_included(tree, target, tmp_path):
    frame = odd_table(N_ROWS, seed=2, missing=0.1, unseen=0.1)
    found, expected = answers(target, tree, frame, tmp_path), quietly(tree.predict, frame)
    tied = is_tied(tree, frame)
    assert tied.mean() < 0.05
    assert np.array_equal(found[~tied], expected[~tied])
    assert set(found[tied]) <= set(tree.classes_)


@every_target
@pytest.mark.parametrize("missing", [None, "majority"])
def test_categories_of_no_branch_are_as_good_as_missing(with_strays, missing, target, tmp_path):
    frame = odd_table(1000, seed=8, missing=0.1)
    found = answers(target, with_strays, frame, tmp_path, missing=missing)
    way = heaviest_way if missing else type(with_strays).predict
    tied = is_tied(with_strays, frame) & (missing is None)
    assert np.array_equal(found[~tied], way(with_strays, frame)[~tied])


@every_target
def test_planes_answer_as_they_do_here(planes, target, tmp_path):
    frame = odd_table(N_ROWS, seed=3)
    assert np.array_equal(answers(target, planes, frame, tmp_path), planes.predict(frame))


@every_target
def test_planes_that_fill_gaps_answer_as_they_do_here(filling, target, tmp_path):
    frame = odd_table(1000, seed=4, missing=0.2)
    assert np.array_equal(answers(target, filling, frame, tmp_path), filling.predict(frame))


@every_target
def test_selectors_that_are_planes_answer_as_they_do_here(selector, target, tmp_path):
    rows = around_iris(2000)
    found = answers(target, selector, rows, tmp_path)
    assert np.array_equal(found.astype(int), selector.predict(rows))


@every_target
def test_missing_values_can_go_with_the_majority(tree, target, tmp_path):
    frame = odd_table(1000, seed=4, missing=0.2, unseen=0.1)
    found = answers(target, tree, frame, tmp_path, missing="majority")
    assert np.array_equal(found, quietly(heaviest_way, tree, frame))


@pytest.mark.parametrize("target", ["c", "sqlite", "duckdb"])
def test_planes_give_no_answer_where_a_value_they_need_is_missing(planes, target, tmp_path):
    frame = odd_table(300, seed=5, missing=0.3)
    lacking = np.isnan(matrix_of(planes, frame)[:, used_columns(planes)]).any(axis=1)
    found = answers(target, planes, frame, tmp_path)
    assert [answer is None for answer in found] == lacking.tolist()
    assert lacking.any()


def test_the_number_that_release_8_reads_as_missing_is_missing(tmp_path):
    X = np.array([[-999.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    with pytest.warns(UserWarning, match="-999"):
        model = C45Classifier(min_cases=1).fit(X, [0, 0, 0, 1, 1, 1])
    rows = np.array([-999.0, -999.00002, -998.99998, -998.9999, -999.0001, 1.0, 5.0, np.nan])
    expected = model.predict(rows[:, None])
    frame = pd.DataFrame().assign(x0=rows)
    for target in TARGETS:
        found = answers(target, model, frame.reset_index(drop=True), tmp_path)
        assert [int(each) for each in found] == expected.tolist(), target


def test_a_selector_that_predicts_by_a_tree_is_that_tree(tmp_path):
    frame = odd_table(200, missing=0.05)
    settings = {"n_evaluations": 12, "population_size": 6, "cv": 2, "random_state": 0}
    model = GeneticSelector(verbose=-1, **settings).fit(frame, odd_labels(frame, 2))
    rows = odd_table(1000, seed=7, missing=0.1)
    expected, tied = model.predict(rows), is_tied(model, rows)
    for target in TARGETS:
        found = answers(target, model, rows, tmp_path)
        assert np.array_equal(found[~tied], expected[~tied]), target


@pytest.mark.parametrize("function", [to_python, to_c, to_sql])
def test_categories_that_no_language_has_are_refused(function):
    frame = pd.DataFrame({"pair": pd.Categorical([(1,), (2,)] * 15)})
    model = C45Classifier().fit(frame, ["a", "b"] * 15)
    with pytest.raises(ValueError, match=r"'pair' holds .* of type tuple"):
        function(model)


@pytest.mark.parametrize("function", [to_python, to_c, to_sql])
def test_planes_know_no_majority(function):
    model = RobustSeparator().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="majority"):
        function(model, missing="majority")
    with pytest.raises(ValueError, match="'missing' parameter must be"):
        function(model, missing="ignore")


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0], [-5, 3]], ids=repr)
def test_labels_keep_their_type(labels, tmp_path):
    X = np.arange(8.0)[:, None]
    model = C45Classifier().fit(X, np.repeat(labels, 4))
    frame = pd.DataFrame().assign(x0=X[:, 0])
    for target in ("python", "sqlite", "duckdb"):
        assert answers(target, model, frame, tmp_path).tolist() == np.repeat(labels, 4).tolist()
    assert [str(each) for each in answers("c", model, frame, tmp_path)]
