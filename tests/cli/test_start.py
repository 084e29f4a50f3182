"""Help and the words of a saved model come at once: nothing that computes is loaded for them."""

import json
import subprocess
import sys

import numpy as np
import pytest

import planetree
from planetree.saved_words import read_words

HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "narwhals", "highspy", "matplotlib", "rich")
RUN = f"""
import sys
from planetree.cli.app import run
code = run(sys.argv[1:])
print("loaded:", *sorted({set(HEAVY)!r} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    rows = np.random.default_rng(0).normal(size=(60, 3))
    model = planetree.PlaneTreeClassifier().fit(rows, np.where(rows[:, 0] > 0, "yes", "no"))
    path = tmp_path_factory.mktemp("start") / "model.json"
    planetree.save(model, path)
    return path


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-c", RUN, *map(str, arguments)], capture_output=True, text=True
    )


def test_help_and_show_load_nothing_that_computes(model_file):
    for arguments in (
        ["--help"],
        ["fit", "--help"],
        ["show", model_file],
        ["show", "--json", model_file],
    ):
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        assert done.stderr.strip() == "loaded:", arguments


def test_show_prints_the_words_of_the_loaded_model(model_file):
    assert planetree.load(model_file).to_text() in run("show", model_file).stdout


def test_a_model_edited_by_hand_is_loaded_and_shown_as_it_is(model_file, tmp_path):
    said = json.loads(model_file.read_text())
    said["model"]["fitted"]["classes_"]["values"] = ["no", "maybe"]
    said["model"]["fitted"]["classes_"]["array"] = "str5"
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(said))
    assert read_words(path) is None
    assert "words are not those of the model" in run("show", path).stderr
    del said["words"]
    path.write_text(json.dumps(said))
    assert "maybe" in run("show", path).stdout


@pytest.mark.parametrize("words", [1, {}, {"of": 3}, {"of": "0" * 64}])
def test_words_that_are_not_of_the_model_are_refused(model_file, tmp_path, words):
    said = json.loads(model_file.read_text())
    said["words"] = words if words == 1 else {**said["words"], "text": "lies", **words}
    path = tmp_path / "false.json"
    path.write_text(json.dumps(said))
    with pytest.raises(planetree.exceptions.ModelFileError, match="words"):
        planetree.load(path)


def test_words_of_another_version_are_not_believed(model_file, tmp_path):
    said = json.loads(model_file.read_text())
    said["planetree"] = "0.1.0"
    path = tmp_path / "older.json"
    path.write_text(json.dumps(said))
    assert read_words(path) is None
    planetree.load(path)
