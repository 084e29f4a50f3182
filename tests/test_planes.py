"""Shares of branches, where a threshold lies between scores, and how far a term moves them."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree.arrays import midway
from planetree.planes import RULES, Categories, Planes, influence

seeds = st.integers(0, 2**32 - 1)
rules = st.sampled_from(RULES)


def planes_of(rule, rng, spread=1.0):
    """Planes over three columns; those of `slabs` are parallel, in any order."""
    n = int(rng.integers(2 if rule == "argmax" else 1, 5))
    weights = rng.normal(size=(1 if rule == "slabs" else n, 3))
    return Planes(np.resize(weights, (n, 3)), rng.normal(size=n), rule, spread=spread)


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


@given(rules, seeds)
def test_shares_are_a_distribution_over_the_branches(rule, seed):
    rng = np.random.default_rng(seed)
    planes = planes_of(rule, rng, spread=float(np.exp(rng.normal(0, 3))))
    shares = planes.shares(rng.normal(size=(20, 3)))
    assert shares.shape == (20, planes.n_branches)
    assert np.all((shares >= 0) & (shares <= 1))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)


@given(seeds)
def test_shares_are_the_formulas_of_their_rules(seed):
    rng = np.random.default_rng(seed)
    a, b, spread = *rng.normal(size=2), float(np.exp(rng.normal()))
    row, u, v = np.array([[a, b]]), sigmoid(a / spread), sigmoid(b / spread)
    for rule, up in (("both", u * v), ("same_side", u * v + (1 - u) * (1 - v))):
        shares = Planes(np.eye(2), [0.0, 0.0], rule, spread=spread).shares(row)
        np.testing.assert_allclose(shares, [[1 - up, up]], atol=1e-14)
    odds = np.exp(row / spread)
    shares = Planes(np.eye(2), [0.0, 0.0], "argmax", spread=spread).shares(row)
    np.testing.assert_allclose(shares, odds / odds.sum(), atol=1e-14)
    low, high = min(a, b), max(a, b)
    u, v = sigmoid(-low / spread), sigmoid(-high / spread)
    slabs = Planes([[1.0], [1.0]], [a, b], spread=spread).shares(np.array([[0.0]]))
    np.testing.assert_allclose(slabs, [[1 - u, u * (1 - v), u * v]], atol=1e-14)


@given(rules, seeds)
def test_the_branch_is_the_hard_limit_of_the_shares(rule, seed):
    rng = np.random.default_rng(seed)
    X, (hard, sharp) = (
        rng.normal(size=(20, 3)),
        (planes_of(rule, np.random.default_rng(seed), spread) for spread in (0.0, 1e-13)),
    )
    np.testing.assert_array_equal(hard.shares(X).argmax(axis=1), hard.branch(X))
    np.testing.assert_array_equal(sharp.branch(X), hard.branch(X))
    np.testing.assert_allclose(sharp.shares(X), hard.shares(X), atol=1e-6)


@given(st.sampled_from(["slabs", "argmax"]), seeds)
def test_of_one_plane_and_of_scores_the_branch_has_the_largest_share(rule, seed):
    rng, n = np.random.default_rng(seed), 1 if rule == "slabs" else 4
    planes = Planes(rng.normal(size=(n, 3)), rng.normal(size=n), rule, spread=2.0)
    X = rng.normal(size=(30, 3))
    np.testing.assert_array_equal(planes.shares(X).argmax(axis=1), planes.branch(X))


def test_where_planes_cross_the_way_follows_the_signs_though_its_share_is_smaller():
    planes = Planes(np.eye(2), [0.0, 0.0], "both", spread=1.0)
    row = np.array([[0.1, 0.1]])
    assert planes.branch(row) == [1]
    assert planes.shares(row)[0, 1] < 0.5


@given(st.sampled_from(["slabs", "both"]), seeds)
def test_a_row_that_moves_up_takes_no_less_of_the_upper_branches(rule, seed):
    rng = np.random.default_rng(seed)
    planes = planes_of(rule, rng)
    if rule == "slabs":
        rows = planes.weights[0] * np.linspace(-5, 5, 50)[:, None]
    else:
        planes = Planes(np.eye(3), rng.normal(size=3), rule, spread=0.5)
        rows = np.outer(np.linspace(-5, 5, 50), [1.0, 0.0, 0.0]) + rng.normal(size=3)
    beyond = np.cumsum(planes.shares(rows)[:, ::-1], axis=1)  # shares of a branch or any above
    assert np.all(np.diff(beyond, axis=0) >= -1e-12)


@given(st.sampled_from(RULES), seeds)
def test_along_each_score_a_share_moves_in_one_direction(rule, seed):
    """Those of the argmax: its own up. Of the same side: up where the others agree, else down."""
    rng, n = np.random.default_rng(seed), 3
    planes = Planes(np.eye(n), rng.normal(size=n), rule, spread=float(np.exp(rng.normal())))
    if rule == "slabs":
        planes = Planes(np.ones((n, 1)), rng.normal(size=n), spread=planes.spread)
        rows = np.linspace(-9, 9, 60)[:, None]
        steps = np.diff(planes.shares(rows), axis=0)[:, [0, -1]]
        assert np.all(steps * [-1, 1] >= -1e-12)
        return
    for score in range(n):
        rows = np.tile(rng.normal(size=n), (60, 1))
        rows[:, score] = np.linspace(-9, 9, 60)
        own = planes.shares(rows)[:, score if rule == "argmax" else 1]
        steps = np.diff(own)
        if rule == "same_side":
            steps = steps * np.sign(own[-1] - own[0])
        assert np.all(steps >= -1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("spread", [0.0, 1e-300, 1.0, 1e300])
def test_scores_beyond_all_measure_neither_warn_nor_lose_a_share(rule, spread):
    planes = Planes([[1.0, 1.0], [1.0, -1.0]], [1.0, -1.0], rule, spread=spread)
    far = np.array([1e300, -1e300, 1.7e308, 0.0, 1e-300])
    X = np.array(np.meshgrid(far, far)).reshape(2, -1).T
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = planes.shares_of(np.array(X))
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_row_of_unknown_score_has_no_shares(rule, spread):
    planes = Planes([[1.0, 1.0], [1.0, -1.0]], [1.0, -1.0], rule, spread=spread)
    shares = planes.shares(np.array([[np.nan, 1.0], [0.5, 1.0]]))
    assert np.isnan(shares[0]).all()
    assert not np.isnan(shares[1]).any()
    categories = Categories(0, [1, 0, -1]).shares(np.array([[0.0], [1.0], [2.0], [np.nan]]))
    np.testing.assert_array_equal(categories, [[0, 1], [1, 0], [np.nan] * 2, [np.nan] * 2])


@pytest.mark.parametrize("spread", [-1.0, np.nan, np.inf])
def test_a_spread_is_a_number_from_0_on(spread):
    with pytest.raises(ValueError, match="spread"):
        Planes([[1.0]], [0.0], spread=spread)


scores = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20).map(np.array)


@given(scores, st.floats(-1e6, 1e6))
def test_a_threshold_lies_midway_and_no_score_changes_its_side(values, offset):
    middle = midway(values, offset)
    assert np.array_equal(values > middle, values > offset)
    low, high = values[values <= offset], values[values > offset]
    if len(low) and len(high):
        assert middle == pytest.approx((low.max() + high.min()) / 2, rel=1e-12, abs=1e-300)
    else:
        assert middle == offset


def test_scores_that_rounding_puts_above_lie_below():
    values = np.array([-1.0, 1.0 + 1e-13, 3.0])
    assert midway(values, 1.0, rounding=1e-12) == pytest.approx(2.0)
    assert midway(values, 1.0, rounding=np.array([1e-12, 0.0, 0.0])) == pytest.approx(1e-13 / 2)


def test_neighboring_numbers_leave_the_threshold_on_the_lower_one():
    low = 1.0
    high = float(np.nextafter(low, 2.0))
    assert midway(np.array([low, high]), low) == low


def test_influence_is_size_times_deviation_whatever_the_sign_and_the_unit():
    weights, scale = np.array([[1.0, -2.0], [0.0, 3.0]]), np.array([10.0, 0.5])
    assert influence(weights, scale).tolist() == [10.0, 2.5]
    assert influence(weights / [10.0, 0.5], scale * [10.0, 0.5]).tolist() == [10.0, 2.5]
    assert influence(weights[0], scale).tolist() == [10.0, 1.0]


@pytest.mark.core
@given(seeds)
def test_scores_add_their_terms_in_order_in_every_memory_layout(seed):
    """They were sums of BLAS, which adds in an order of the machine, the layout and the rows."""
    rng = np.random.default_rng(seed)
    m, n, p = (int(rng.integers(low, high)) for low, high in ((1, 70), (1, 140), (1, 4)))
    X = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-6, 6, size=(m, n))
    X[:, 0] = rng.choice([0.0, 1.0, np.nan], m)
    weights = rng.normal(size=(p, n)) * rng.integers(0, 2, n)
    columns, categories = rng.permutation(n), np.full(n, -1)
    categories[columns == 0] = 1
    planes = Planes(weights, rng.normal(size=p), "argmax", columns, categories)
    scores = planes.scores(X)
    for i, k in np.ndindex(m, p):
        row, total = X[i].tolist(), 0.0
        for t in np.flatnonzero(weights.any(axis=0)):
            value = row[columns[t]]
            if columns[t] == 0 and value == value:
                value = float(value == 1)
            total += float(weights[k, t]) * value
        assert np.array_equal(scores[i, k], total - planes.offsets[k], equal_nan=True)
    wide = np.full((2 * m, 3 * n), 7.0)
    wide[::2, ::-3] = X
    for other in (np.asfortranarray(X), wide[::2, ::-3]):
        assert np.array_equal(planes.scores(other), scores, equal_nan=True)
    assert np.array_equal(planes.scores(X[-1:].copy()), scores[-1:], equal_nan=True)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(IndexError, match="2 columns"):
        Planes([[1.0]], [0.0], columns=[2]).scores(np.zeros((1, 2)))
