"""A model that was saved and loaded is the model; what is no model is refused with the reason."""

import dataclasses
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from test_contract import every_estimator, numbers, public_estimators  # noqa: F401

import planetree
from planetree import C45Classifier, PlaneTreeClassifier, RobustSeparator, SeparatorTreeClassifier
from planetree.exceptions import ModelFileError
from planetree.model_files import upgrades
from planetree.model_files.schema import FITTED, PEERS, RECORDS, own_estimators
from planetree.model_files.writing import _write_model as write_model

pytestmark = pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")


def reloaded(model, tmp_path):
    planetree.save(model, tmp_path / "model.json")
    return planetree.load(tmp_path / "model.json")


def same(value, other):
    """Equal to the bit, type and dtype included."""
    if isinstance(value, np.ndarray):
        equal_nan = value.dtype.kind == "f"
        return value.dtype == other.dtype and np.array_equal(value, other, equal_nan=equal_nan)
    if type(value) is not type(other):
        return False
    if isinstance(value, (list, tuple)):
        return len(value) == len(other) and all(map(same, value, other))
    if isinstance(value, dict):
        return value.keys() == other.keys() and all(same(value[key], other[key]) for key in value)
    if isinstance(value, BaseEstimator):
        return same(value.__getstate__(), other.__getstate__())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return all(same(getattr(value, name), getattr(other, name)) for name in names)
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return same(vars(value), vars(other))
    return value == other or value != value


def agree_to_the_bit(model, other, X):
    for answer in ("predict", "predict_proba", "decision_function", "transform", "apply"):
        if hasattr(model, answer):
            assert np.array_equal(getattr(model, answer)(X), getattr(other, answer)(X)), answer


@every_estimator
def test_a_loaded_model_is_the_saved_one_to_the_bit(estimator, numbers, tmp_path):  # noqa: F811
    X, y = numbers
    model = clone(estimator).fit(X, y)
    if isinstance(getattr(model, "estimator_", None), DecisionTreeClassifier):
        with pytest.raises(ModelFileError, match="fitted DecisionTreeClassifier of scikit-learn"):
            planetree.save(model, tmp_path / "model.json")
        return
    loaded = reloaded(model, tmp_path)
    assert repr(loaded) == repr(model)
    held = model.__getstate__()
    held.pop("_sheet_rows", None)  # training rows, which files do not hold
    assert same(loaded.__getstate__(), held)
    many = np.random.default_rng(1).normal(scale=2.0, size=(1000, X.shape[1]))
    agree_to_the_bit(model, loaded, many)


def test_a_selector_that_chose_no_column_is_saved_with_its_tree(tmp_path):
    """0.1.0 refused it: 'a model has at least one column'."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.repeat([0, 1], [30, 10])
    model = planetree.GeneticSelector(n_evaluations=30, random_state=0, verbose=-1).fit(X, y)
    assert not model.support_.any()
    loaded = reloaded(model, tmp_path)
    agree_to_the_bit(model, loaded, X)
    assert same(loaded.__getstate__(), model.__getstate__())


def mixed(n, seed=0):
    """Numbers, categories and booleans, with cells missing where the kind can be."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            'größe "1"\n\'': rng.normal(size=n),
            "select": pd.Categorical(rng.choice(["red", "it's", "日本", ""], n)),
            "rank": pd.Categorical(rng.choice([1, 2, 30], n)),
            "flag": rng.random(n) < 0.5,
        }
    )
    labels = np.where(frame.iloc[:, 0] + (frame["select"] == "red") - frame["flag"] > 0, "a", "b")
    frame.loc[rng.random(n) < 0.1, 'größe "1"\n\''] = np.nan
    frame.loc[rng.random(n) < 0.1, "select"] = None
    return frame, labels


