"""Exported classes and probabilities are those of the model, whatever its decisions and rows are.

Trees are made up rather than fitted, so that every rule, hard or graded, meets every other, with
up to 20 classes, costs, missing cells, and cells of 1e300.
"""

import ctypes
import dataclasses
import shutil
import sqlite3
import subprocess
import tempfile
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_tables import (
    is_on_a_plane,
    is_tied,
    matrix_of,
    odd_labels,
    odd_table,
    onnx_inputs,
    quietly,
    records_of,
)
from sklearn.base import clone

from planetree import (
    BilinearSeparator,
    C45Classifier,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
)
from planetree.convert import to_c, to_network, to_onnx, to_python, to_sql
from planetree.planes import Categories, Planes
from planetree.tree import Tree

SEPARATORS = [
    (RobustSeparator(), 2),
    (RobustSeparator(), 3),
    (BilinearSeparator(topology="first", max_restarts=0), 2),
    (BilinearSeparator(topology="alternating", max_restarts=0), 2),
]
CLOSE = {"rtol": 0.0, "atol": 1e-9}


def made_up_tree(rng, n_classes, stray):
    """One decision of each kind, most graded, over two numbers and a category of three."""
    of_category = {"columns": [0, 1, 2, 2], "categories": [-1, -1, 0, 1]}
    decisions = [
        Planes(rng.normal(size=(1, 4)), [0.1], "slabs", spread=0.4, **of_category),
        Planes(rng.normal(size=(3, 2)), rng.normal(size=3), "argmax", spread=0.7),
        Planes([[1.0, -1.0]] * 3, [1.0, -1.0, 0.0], "slabs", spread=0.3),
        Planes(rng.normal(size=(2, 2)), [0.0, 0.2], "both", spread=0.5),
        Planes(rng.normal(size=(3, 4)), [0.0, 0.2, -0.1], "same_side", spread=0.5, **of_category),
        Categories(2, [0, 1, stray]),
        Planes(rng.normal(size=(2, 2)), [0.0, 0.2], "both"),
        Planes(rng.normal(size=(3, 2)), [0.3, 0.0, 0.2], "argmax"),
        Planes([[1.0, 0.0]], [0.25], "slabs", spread=1e-3),
    ]
    kinds = cycle([decisions[i] for i in rng.permutation(len(decisions))])
    splits, n_branches, children = [], [], []

    def grow(depth):
        node = len(splits)
        split = next(kinds) if depth < 3 else None
        splits.append(split)
        n_branches.append(0 if split is None else split.n_branches)
        children.append([])
        children[node] = [grow(depth + 1) for _ in range(n_branches[node])]
        return node

    grow(0)
    leaf = rng.dirichlet(np.full(n_classes, 0.7), len(splits)) + 1e-6
    counts = rng.integers(1, 9, (len(splits), n_classes)).astype(float)
    for node in reversed(range(len(splits))):
        if children[node]:
            counts[node] = counts[children[node]].sum(axis=0)
    return Tree(
        splits,
        n_branches,
        [child for each in children for child in each],
        counts,
        counts.argmax(axis=1),
        counts.sum(axis=1),
        leaf_probabilities=leaf / leaf.sum(axis=1, keepdims=True),
    )


def made_up_rows(rng, n, missing=0.15):
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    frame.loc[rng.random(n) < 0.1, "a"] = 1e300
    frame.loc[rng.random(n) < 0.1, "b"] = -1e300
    frame["c"] = pd.Categorical(rng.choice(["x", "y", "z"], n))
    for name in frame:
        frame.loc[rng.random(n) < missing, name] = None
    return frame


def made_up_model(seed, n_classes, grading, costs, stray=-1):
    rng = np.random.default_rng(seed)
    labels = [f"class {c}" for c in range(n_classes)]
    frame = made_up_rows(rng, 6 * n_classes, 0.0).assign(
        a=1.0, b=2.0, c=["x", "y", "z"] * 2 * n_classes
    )
    frame["c"] = frame["c"].astype("category")
    model = PlaneTreeClassifier(grading=grading, costs=costs).fit(frame, labels * 6)
    tree = made_up_tree(np.random.default_rng(seed), n_classes, stray)
    model.tree_ = model.rounded_tree_ = tree
    return model


def random_costs(n_classes):
    costs = np.random.default_rng(n_classes).uniform(0.5, 4.0, (n_classes, n_classes))
    return costs * (1.0 - np.eye(n_classes))


MODELS = [
    *(pytest.param(seed, 2, "leaf", None, id=f"two-{seed}") for seed in range(3)),
    *(pytest.param(seed, 4, "leaf", random_costs(4), id=f"costs-{seed}") for seed in range(3)),
    pytest.param(3, 20, "leaf", None, id="twenty"),
    pytest.param(4, 3, "soft", None, id="soft"),
    pytest.param(5, 3, "soft", random_costs(3), id="soft-costs"),
]
every_model = pytest.mark.parametrize(("seed", "n_classes", "grading", "costs"), MODELS)


