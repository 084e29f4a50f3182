"""Scores in twice the digits of a double, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from planetree.separators.scores import signed_scores

SEEDS = range(20)


def drawn(seed):
    """Rows of large numbers whose scores cancel to small ones."""
    rng = np.random.default_rng(seed)
    E = 10.0 ** rng.integers(0, 15) + rng.normal(size=(12, 3))
    weights = rng.normal(size=3) * [1.0, 0.0, 1.0]
    return E, rng.choice([-1.0, 1.0], 12), weights, float(E[0] @ weights)


def in_fractions(E, signs, weights, offset):
    return [
        Fraction(s) * (sum(Fraction(w) * Fraction(x) for w, x in zip(weights, row, strict=True)))
        - Fraction(s) * Fraction(offset)
        for s, row in zip(signs.tolist(), E.tolist(), strict=True)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_score_is_that_of_fractions_rounded(seed):
    E, signs, weights, offset = drawn(seed)
    found = signed_scores(E, signs, weights, offset)
    sizes = np.abs(E) @ np.abs(weights) + abs(offset)
    for high, low, exact, size in zip(
        found.high, found.low, in_fractions(E, signs, weights, offset), sizes, strict=True
    ):
        assert abs(Fraction(high) + Fraction(low) - exact) <= Fraction(size) * 2**-100
    assert found.least == pytest.approx(
        float(min(in_fractions(E, signs, weights, offset))), rel=1e-15
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_and_means_are_those_of_fractions(seed):
    E, signs, weights, offset = drawn(seed)
    found, exact = signed_scores(E, signs, weights, offset), in_fractions(*drawn(seed))
    some = np.arange(12) % 3 == 0
    parts = [
        min(e for e, is_in in zip(exact, some, strict=True) if is_in == side) for side in (1, 0)
    ]
    assert found.sum_of_least(some) == pytest.approx(float(sum(parts)), rel=1e-13)
    charges = np.random.default_rng(seed).integers(1, 9, 12) / 8
    mean = sum(Fraction(c) * e for c, e in zip(charges, exact, strict=True)) / Fraction(
        charges.sum()
    )
    assert found.mean(charges) == pytest.approx(float(mean), rel=1e-13)


def test_numbers_near_the_largest_do_not_overflow():
    E = np.array([[1e305, 1.0], [9e304, 2.0]])
    found = signed_scores(E, np.ones(2), np.array([2.0**-1013, 0.0]), 0.0)
    assert found.high.tolist() == [1e305 * 2.0**-1013, 9e304 * 2.0**-1013]
    assert found.low.tolist() == [0.0, 0.0]