@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(),
        C45Classifier(subsets=True, confidence="cv"),
        PlaneTreeClassifier(costs=[[0, 1], [3, 0]], class_weight={"a": 2.0}),
        SeparatorTreeClassifier(
            RobustSeparator(perturbation=0.02), costs=np.array([[0, 1], [2, 0]])
        ),
    ],
    ids=repr,
)
def test_categories_missing_values_and_odd_names_survive(estimator, tmp_path):
    model = clone(estimator).fit(*mixed(300))
    loaded = reloaded(model, tmp_path)
    rows, _ = mixed(2000, seed=1)
    rows["select"] = rows["select"].cat.add_categories("never seen")
    rows.loc[::7, "select"] = "never seen"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", planetree.exceptions.CategoryWarning)
        assert np.array_equal(model.predict(rows), loaded.predict(rows))
        assert np.array_equal(model.predict_proba(rows), loaded.predict_proba(rows))
    assert loaded.to_text() == model.to_text()
    assert loaded.columns_ == model.columns_


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1, 2]),
        np.array([-3, 7, 9], dtype=np.int8),
        np.array([0.0, 1.0, 2.0], dtype=np.float32),
        np.array(["a", "b", "long label"]),
        np.array(["ä", '"', "\n"], dtype=object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels, tmp_path):
    iris = load_iris()
    model = C45Classifier().fit(iris.data, labels[iris.target])
    loaded = reloaded(model, tmp_path)
    assert loaded.predict(iris.data).dtype == model.predict(iris.data).dtype
    assert np.array_equal(loaded.predict(iris.data), model.predict(iris.data))


def test_every_public_estimator_can_be_held():
    assert set(public_estimators()) == set(own_estimators().values())


