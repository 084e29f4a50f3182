"""What parts tell adds up: sums exactly, errors upward, margins to the least."""

from fractions import Fraction

import numpy as np
import pytest

from planetree.solvers.partitioned.merging import (
    added_sums,
    class_of_group,
    joined_bands,
    merged_checks,
    size_in_bytes,
)
from planetree.solvers.partitioned.passes import Band, Check, GroupSum, sums_of


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_parts_hold_the_exact_sum_within_their_error(seed):
    """Numbers of very different sizes, whose sum in doubles would lose the small ones."""
    rng = np.random.default_rng(seed)
    E = rng.normal(size=(60, 2)) * 10.0 ** rng.integers(-8, 16, (60, 2))
    keys, ones = np.zeros(60, dtype=np.int64), np.ones(60)
    parts = [sums_of(E[i::3], keys[i::3], ones[i::3])[0] for i in range(3)]
    found = added_sums(parts)
    for j in range(2):
        exact = sum(Fraction(v) for v in E[:, j])
        off = abs(exact - Fraction(found.high[j]) - Fraction(found.low[j]))
        assert off <= Fraction(found.error[j])
    assert found.high[2] + found.low[2] == 60.0


def test_checks_of_parts_are_summed_upward_and_keep_the_least_margin():
    none = Band(np.empty((0, 1)), np.empty(0, np.int32), np.empty(0))
    checks = [
        Check(error, margin, wrong, strays, none, np.empty(0, np.int64), 0)
        for error, margin, wrong, strays in ((0.1, 3.0, 1, 2), (0.2, -1.0, 0, 5), (0.3, 2.0, 4, 0))
    ]
    found = merged_checks(checks)
    assert Fraction(found.error) >= sum(Fraction(each.error) for each in checks)
    assert found.error == pytest.approx(0.6)
    assert (found.least_margin, found.n_wrong, found.n_strays) == (-1.0, 5, 7)
    assert merged_checks([each._replace(error=0.0) for each in checks]).error == 0.0


def test_bands_are_joined_in_order():
    bands = [Band(np.full((n, 2), n), np.full(n, n, np.int32), np.ones(n)) for n in (1, 3)]
    found = joined_bands(bands)
    assert found.E[:, 0].tolist() == [1, 3, 3, 3] == found.codes.tolist()
    assert found.codes.dtype == np.int32


@pytest.mark.parametrize("stage", [0, 1, 5])
def test_the_class_of_a_group_is_in_its_key_whatever_its_stage(stage):
    for k in (2, 3, 5):
        for label in range(k):
            assert class_of_group((stage << 50) | (label << (k - 1)) | 1, k) == label


def test_bytes_are_those_of_the_arrays_within():
    found = {"a": np.zeros(3), "b": [GroupSum(np.zeros(2), np.zeros(2), np.zeros(2)), 1.0]}
    assert size_in_bytes(found) == 8 * (3 + 6 + 1)
