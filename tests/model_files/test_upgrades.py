"""Files of older versions load and give the same answers.

Those of version 1 were written by 0.1.0, one or more of every estimator; those of version 2 are of
estimators that version 3 changed, and a few others.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_contract import public_estimators

import planetree

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


@pytest.mark.parametrize("held", FILES, ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_an_older_file_loads_and_gives_the_same_bits(held, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(held["model"]), "utf-8")
    model = planetree.load(path)
    rows = held["rows"]
    X = np.array(rows["array"]) if "array" in rows else pd.DataFrame(rows["frame"])
    planetree.save(model, path)
    for each in (model, planetree.load(path)):
        answers = {name: as_written(getattr(each, name)(X)) for name in held["answers"]}
        assert answers == held["answers"]


def test_every_public_estimator_has_a_file_of_0_1_0():
    names = {held["model"]["model"]["estimator"] for held in FIRST}
    assert names >= {each.__name__ for each in public_estimators()}


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
