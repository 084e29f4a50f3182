"""Generators of data sets whose structure is known, and what the Fourier spectra of textures say.

The power spectrum of a window, its mean taken away, is divided by frequency into rings around the
origin and by direction into wedges. The share of the power that each holds is a feature:

    rings      coarse texture in the first, fine in the last
    wedges     the direction of stripes and edges; the two halves of the spectrum are one

With 8 rings and 7 wedges these are 15 features. The texture problem of Gracia, Pla, Ferri & Garcia
(1995) has as many from 64 x 64 windows of images that are not public.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    With `h1(t) = max(6 - |t - 11|, 0)`, `h2(t) = h1(t - 4)`, `h3(t) = h1(t + 4)`, t = 1, ..., 21,
    a row of one of three equally likely classes is

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


def fourier_texture_features(
    images: Sequence[Any] | NDArray[Any], size: int = 64, rings: int = 8, wedges: int = 7
) -> Floats:
    """Shares of power in rings and wedges of the spectrum, for each window of each image.

    Parameters
    ----------
    images : sequence of arrays of shape (height, width), or of (height, width, channels)
        Channels are averaged. An image is cut into as many windows as fit side by side; one of the
        size of a window is one window.
    size : int
        Side of a window.
    rings, wedges : int
        How many features of each kind there are.

    Returns
    -------
    array of shape (n_windows, rings + wedges)
        Windows in the order of the images, row after row in each.

    Examples
    --------
    >>> import numpy as np
    >>> from planetree.datasets import fourier_texture_features
    >>> stripes = np.tile(np.sin(np.arange(64) * 2 * np.pi / 8), (64, 1))
    >>> fourier_texture_features([stripes]).round(2)
    array([[0., 1., 0., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0., 0.]])
    """
    windows = np.concatenate(
        [_tiles(_gray(image, i, size), size) for i, image in enumerate(images)]
    )
    windows = windows - windows.mean(axis=(1, 2), keepdims=True)
    power = np.abs(np.fft.fft2(windows)).reshape(len(windows), -1) ** 2
    regions = _region_masks(size, rings, wedges).reshape(rings + wedges, -1)
    total = power.sum(axis=1, keepdims=True)
    return np.asarray(power @ regions.T / np.where(total > 0, total, 1.0))


def _gray(image: Any, number: int, size: int) -> Floats:
    """Image as a matrix of floats, at least as large as a window."""
    found = np.asarray(image, dtype=np.float64)
    found = found.mean(axis=2) if found.ndim == 3 else found
    if found.ndim != 2 or min(found.shape) < size:
        raise ValueError(
            f"Image {number} has shape {np.shape(image)}, but a window is {size} x {size}. Give "
            "images at least as large, or a smaller size."
        )
    return found


def _tiles(image: Floats, size: int) -> Floats:
    """Windows of an image side by side, from its first corner on."""
    down, across = image.shape[0] // size, image.shape[1] // size
    whole = image[: down * size, : across * size]
    return whole.reshape(down, size, across, size).swapaxes(1, 2).reshape(-1, size, size)


def _region_masks(size: int, rings: int, wedges: int) -> Floats:
    """Which frequencies each ring and each wedge holds; the mean, at the origin, is in none."""
    frequency = np.fft.fftfreq(size) * size
    down, across = np.meshgrid(frequency, frequency, indexing="ij")
    radius = np.hypot(down, across)
    ring = np.minimum((radius - 0.5) * rings / (size / 2), rings - 1).astype(np.intp)
    direction = np.mod(np.arctan2(down, across) + np.pi / (2 * wedges), np.pi)
    wedge = np.minimum(direction * wedges / np.pi, wedges - 1).astype(np.intp)
    masks = [ring == r for r in range(rings)] + [wedge == w for w in range(wedges)]
    return np.asarray(masks & (radius > 0), dtype=np.float64)


def texture_windows(
    images: Sequence[Any] | NDArray[Any], n_windows: int, size: int = 64, random_state: Any = None
) -> tuple[Floats, Indices]:
    """Cut windows at random places, as many from each image, and say which image each is of.

    Parameters
    ----------
    images : sequence of arrays
    n_windows : int
        From each image.
    size : int
    random_state : int or numpy Generator, optional

    Examples
    --------
    >>> from planetree.datasets import make_textures, texture_windows
    >>> windows, which = texture_windows(make_textures(3, size=128), 10, random_state=0)
    >>> windows.shape, which[:12].tolist()
    ((30, 64, 64), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    """
    rng = np.random.default_rng(random_state)
    found: list[Floats] = []
    for number, image in enumerate(images):
        pixels = _gray(image, number, size)
        corners = rng.integers(np.array(pixels.shape) - size + 1, size=(n_windows, 2))
        found.extend(pixels[i : i + size, j : j + size] for i, j in corners.tolist())
    return np.array(found), np.repeat(np.arange(len(images)), n_windows)


def make_textures(n_textures: int = 13, size: int = 512, random_state: Any = 0) -> Floats:
    """Draw textures: noise around a few frequencies and directions, stronger here and weaker there.

    A texture is a sum of one to three fields of normal noise, each filtered around a frequency and
    a direction of its own, and of white noise. The strength of each changes slowly from place to
    place, so that windows of a texture differ as those of a photograph do.

    Parameters
    ----------
    n_textures : int
    size : int
        Side of the images.
    random_state : int or numpy Generator, optional

    Returns
    -------
    array of shape (n_textures, size, size)
        Values from 0 to 1.

    Examples
    --------
    >>> from planetree.datasets import make_textures
    >>> make_textures(2, size=64).shape
    (2, 64, 64)
    """
    rng = np.random.default_rng(random_state)
    return np.array([_texture(rng, size) for _ in range(n_textures)])


def _texture(rng: np.random.Generator, size: int) -> Floats:
    field = rng.normal(size=(size, size)) * _strength(rng, size)
    for _ in range(rng.integers(1, 4)):
        field += _filtered(rng, size, _soft_spot(rng, size)) * _strength(rng, size)
    return np.asarray((field - field.min()) / np.ptp(field))


def _strength(rng: np.random.Generator, size: int) -> Floats:
    """Positive factors that change slowly from place to place."""
    frequency = np.fft.fftfreq(size)
    slow = np.exp(-((64.0 * np.hypot(frequency[:, None], frequency)) ** 2))
    return np.asarray(np.exp(0.7 * _filtered(rng, size, slow)))


def _filtered(rng: np.random.Generator, size: int, weights: Floats) -> Floats:
    """Normal noise with weights on its frequencies, of standard deviation 1."""
    field = np.fft.ifft2(np.fft.fft2(rng.normal(size=(size, size))) * weights).real
    return np.asarray(field / field.std())


def _soft_spot(rng: np.random.Generator, size: int) -> Floats:
    """Weights of the frequencies around one, in cycles a pixel, and around its opposite."""
    frequency = np.fft.fftfreq(size)
    down, across = np.meshgrid(frequency, frequency, indexing="ij")
    radius, direction = rng.uniform(0.05, 0.3), rng.uniform(0, np.pi)
    along = down * np.sin(direction) + across * np.cos(direction)
    aside = -down * np.cos(direction) + across * np.sin(direction)
    spots = [np.hypot(along - sign * radius, aside) / 0.08 for sign in (1, -1)]
    return np.asarray(np.exp(-np.minimum(*spots)))