def test_the_page_on_model_files_has_the_schema():
    page = (Path(__file__).parents[2] / "docs" / "model_files.md").read_text("utf-8")
    table = page.split("### Fitted attributes")[1].split("###")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{name}` | {kind.says} |" for name, kind in FITTED.items()]
    assert all(f"| `{name}` | " in page for name in RECORDS)
    assert all(f"`{name}`" in page for name in PEERS)


def test_saving_replaces_only_when_told_and_leaves_nothing_else(tmp_path):
    model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    path = tmp_path / "model.json"
    planetree.save(model, path, force=False)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="force"):
        planetree.save(model, path, force=False)
    planetree.save(model, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_what_cannot_be_held_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("as it was")
    model = RobustSeparator().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    model.objective_ = object()
    with pytest.raises(ModelFileError, match="objective_"):
        planetree.save(model, path)
    assert path.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["model.json"]


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        planetree.save(RobustSeparator(), tmp_path / "model.json")


def test_estimators_of_others_are_held_by_their_parameters_only():
    said = write_model(KNeighborsClassifier(3))
    assert said["parameters"]["n_neighbors"] == 3
    with pytest.raises(ModelFileError, match="clone"):
        write_model(KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1]))
    with pytest.raises(ModelFileError, match="Pipeline"):
        write_model(make_pipeline(KNeighborsClassifier()))


@pytest.fixture
def document(tmp_path):
    """A small model as a document, and how to load it."""
    model = PlaneTreeClassifier(max_splits=2).fit(*mixed(60))
    planetree.save(model, tmp_path / "model.json")

    def load(said):
        (tmp_path / "model.json").write_text(said if isinstance(said, str) else json.dumps(said))
        return planetree.load(tmp_path / "model.json")

    return json.loads((tmp_path / "model.json").read_text()), load


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (PlaneTreeClassifier(costs=[[0, 9], [1, 0]]), "costs_"),
        (C45Classifier(arithmetic="double"), "arithmetic_"),
        (SeparatorTreeClassifier(), "multi_class_"),
        (planetree.HoldoutTreeClassifier(separator=planetree.GrinoldSeparator()), "multi_class_"),
        (planetree.FloatingSelector(KNeighborsClassifier()), "allow_nan_"),
    ],
    ids=repr,
)
def test_a_file_of_the_first_release_gets_what_it_lacks_from_its_parameters(
    model,
    name,
    numbers,  # noqa: F811
    tmp_path,
):
    """Models of 0.1.0 read parameters when they predicted, so their files lack what fit decided."""
    X, y = numbers
    planetree.save(model.fit(X, y), tmp_path / "model.json")
    said = json.loads((tmp_path / "model.json").read_text())
    del said["model"]["fitted"][name]
    said["version"] = 1
    (tmp_path / "model.json").write_text(json.dumps(said))
    loaded = planetree.load(tmp_path / "model.json")
    assert same(getattr(loaded, name), getattr(model, name))
    agree_to_the_bit(model, loaded, X)


def test_costs_that_an_old_file_cannot_mean_are_refused(document):
    said, load = document
    said["version"] = 1
    del said["model"]["fitted"]["costs_"]
    said["model"]["parameters"]["costs"] = [[0, 1], [1, 7]]
    with pytest.raises(ModelFileError, match="costs"):
        load(said)


def test_what_a_version_renamed_is_a_line_of_data(document, monkeypatch):
    said, load = document
    now = upgrades._UPGRADES[1]._replace(
        estimators={"NameOfLongAgo": "PlaneTreeClassifier"},
        parameters={"PlaneTreeClassifier": {"splits": "max_splits", "without_effect": None}},
        fitted={"PlaneTreeClassifier": {"tree": "tree_"}},
        records={"Plane": "Planes"},
    )
    monkeypatch.setitem(upgrades._UPGRADES, 1, now)
    before = load(said)
    model = said["model"]
    said["version"], model["estimator"] = 1, "NameOfLongAgo"
    model["parameters"] |= {"splits": model["parameters"].pop("max_splits"), "without_effect": 1}
    model["fitted"]["tree"] = model["fitted"].pop("tree_")
    loaded = load(json.loads(json.dumps(said).replace('"Planes"', '"Plane"')))
    assert repr(loaded) == repr(before)
    assert same(loaded.tree_, before.tree_)


@pytest.mark.parametrize("version", [0, upgrades.VERSION + 1, -1, 1.5, "1", None, True, 10**30])
def test_a_version_that_is_not_known_is_refused(document, version):
    said, load = document
    said["version"] = version
    with pytest.raises(ModelFileError, match="version"):
        load(said)


def change(said, steps, value):
    for step in steps[:-1]:
        said = said[step]
    said[steps[-1]] = value


TREE = ("model", "fitted", "tree_")


@pytest.mark.parametrize(
    ("steps", "value", "message"),
    [
        (("format",), "pickle", "not a model file"),
        (("model", "estimator"), "os.system", "not an estimator"),
        (("model", "parameters", "shell"), 1, "not a parameter"),
        (("model", "fitted", "predict"), 1, "unknown to this version"),
        (("model", "fitted", "__class__"), 1, "unknown to this version"),
        (("model", "fitted", "n_features_in_"), 3, "columns, but 3"),
        ((*TREE, "children", "values"), [2, 1, 3, 4], "values"),
        ((*TREE, "n_branches", "values", 0), 10**9, "n_branches"),
        ((*TREE, "predicted", "values", 1), 2, "predicted"),
        ((*TREE, "weights", "values", 0), "nan", "weights"),
        ((*TREE, "weights", "values", 0), -1.0, "negative"),
        ((*TREE, "class_weights", "shape"), [10**9, 10**9], "shape"),
        ((*TREE, "class_weights", "array"), "str999999999", "dtype"),
        ((*TREE, "splits", "tuple", 0, "record"), "Popen", "record of one of"),
        ((*TREE, "splits", "tuple", 0), None, "children"),
        (("model", "fitted", "classes_", "values"), ["a", "a"], "different"),
        (("model", "fitted", "classes_", "array"), "str9999999", "memory"),
        (("model", "fitted", "columns_", "tuple", 0, "name"), "flag", "same name"),
        (("model", "fitted", "costs_", "values", 0), 7.0, "costs"),
        (("model", "fitted", "costs_", "values", 1), -1.0, "costs"),
    ],
)
def test_what_does_not_fit_is_refused_and_named(document, steps, value, message):
    said, load = document
    change(said, steps, value)
    with pytest.raises(ModelFileError, match=message):
        load(said)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "{",
        '"',
        "nan",
        "[" * 10**5,
        '{"a":' * 10**5,
        "9" * 10**5,
        "\x00",
        "�",
    ],
    ids=lambda text: repr(text[:5]),
)
def test_what_is_no_document_is_refused(text, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=r"model\.json"):
        planetree.load(path)


def test_bytes_that_are_no_text_and_keys_that_are_twins_are_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(b"\xff\xfe{\x00}\x00")
    with pytest.raises(ModelFileError, match="UTF-8"):
        planetree.load(path)
    path.write_text('{"format": "planetree", "format": "planetree"}')
    with pytest.raises(ModelFileError, match="twice"):
        planetree.load(path)


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    path = tmp_path / "model.json"
    with open(path, "wb") as file:
        file.truncate(2**32)
    with pytest.raises(ModelFileError, match="max_bytes"):
        planetree.load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [("{}", "but there is nothing."), ("{", "bad.json: The file is not valid JSON: ")],
)
def test_what_is_wrong_with_a_file_is_a_sentence(tmp_path, text, words):
    """Once it was 'but there is .' and 'bad.json: is not valid JSON'."""
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(ModelFileError) as found:
        planetree.load(tmp_path / "bad.json")
    assert words in str(found.value)
