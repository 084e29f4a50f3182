"""Generators: the structure that they promise."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from planetree.datasets import (
    fourier_texture_features,
    make_textures,
    make_waveform,
    texture_windows,
)


def test_the_mean_waveforms_are_those_of_breiman():
    """The mean of a class is half the sum of its two triangular waves."""
    X, y = make_waveform(60000, random_state=0)
    t = np.arange(1, 22)
    h1, h2, h3 = (np.maximum(6 - abs(t - peak), 0) for peak in (11, 15, 7))
    for c, (a, b) in enumerate([(h1, h2), (h1, h3), (h2, h3)]):
        np.testing.assert_allclose(X[y == c].mean(axis=0), (a + b) / 2, atol=0.06)
        within = X[y == c].var(axis=0)
        np.testing.assert_allclose(within, 1 + (a - b) ** 2 / 12, atol=0.15)
    np.testing.assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.01)


def test_the_error_of_waveforms_is_above_that_of_bayes():
    """Breiman et al. (1984): the Bayes rate is about 14%; naive Bayes comes near it, not below."""
    X, y = make_waveform(8000, random_state=1)
    error = 1 - GaussianNB().fit(X[:4000], y[:4000]).score(X[4000:], y[4000:])
    assert 0.14 < error < 0.24


def test_noise_features_say_nothing():
    X, y = make_waveform(30000, noise_features=19, random_state=2)
    assert X.shape == (30000, 40)
    for c in range(3):
        np.testing.assert_allclose(X[y == c, 21:].mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(X[:, 21:].std(axis=0), 1, atol=0.03)


def test_a_seed_draws_the_same_again():
    for draw in (
        lambda: make_waveform(50, random_state=4)[0],
        lambda: make_textures(2, 128, random_state=4),
        lambda: texture_windows(make_textures(2, 128), 3, random_state=4)[0],
    ):
        assert np.array_equal(draw(), draw())


def test_rings_share_all_power_and_so_do_wedges():
    X = fourier_texture_features(make_textures(3, 128))
    assert X.shape == (12, 15)
    np.testing.assert_allclose(X[:, :8].sum(axis=1), 1)
    np.testing.assert_allclose(X[:, 8:].sum(axis=1), 1)
    assert np.all(X >= 0)


@pytest.mark.parametrize("rings", [4, 8])
def test_finer_stripes_lie_in_outer_rings(rings):
    t = np.arange(64)
    stripes = [np.tile(np.sin(2 * np.pi * t * k / 64), (64, 1)) for k in (2, 10, 18, 30)]
    X = fourier_texture_features(stripes, rings=rings)
    assert np.all(np.diff(X[:, :rings].argmax(axis=1)) > 0)


def test_turned_stripes_lie_in_another_wedge_and_in_the_same_ring():
    t = np.arange(64)
    across = np.tile(np.sin(2 * np.pi * t * 8 / 64), (64, 1))
    a, b = fourier_texture_features([across, across.T])
    assert a[:8].argmax() == b[:8].argmax()
    assert a[8:].argmax() != b[8:].argmax()


def test_light_and_contrast_do_not_matter():
    image = make_textures(1, 64)[0]
    plain, changed = fourier_texture_features([image, 3 * image + 10])
    np.testing.assert_allclose(plain, changed)


def test_an_even_image_has_no_features():
    assert not fourier_texture_features([np.ones((64, 64))]).any()


def test_color_is_averaged():
    image = make_textures(1, 64)[0]
    color = np.stack([image, image, image], axis=2)
    np.testing.assert_allclose(*fourier_texture_features([image, color]))


def test_windows_come_from_their_image():
    images = make_textures(2, 96)
    windows, which = texture_windows(images, 5, size=32, random_state=0)
    assert windows.shape == (10, 32, 32)
    for window, image in zip(windows, images[which], strict=True):
        views = np.lib.stride_tricks.sliding_window_view(image, (32, 32))
        assert np.any(np.all(views == window, axis=(2, 3)))


def test_an_image_that_is_too_small_is_named():
    with pytest.raises(ValueError, match=r"Image 1 has shape \(32, 64\), but a window is 64 x 64"):
        fourier_texture_features([np.zeros((64, 64)), np.zeros((32, 64))])
