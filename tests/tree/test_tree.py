"""The tree as data: where rows go, which shares they have, which regions its leaves are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.planes import Categories, Planes
from planetree.tree import Among, Side, Tree

N_NUMBERS, N_CATEGORIES = 3, 4  # the last column holds category codes


def random_split(rng):
    kind = rng.integers(5)
    if kind == 0:
        return Categories(N_NUMBERS, rng.permutation([0, 1, 2, 2]))
    if kind == 1:
        return Planes(rng.normal(size=(1, N_NUMBERS)), rng.normal(size=1))
    if kind == 2:
        return Planes(rng.normal(size=(3, N_NUMBERS)), rng.normal(size=3), "argmax")
    rule = ["both", "same_side"][kind - 3]
    return Planes(rng.normal(size=(2, 2)), rng.normal(size=2), rule, columns=[0, 2])


def random_tree(seed, n_splits=6):
    """A tree of any decisions, with the weights that some rows leave in it."""
    rng = np.random.default_rng(seed)
    splits, children, frontier = [random_split(rng)], [[]], [0]
    while frontier:
        node = frontier.pop()
        for _ in range(splits[node].n_branches):
            children[node].append(len(splits))
            splits.append(random_split(rng) if n_splits > 0 and rng.random() < 0.5 else None)
            children.append([])
            if splits[-1] is not None:
                n_splits -= 1
                frontier.append(len(splits) - 1)
    order = preorder(children)
    number = {old: new for new, old in enumerate(order)}
    n_branches = [len(children[old]) for old in order]
    child_list = [number[c] for old in order for c in children[old]]
    leaf_weights = rng.integers(0, 5, size=(len(order), 3)).astype(float)
    for node in range(len(order) - 1, -1, -1):
        if n_branches[node]:
            kids = [number[c] for c in children[order[node]]]
            leaf_weights[node] = leaf_weights[kids].sum(axis=0)
    return Tree(
        [splits[old] for old in order],
        n_branches,
        child_list,
        leaf_weights,
        leaf_weights.argmax(axis=1),
        leaf_weights.sum(axis=1),
    )


def preorder(children):
    order, pending = [], [0]
    while pending:
        order.append(pending.pop())
        pending.extend(reversed(children[order[-1]]))
    return order


def random_rows(seed, n=50, missing=0.0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, N_NUMBERS)), rng.integers(0, N_CATEGORIES, n)])
    X[rng.random(X.shape) < missing] = np.nan
    return X


seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_a_complete_row_lies_in_the_region_of_its_leaf_and_of_no_other(seed):
    tree, X = random_tree(seed), random_rows(seed)
    leaves = tree.apply(X)
    regions = tree.regions()
    assert [region.leaf for region in regions] == np.flatnonzero(tree.n_branches == 0).tolist()
    for leaf, conditions in regions:
        inside = np.all([condition.holds(X) for condition in conditions], axis=0)
        assert np.array_equal(inside, leaves == leaf)


@given(seeds)
def test_a_complete_row_reaches_one_leaf_through_its_ancestors(seed):
    tree, X = random_tree(seed), random_rows(seed)
    path = tree.decision_path(X).toarray()
    parent = np.zeros(tree.n_nodes, dtype=int)
    parent[tree.children] = np.repeat(np.arange(tree.n_nodes), tree.n_branches)
    leaves = tree.apply(X)
    assert np.array_equal(path[:, tree.n_branches == 0].sum(axis=1), np.ones(len(X)))
    for row, leaf in enumerate(leaves):
        nodes = {0, leaf}
        while leaf:
            leaf = parent[leaf]
            nodes.add(leaf)
        assert set(np.flatnonzero(path[row])) == nodes


@given(seeds)
def test_the_distribution_is_the_sum_over_all_ways_down(seed):
    """Checked against C4.5's rule written as a recursion over one row."""
    tree, X = random_tree(seed), random_rows(seed, n=20, missing=0.3)
    expected = np.array([walk(tree, 0, row[None, :]) for row in X])
    np.testing.assert_allclose(tree.distribution(X), expected, atol=1e-12)


def walk(tree, node, row):
    if tree.splits[node] is None:
        if tree.weights[node] > 0:
            return tree.class_weights[node] / tree.weights[node]
        return np.eye(tree.class_weights.shape[1])[tree.predicted[node]]
    children = tree.children_of(node)
    branch = int(tree.splits[node].branch(row)[0])
    if branch >= 0:
        return walk(tree, children[branch], row)
    if tree.weights[node] > 0:
        parts = tree.weights[children] / tree.weights[node]
    else:
        parts = np.full(len(children), 1 / len(children))
    return sum(p * walk(tree, c, row) for p, c in zip(parts, children, strict=True))


@given(seeds)
def test_shares_sum_to_one_and_the_heaviest_leaf_is_applied(seed):
    tree, X = random_tree(seed), random_rows(seed, missing=0.3)
    np.testing.assert_allclose(tree.distribution(X).sum(axis=1), 1.0)
    assert np.all(tree.n_branches[tree.apply(X)] == 0)