@pytest.fixture(scope="module")
def case():
    """A function that gives a made-up model and rows, each made once."""
    made = {}

    def make(seed, n_classes, grading, costs):
        key = seed, n_classes, grading, costs is None
        if key not in made:
            rows = made_up_rows(np.random.default_rng(seed + 100), 400)
            made[key] = made_up_model(seed, n_classes, grading, costs), rows
        return made[key]

    return make


def check(model, frame, classes, probabilities):
    """Compare with the model; rows on a plane to rounding may go either way."""
    expected = quietly(model.predict_proba, frame)
    tied = is_tied(model, frame) | is_on_a_plane(model, frame)
    assert tied.mean() < 0.05
    found = np.asarray(probabilities, dtype=float)[~tied]
    np.testing.assert_allclose(found, expected[~tied], **CLOSE)
    assert np.array_equal(np.asarray(classes)[~tied], quietly(model.predict, frame)[~tied])


def by_python(model, frame, **options):
    module = {}
    exec(to_python(model, **options), module)
    rows = records_of(frame)
    return [module["predict"](r) for r in rows], [module["predict_shares"](r) for r in rows]


def by_c(model, frame, folder, **options):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library = folder / "model.c", folder / "model.so"
    source.write_text(to_c(model, **options), encoding="ascii")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(library), "-lm"], check=True)
    functions = ctypes.CDLL(str(library))
    pointer = ctypes.POINTER(ctypes.c_double)
    rows = np.ascontiguousarray(matrix_of(model, frame))
    shares, codes = np.zeros((len(rows), len(model.classes_))), []
    for row, share in zip(rows, shares, strict=True):
        functions.predict_shares(row.ctypes.data_as(pointer), share.ctypes.data_as(pointer))
        codes.append(functions.predict(row.ctypes.data_as(pointer)))
    return [None if code < 0 else model.classes_[code] for code in codes], shares


def by_sqlite(model, frame, **options):
    base = sqlite3.connect(":memory:")
    names = ['"' + name.replace('"', '""') + '"' for name in frame]
    base.execute(f'CREATE TABLE "some rows" ({", ".join(names)})')
    cells = [tuple(row.values()) for row in records_of(frame)]
    base.executemany(f'INSERT INTO "some rows" VALUES ({", ".join("?" * len(names))})', cells)
    query = to_sql(model, "some rows", dialect="sqlite", probabilities=True, **options)
    return taken_apart(model, frame, base.execute(query).fetchall())


def by_duckdb(model, frame, **options):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    texts = {name: object for name in frame if frame[name].dtype == "category"}
    texts |= {"rank": float} if "rank" in frame else {}
    base.register("given", frame.astype(texts).assign(number=range(len(frame))))
    base.execute('CREATE TABLE "some rows" AS SELECT * FROM given')
    query = to_sql(model, "some rows", dialect="duckdb", probabilities=True, **options)
    rows = base.execute(f"{query} ORDER BY number").fetchall()
    return taken_apart(model, frame.assign(number=0), rows)


def taken_apart(model, frame, rows):
    """Classes and probabilities, which stand after the columns of the table, and nothing else."""
    k = len(model.classes_)
    assert {len(row) for row in rows} == {frame.shape[1] + 1 + k}
    return [row[-k - 1] for row in rows], [row[-k:] for row in rows]


def by_onnx(model, frame, **options):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(model, **options).SerializeToString())
    return session.run(None, onnx_inputs(session, model, frame))


TARGETS = {
    "python": by_python,
    "c": by_c,
    "sqlite": by_sqlite,
    "duckdb": by_duckdb,
    "onnx": by_onnx,
}
every_target = pytest.mark.parametrize("target", TARGETS)


def run(target, model, frame, folder, **options):
    extra = [folder] if target == "c" else []
    return TARGETS[target](model, frame, *extra, **options)


class _Lopsided(Tree):
    """A tree whose missing values go where most training rows went."""

    def parts(self, node):
        heavy = self.weights[self.children_of(node)]
        return (np.arange(len(heavy)) == heavy.argmax()).astype(float)


@every_model
@every_target
def test_every_decision_answers_as_it_does_here(
    case, target, seed, n_classes, grading, costs, tmp_path
):
    model, frame = case(seed, n_classes, grading, costs)
    check(model, frame, *run(target, model, frame, tmp_path))


@every_target
@given(
    seed=st.integers(0, 2**20),
    n_classes=st.integers(2, 20),
    grading=st.sampled_from(["leaf", "soft"]),
    costly=st.booleans(),
    missing=st.sampled_from([0.0, 0.2, 0.6]),
)
@settings(max_examples=3, deadline=None)
def test_any_tree_of_up_to_20_classes_answers_as_it_does_here(
    target, seed, n_classes, grading, costly, missing
):
    model = made_up_model(seed, n_classes, grading, random_costs(n_classes) if costly else None)
    frame = made_up_rows(np.random.default_rng(seed + 1), 60, missing)
    with tempfile.TemporaryDirectory() as folder:
        check(model, frame, *run(target, model, frame, Path(folder)))


