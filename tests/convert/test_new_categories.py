"""A category that training did not have is not missing: whoever reads a tree agrees on both."""

import ctypes
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from odd_tables import matrix_of, quietly, records_of

from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator
from planetree.convert import to_c, to_onnx, to_python, to_rules, to_sql
from planetree.model_files import load, save
from planetree.planes import Categories, Planes
from planetree.tree import explain

NAMES = list("abcdefghij")


def colored(n, seed=0):
    """Ten colors, a quarter missing, which tells the class; and two numbers."""
    rng = np.random.default_rng(seed)
    color = rng.choice(NAMES, n).astype(object)
    color[rng.random(n) < 0.25] = None
    x, side = rng.normal(size=n), np.isin(color.astype(str), list("acegj"))
    score = np.where(pd.isna(color), 1.6, np.where(side, 1.0, -1.0)) + 0.7 * x * (color != "b")
    frame = pd.DataFrame({"color": color, "x": x, "flag": rng.normal(size=n)})
    return frame, np.where(score + rng.normal(scale=0.5, size=n) > 0, "yes", "no")


@pytest.fixture(scope="module")
def model():
    """Divisions of categories with a branch for missing ones, and graded cuts."""
    return PlaneTreeClassifier().fit(*colored(600))


@pytest.fixture(scope="module")
def plane():
    """One plane over indicators, with a branch for missing categories."""
    frame, y = colored(600)
    color = frame["color"].replace(dict(zip(NAMES, list("rgbrgbrgbr"), strict=True)))
    y = np.where(frame["x"] + 2 * (color == "r") + color.isna() > 1, "yes", "no")
    found = PlaneTreeClassifier(max_splits=1).fit(frame.assign(color=color), y)
    assert found.tree_.splits[0].categories.max() >= 0
    return found


@pytest.fixture(scope="module")
def rows():
    """Every color, none, and one that training did not have, beside the same numbers."""
    numbers = colored(40, seed=1)[0].drop(columns="color")
    parts = [numbers.assign(color=color) for color in [*NAMES, "r", "g", None, "mauve"]]
    frame = pd.concat(parts, ignore_index=True)[["color", "x", "flag"]]
    frame.loc[::9, "x"] = None
    return frame


def by_python(model, frame):
    module = {}
    exec(to_python(model), module)
    records = records_of(frame)
    shares = [module["predict_shares"](row) for row in records]
    return [module["predict"](row) for row in records], shares


