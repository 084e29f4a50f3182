"""Random rows of the kinds that trouble linear programs, by name."""

import numpy as np


def continuous(rng, classes, n):
    return rng.normal(size=(len(classes), n)) + 0.5 * classes[:, None]


def whole_numbers(rng, classes, n):
    return rng.integers(-2, 3, size=(len(classes), n)) + 1.0 * (classes[:, None] % 2)


def zeros_and_ones(rng, classes, n):
    return (rng.random((len(classes), n)) < 0.3 + 0.2 * (classes[:, None] % 3)).astype(float)


def repeated_rows(rng, classes, n):
    base = rng.normal(size=(max(2, len(classes) // 4), n))
    return base[rng.integers(len(base), size=len(classes))]


def collinear_columns(rng, classes, n):
    few = continuous(rng, classes, max(1, n // 2))
    mixed = few @ rng.integers(-2, 3, size=(few.shape[1], n))
    mixed[:, rng.integers(n)] = 7.0
    return mixed


def all_scales(rng, classes, n):
    return continuous(rng, classes, n) * 10.0 ** rng.uniform(-12, 12, size=n)


def heavy_tails(rng, classes, n):
    return rng.standard_cauchy((len(classes), n)) + classes[:, None]


def separable(rng, classes, n):
    direction = rng.normal(size=n) * 10.0
    return rng.normal(size=(len(classes), n)) + classes[:, None] * direction


def mirrored(rng, classes, n):
    """Class means that nearly coincide, so that w = 0 is nearly or quite optimal."""
    half = rng.integers(-2, 3, size=((len(classes) + 1) // 2, n)).astype(float)
    return np.concatenate([half, -half])[: len(classes)]


def far_from_zero(rng, classes, n):
    return continuous(rng, classes, n) + 1e4


FAMILIES = {
    each.__name__: each
    for each in (
        continuous,
        whole_numbers,
        zeros_and_ones,
        repeated_rows,
        collinear_columns,
        all_scales,
        heavy_tails,
        separable,
        mirrored,
        far_from_zero,
    )
}
