"""Normalization: exact in its statement, indifferent to units, constant columns left at 0."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planetree import _core
from planetree.separators.problem import Problem, class_ranks, to_planes
from planetree.table import Terms

pytestmark = pytest.mark.core

seeds = st.integers(0, 2**32 - 1)


def standardize(E, weights):
    center, scale = _core.column_moments(E, weights)
    terms = Terms(np.arange(E.shape[1]), np.full(E.shape[1], -1))
    scale = np.where(scale > 0, scale, 1.0)
    problem = Problem(E, np.zeros(len(E), dtype=int), weights, terms, center, scale)
    return problem.normalized, center, scale


@given(seeds, st.integers(-300, 300))
def test_normalized_terms_do_not_depend_on_units(seed, power):
    rng = np.random.default_rng(seed)
    E, weights = rng.normal(size=(9, 3)), rng.integers(1, 5, size=9).astype(float)
    plain, _, scale = standardize(E, weights)
    scaled, _, large = standardize(np.ldexp(E, power), weights)
    assert np.array_equal(plain, scaled)
    assert np.array_equal(np.ldexp(scale, power), large)


@given(seeds)
def test_normalized_terms_have_weighted_mean_0_and_deviation_1(seed):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(12, 3)) * [1e-12, 1.0, 1e12] + [1.0, 0.0, 1e12]
    weights = rng.integers(1, 5, size=12).astype(float)
    repeated = np.repeat(E, weights.astype(int), axis=0)
    Z, center, scale = standardize(E, weights)
    np.testing.assert_allclose(center, repeated.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(scale, repeated.std(axis=0), rtol=1e-3)
    np.testing.assert_allclose(np.average(Z**2, axis=0, weights=weights), 1.0, rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -7e300, 5e-324, 1e-310])
def test_a_term_with_one_value_is_left_at_0_with_scale_1(value):
    E = np.column_stack([np.full(7, value), np.arange(7.0)])
    Z, center, scale = standardize(E, np.full(7, 0.3))
    assert not Z[:, 0].any()
    assert center[0] == value
    assert scale[0] == 1.0


def test_the_largest_numbers_do_not_overflow():
    Z, _, scale = standardize(np.array([[-1.7e308], [1.7e308]]), np.ones(2))
    np.testing.assert_allclose(Z[:, 0], [-1.0, 1.0])
    assert np.isfinite(scale).all()


@given(seeds)
def test_planes_of_the_users_units_score_as_those_of_normalized_terms(seed):
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(10, 4)) * [1e-9, 1.0, 3.0, 1e9]
    Z, center, scale = standardize(E, np.ones(10))
    W, gammas = rng.normal(size=(3, 4)), rng.normal(size=3)
    terms = Terms(np.arange(4), np.full(4, -1))
    problem = Problem(E, np.zeros(10, dtype=int), np.ones(10), terms, center, scale)
    planes = to_planes(W, gammas, problem, "argmax")
    np.testing.assert_allclose(planes.scores(E), Z @ W.T - gammas, atol=1e-12)


def test_the_weight_of_a_class_is_the_exact_sum_rounded_once():
    """As `math.fsum` adds them: ties of the last bit, huge beside tiny weights, classes without."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        m = rng.integers(1, 60)
        codes, weights = rng.integers(0, 3, m), np.ldexp(rng.random(m), rng.integers(-60, 60, m))
        weights[::3] = np.ldexp(rng.integers(0, 4, len(weights[::3])), -53)
        expected = [math.fsum(weights[codes == c]) for c in range(3)]
        assert _core.class_totals(codes, weights, 3).tolist() == expected


def test_classes_of_one_weight_stand_by_their_means_whatever_the_order_of_rows_and_columns():
    """The largest mean of a class is compared first, whichever column has it."""
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(30, 4)) + 1e6, np.resize(np.arange(3), 30)
    X[:, 0] += np.array([2.0, 0.0, 1.0])[codes]
    center, scale = _core.column_moments(X, np.ones(30), 40)
    means = [sorted(-((X[codes == c] - center) / scale).mean(axis=0)) for c in range(3)]
    expected = [sum(other > own for other in means) for own in means]  # largest means last
    assert sorted(expected) == [0, 1, 2]
    for _ in range(4):
        rows, columns = rng.permutation(30), rng.permutation(4)
        E = np.ascontiguousarray(X[np.ix_(rows, columns)])
        problem = Problem(E, codes[rows], np.ones(30), None, center[columns], scale[columns])
        assert class_ranks(problem).tolist() == expected