@every_model
def test_a_network_of_smooth_units_answers_as_the_model(seed, n_classes, grading, costs):
    model = made_up_model(seed, n_classes, grading, costs, stray=1)
    frame, network = made_up_rows(np.random.default_rng(seed + 100), 400, 0.0), to_network(model)
    check(model, frame, network.predict(frame), network.predict_proba(frame))


@every_target
def test_missing_values_that_go_with_the_majority_take_its_share(target, tmp_path):
    model = made_up_model(6, 3, "leaf", None)
    tree = model.tree_
    frame = made_up_rows(np.random.default_rng(106), 300)
    found = run(target, model, frame, tmp_path, missing="majority")
    fields = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
    model.tree_ = _Lopsided(**fields)
    check(model, frame, *found)


@pytest.fixture(scope="module", params=SEPARATORS, ids=repr)
def separator(request):
    estimator, n_classes = request.param
    frame = odd_table(120)
    return clone(estimator).fit(frame, odd_labels(frame, n_classes))


@every_target
def test_separators_tell_their_probabilities(separator, target, tmp_path):
    frame = odd_table(400, seed=3)
    classes, shares = run(target, separator, frame, tmp_path)
    np.testing.assert_allclose(shares, separator.predict_proba(frame), **CLOSE)
    assert np.array_equal(classes, separator.predict(frame))


@pytest.mark.parametrize("target", ["c", "sqlite", "duckdb", "onnx"])
def test_separators_tell_none_where_they_refuse(separator, target, tmp_path):
    frame = odd_table(100, seed=5, missing=0.2)
    used = separator.planes_.features
    lacking = np.isnan(matrix_of(separator, frame)[:, used]).any(axis=1)
    _, shares = run(target, separator, frame, tmp_path)
    unknown = np.isnan(np.array(shares, dtype=float))
    assert np.array_equal(unknown.all(axis=1), lacking)
    assert np.array_equal(unknown.any(axis=1), lacking)
    assert lacking.any()


def test_networks_of_separators_tell_their_probabilities(separator):
    frame = odd_table(400, seed=3)
    found = to_network(separator).predict_proba(frame)
    np.testing.assert_allclose(found, separator.predict_proba(frame), **CLOSE)


def test_models_without_probabilities_have_none_elsewhere():
    frame = odd_table(60)
    model = MultisurfaceClassifier(conflicts="majority").fit(frame, odd_labels(frame, 2))
    with pytest.raises(ValueError, match="no predict_proba"):
        to_sql(model, "rows", probabilities=True)
    with pytest.raises(ValueError, match="no predict_proba"):
        to_network(model).predict_proba(frame)
    assert "_shares" not in to_python(model)
    assert "_shares" not in to_c(model)


def test_sql_says_each_score_once_for_its_share_however_many_classes():
    """Nested expressions would repeat the score for each leaf and class."""
    sizes = []
    for n_classes in (4, 20):
        query = to_sql(made_up_model(0, n_classes, "soft", None), "rows", probabilities=True)
        sizes.append(query.count("EXP("))
    assert sizes[0] == sizes[1]


def test_planes_for_classes_that_a_readable_tree_found_answer_as_they_do_here(tmp_path):
    """Classes at the corners of a triangle: one decision with a plane for each."""
    rng, angles = np.random.default_rng(0), np.radians([15.0, 135.0, 255.0])
    y = np.resize(np.arange(3), 240)
    corners = 3.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    frame = pd.DataFrame(corners[y] + rng.normal(size=(240, 2)), columns=["a", "b"])
    model = PlaneTreeClassifier().fit(frame, np.array(["red", "green", "blue"])[y])
    assert "argmax" in {split.rule for split in model.tree_.splits if split is not None}
    for target in TARGETS:
        classes, shares = run(target, model, frame, tmp_path)
        assert list(classes) == model.predict(frame).tolist()
        np.testing.assert_allclose(shares, model.predict_proba(frame), **CLOSE)


def test_hard_trees_tell_the_shares_of_their_leaves(tmp_path):
    frame = odd_table(200, missing=0.05)
    model = C45Classifier().fit(frame, odd_labels(frame, 3))
    rows = odd_table(300, seed=4, missing=0.2, unseen=0.1)
    for target in TARGETS:
        classes, shares = run(target, model, rows, tmp_path)
        np.testing.assert_allclose(
            np.array(shares, float), quietly(model.predict_proba, rows), **CLOSE
        )
        tied = is_tied(model, rows)
        assert np.array_equal(np.array(classes)[~tied], quietly(model.predict, rows)[~tied])
