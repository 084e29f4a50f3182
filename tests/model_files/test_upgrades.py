"""Files of older versions load and give the same answers.

Those of version 1 were written by 0.1.0, one or more of every estimator; those of version 2 are of
estimators that version 3 changed, and a few others.
"""

import inspect
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_contract import public_estimators

import planetree
from planetree.arrays import encode
from planetree.exceptions import ModelFileError
from planetree.model_files.reading import read_text
from planetree.table import read_rows

FIRST, SECOND = (
    json.loads(Path(__file__).with_name(f"version_{number}.json").read_text("utf-8"))
    for number in (1, 2)
)
FILES = [*FIRST, *SECOND]


def name_of(held):
    return f"{held['name']} of version {held['model']['version']}"


def as_written(array):
    """Shape and elements of an answer, floats in hexadecimal digits, as the file has them."""
    array = np.asarray(array)
    flat = array.ravel().tolist()
    values = [value.hex() if isinstance(value, float) else value for value in flat]
    return {"shape": list(array.shape), "values": values}


def rounding_of_scores(model, X):
    """By how much two sums of the terms of a row's score, each in some order, may differ."""
    planes = model.planes_
    terms = np.abs(encode(read_rows(model, X), planes.columns, planes.categories))
    sizes = terms @ np.abs(planes.weights).T + np.abs(planes.offsets)
    return 2 * (planes.weights.shape[1] + 1) * 2.0**-53 * sizes.max(axis=1)


@pytest.mark.parametrize("held", FILES, ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_an_older_file_loads_and_gives_the_same_answers(held, tmp_path):
    """All bits are the same but those of scores, which BLAS summed: each is within its rounding."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps(held["model"]), "utf-8")
    model = planetree.load(path)
    rows = held["rows"]
    X = np.array(rows["array"]) if "array" in rows else pd.DataFrame(rows["frame"])
    planetree.save(model, path)
    for each in (model, planetree.load(path)):
        answers = {name: getattr(each, name)(X) for name in held["answers"]}
        expected = dict(held["answers"])
        if "decision_function" in answers and hasattr(each, "planes_"):
            scores, written = answers.pop("decision_function"), expected.pop("decision_function")
            read = np.reshape([float.fromhex(v) for v in written["values"]], written["shape"])
            room = rounding_of_scores(each, X)
            assert np.all(np.abs(scores - read) <= room.reshape(-1, *[1] * (read.ndim - 1)))
        assert {name: as_written(answer) for name, answer in answers.items()} == expected


ONE_EACH = {held["model"]["model"]["estimator"]: held for held in FILES}


def asked_for_everything(model, X):
    """Every property, and every method that takes rows or nothing."""
    for name in dir(type(model)):
        if isinstance(inspect.getattr_static(type(model), name), property):
            getattr(model, name)
    for name in ("predict", "predict_proba", "decision_function", "apply", "decision_path"):
        if hasattr(model, name):
            getattr(model, name)(X)
    for name in ("get_support", "get_depth", "get_n_leaves", "round_weights", "to_text"):
        if hasattr(model, name):
            getattr(model, name)()


@pytest.mark.parametrize("held", ONE_EACH.values(), ids=ONE_EACH)
@pytest.mark.filterwarnings("ignore")
def test_an_older_file_that_lacks_something_is_refused_or_works_all_the_same(held):
    """Files without `status_` or `rounded_tree_` loaded, and failed when they were asked for it."""
    rows = held["rows"]
    X = np.array(rows["array"]) if "array" in rows else pd.DataFrame(rows["frame"])
    refused = 0
    for part in ("parameters", "fitted"):
        for name in held["model"]["model"][part]:
            lacking = json.loads(json.dumps(held["model"]))
            del lacking["model"][part][name]
            try:
                asked_for_everything(read_text(json.dumps(lacking)), X)
            except ModelFileError:
                refused += 1
    assert refused >= 5


def test_a_parameter_that_is_missing_is_named():
    """It was taken to be the default."""
    held = ONE_EACH["RobustSeparator"]["model"]
    lacking = json.loads(json.dumps(held))
    del lacking["model"]["parameters"]["weighting"]
    with pytest.raises(ModelFileError, match="parameters has no weighting"):
        read_text(json.dumps(lacking))


def test_probabilities_that_are_no_numbers_are_refused():
    held = json.loads(json.dumps(ONE_EACH["PlaneTreeClassifier"]["model"]))
    held["model"]["fitted"]["tree_"]["splits"]["tuple"][0]["spread"] = {"float": "nan"}
    with pytest.raises(ModelFileError, match="spread"):
        read_text(json.dumps(held))


NEW = {"MisclassificationSeparator"}  # since then


def test_every_public_estimator_has_a_file_of_0_1_0():
    names = {held["model"]["model"]["estimator"] for held in FIRST}
    assert names >= {each.__name__ for each in public_estimators()} - NEW


TREES = [held for held in FILES if "tree_" in held["model"]["model"]["fitted"]]


@pytest.mark.parametrize("held", TREES, ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_an_older_tree_has_a_certificate_for_each_decision(held, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(held["model"]), "utf-8")
    model = planetree.load(path)
    if not hasattr(model, "certificates_"):  # a selector holds a tree of its own
        model = model.estimator_
    tree, certificates = model.tree_, model.certificates_
    assert len(certificates) == tree.n_nodes - tree.n_leaves
    assert all(type(each) is planetree.certificate.Certificate for each in certificates)
    assert "program of the separator" not in {each.kind for each in certificates}
    planetree.save(model, path)
    again = [repr(each) for each in planetree.load(path).certificates_]
    assert again == [repr(each) for each in certificates]
