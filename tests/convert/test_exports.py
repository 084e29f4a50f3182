"""A model as Python, C or SQL answers as the model does, on thousands of rows of odd tables."""

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from odd_tables import (
    around_iris,
    heaviest_way,
    is_tied,
    matrix_of,
    odd_labels,
    odd_table,
    quietly,
    records_of,
    used_columns,
)

from planetree import (
    C45Classifier,
    GeneticSelector,
    MultisurfaceClassifier,
    RobustSeparator,
)
from planetree.convert import to_c, to_python, to_sql

N_ROWS = 3000


def by_python(model, frame, **options):
    module = {}
    exec(to_python(model, **options), module)
    return [module["predict"](row) for row in records_of(frame)]


def by_c(model, frame, tmp_path, **options):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = tmp_path / "model.c", tmp_path / "model.so"
    source.write_text(to_c(model, **options), encoding="ascii")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library)], check=True)
    predict = ctypes.CDLL(str(library)).predict
    rows = np.ascontiguousarray(matrix_of(model, frame))
    codes = [predict(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in rows]
    return [None if code < 0 else model.classes_[code] for code in codes]


def by_sqlite(model, frame, **options):
    names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in frame.columns]
    base = sqlite3.connect(":memory:")
    base.execute(f'CREATE TABLE "some ""rows""" ({", ".join(names)})')
    cells = [tuple(row.values()) for row in records_of(frame)]
    base.executemany(f'INSERT INTO "some ""rows""" VALUES ({", ".join("?" * len(names))})', cells)
    found = base.execute(to_sql(model, 'some "rows"', dialect="sqlite", **options)).fetchall()
    return [row[-1] for row in found]


def by_duckdb(model, frame, **options):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    kinds = {"rank": float, "select": object}
    frame = frame.astype({name: kinds[name] for name in frame if name in kinds})
    base.register("given", frame.assign(number=range(len(frame))))
    base.execute('CREATE TABLE "odd rows" AS SELECT * FROM given')
    first = f'"{frame.columns[0].replace(chr(34), chr(34) * 2)}"'
    nan = f"UPDATE \"odd rows\" SET {first} = 'NaN' WHERE {first} IS NULL AND number % 2 = 0"
    base.execute(nan)  # the other missing numbers stay NULL
    query = to_sql(model, "odd rows", dialect="duckdb", **options)
    return [row[-1] for row in base.execute(f"{query} ORDER BY number").fetchall()]


TARGETS = {"python": by_python, "c": by_c, "sqlite": by_sqlite, "duckdb": by_duckdb}
every_target = pytest.mark.parametrize("target", TARGETS)


def answers(target, model, frame, tmp_path, **options):
    extra = [tmp_path] if target == "c" else []
    return np.array(TARGETS[target](model, frame, *extra, **options), dtype=object)


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


def test_planes_in_python_refuse_a_missing_value(planes):
    frame = odd_table(50, seed=5).assign(**{name: None for name in odd_table(1).columns})
    with pytest.raises(ValueError, match="needs every value"):
        by_python(planes, frame)


def test_shares_are_the_probabilities(tree, tmp_path):
    frame = odd_table(500, seed=6, missing=0.2)
    module = {}
    exec(to_python(tree, "answer"), module)
    shares = [module["answer_shares"](row) for row in records_of(frame)]
    np.testing.assert_allclose(shares, tree.predict_proba(frame), rtol=1e-12)


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


@pytest.mark.parametrize("name", ["", "1x", "a b", "class", "for", "row", "ß", "x;"])
@pytest.mark.parametrize("function", [to_python, to_c])
def test_names_that_a_language_does_not_have_are_refused(function, name):
    model = RobustSeparator().fit([[0.0], [1.0]], [0, 1])
    if name == "ß" and function is to_python:
        assert "def ß(row)" in function(model, name)
    else:
        with pytest.raises(ValueError, match="name must be"):
            function(model, name)


def test_hundreds_of_nested_pairs_are_no_matter(tmp_path):
    """Python allows 100 steps of indentation, SQLite 1000 of nesting."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    model = MultisurfaceClassifier().fit(X, rng.integers(0, 2, 150))
    assert model.n_pairs_ > 20
    frame = pd.DataFrame().assign(x0=rng.normal(size=500), x1=rng.normal(size=500))
    for target in TARGETS:
        found = answers(target, model, frame, tmp_path)
        assert np.array_equal(found.astype(int), model.predict(frame.to_numpy())), target


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [0.0, 1.0], [-5, 3]], ids=repr)
def test_labels_keep_their_type(labels, tmp_path):
    X = np.arange(8.0)[:, None]
    model = C45Classifier().fit(X, np.repeat(labels, 4))
    frame = pd.DataFrame().assign(x0=X[:, 0])
    for target in ("python", "sqlite", "duckdb"):
        assert answers(target, model, frame, tmp_path).tolist() == np.repeat(labels, 4).tolist()
    assert [str(each) for each in answers("c", model, frame, tmp_path)]


def test_a_column_called_true_is_a_column(tmp_path):
    """SQLite read the TRUE of `IS NOT TRUE`, and that of a label, as the column of that name."""
    rng = np.random.default_rng(0)
    kind = pd.Categorical(rng.choice(["a", "b", "c"], 90))
    frame = pd.DataFrame({"true": rng.normal(size=90), "kind": kind})
    model = C45Classifier().fit(frame, (frame["true"] > 0) ^ (frame["kind"] == "a"))
    frame.loc[::5, "kind"] = None
    for target in ("sqlite", "duckdb"):
        found = answers(target, model, frame, tmp_path).astype(bool)
        assert np.array_equal(found, model.predict(frame)), target


def test_an_empty_name_is_refused_where_sql_has_none():
    """DuckDB failed with an error of its parser."""
    frame = pd.DataFrame({"": [0.0, 1.0, 2.0, 3.0]})
    model = C45Classifier().fit(frame, ["a", "a", "b", "b"])
    assert '""' in to_sql(model, dialect="sqlite")
    for dialect in ("standard", "duckdb", "postgresql"):
        with pytest.raises(ValueError, match="empty name"):
            to_sql(model, dialect=dialect)


def test_names_of_ten_kilobytes_are_said_in_c(tmp_path):
    """C99 promises literals of 4095 letters: a strict compiler refused longer ones."""
    long = "ß" * 5000
    frame = pd.DataFrame({long: pd.Categorical([long, "b", "c"] * 20)})
    model = C45Classifier().fit(frame, np.where(frame[long] == long, long + "!", "other"))
    assert set(answers("c", model, frame, tmp_path)) == {long + "!", "other"}
    assert np.array_equal(answers("c", model, frame, tmp_path), model.predict(frame))


def test_a_leaf_alone_can_be_said(tmp_path):
    model = C45Classifier().fit([[0.0], [1.0], [0.5]], ["a", "a", "a"])
    frame = pd.DataFrame().assign(x0=[1.0, np.nan])
    for target in TARGETS:
        assert answers(target, model, frame, tmp_path).tolist() == ["a", "a"]
