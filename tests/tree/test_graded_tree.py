"""Graded trees: what probabilities promise, and that the printed tree is the one that predicts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import (
    C45Classifier,
    HoldoutTreeClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.planes import Planes
from planetree.tree import graded_tree
from planetree.tree.classifier import least_cost
from planetree.tree.plane.plane_search import PLANE_PRICE

seeds = st.integers(0, 2**32 - 1)
GRADED = [
    PlaneTreeClassifier(),
    PlaneTreeClassifier(grading="soft"),
    SeparatorTreeClassifier(),
    HoldoutTreeClassifier(separator=RobustSeparator()),
]


@pytest.mark.parametrize("sizes", [(1e300, 1e-300), (1e155, 1e-155), (1e308, 1.0)])
@pytest.mark.parametrize("weight", [1.0, 100.0])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_pairs_whose_scores_are_too_far_apart_stay_as_they_are(sizes, weight):
    X = np.array([[1.0, 1.0], [-1.0, 1.5], [1.5, -1.0]]) * sizes
    planes = Planes(weight * np.eye(2), [0.0, 0.0], "both")
    even = graded_tree._even(planes, X, np.arange(3))
    assert np.isfinite(even.weights).all()
    assert np.array_equal(even.branch(X), planes.branch(X))


def test_pairs_in_tiny_units_come_to_one_size():
    """Squares of such scores are 0."""
    X = np.array([[1.0, 1.0], [-1.0, 1.5], [1.5, -1.0]]) * [1e-300, 1e-303]
    even = graded_tree._even(Planes(np.eye(2), [0.0, 0.0], "both"), X, np.arange(3))
    assert even.weights.tolist() == [[1.0, 0.0], [0.0, 1000.0]]


def test_rows_without_a_value_are_counted_where_the_decision_sends_them():
    """Where missing values tell the class, they take a branch, not both by share."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    X[:100] = np.nan
    model = PlaneTreeClassifier().fit(X, np.isnan(X[:, 0]) | (X[:, 0] > 0.5))
    assert [split.unknown for split in model.tree_.splits if split is not None] == [1]
    counts = np.bincount(model.tree_.apply(X), minlength=model.tree_.n_nodes)
    is_leaf = model.tree_.n_branches == 0
    assert model.tree_.weights[is_leaf].tolist() == counts[is_leaf].tolist()


