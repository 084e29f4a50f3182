"""Growing best first: a node is searched once, and a column is paid once on a way."""

import numpy as np
import pytest
from plane_tables import table
from sklearn.datasets import load_wine

from planetree import PlaneTreeClassifier
from planetree.tree.plane import plane_growth, plane_search, tree_choice
from planetree.tree.plane.tree_choice import _cheapest_tree


def test_threads_search_a_node_once(monkeypatch):
    """What one tree has searched, those that grow beside it find."""
    X, y = load_wine(return_X_y=True)
    counts = {}
    for n_jobs in (1, 4):
        searched = []
        find = plane_growth.PlaneGrower.found

        def counted(self, task, search, find=find, searched=searched):
            return find(self, task, lambda: searched.append(task) or search())

        monkeypatch.setattr(plane_growth.PlaneGrower, "found", counted)
        PlaneTreeClassifier(n_jobs=n_jobs).fit(X, y)
        monkeypatch.undo()
        assert len(searched) == len(set(searched))
        counts[n_jobs] = sorted(searched)
    assert counts[1] == counts[4]


def test_a_tree_of_a_sample_holds_all_rows_along_the_planes_of_all(monkeypatch):
    """Its nodes are divided from the root down, each by the plane that is found on all its rows."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 400)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 4))
    y = np.where(X[:, 3] > 0, X[:, 0] + X[:, 1], X[:, 0] - X[:, 1]) + 0.3 * rng.normal(size=3000)
    model = PlaneTreeClassifier(grading=None).fit(X, y > 0)
    tree = model.tree_
    assert tree.n_decisions > 2
    places = tree.apply(X)
    for leaf in np.flatnonzero(tree.n_branches == 0):
        held = np.bincount((y > 0)[places == leaf].astype(int), minlength=2)
        np.testing.assert_array_equal(tree.class_weights[leaf], held)
    assert tree.class_weights[0].sum() == 3000
    proved = [each for each in model.certificates_ if "sample" not in each.kind]
    assert proved
    assert all(each.is_proved for each in proved)


def test_a_column_is_paid_once_on_a_way(monkeypatch):
    """Every node knows what was read above it, and pays for the rest by the definition."""
    kept = []

    def spy(trees, rows, pricing, weight_price):
        kept.extend((trees, pricing))
        return _cheapest_tree(trees, rows, pricing, weight_price)

    monkeypatch.setattr(tree_choice, "_cheapest_tree", spy)
    X, y = table(0)
    costs = np.array([0.5, 0.25, 0.0, 0.125, 0.0])
    PlaneTreeClassifier(feature_costs=costs, size=0.2).fit(X, y)
    trees, pricing = kept
    assert sorted(pricing.costs) == sorted(costs)
    paid_before = 0
    for root in (tree.nodes[0] for tree in trees):
        waiting = [(root, frozenset())]
        while waiting:
            node, above = waiting.pop()
            assert node.read == above
            if node.split is None:
                continue
            features = set(node.split.features.tolist())
            new = sum(pricing.costs[j] for j in features - above)
            assert pricing.size(node.split, node.read) == pytest.approx(node.split.n_terms + new)
            paid_before += sum(pricing.costs[j] for j in features & above) > 0
            waiting += [(child, above | features) for child in node.children]
    assert paid_before  # some column was read again, for nothing
