"""What a file may not say: each is refused, and named in a sentence."""

import pytest

import planetree
from planetree.exceptions import ModelFileError
from planetree.model_files import upgrades

TREE = ("model", "fitted", "tree_")


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
