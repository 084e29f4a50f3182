"""Words in a file are given for the model that they were written with, and for no other."""

import json

import numpy as np
import pytest

import planetree
from planetree.saved_words import model_digest, read_words


@pytest.fixture
def path(tmp_path):
    model = planetree.RobustSeparator().fit(np.arange(6.0)[:, None], list("aaabbb"))
    return planetree.save(model, tmp_path / "model.json") or tmp_path / "model.json"


def test_words_are_those_of_the_model(path):
    words = read_words(path)
    assert words["text"] == planetree.load(path).to_text()
    assert words["classes"] == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["model"].update(estimator="C45Classifier"),
        lambda said: said.update(planetree="0.0.1"),
        lambda said: said["words"].update(text=3),
        lambda said: said["words"].pop("size"),
        lambda said: said.pop("words"),
    ],
    ids=["another model", "another version", "no text", "no size", "no words"],
)
def test_words_of_anything_else_are_none(path, change):
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))
    assert read_words(path) is None


def test_what_is_no_file_of_ours_has_no_words(tmp_path):
    for text in ("[", "[]", "1", '{"planetree": 1}'):
        (tmp_path / "other.json").write_text(text)
        assert read_words(tmp_path / "other.json") is None


def test_a_digest_does_not_depend_on_the_order_of_keys_and_does_on_values():
    assert model_digest({"a": 1, "b": [2.0]}) == model_digest({"b": [2.0], "a": 1})
    assert model_digest({"a": 1}) != model_digest({"a": 2})
