"""Terms that others make up but for rounding: what is left is exact, and bounds are proved."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from planetree import RobustSeparator
from planetree.distributed import open_partitions
from planetree.solvers.partitioned.passes import sums_of
from planetree.solvers.partitioned.remainders import _Remainder, remainders_among


@pytest.fixture
def rows():
    E = np.random.default_rng(0).normal(size=(300, 3))
    return np.column_stack([E, E[:, 0] - 0.5 * E[:, 1]])


def exact(row, remainder):
    taken = zip(remainder.factors.tolist(), remainder.others.tolist(), strict=True)
    return Fraction(row[remainder.term]) - sum(Fraction(f) * Fraction(row[j]) for f, j in taken)


def test_what_is_left_of_a_rounded_difference_is_exact_row_by_row_and_in_sums(rows):
    (found,) = remainders_among(rows, np.zeros(4), np.ones(4))
    left = found.of_rows(rows)
    assert [Fraction(v) for v in left] == [exact(row, found) for row in rows]
    weights = np.random.default_rng(1).uniform(size=len(rows))
    (before,) = sums_of(rows, np.zeros(len(rows), dtype=np.int64), weights).values()
    after = found.of_sums(before)
    whole = sum(Fraction(w) * exact(row, found) for w, row in zip(weights, rows, strict=True))
    off = Fraction(after.high[found.term]) + Fraction(after.low[found.term]) - whole
    assert abs(off) <= Fraction(after.error[found.term])
    assert after.error[found.term] < 1e-6 * abs(left).max()  # so that it is of use
    kept = np.arange(5) != found.term
    assert np.array_equal(after.high[kept], before.high[kept])


def test_independent_terms_and_multiples_that_round_have_no_remainder(rows):
    assert remainders_among(rows[:, :3], np.zeros(3), np.ones(3)) == []
    tripled = np.column_stack([rows[:, :3], 3 * rows[:, 0]])
    assert remainders_among(tripled, np.zeros(4), np.ones(4)) == []


def test_a_remainder_that_no_float_holds_is_not_rounded():
    E = np.array([[1.0, 2.0**-80, 1.0 + 2.0**-20]])
    assert _Remainder(2, np.array([0, 1]), np.ones(2)).of_rows(E) is None


@pytest.mark.parametrize("m", [3000, 60_000])
def test_a_rounded_sum_of_columns_leaves_a_bound_over_all_rows(m):
    """It was 0: multipliers that balance the sum to rounding do not balance what rounding left."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, 2))
    y = X[:, 0] + 0.6 * rng.normal(size=m) > 0
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = RobustSeparator().fit(open_partitions([(X[i::3], y[i::3]) for i in range(3)]))
    plain = RobustSeparator().fit(X[:, :2], y)
    assert (1 - 10 / m) * plain.bound_ < parts.bound_ < plain.objective_
    assert parts.gap_ < 10 / m
