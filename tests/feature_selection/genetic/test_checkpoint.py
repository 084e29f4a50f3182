"""A search that was killed goes on to the same end; a file of another search is left alone."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification

from planetree import C45Classifier, GeneticSelector
from planetree.exceptions import CheckpointError
from planetree.feature_selection.genetic.checkpoint import _digest_of_content

SETTINGS = {"population_size": 20, "random_state": 0}
MADE = {"n_samples": 80, "n_features": 20, "random_state": 0}
RUN = f"""
import sys
from sklearn.datasets import make_classification
from planetree import GeneticSelector
from planetree.feature_selection.genetic import checkpoint
checkpoint._SECONDS = 0.0
X, y = make_classification(**{MADE})
GeneticSelector(n_evaluations=10**9, checkpoint=sys.argv[1], **{SETTINGS}).fit(X, y)
"""


@pytest.fixture(scope="module")
def data():
    return make_classification(**MADE)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "search.json"


def outcomes(path):
    return json.loads(path.read_text())["outcomes"] if path.exists() else []


def selector(path=None, **settings):
    return GeneticSelector(**{"n_evaluations": 400, **SETTINGS, "checkpoint": path, **settings})


def test_a_killed_search_goes_on_to_the_same_result(data, path):
    process = subprocess.Popen([sys.executable, "-c", RUN, str(path)])
    end = time.monotonic() + 60
    while len(outcomes(path)) < 40 and time.monotonic() < end:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    n_before = len(outcomes(path))
    assert n_before >= 40
    resumed = selector(path, n_evaluations=n_before + 300).fit(*data)
    whole = selector(n_evaluations=n_before + 300).fit(*data)
    assert np.array_equal(resumed.history_, whole.history_)
    assert np.array_equal(resumed.best_genome_, whole.best_genome_)
    assert resumed.to_text() == whole.to_text()
    assert len(outcomes(path)) == whole.n_distinct_ > n_before


def test_what_is_known_is_not_evaluated_again(data, path):
    first = selector(path).fit(*data)
    lies = json.loads(path.read_text())
    lies["outcomes"] = [[0.5, size] for _, size in lies["outcomes"]]
    del lies["digest"]
    path.write_text(json.dumps({**lies, "digest": _digest_of_content(lies)}))
    again = selector(path).fit(*data)
    assert first.history_["accuracy"].max() > 0.5
    assert (again.history_["accuracy"][: len(lies["outcomes"])] == 0.5).all()


def test_a_seed_of_chance_is_remembered(data, path):
    first = selector(path, random_state=None).fit(*data)
    longer = selector(path, random_state=None, n_evaluations=500).fit(*data)
    assert np.array_equal(longer.history_[:400], first.history_)


def test_a_shorter_run_forgets_nothing(data, path):
    selector(path).fit(*data)
    before = outcomes(path)
    selector(path, n_evaluations=10).fit(*data)
    assert outcomes(path) == before


def refused(model, data, path, match):
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=match):
        model.fit(*data)
    assert path.read_bytes() == before


def test_a_checkpoint_of_another_search_is_refused_and_left_alone(data, path):
    X, y = data
    selector(path).fit(X, y)
    refused(selector(path), (X + 1.0, y), path, "other training data")
    refused(selector(path), (X, 1 - y), path, "other training data")
    refused(selector(path, cv=5), (X, y), path, "other training data")
    refused(selector(path, mutation_rate=0.2), (X, y), path, "mutation_rate was 0.1")
    refused(selector(path, random_state=1), (X, y), path, "random_state was 0, and now is 1")
    refused(selector(path, tree=C45Classifier(min_cases=5)), (X, y), path, "tree was")


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [("format", 0, "format 0"), ("planetree", "0.0.1", "planetree version 0.0.1")],
)
def test_a_checkpoint_of_another_version_is_refused(data, path, key, value, match):
    selector(path).fit(*data)
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    refused(selector(path), data, path, match)


def test_a_damaged_checkpoint_is_refused(data, path):
    """Files with a flipped bit gave another result without a word, or a TypeError."""
    selector(path).fit(*data)
    whole = json.loads(path.read_text())
    accuracy, size = whole["outcomes"][0]
    for first in ([1 - accuracy, size], ["0.5", size], [accuracy]):
        path.write_text(json.dumps({**whole, "outcomes": [first, *whole["outcomes"][1:]]}))
        refused(selector(path), data, path, "changed or damaged")
    path.write_text(json.dumps({**whole, "settings": 1}))
    refused(selector(path), data, path, "no settings")


def test_a_file_that_is_no_checkpoint_is_refused(data, path):
    for text in ("", "my thesis", "[1, 2]", '{"seed": 1, "outcomes": [[1]]}'):
        path.write_text(text)
        refused(selector(path), data, path, "cannot be read as one")


def test_a_path_that_cannot_be_written_is_refused_before_the_search(data, tmp_path, monkeypatch):
    monkeypatch.setattr(GeneticSelector, "_run", lambda *_: pytest.fail("the search has begun"))
    for bad in (tmp_path / "no folder" / "search.json", tmp_path):
        with pytest.raises(CheckpointError, match=r"cannot be (written|read)"):
            selector(bad).fit(*data)


def test_a_write_that_fails_leaves_the_old_file(data, path, monkeypatch):
    selector(path).fit(*data)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(CheckpointError, match="the disk is full"):
        selector(path).fit(*data)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
