"""What parts tell, put together: sums of groups, bands, checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from planetree.solvers.partitioned.passes import Band, Check, GroupSum


def class_of_group(key: int, n_classes: int) -> int:
    """Class of a group by its key."""
    return (key & ((1 << 50) - 1)) >> (n_classes - 1)


def added_sums(sums: list[GroupSum]) -> GroupSum:
    """One sum of many: exact but for the last bits of the second double."""
    high, low, error = [], [], []
    for column in zip(*(zip(*each, strict=True) for each in sums), strict=True):
        parts = [v for pair in column for v in pair[:2]]
        first = math.fsum(parts)
        second = math.fsum([*parts, -first])
        high.append(first)
        low.append(second)
        error.append(1.0000001 * math.fsum(each[2] for each in column) + abs(second) * 2.0**-50)
    return GroupSum(np.array(high), np.array(low), np.array(error))


def joined_bands(bands: list[Band]) -> Band:
    """Rows of several bands as one."""
    E, codes, weights = (np.concatenate(each) for each in zip(*bands, strict=True))
    return Band(np.ascontiguousarray(E), codes.astype(np.int32), weights)


def merged_checks(checks: Sequence[Check]) -> Check:
    """All parts together; the error is rounded up."""
    error = math.fsum(each.error for each in checks)
    return checks[0]._replace(
        error=float(np.nextafter(error, np.inf)) if error else 0.0,
        least_margin=min(each.least_margin for each in checks),
        n_wrong=sum(each.n_wrong for each in checks),
        n_strays=sum(each.n_strays for each in checks),
    )


def size_in_bytes(found: Any) -> int:
    """Bytes of the arrays in a result."""
    if isinstance(found, np.ndarray):
        return found.nbytes
    if isinstance(found, dict):
        return sum(map(size_in_bytes, found.values()))
    if isinstance(found, (tuple, list)):
        return sum(map(size_in_bytes, found))
    return 8
