"""Tables of a few thousand rows count as large."""

import pytest

from planetree.tree.partitioned import plane_tree_parts
from planetree.tree.plane import plane_search


@pytest.fixture
def few_rows(monkeypatch):
    """Tables of a few thousand rows count as large."""
    monkeypatch.setattr(plane_tree_parts, "_SAMPLE", 1500)
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 600)
    monkeypatch.setattr("planetree.grading.GRADED_ROWS", 600)
    monkeypatch.setattr(plane_tree_parts, "GRADED_ROWS", 600)
    return monkeypatch
