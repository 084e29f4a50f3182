"""A model file as data."""

import json

import pytest
from mixed_rows import mixed

import planetree
from planetree import PlaneTreeClassifier


@pytest.fixture
def document(tmp_path):
    """A small model as a document, and how to load it."""
    model = PlaneTreeClassifier(max_splits=2).fit(*mixed(60))
    planetree.save(model, tmp_path / "model.json")

    def load(said):
        (tmp_path / "model.json").write_text(said if isinstance(said, str) else json.dumps(said))
        return planetree.load(tmp_path / "model.json")

    return json.loads((tmp_path / "model.json").read_text()), load