def by_c(model, frame, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = tmp_path / "model.c", tmp_path / "model.so"
    source.write_text(to_c(model), encoding="ascii")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-lm"]
    subprocess.run([compiler, str(source), *flags, "-o", str(library)], check=True)
    core, double = ctypes.CDLL(str(library)), ctypes.POINTER(ctypes.c_double)
    assert core.predict_category(0, b"mauve") == -1
    labels, shares = [], np.empty((len(frame), len(model.classes_)))
    for row, of_row in zip(np.ascontiguousarray(matrix_of(model, frame)), shares, strict=True):
        labels.append(model.classes_[core.predict(row.ctypes.data_as(double))])
        core.predict_shares(row.ctypes.data_as(double), of_row.ctypes.data_as(double))
    return labels, shares


def by_sqlite(model, frame):
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE given (color, x, flag)")
    cells = [tuple(row.values()) for row in records_of(frame)]
    base.executemany("INSERT INTO given VALUES (?, ?, ?)", cells)
    plain = [row[-1] for row in base.execute(to_sql(model, "given", dialect="sqlite"))]
    query = to_sql(model, "given", dialect="sqlite", probabilities=True)
    found = base.execute(query).fetchall()
    assert plain == [row[3] for row in found]
    return plain, [row[4:] for row in found]


def by_duckdb(model, frame):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    base.register("frame", frame.assign(number=range(len(frame))))
    base.execute("CREATE TABLE given AS SELECT * FROM frame")
    query = to_sql(model, "given", dialect="duckdb", probabilities=True)
    found = base.execute(f"{query} ORDER BY number").fetchall()
    return [row[4] for row in found], [row[5:] for row in found]


def by_onnx(model, frame):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    texts = frame["color"].where(frame["color"].notna(), "").to_numpy(dtype=object)
    given = {"color": texts, "x": frame["x"].to_numpy(float), "flag": frame["flag"].to_numpy(float)}
    return session.run(None, {i.name: given[i.name][:, None] for i in session.get_inputs()})


TARGETS = {
    "python": by_python,
    "c": by_c,
    "sqlite": by_sqlite,
    "duckdb": by_duckdb,
    "onnx": by_onnx,
}


@pytest.mark.parametrize("which", ["model", "plane"])
@pytest.mark.parametrize("target", TARGETS)
def test_exports_answer_new_and_missing_categories_as_the_model_does(
    which, target, rows, request, tmp_path
):
    model = request.getfixturevalue(which)
    extra = [tmp_path] if target == "c" else []
    labels, shares = TARGETS[target](model, rows, *extra)
    assert np.array_equal(np.asarray(labels, dtype=object), quietly(model.predict, rows))
    np.testing.assert_allclose(
        np.array(shares, float), quietly(model.predict_proba, rows), atol=1e-9
    )


def by_hand(tree, node, row, missing, new):
    """Probabilities of a row from the statement: missing has a branch, new goes by weight."""
    split, children = tree.splits[node], tree.children_of(node)
    if split is None:
        return tree.leaf_distributions[node]
    by_weight, reads = tree.weights[children] / tree.weights[node], 0 in split.features
    if missing and reads:
        parts = np.eye(2)[split.unknown] if split.unknown >= 0 else by_weight
    elif new and isinstance(split, Categories):
        parts = by_weight
    else:
        parts = split.shares(row[None])[0]
    below = [by_hand(tree, child, row, missing, new) for child in children]
    return sum(part * share for part, share in zip(parts, below, strict=True))


def test_a_new_category_takes_every_branch_of_a_division_by_share_and_a_missing_one_its_own(model):
    tree, numbers = model.tree_, colored(60, seed=2)[0]
    assert any(isinstance(each, Categories) and each.unknown >= 0 for each in tree.splits)
    for color in (None, "mauve"):
        frame = numbers.assign(color=color)
        X = matrix_of(model, frame)
        expected = [by_hand(tree, 0, row, color is None, color is not None) for row in X]
        np.testing.assert_allclose(tree.distribution(X), expected, atol=1e-12)
    both = [quietly(model.predict_proba, numbers.assign(color=c)) for c in (None, "mauve")]
    assert np.abs(both[0] - both[1]).max() > 0.1


def test_a_new_category_has_no_indicator_in_a_plane(plane):
    numbers = colored(30, seed=3)[0]
    X = matrix_of(plane, numbers.assign(color="mauve"))
    split = plane.tree_.splits[0]
    used = split.categories < 0
    alone = Planes(split.weights[:, used], split.offsets, split.rule, split.columns[used])
    assert np.array_equal(split.scores(X), alone.scores(X))
    assert np.isnan(split.scores(matrix_of(plane, numbers.assign(color=None)))).all()


def test_rules_and_explanations_and_files_say_the_same(model, plane, rows, tmp_path):
    for each in (model, plane):
        expected = quietly(each.predict_proba, rows)
        save(each, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert np.array_equal(quietly(again.predict_proba, rows), expected)
        told = quietly(explain, each, rows.iloc[-1:])
        assert told.answer == quietly(each.predict, rows.iloc[-1:])[0]
    known = rows[rows["x"].notna()]
    in_plane = known[known["color"].notna()]
    assert np.array_equal(
        quietly(to_rules(plane).predict, in_plane), quietly(plane.predict, in_plane)
    )
    with pytest.raises(ValueError, match="categories that training did not have"):
        quietly(to_rules(model).predict, known[known["color"] == "mauve"])
    old = known[known["color"].isin(NAMES) | known["color"].isna()]
    assert np.array_equal(to_rules(model).predict(old), model.predict(old))


def test_c45_reads_a_new_category_as_missing_as_release_8_does():
    frame, y = colored(300)
    tree = C45Classifier().fit(frame, y)
    new, missing = (frame.assign(color=color) for color in ("mauve", None))
    assert np.array_equal(quietly(tree.predict_proba, new), tree.predict_proba(missing))


def test_a_model_that_needs_every_value_refuses_a_new_category_in_exports_too():
    frame = pd.DataFrame({"color": ["a", "b", "c"] * 10})
    model = RobustSeparator().fit(frame, ["yes", "no", "no"] * 10)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE given (color)")
    base.executemany("INSERT INTO given VALUES (?)", [("a",), ("mauve",), (None,)])
    found = [row[-1] for row in base.execute(to_sql(model, "given", dialect="sqlite"))]
    assert found == ["yes", None, None]
    module = {}
    exec(to_python(model), module)
    with pytest.raises(ValueError, match="needs every value"):
        module["predict"]({"color": "mauve"})
