"""A model by the name of its format is what the function of that format gives."""

import json

import numpy as np
import pytest

from planetree import PlaneTreeClassifier
from planetree.convert import exported, to_c, to_network, to_onnx, to_python, to_rules, to_sql


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return PlaneTreeClassifier().fit(X, X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=80) > 0)


@pytest.mark.parametrize(
    ("name", "function"), [("sql", to_sql), ("python", to_python), ("c", to_c), ("rules", to_rules)]
)
def test_text_is_that_of_the_function_of_the_format(model, name, function):
    options = {"missing": "majority"} if name != "rules" else {}
    assert exported(model, name, **options) == str(function(model, **options))


def test_onnx_is_bytes_that_can_be_read_back(model):
    onnx = pytest.importorskip("onnx")
    content = exported(model, "onnx", missing="majority")
    assert onnx.load_from_string(content) == to_onnx(model, missing="majority")


def test_a_network_as_json_has_the_numbers_of_the_network(model):
    said, network = json.loads(exported(model, "network")), to_network(model)
    assert [each["column"] for each in said["inputs"]] == [
        network.columns[j].name for j in network.input_columns
    ]
    for layer, own in zip(said["layers"], network.layers, strict=True):
        assert layer == {"weights": own.weights.tolist(), "thresholds": own.thresholds.tolist()}
    assert said["classes"] == [False, True]
    assert said["probability_units"] == json.loads(json.dumps(network.probability_units.to_data()))


def test_a_format_that_there_is_not_is_an_error(model):
    with pytest.raises(KeyError):
        exported(model, "cobol")