def test_a_row_without_any_value_has_the_distribution_of_the_root():
    tree = random_tree(7)
    nothing = np.full((1, N_NUMBERS + 1), np.nan)
    root = tree.class_weights[0] / tree.weights[0]
    if np.all(tree.weights > 0):
        np.testing.assert_allclose(tree.distribution(nothing)[0], root)


def test_counts_of_a_tree_are_those_of_its_splits():
    tree = random_tree(11)
    splits = [split for split in tree.splits if split is not None]
    assert tree.n_nodes == len(tree.splits)
    assert tree.n_leaves == tree.n_nodes - len(splits)
    assert tree.n_terms == sum(split.n_terms for split in splits)
    assert set(tree.features) == {c for split in splits for c in split.features.tolist()}
    assert tree.depth == max(len(region.conditions) for region in tree.regions())


def test_a_tree_is_frozen():
    tree = random_tree(3)
    with pytest.raises(ValueError, match="read-only"):
        tree.weights[0] = 1.0
    with pytest.raises(AttributeError):
        tree.weights = np.ones(tree.n_nodes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"children": [2, 1, 2]}, "child of one node"),
        ({"children": [1, 1]}, "preorder"),
        ({"weights": [1.0]}, "as many of everything"),
        ({"n_branches": [0, 2, 0]}, "preorder"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(change, message):
    arrays = {
        "splits": [Planes([[1.0]], [0.0]), None, None],
        "n_branches": [2, 0, 0],
        "children": [1, 2],
        "class_weights": np.ones((3, 2)),
        "predicted": [0, 0, 0],
        "weights": [2.0, 2.0, 2.0],
    }
    with pytest.raises(ValueError, match=message):
        Tree(**{**arrays, **change})


def test_conditions_name_the_column_and_the_codes():
    stump = Tree(
        [Categories(1, [0, 1, 0]), None, None],
        [2, 0, 0],
        [1, 2],
        np.ones((3, 2)),
        [0, 0, 0],
        [4.0, 2.0, 2.0],
    )
    assert [r.conditions for r in stump.regions()] == [(Among(1, (0, 2)),), (Among(1, (1,)),)]
    (side,) = Tree([None], [0], [], [[1.0]], [0], [1.0]).regions()
    assert side.conditions == ()
    assert Side(Planes([[1.0]], [2.0]), 1).patterns()[0][0].above


def test_a_million_rows_take_their_leaves():
    tree = random_tree(5)
    X = np.tile(random_rows(5, n=1000, missing=0.01), (1000, 1))
    assert np.array_equal(tree.apply(X)[:1000], tree.apply(X[:1000]))


def graded_tree(seed):
    """A tree of graded planes, with probabilities of its leaves."""
    rng, tree = np.random.default_rng(seed), random_tree(seed)
    splits = [
        replace(split, spread=float(rng.random() < 0.8) * 0.5)
        if isinstance(split, Planes)
        else split
        for split in tree.splits
    ]
    return replace(tree, splits=splits, leaf_probabilities=rng.dirichlet(np.ones(3), tree.n_nodes))


@given(seeds)
def test_the_graded_distribution_is_the_sum_over_all_ways_by_shares(seed):
    tree, X = graded_tree(seed), random_rows(seed, n=10, missing=0.2)
    np.testing.assert_allclose(
        tree.distribution(X), [graded_walk(tree, 0, row[None]) for row in X], atol=1e-12
    )


def graded_walk(tree, node, row):
    if tree.splits[node] is None:
        return tree.leaf_probabilities[node]
    shares = tree.splits[node].shares(row)[0]
    shares = tree.parts(node) if np.isnan(shares).any() else shares
    children = tree.children_of(node).tolist()
    return sum(s * graded_walk(tree, c, row) for s, c in zip(shares, children, strict=True))


@given(seeds)
def test_the_way_of_a_row_is_that_of_the_hard_tree(seed):
    tree, X = graded_tree(seed), random_rows(seed, missing=0.2)
    hard = replace(tree, splits=random_tree(seed).splits)
    np.testing.assert_array_equal(tree.apply(X), hard.apply(X))
    assert (tree.decision_path(X) != hard.decision_path(X)).nnz == 0
    np.testing.assert_array_equal(tree.distribution(X, graded=False), hard.distribution(X))


def test_a_decision_may_have_a_branch_for_rows_that_miss_what_it_reads():
    """All of such a row goes that way, graded or not, whatever the training weights are."""
    for spread in (0.0, 0.5):
        split = Planes([[1.0]], [2.5], spread=spread, unknown=1)
        tree = Tree(
            [split, None, None], [2, 0, 0], [1, 2], [[3, 1], [3, 0], [0, 1]], [0, 0, 1], [4, 3, 1]
        )
        missing = np.array([[np.nan]])
        assert tree.parts(0).tolist() == [0.0, 1.0]
        assert tree.apply(missing).tolist() == [2]
        assert tree.distribution(missing).tolist() == [[0.0, 1.0]]
