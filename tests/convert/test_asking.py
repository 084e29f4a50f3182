"""Exports that leave rows to a person, and the query that counts what `planetree check` counts."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from odd_tables import in_sqlite, matrix_of, odd_labels, odd_table, onnx_inputs, quietly, records_of
from sklearn.datasets import load_breast_cancer

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.convert import to_c, to_onnx, to_python, to_sql

LIMIT = 0.15


@pytest.fixture(
    scope="module", params=[PlaneTreeClassifier(), PlaneTreeClassifier(grading="soft")], ids=repr
)
def model(request):
    frame = odd_table(300, missing=0.05)
    return request.param.fit(frame, odd_labels(frame, 2))


@pytest.fixture(scope="module")
def rows():
    frame = odd_table(400, seed=2, missing=0.1)
    number = frame.select_dtypes(float).columns[0]
    return frame.assign(**{number: np.where(np.arange(400) % 7 == 0, 1e6, frame[number])})


def test_python_and_sql_ask_a_person_where_the_model_does(model, rows):
    expected = quietly(model.predict_or_ask, rows, LIMIT).astype(str).tolist()
    assert 0 < expected.count("ask a person") < len(expected)
    module = {}
    exec(to_python(model, ask=LIMIT), module)
    assert [str(module["predict_or_ask"](row)) for row in records_of(rows)] == expected
    for options in ({}, {"probabilities": True}):
        query = to_sql(model, "rows", dialect="sqlite", ask=LIMIT, **options)
        found = in_sqlite(rows, query)
        place = -1 if not options else -1 - len(model.classes_)
        assert [row[place] for row in found] == expected


def test_c_asks_a_person_by_a_code_of_its_own(model, rows, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = tmp_path / "model.c", tmp_path / "model.so"
    source.write_text(to_c(model, ask=LIMIT), encoding="ascii")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
    predict = ctypes.CDLL(str(library)).predict_or_ask
    cells = np.ascontiguousarray(matrix_of(model, rows))
    codes = [predict(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))) for row in cells]
    found = ["ask a person" if code == -2 else str(model.classes_[code]) for code in codes]
    assert found == quietly(model.predict_or_ask, rows, LIMIT).astype(str).tolist()


def test_onnx_asks_a_person_in_an_output_of_its_own(model, rows):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    graph = to_onnx(model, ask=LIMIT)
    session = runtime.InferenceSession(graph.SerializeToString())
    found = session.run(["label", "label_or_ask"], onnx_inputs(session, model, rows))
    assert found[1].tolist() == quietly(model.predict_or_ask, rows, LIMIT).astype(str).tolist()
    answers = quietly(model.predict, rows)
    assert found[0].tolist() == answers.tolist()
    plain = [each.name for each in to_onnx(model).graph.output]
    assert plain == ["label", "probabilities"]


def test_onnx_asks_a_person_about_numbers_with_numbered_classes():
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y = load_breast_cancer(return_X_y=True)
    tree = PlaneTreeClassifier().fit(X, y)
    session = runtime.InferenceSession(to_onnx(tree, ask=0.1).SerializeToString())
    far = X[:100].copy()
    far[::3, tree.features_used_[0]] = 1e6
    far[::4, tree.features_used_[0]] = np.nan
    for rows in (X, far):
        (found,) = session.run(["label_or_ask"], {"X": rows})
        assert found.tolist() == tree.predict_or_ask(rows, 0.1).astype(str).tolist()
        assert 0 < found.tolist().count("ask a person") < len(rows)


def test_what_cannot_ask_a_person_is_refused():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="predict_or_ask"):
        to_python(RobustSeparator().fit(X, y), ask=0.1)
    with pytest.raises(ValueError, match="predict_or_ask"):
        to_onnx(RobustSeparator().fit(X, y), ask=0.1)
    with pytest.raises(ValueError, match="ask"):
        to_sql(C45Classifier().fit(X, y), ask=2.0)
