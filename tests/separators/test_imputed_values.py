"""Separators that fill missing values: medians and categories of their own, in every copy."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from scipy import sparse as sp
from sklearn.datasets import load_iris

import planetree as pt
from planetree.convert import to_network, to_python, to_rules, to_sql

SEPARATORS = [
    pt.RobustSeparator(missing="impute"),
    pt.QuadraticSeparator(missing="impute"),
    pt.SparseSeparator(missing="impute"),
    pt.GrinoldSeparator(missing="impute"),
    pt.MaxNormSeparator(missing="impute"),
    pt.BilinearSeparator(missing="impute"),
    pt.MisclassificationSeparator(missing="impute"),
    pt.MultisurfaceClassifier(missing="impute", conflicts="majority"),
]


def gappy_frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n),
            "color": rng.choice(["blue", "green", "red"], n).astype(object),
            "smokes": rng.choice([True, False], n).astype(object),
        }
    )
    labels = np.where((frame.age > 50) ^ (frame.color == "red"), "yes", "no")
    for name in frame:
        frame.loc[rng.random(n) < 0.2, name] = None
    return frame, labels


def filled_by_hand(frame):
    kinds = {"color": "(missing)", "smokes": "(missing)"}
    found = frame.fillna({"age": frame.age.median(), **kinds})
    found["smokes"] = found["smokes"].astype(str)
    return found


@pytest.mark.parametrize("model", SEPARATORS, ids=lambda each: type(each).__name__)
def test_a_separator_of_gaps_is_that_of_the_table_filled_by_hand_and_exports_agree(model, tmp_path):
    frame, labels = gappy_frame()
    answers = model.fit(frame, labels).predict(frame)
    by_hand = type(model)(**{**model.get_params(deep=False), "missing": "refuse"})
    filled = filled_by_hand(frame)
    by_hand.fit(filled, labels)
    if isinstance(model, pt.MaxNormSeparator):  # its optimum is not the only one
        assert model.objective_ == pytest.approx(by_hand.objective_, abs=1e-9)
    else:
        assert answers.tolist() == by_hand.predict(filled).tolist()
    module = {}
    exec(to_python(model), module)
    assert [module["predict"](row) for row in frame.to_dict("records")] == answers.tolist()
    with closing(sqlite3.connect(":memory:")) as base:
        frame.astype(object).where(frame.notna(), None).to_sql("people", base, index=False)
        found = base.execute(to_sql(model, "people", dialect="sqlite")).fetchall()
    assert [row[-1] for row in found] == answers.tolist()
    assert to_rules(model).predict(frame).tolist() == answers.tolist()
    assert to_network(model).predict(frame).tolist() == answers.tolist()
    pt.save(model, tmp_path / "model.json")
    loaded = pt.load(tmp_path / "model.json")
    assert loaded.predict(frame).tolist() == answers.tolist()
    assert loaded.columns_ == model.columns_


def test_a_gap_is_filled_even_where_training_had_none():
    frame = pd.DataFrame({"a": [0.0, 1.0, 5.0, 6.0], "b": ["x", "x", "y", "x"]})
    model = pt.RobustSeparator(missing="impute").fit(frame, ["no", "no", "yes", "yes"])
    gap = pd.DataFrame({"a": [np.nan], "b": [None]})
    same = pd.DataFrame({"a": [3.0], "b": ["x"]})
    assert model.decision_function(gap) == model.decision_function(same)
    assert model.to_text().splitlines()[-1].startswith("if missing: a = 3")


def test_gaps_are_refused_with_the_way_out_unless_they_are_to_be_filled():
    X, y = [[0.0], [np.nan], [2.0]], [0, 0, 1]
    with pytest.raises(ValueError, match="missing='impute'"):
        pt.RobustSeparator().fit(X, y)
    with pytest.raises(ValueError, match="missing"):
        pt.RobustSeparator(missing="guess").fit(X, y)


def test_a_sparse_separator_fills_gaps_if_the_one_inside_says_so():
    frame, labels = gappy_frame()
    inner = pt.SparseSeparator(pt.RobustSeparator(missing="impute")).fit(frame, labels)
    outer = pt.SparseSeparator(missing="impute").fit(frame, labels)
    assert inner.predict(frame).tolist() == outer.predict(frame).tolist()


@pytest.mark.parametrize(
    "model",
    [pt.RobustSeparator(), pt.QuadraticSeparator(), pt.SparseSeparator(), pt.GrinoldSeparator()],
    ids=lambda each: type(each).__name__,
)
def test_a_sparse_array_gives_the_planes_of_the_dense_one(model):
    X, y = load_iris(return_X_y=True)
    X, y = np.where(X > 3, X, 0.0)[:100], y[:100]
    dense = type(model)().fit(X, y)
    for kind in (sp.csr_array, sp.coo_array, sp.csc_matrix):
        model.fit(kind(X), y)
        np.testing.assert_array_equal(model.coef_, dense.coef_)
        np.testing.assert_array_equal(model.predict(kind(X)), dense.predict(X))


def test_trees_refuse_sparse_arrays_and_say_what_to_do():
    with pytest.raises(TypeError, match=r"toarray\(\)"):
        pt.PlaneTreeClassifier().fit(sp.csr_array(np.eye(4)), [0, 0, 1, 1])
