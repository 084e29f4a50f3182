"""The alternating pass: what was searched is not searched again."""

import numpy as np
import pytest
from plane_tables import clouds

from planetree import PlaneTreeClassifier
from planetree.tree.plane import alternation
from planetree.tree.plane.plane_search import digest

pytestmark = pytest.mark.core


def test_a_search_that_was_made_is_not_made_again(monkeypatch):
    """It was known by the node's address, which another node can have later."""
    tasks = []
    search = alternation._best_plane

    def spy(allowed, grower, care, sides):
        limits = np.array([grower.pricing.term_charge, grower.max_terms])
        tasks.append(digest(care.X, care.weights, sides, allowed, limits))
        return search(allowed, grower, care, sides)

    monkeypatch.setattr(alternation, "_best_plane", spy)
    X, y = clouds(3, n_rows=200, n_classes=4)
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    assert model.n_leaves_ > 3
    assert len(tasks) > 2
    assert len(tasks) == len(set(tasks))
