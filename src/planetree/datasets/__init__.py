"""Data sets by name, and generators of ones whose structure is known."""

from planetree.datasets.generators import (
    fourier_texture_features,
    make_textures,
    make_waveform,
    parity,
    texture_windows,
    two_planes,
)
from planetree.datasets.loaders import Dataset, example_csv, known_examples, names
from planetree.datasets.loaders import load_dataset as load

__all__ = [
    "Dataset",
    "example_csv",
    "fourier_texture_features",
    "known_examples",
    "load",
    "make_textures",
    "make_waveform",
    "names",
    "parity",
    "texture_windows",
    "two_planes",
]
