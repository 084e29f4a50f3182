"""The tree grown by holdout error: what it credits, where it stops, and whom it asks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine, make_classification

from planetree import (
    GrinoldSeparator,
    HoldoutTreeClassifier,
    RobustSeparator,
    SparseSeparator,
)
from planetree.datasets import make_waveform, parity

pytestmark = pytest.mark.core


@st.composite
def tables(draw_from):
    """Rows of numbers, categories and gaps, whose class depends on them more or less."""
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32 - 1)))
    n, k = draw_from(st.integers(12, 60)), draw_from(st.integers(2, 4))
    X = rng.integers(0, 6, size=(n, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 4, size=n)).astype(int) % k
    if draw_from(st.booleans()):
        X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    if draw_from(st.booleans()):
        frame["d"] = pd.Categorical(frame["d"].map(lambda v: None if v != v else f"v{v:.0f}"))
    return frame, y


models = st.builds(
    HoldoutTreeClassifier,
    criterion=st.sampled_from(["gini", "entropy"]),
    holdout=st.sampled_from([0.2, 0.5, 7]),
    patience=st.integers(0, 3),
    ties=st.sampled_from(["continue", "stop"]),
    random_state=st.integers(0, 5),
)


@given(tables(), models)
def test_powers_sum_to_the_decrease_of_the_holdout_error(table, model):
    model.fit(*table)
    assert model.discriminant_power_.sum() == pytest.approx(model.errors_[0] - model.errors_[-1])
    assert len(model.errors_) == 1 + np.count_nonzero(model.tree_.n_branches)


@given(tables(), models)
def test_a_feature_never_used_has_no_power(table, model):
    model.fit(*table)
    unused = np.setdiff1d(np.arange(4), model.features_used_)
    assert not model.discriminant_power_[unused].any()


@given(tables(), models)
def test_the_last_error_is_the_least_and_is_reached_first_by_the_tree_kept(table, model):
    model.fit(*table)
    assert np.all(model.errors_[:-1] > model.errors_[-1])


@given(tables(), models)
def test_the_errors_are_those_of_the_tree_on_the_rows_held_out(table, model):
    X, y = table
    model.fit(X, y)
    held = model.holdout_indices_
    complete = X.iloc[held].notna().all(axis=1).to_numpy()
    if complete.all():
        wrong = 1 - model.score(X.iloc[held], y[held])
        assert model.errors_[-1] == pytest.approx(wrong)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_each_split_is_the_best_for_the_rows_held_out(seed):
    """The succession, computed again without keeping anything: every leaf is split anew.

    Of cuts that remove as much impurity from a leaf any may be its own, so a leaf that was not
    split may have any of them. In the table of seed 5 there are none such, in the others there are.
    """
    X, y = make_waveform(260, random_state=seed)
    growing, held = np.arange(200), np.arange(200, 260)
    model = HoldoutTreeClassifier(holdout=(growing, held)).fit(X, y)
    tree, order = model.tree_, model.class_order_

    def wrong(rows, tests):
        label = order[np.bincount(y[rows], minlength=3)[order].argmax()]
        return np.count_nonzero(y[tests] != label)

    leaves, errors, powers = {0: (growing, held)}, [wrong(growing, held)], np.zeros(21)
    for _ in range(len(model.errors_) - 1):
        made, others = {}, []
        for node, (rows, tests) in leaves.items():
            for gain, j, cut in best_cuts(X[rows], y[rows]):
                parts = [(rows[s(X[rows, j])], tests[s(X[tests, j])]) for s in sides(cut)]
                fall = wrong(rows, tests) - sum(wrong(*part) for part in parts)
                if not tree.n_branches[node]:
                    others.append((node, (fall, round(gain, 9))))
                elif is_cut(tree.splits[node], X[rows], j, cut):
                    made[node] = (fall, round(gain, 9)), j, parts
        assert set(made) == {node for node in leaves if tree.n_branches[node]}
        node = max(made, key=lambda each: made[each][0])
        key, j, parts = made[node]
        for other in {each for each, _ in others}:
            assert key >= min(each for at, each in others if at == other)
        del leaves[node]
        leaves.update(zip(tree.children_of(node).tolist(), parts, strict=True))
        powers[j] += key[0] / len(held)
        errors.append(errors[-1] - key[0])
    np.testing.assert_allclose(model.errors_, np.array(errors) / len(held))
    np.testing.assert_allclose(model.discriminant_power_, powers, atol=1e-12)


def best_cuts(X, y):
    """All cuts of columns that remove the most impurity: gain, column and threshold of each."""
    cuts = []
    for j, column in enumerate(X.T):
        by = np.argsort(column)
        below = np.cumsum(np.eye(3)[y[by]], axis=0)[:-1]
        above = np.bincount(y, minlength=3) - below
        left = sum(n.sum(axis=1) - (n**2).sum(axis=1) / n.sum(axis=1) for n in (below, above))
        gains = gini(y) * len(y) - left
        ends = column[by]
        cuts += [
            (g, j, (a + b) / 2) for g, a, b in zip(gains, ends[:-1], ends[1:], strict=True) if a < b
        ]
    most = max((cut[0] for cut in cuts), default=0.0)
    return [cut for cut in cuts if cut[0] > most - 1e-9 and most > 1e-9]


def is_cut(split, X, j, cut):
    return split.features == j and np.array_equal(split.branch(X), X[:, j] > cut)


def sides(cut):
    return (lambda v: v <= cut), (lambda v: v > cut)


def gini(y):
    shares = np.bincount(y) / len(y)
    return 1 - shares @ shares


def test_the_same_seed_gives_the_same_tree_and_another_seed_another_division():
    X, y = load_wine(return_X_y=True)
    first, again, other = (HoldoutTreeClassifier(random_state=s).fit(X, y) for s in (1, 1, 2))
    assert np.array_equal(first.discriminant_power_, again.discriminant_power_)
    assert np.array_equal(first.holdout_indices_, again.holdout_indices_)
    assert not np.array_equal(first.holdout_indices_, other.holdout_indices_)


def test_ties_open_the_way_to_splits_that_help():
    """No single cut of a parity lowers the error; the tree that stops there stays a leaf."""
    X, y = parity(2)
    X, y, held = np.tile(X, (4, 1)), np.tile(y, 4), np.arange(8)
    assert HoldoutTreeClassifier(ties="stop", holdout=held).fit(X, y).n_leaves_ == 1
    assert HoldoutTreeClassifier(holdout=held).fit(X, y).score(X, y) == 1


def test_patience_finds_trees_with_no_larger_error():
    for seed in range(5):
        X, y = make_classification(300, 8, n_informative=4, flip_y=0.2, random_state=seed)
        errors = [HoldoutTreeClassifier(patience=p).fit(X, y).errors_[-1] for p in (0, 2, 10, 40)]
        assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_the_division_is_stratified(share):
    X, y = make_waveform(900, random_state=1)
    model = HoldoutTreeClassifier(holdout=share).fit(X, y)
    held = np.bincount(y[model.holdout_indices_], minlength=3)
    assert np.all(np.abs(held - share * np.bincount(y)) <= 0.5 + 1e-9)


def test_rows_can_be_given_by_number_by_mask_and_in_two_parts():
    X, y = load_iris(return_X_y=True)
    held = np.arange(0, 150, 3)
    mask = np.isin(np.arange(150), held)
    ways = (held, mask, held.tolist(), (np.flatnonzero(~mask), held))
    trees = [HoldoutTreeClassifier(holdout=way).fit(X, y) for way in ways]
    for tree in trees:
        assert np.array_equal(tree.holdout_indices_, held)
        assert np.array_equal(tree.errors_, trees[0].errors_)


def test_rows_of_weight_0_do_not_shift_the_rows_that_are_given():
    X, y = load_iris(return_X_y=True)
    held, weight = np.arange(1, 150, 3), np.ones(150)
    weight[::10] = 0
    model = HoldoutTreeClassifier(holdout=held).fit(X, y, sample_weight=weight)
    assert np.array_equal(model.holdout_indices_, held[weight[held] > 0])


def test_a_plane_shares_its_decrease_by_standardized_weights():
    """Columns in other units change the weights, not the shares; a column left out has none."""
    X, y = make_classification(400, 5, n_informative=2, n_redundant=0, random_state=2)
    plain = HoldoutTreeClassifier(separator=RobustSeparator(), ties="stop").fit(X, y)
    units = np.array([1.0, 100.0, 0.01, 5.0, 1.0])
    scaled = HoldoutTreeClassifier(
        separator=RobustSeparator(), ties="stop", holdout=plain.holdout_indices_
    ).fit(X * units, y)
    assert plain.discriminant_power_.sum() == pytest.approx(plain.errors_[0] - plain.errors_[-1])
    np.testing.assert_allclose(scaled.discriminant_power_, plain.discriminant_power_, atol=1e-6)
    root = plain.tree_.splits[0]
    if plain.n_leaves_ == 2:
        grown = np.setdiff1d(np.arange(400), plain.holdout_indices_)
        size = np.zeros(5)
        size[root.columns] = np.abs(root.weights[0]) * X[grown][:, root.columns].std(axis=0)
        expected = size / size.sum() * plain.discriminant_power_.sum()
        np.testing.assert_allclose(plain.discriminant_power_, expected, rtol=1e-9)


def test_sparse_planes_credit_only_their_features():
    X, y = load_wine(return_X_y=True)
    model = HoldoutTreeClassifier(separator=SparseSeparator()).fit(X, y)
    used = np.flatnonzero(model.discriminant_power_)
    assert 0 < len(used) < 13
    assert set(used) <= set(model.features_used_)
    assert model.score(X, y) > 0.9


def test_a_separator_of_two_classes_takes_one_of_three_against_the_rest():
    X, y = load_iris(return_X_y=True)
    assert HoldoutTreeClassifier(separator=GrinoldSeparator()).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "gain"}, "'criterion' parameter .* must be 'gini' or 'entropy'"),
        ({"ties": "split"}, "'ties' parameter .* must be"),
        ({"patience": -1}, "'patience' parameter .* must be a whole number of at least 0"),
        ({"holdout": 0.0}, "holdout must be a share"),
        ({"holdout": None}, "holdout must be a number"),
        ({"holdout": 1000}, "there are only 150"),
        ({"holdout": [0, 150]}, "holdout names row 150, but X has 150 rows"),
        ({"holdout": []}, "leaves no row held out"),
        ({"holdout": ([0, 1], [1, 2])}, "row 1 in both parts"),
        ({"holdout": [0.5, 0.7]}, "row numbers or a mask"),
        ({"separator": "plane"}, "'separator' parameter .* must be a separator"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        HoldoutTreeClassifier(**parameters).fit(X, y)


def test_rows_that_are_all_alone_in_their_class_cannot_be_held_out():
    with pytest.raises(ValueError, match="No class has two different rows"):
        HoldoutTreeClassifier().fit([[0.0], [1.0], [0.0]], ["a", "b", "a"])
