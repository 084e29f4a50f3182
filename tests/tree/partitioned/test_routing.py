"""Rows of parts go where the tree of memory sends them, those with unknown answers by share."""

import numpy as np
import pytest
from parted_tables import frame_of

from planetree import C45Classifier, PlaneTreeClassifier
from planetree.tree.partitioned.routing import Decisions, answers_of, node_counts

MODELS = [C45Classifier(min_cases=20), PlaneTreeClassifier(size="accurate", max_splits=4)]


def fitted(model):
    frame = frame_of(400, 0, k=3, gaps=0.15)
    X = frame.drop(columns=["kind", "times"])
    model = model.fit(X, frame.kind)
    codes = np.searchsorted(model.classes_, frame.kind).astype(np.int32)
    return model.tree_, (model._read(X), codes, frame.times.to_numpy())


def some(rows, at):
    return tuple(each[at] for each in rows)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("n_parts", [1, 3])
def test_counts_of_the_parts_are_those_of_one_walk_of_all_rows(model, n_parts):
    """The oracle divides all rows at once, from the root down, as growing a tree does."""
    tree, rows = fitted(model)
    children = Decisions.of(tree).children
    told = [
        answers_of(some(rows, slice(i, None, n_parts)), tree.splits, children, 3)
        for i in range(n_parts)
    ]
    counts, parts = node_counts(tree.splits, children, told)
    reached = Decisions(tree.splits, children, parts)(rows)
    assert any(len(each.patterns) for each in told)
    for node, (at, weights) in enumerate(reached.nodes):
        np.testing.assert_allclose(counts[node], np.bincount(rows[1][at], weights, 3))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_reach_the_nodes_that_the_tree_sends_them_to(model):
    tree, rows = fitted(model)
    reached = Decisions.of(tree)(rows)
    found = {
        node: dict(zip(*map(np.ndarray.tolist, each), strict=True))
        for node, each in enumerate(reached.nodes)
    }
    for node, at, shares in tree.visits(rows[0]):
        own = {i: share * rows[2][i] for i, share in zip(at.tolist(), shares.tolist(), strict=True)}
        assert found[node] == pytest.approx({i: each for i, each in own.items() if each > 0})


def test_rows_whose_answer_is_unknown_wait_where_the_shares_are_not_known_yet():
    tree, rows = fitted(MODELS[0])
    children = Decisions.of(tree).children
    reached = Decisions(tree.splits, children, [None] * tree.n_nodes)(rows)
    leaves = [reached.nodes[node] for node in range(tree.n_nodes) if not children[node]]
    arrived = np.concatenate([at[weights > 0] for at, weights in leaves])
    assert len(arrived) == len(np.unique(arrived)) < len(rows[1])
