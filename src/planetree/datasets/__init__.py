"""Data sets of a local folder, by name, and generators of ones whose structure is known."""

from planetree.datasets.generators import make_waveform, parity, two_planes
from planetree.datasets.loaders import Dataset, contents, folder, load, names
from planetree.datasets.textures import fourier_texture_features, make_textures, texture_windows

__all__ = [
    "Dataset",
    "contents",
    "folder",
    "fourier_texture_features",
    "load",
    "make_textures",
    "make_waveform",
    "names",
    "parity",
    "texture_windows",
    "two_planes",
]
