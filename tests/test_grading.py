"""Grading: the objective against its formula, its gradient, and what mixing promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, softmax

from planetree import _core, arrays, grading
from planetree.grading import MARGIN, grade, keep_class
from planetree.planes import Categories, Planes
from planetree.statistics import ShareBounds
from planetree.tree import Tree

pytestmark = pytest.mark.core
seeds = st.integers(0, 2**32 - 1)


def some_tree(rng, n_classes):
    """A tree with a decision of every kind; column 3 holds one of three categories."""
    kinds = [
        Planes(rng.normal(size=(1, 3)), rng.normal(size=1)),
        Planes(rng.normal(size=(1, 3)), rng.normal(size=1)),
        Planes(rng.normal(size=(2, 3)), rng.normal(size=2), "both"),
        Planes(rng.normal(size=(2, 3)), rng.normal(size=2), "same_side"),
        Planes(rng.normal(size=(3, 3)), rng.normal(size=3), "argmax"),
        Planes(np.ones((2, 1)), rng.normal(size=2), "slabs", columns=[1]),
        Categories(3, [0, 1, 0]),
        Planes([[1.0]], [0.5], columns=[3], categories=[2]),
    ]
    splits = [kinds[i] for i in rng.permutation(len(kinds))]  # each the first child of another
    n_branches = [split.n_branches for split in splits]
    n, children, later = len(splits), [], len(splits) + 1
    for place, branches in enumerate(n_branches):
        others = list(range(later, later + branches - 1))
        later += branches - 1
        children += [place + 1, *others]
    n_nodes = later
    counts = rng.integers(1, 6, size=(n_nodes, n_classes)).astype(float)
    branches = np.array([*n_branches, *[0] * (n_nodes - n)])
    starts = np.concatenate([[0], np.cumsum(branches)])
    for node in reversed(range(n)):
        counts[node] = counts[children[starts[node] : starts[node + 1]]].sum(axis=0)
    return Tree(
        [*splits, *[None] * (n_nodes - n)],
        branches,
        children,
        counts,
        counts.argmax(axis=1),
        counts.sum(axis=1),
    )


def some_rows(rng, n, n_classes, missing=0.1):
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 3, n)])
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.integers(0, n_classes, n), rng.exponential(size=n)


def objective(tree, rows, prior):
    """The objective as the module states it, by what a graded tree predicts."""
    X, codes, weights = rows
    p = tree.distribution(X)[np.arange(len(X)), codes]
    q = tree.leaf_probabilities[tree.n_branches == 0]
    return -(weights @ np.log(p)) - (np.log(q) @ prior).sum()


class Fit:
    """The objective of grading as the core has it, at points that hold the numbers of all nodes."""

    def __init__(self, tree, rows):
        X, codes, weights = rows
        self.prior, self.n = grading._prior(tree), tree.n_nodes
        self.start = grading._smoothed(tree.class_weights, self.prior, None)
        graded = np.array([grading._is_graded(split) for split in tree.splits])
        inputs = grading._inputs(tree, X, graded)
        self.scales = grading._scales(tree, inputs, weights, graded)
        self.rows = grading._rows(tree, inputs, graded, self.scales, codes, weights)
        self.forces = grading._forces(tree, self.scales, True)
        self.args = tree, self.rows, self.scales, self.start, self.prior, True, None

    def __call__(self, point):
        return self.rows.objective(point, *self.forces, self.prior, np.log(2.0))

    def any_point(self, rng):
        return rng.normal(scale=0.7, size=self.start.size + 2 * self.n)


@settings(max_examples=20)
@given(seeds, st.integers(2, 20), st.sampled_from([30, 64, 75]))
def test_the_objective_is_that_of_the_probabilities_that_the_tree_gives(seed, k, n_rows):
    """The core computes shares of 32 rows at a time for speed; `Planes.shares` states them."""
    rng = np.random.default_rng(seed)
    tree, rows = some_tree(rng, k), some_rows(rng, n_rows, k)
    fit = Fit(tree, rows)
    point = fit.any_point(rng)
    terms, moves = fit.forces
    leaf = softmax(point[: fit.start.size].reshape(fit.start.shape), axis=1)
    slopes, shifts = np.exp(point[-2 * fit.n : -fit.n]), point[-fit.n :] * moves
    splits, penalty = list(tree.splits), (shifts**2).sum() / 2
    for node in np.flatnonzero(terms):
        spread = fit.scales[node] / slopes[node]
        offsets = splits[node].offsets - shifts[node] * spread
        splits[node] = replace(splits[node], offsets=offsets, spread=spread)
        penalty += splits[node].n_terms * np.log(slopes[node] / 2.0) ** 2 / 2
    graded = replace(tree, splits=splits, leaf_probabilities=leaf)
    expected = objective(graded, rows, fit.prior) + penalty
    assert fit(point)[0] == pytest.approx(expected, rel=1e-10)


def test_shares_are_exact_at_any_distance_from_a_plane():
    """The core has an exponential of its own: many rows are faster so, on every machine alike."""
    leaf = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])  # below the plane, and above it
    far = [-1e300, -800.0, 0.0, 800.0, 1e300]
    for score in np.concatenate([np.linspace(-40.0, 40.0, 499), far]):
        rows = _core.GradedRows(
            np.array([0, 5, 5], np.int32), np.array([1, 0, 0], np.int32),
            np.array([2, 0, 0], np.int32), np.array([1, 2]), np.array([0.5, 0.5]), 2,
            np.array([[score]]), np.array([1], np.int32), np.ones(1),
        )  # fmt: skip
        loss, *slopes, _ = rows.likelihood(np.ones(3), np.zeros(3), leaf)
        share = max(expit(score), 1e-300)
        assert loss == pytest.approx(-np.log(share), rel=1e-14, abs=2e-16)
        assert np.isfinite(slopes).all()


@settings(max_examples=20)
@given(seeds, st.integers(2, 6))
def test_the_gradient_is_that_of_the_objective(seed, k):
    rng = np.random.default_rng(seed)
    fit = Fit(some_tree(rng, k), some_rows(rng, 30, k))
    point = fit.any_point(rng)
    step = 1e-6 * np.eye(len(point))
    by_steps = [(fit(point + h)[0] - fit(point - h)[0]) / 2e-6 for h in step]
    gradient = fit(point)[1]
    np.testing.assert_allclose(gradient, by_steps, atol=1e-6 * max(1, np.abs(gradient).max()))


def test_no_numbers_near_those_found_explain_the_classes_better():
    rng = np.random.default_rng(0)
    fit = Fit(some_tree(rng, 3), some_rows(rng, 300, 3))
    slopes, moves, leaf = grading._minimum(*fit.args)
    point = np.concatenate([np.log(leaf).ravel(), np.log(slopes), moves])
    best = fit(point)[0]
    for _ in range(100):
        near = point + rng.normal(scale=0.01, size=len(point))
        assert fit(near)[0] > best - 1e-6 * best


@settings(max_examples=6)
@given(seeds, st.booleans())
def test_the_core_finds_the_minimum_that_scipy_finds(seed, bounded):
    """Within a box of the logits, or without one."""
    rng = np.random.default_rng(seed)
    fit = Fit(some_tree(rng, 2), some_rows(rng, 60, 2))
    low, high = np.sort(rng.random((2, fit.n)), axis=0)
    bounds = ShareBounds(low, high, np.array([False, True])) if bounded else None
    start = grading._smoothed(fit.args[0].class_weights, fit.prior, bounds)
    point, low, high = grading._box(start, bounds)
    found = fit.rows.minimum(point, *fit.forces, fit.prior, np.log(2.0), low, high, 300)
    assert (found == np.clip(found, low, high)).all()
    options = {"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9}
    box = list(zip(low, high, strict=True))
    best = minimize(fit, point, jac=True, method="L-BFGS-B", bounds=box, options=options)
    assert fit(found)[0] <= best.fun + 1e-7 * abs(best.fun)


def stump_and_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    codes = (X.sum(axis=1) + rng.logistic(scale=0.5, size=n) > 0.3).astype(int)
    counts = np.array(
        [np.bincount(codes[side], minlength=2) for side in (X[:, 0] < 9, X[:, 0] < 0)]
    )
    counts = np.array([counts[0], counts[1], counts[0] - counts[1]], dtype=float)
    split = Planes([[1.0, 1.0]], [0.0])
    tree = Tree([split, None, None], [2, 0, 0], [1, 2], counts, [0, 0, 1], counts.sum(axis=1))
    return tree, X, codes, np.ones(n)


def test_the_grades_of_logistic_rows_are_those_they_were_drawn_with():
    """Rows drawn with odds of exp((score - 0.3) / 0.5): both are found, and leaves are sure."""
    grades = grade(*stump_and_rows(15_000))
    assert grades.shifts[0] == pytest.approx(0.3, abs=0.05)
    assert grades.spreads[0] == pytest.approx(0.5, abs=0.05)
    assert grades.leaf_probabilities[1, 0] > 0.98
    assert grades.leaf_probabilities[2, 1] > 0.98


def test_of_many_rows_some_are_enough():
    tree, X, codes, weights = stump_and_rows(60_000)
    draws = np.random.default_rng(1).random(len(X))
    some, all_ = grade(tree, X, codes, weights, draws=draws), grade(tree, X, codes, weights)
    np.testing.assert_allclose(some.shifts, all_.shifts, atol=0.03)
    np.testing.assert_allclose(some.spreads, all_.spreads, atol=0.03)
    np.testing.assert_allclose(some.leaf_probabilities, all_.leaf_probabilities, atol=0.01)


@given(seeds, st.integers(2, 4))
def test_rows_laid_out_part_by_part_give_the_same_probabilities(seed, n_classes):
    rng = np.random.default_rng(seed)
    tree, rows = some_tree(rng, n_classes), some_rows(rng, 90, n_classes)
    found = []
    for part in (1000, 7):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grading, "GRADED_ROWS", 40)
            patch.setattr(arrays, "_PART_ROWS", part)
            found.append(grade(tree, *rows, draws=np.linspace(0.1, 0.9, 90)))
    for whole, parts in zip(*found, strict=True):
        np.testing.assert_allclose(whole, parts, rtol=1e-9)


@settings(max_examples=20)
@given(seeds, st.integers(2, 20))
def test_a_tree_of_ever_smaller_spreads_comes_to_its_hard_leaves(seed, k):
    rng = np.random.default_rng(seed)
    tree, (X, *_) = some_tree(rng, k), some_rows(rng, 60, k)
    leaf = rng.dirichlet(np.ones(k), tree.n_nodes)

    def graded(spread):
        splits = [replace(s, spread=spread) if isinstance(s, Planes) else s for s in tree.splits]
        return replace(tree, splits=splits, leaf_probabilities=leaf).distribution(X)

    hard = replace(tree, leaf_probabilities=leaf).distribution(X, graded=False)
    far = [np.abs(graded(spread) - hard).max() for spread in (1.0, 1e-2, 1e-13)]
    assert far[0] > far[2]
    np.testing.assert_allclose(graded(1e-13), hard, atol=1e-9)
    np.testing.assert_allclose(graded(0.0), hard, atol=1e-12)


def test_a_plane_that_asks_for_one_category_stays_hard():
    rng = np.random.default_rng(0)
    tree, rows = some_tree(rng, 2), some_rows(rng, 5000, 2)
    spreads = grade(tree, *rows).spreads
    for split, spread in zip(tree.splits, spreads, strict=True):
        one_category = isinstance(split, Planes) and np.array_equal(split.categories, [2])
        assert (spread > 0) == (isinstance(split, Planes) and not one_category)


@settings(max_examples=20)
@given(seeds, st.sampled_from([2, 3, 5]), st.booleans())
def test_probabilities_of_leaves_stay_within_their_bounds(seed, n_classes, graded):
    rng = np.random.default_rng(seed)
    tree, rows = some_tree(rng, n_classes), some_rows(rng, 60, n_classes)
    low, high = np.sort(rng.random((2, tree.n_nodes)), axis=0)
    classes = np.arange(n_classes) > 0 if n_classes == 2 else np.arange(n_classes) % 2 == 1
    bounds = ShareBounds(low, high, classes, graded)
    share = bounds.of(grade(tree, *rows, bounds=bounds).leaf_probabilities)
    leaves = tree.n_branches == 0
    assert np.all(share[leaves] >= low[leaves] - 1e-9)
    assert np.all(share[leaves] <= high[leaves] + 1e-9)


def some_probabilities(rng, k, plain):
    costs = 1.0 - np.eye(k)
    if not plain:
        costs *= rng.random((k, k)) * 10.0 ** rng.integers(-3, 4)
    p, h = (rng.dirichlet(np.full(k, 0.3), 20) for _ in range(2))
    if rng.random() < 0.3:
        h[:] = 1.0 / k
    return p, h, (h @ costs).argmin(axis=1), costs


@given(seeds, st.integers(2, 20), st.booleans())
def test_mixing_makes_the_class_of_the_way_the_cheapest_by_a_margin(seed, k, plain):
    p, h, classes, costs = some_probabilities(np.random.default_rng(seed), k, plain)
    mixed = keep_class(p, h, classes, costs)
    np.testing.assert_allclose(mixed.sum(axis=1), 1.0, rtol=1e-12)
    rows = np.arange(len(p))
    dearer = mixed @ costs - (mixed @ costs)[rows, classes][:, None]
    dearer[rows, classes] = np.inf
    assert np.all(dearer >= MARGIN * costs[classes] - 1e-14 * costs.max())


@given(seeds, st.integers(2, 20), st.booleans())
def test_mixing_changes_no_more_than_it_must(seed, k, plain):
    """Probabilities that agree stay; others end where two classes are equally cheap."""
    p, h, classes, costs = some_probabilities(np.random.default_rng(seed), k, plain)
    mixed = keep_class(p, h, classes, costs)
    for row, c in enumerate(classes):
        before, then = ((each[row] @ costs - each[row] @ costs[:, c]) for each in (p, mixed))
        before, then, worth = (np.delete(each, c) for each in (before, then, costs[c]))
        if np.all(before >= MARGIN * worth):
            np.testing.assert_array_equal(mixed[row], p[row])
        else:
            assert np.min(then - MARGIN * worth) == pytest.approx(0.0, abs=1e-14 * costs.max())


@given(seeds)
def test_of_two_classes_mixing_is_monotonic(seed):
    """In the graded probability and in that of the way: so it keeps `monotonic_cst`."""
    rng = np.random.default_rng(seed)
    second = np.sort(rng.random((2, 40)), axis=1)
    p, h = (np.column_stack([1 - each, each]) for each in second)
    costs = np.array([[0.0, rng.random() + 0.1], [rng.random() + 0.1, 0.0]])
    mixed = keep_class(p, h, (h @ costs).argmin(axis=1), costs)[:, 1]
    assert np.all(np.diff(mixed) >= -1e-15)


def test_grading_that_has_no_time_keeps_the_slopes_it_is_drawn_to():
    """Grading did not look at the clock: of 20,000 rows and 40 leaves it took a second more."""
    rng = np.random.default_rng(4)
    tree, rows = some_tree(rng, 3), some_rows(rng, 200, 3)
    hurried, free = grade(tree, *rows, time_limit=0.0), grade(tree, *rows)
    graded = free.spreads > 0
    assert graded.sum() >= 5
    np.testing.assert_array_equal(hurried.spreads > 0, graded)
    np.testing.assert_array_equal(hurried.shifts, 0.0)
    start = grading._smoothed(tree.class_weights, grading._prior(tree), None)
    np.testing.assert_allclose(hurried.leaf_probabilities, start, rtol=1e-12)
    assert (hurried.spreads[graded] != free.spreads[graded]).all()