def clouds(seed, n_rows=90, n_classes=3, missing=0.0):
    """Overlapping clouds, with a column of categories."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    numbers = rng.normal(size=(n_rows, 3)) + 1.5 * np.column_stack([codes, -codes, codes * 0])
    frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
    frame["kind"] = np.where(rng.random(n_rows) < 0.7, codes % 3, rng.integers(0, 3, n_rows))
    frame["kind"] = frame["kind"].map({0: "x", 1: "y", 2: "z"})
    hidden = rng.random(frame.shape) < missing
    return frame.mask(hidden), np.array([f"class {c}" for c in codes])


def codes_of(model, labels):
    return np.searchsorted(model.classes_, labels)


@settings(max_examples=2)
@given(seeds, st.sampled_from([2, 3, 7, 20]), st.sampled_from([0.0, 0.2]))
@pytest.mark.parametrize(
    "model", GRADED, ids=lambda m: f"{type(m).__name__}({m.get_params()})"[:40]
)
def test_probabilities_are_within_0_and_1_sum_to_1_and_agree_with_predict(model, seed, k, missing):
    X, y = clouds(seed, 120, k, missing)
    new, _ = clouds(seed + 1, 60, k, 0.3)
    p = model.fit(X, y).predict_proba(new)
    assert np.all((p > 0) & (p < 1))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    predicted = codes_of(model, model.predict(new))
    np.testing.assert_array_equal(p.argmax(axis=1), predicted)
    if model.grading_ == "leaf":
        others = np.where(np.eye(k)[predicted] > 0, 0.0, p).max(axis=1)
        assert np.all(p.max(axis=1) - others >= 0.99e-9)


@settings(max_examples=2)
@given(seeds)
@pytest.mark.parametrize("model", [GRADED[0], GRADED[2], GRADED[3]], ids=lambda m: type(m).__name__)
def test_neither_the_order_of_rows_nor_repetition_for_weights_changes_probabilities(model, seed):
    X, y = clouds(seed, 45, 3, 0.1)
    rng = np.random.default_rng(seed)
    if isinstance(model, HoldoutTreeClassifier):
        model.set_params(holdout=np.arange(15))
    else:
        order = rng.permutation(len(y))
        p = model.fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(model.fit(X.iloc[order], y[order]).predict_proba(X), p)
    times = rng.integers(1, 4, len(y))
    if isinstance(model, HoldoutTreeClassifier):
        times[:] = 1
    weighted = model.fit(X, y, sample_weight=times).predict_proba(X)
    again = np.repeat(np.arange(len(y)), times)
    repeated = model.fit(X.iloc[again], y[again]).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


@settings(max_examples=3)
@given(seeds)
def test_probabilities_are_monotonic_in_columns_that_must_be(seed):
    X, y = clouds(seed, 150, 2)
    X = X[["a", "b", "c"]]
    model = PlaneTreeClassifier(size="accurate", monotonic_cst={"a": 1, "b": -1}).fit(X, y)
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(scale=2.0, size=(20, 1, 3)), 60, axis=1)
    for column, sign in ((0, 1), (1, -1)):
        moved = rows.copy()
        moved[:, :, column] = np.linspace(-8, 8, 60)
        p = model.predict_proba(pd.DataFrame(moved.reshape(-1, 3), columns=X.columns))[:, 1]
        assert np.all(sign * np.diff(p.reshape(20, 60), axis=1) >= -1e-12)


def test_along_its_plane_a_tree_of_one_decision_is_monotonic_and_graded():
    X, y = clouds(0, 200, 2)
    model = PlaneTreeClassifier(max_splits=1).fit(X[["a", "b"]], y)
    (split, *_) = model.tree_.splits
    weights = np.zeros(2)
    weights[split.columns] = split.weights[0]
    rows = np.linspace(-3, 3, 200)[:, None] * weights
    p = model.predict_proba(pd.DataFrame(rows, columns=["a", "b"]))[:, 1]
    assert np.all(np.sign(p[-1] - p[0]) * np.diff(p) >= -1e-15)
    assert len(np.unique(p)) > 50


@settings(max_examples=5)
@given(seeds, st.sampled_from(["leaf", "soft"]), st.sampled_from([1.0, 4.0]))
def test_along_the_plane_of_any_single_decision_probabilities_never_turn(seed, grading, cost):
    """Mixing with the way keeps it so, and so do costs and rows at distances beyond all measure."""
    X, y = clouds(seed, 120, 2)
    costs = np.array([[0.0, cost], [1.0, 0.0]])
    model = PlaneTreeClassifier(size="accurate", max_splits=1, grading=grading, costs=costs)
    model.fit(X[["a", "b", "c"]], y)
    split = model.tree_.splits[0]
    assert split.rule == "slabs"
    step = np.zeros(3)
    step[split.columns] = split.weights[0]
    far = np.concatenate([-np.logspace(300, -3, 80), [0.0], np.logspace(-3, 300, 80)])
    rows = np.random.default_rng(seed).normal(size=(10, 1, 3)) + far[:, None] * step
    p = model.predict_proba(pd.DataFrame(rows.reshape(-1, 3), columns=["a", "b", "c"]))
    p = p[:, 1].reshape(10, -1)
    assert np.all(np.sign(p[:, -1] - p[:, 0])[:, None] * np.diff(p, axis=1) >= -1e-15)
    assert np.all((p > 0) & (p < 1))


@settings(max_examples=3)
@given(seeds, st.sampled_from([None, "leaf", "soft"]))
def test_every_tree_of_the_path_is_graded_as_the_model_is(seed, grading):
    X, y = clouds(seed, 120, 3)
    model = PlaneTreeClassifier(size="accurate", grading=grading).fit(X, y)
    for step in model.path_:
        chosen = model.select(step.n_terms)
        assert chosen.n_terms_ == step.n_terms
        assert (chosen.tree_.leaf_probabilities is not None) == (grading is not None)
        p = chosen.predict_proba(X)
        np.testing.assert_array_equal(p.argmax(axis=1), codes_of(model, chosen.predict(X)))
        assert grading is None or np.all((p > 0) & (p < 1))


def test_a_hard_tree_gives_the_shares_of_its_leaves():
    X, y = clouds(1, 150, 3)
    model = PlaneTreeClassifier(grading=None).fit(X, y)
    shares = model.tree_.class_weights / model.tree_.weights[:, None]
    np.testing.assert_allclose(model.predict_proba(X), shares[model.apply(X)])


@settings(max_examples=3)
@given(seeds)
def test_with_costs_the_class_is_the_cheapest_by_the_probabilities(seed):
    X, y = clouds(seed, 120, 3)
    costs = 1.0 - np.eye(3)
    costs[0] *= 7.0
    model = PlaneTreeClassifier(costs=costs).fit(X, y)
    cheapest = least_cost(model.predict_proba(X), costs)
    np.testing.assert_array_equal(model.classes_[cheapest], model.predict(X))
    np.testing.assert_array_equal(model.tree_.predicted[model.apply(X)], cheapest)


def test_the_certificate_has_the_bound_of_its_program_and_the_value_of_the_plane_that_predicts():
    """Of a tree of one plane, the hinge program is written down and valued here."""
    X, y = clouds(3, 200, 2)
    X = X[["a", "b", "c"]]
    graded, hard = (PlaneTreeClassifier(max_splits=1, grading=g).fit(X, y) for g in ("leaf", None))
    (proof,), (best,) = graded.certificates_, hard.certificates_
    assert proof.kind == best.kind == "linear program"
    assert proof.bound == best.bound
    assert proof.objective >= proof.bound
    assert proof.gap == pytest.approx((proof.objective - proof.bound) / proof.objective)
    plane = graded.tree_.splits[0]
    before, after = proof.moved
    assert after == plane.offsets[0]
    assert before == hard.rounded_tree_.splits[0].offsets[0]
    own = np.where(graded.tree_.predicted[2] == codes_of(graded, y), 1.0, -1.0)
    own = own * plane.scores(X.to_numpy())[:, 0]
    sizes = np.append(1.0 / own[own > 0], 0.0)
    price = PLANE_PRICE * np.abs(plane.weights[0]) @ X.to_numpy()[:, plane.columns].std(axis=0)
    values = np.maximum(0.0, 1.0 - sizes[:, None] * own).mean(axis=1) * 2.0 + price * sizes
    assert proof.objective == pytest.approx(values.min(), rel=1e-6)


def test_moved_thresholds_are_readable_and_lie_on_no_training_score():
    X, y = clouds(5, 400, 3)
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    planes = [split for split in model.tree_.splits if isinstance(split, Planes)]
    assert any(each.moved for each in model.certificates_)
    rows = model._read(X)
    for split in planes:
        if split.spread > 0 and len(split.offsets) == 1:
            assert len(f"{split.offsets[0]:.10g}".replace("-", "").replace(".", "")) <= 6
            assert not np.any(split.scores(rows) == 0)


def test_smoothed_leaves_of_c45_keep_the_published_classes():
    X, y = clouds(2, 150, 3)
    published, smoothed = C45Classifier().fit(X, y), C45Classifier(smoothing="laplace").fit(X, y)
    np.testing.assert_array_equal(published.predict(X), smoothed.predict(X))
    assert published.tree_.leaf_probabilities is None
    leaves, tree = smoothed.apply(X), smoothed.tree_
    expected = (tree.class_weights[leaves] + 1) / (tree.weights[leaves, None] + 3)
    np.testing.assert_allclose(smoothed.predict_proba(X), expected, atol=1e-8)
    assert smoothed.prune_to(0.05).predict_proba(X).min() > 0


def test_a_word_that_is_no_grading_is_refused():
    with pytest.raises(ValueError, match="grading"):
        PlaneTreeClassifier(grading="hard").fit([[0.0], [1.0]], [0, 1])


@settings(max_examples=6)
@given(seeds, st.sampled_from([2, 3, 5]), st.sampled_from([0.0, 0.1]))
def test_no_threshold_moves_so_far_that_a_branch_has_no_rows(seed, k, missing):
    """Who follows a printed tree never comes to a leaf that no training row tells of."""
    X, y = clouds(seed, 100, k, missing)
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    for tree in [model.tree_, *(step.tree for step in model.path_)]:
        assert np.all(tree.weights >= 1e-9)
