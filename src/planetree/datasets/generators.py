"""Generators of data sets whose structure is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from planetree.arrays import Floats, Indices


def parity(n_bits: int) -> tuple[Floats, Indices]:
    """All rows of `n_bits` bits, and for each whether its number of ones is odd.

    Examples
    --------
    >>> from planetree.datasets import parity
    >>> X, y = parity(2)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    bits = np.arange(2**n_bits)[:, None] >> np.arange(n_bits)[::-1] & 1
    odd = np.asarray(bits.sum(axis=1) % 2, dtype=np.intp)
    return bits.astype(np.float64), odd


def two_planes(
    n_rows: int, n_features: int, alternating: bool = False, random_state: Any = None
) -> tuple[Floats, Indices]:
    """Rows on the unit sphere that two random planes through the center separate.

    Bennett (1993), section 7.4.

    Parameters
    ----------
    n_rows, n_features : int
    alternating : bool
        Class 1 is where both planes have the row on the same side, not where both have it above.
    random_state : int or numpy Generator, optional

    Examples
    --------
    >>> from planetree.datasets import two_planes
    >>> X, y = two_planes(100, 3, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((100, 3), [0, 1])
    """
    rng = np.random.default_rng(random_state)
    points = rng.normal(size=(n_rows + 2, n_features))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    X, above = points[2:], points[2:] @ points[:2].T > 0
    inside = above[:, 0] == above[:, 1] if alternating else above[:, 0] & above[:, 1]
    return X, np.asarray(inside, dtype=np.intp)


def make_waveform(
    n: int, noise_features: int = 0, random_state: Any = None
) -> tuple[Floats, Indices]:
    """Draw mixtures of two of three triangular waves, at 21 points, with noise.

    With h1(t) = max(6 - |t - 11|, 0), h2(t) = h1(t - 4) and h3(t) = h1(t + 4), t = 1, ..., 21, a
    row of one of three equally likely classes is

        u h1 + (1 - u) h2,    u h1 + (1 - u) h3    or    u h2 + (1 - u) h3

    plus standard normal noise at each point, u uniform on [0, 1]. Breiman, Friedman, Olshen & Stone
    (1984), section 2.6.2; their problem with 40 features has 19 of noise alone.

    Parameters
    ----------
    n : int
        Rows.
    noise_features : int
        Features of standard normal noise after the 21.
    random_state : int or numpy Generator, optional

    Examples
    --------
    >>> from planetree.datasets import make_waveform
    >>> X, y = make_waveform(300, noise_features=19, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((300, 40), [0, 1, 2])
    """
    rng = np.random.default_rng(random_state)
    t = np.arange(1, 22)
    waves = np.array([np.maximum(6.0 - np.abs(t - peak), 0.0) for peak in (11, 15, 7)])
    y = rng.integers(3, size=n)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[y].T
    u = rng.uniform(size=(n, 1))
    X = rng.normal(size=(n, 21 + noise_features))
    X[:, :21] += u * waves[first] + (1.0 - u) * waves[second]
    return X, np.asarray(y, dtype=np.intp)
