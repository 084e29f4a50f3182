"""A model that was saved and loaded is the model; what is no model is refused with the reason."""

import dataclasses
import json
import os
import warnings

import numpy as np
import pytest
from mixed_rows import mixed
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
