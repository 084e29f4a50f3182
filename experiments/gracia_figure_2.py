"""Textures: error of nested subsets of features, by two rankings.

As Figure 1, with 15 features of the Fourier spectrum of windows of 13 images: 2145 + 1105 training
rows and 3250 test rows. The Brodatz images of the paper are not free to share. PLANETREE_TEXTURES
may name a folder of images; without it, as here, textures are drawn by a generator, anew for each
of five draws, and the numbers are those of a stand-in.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.gracia_figure_1 import Problem, curves, draw
from experiments.harness.bench import Bench, grid
from planetree.datasets import fourier_texture_features, make_textures, texture_windows

__all__ = ["draw", "run"]

N_CLASSES = 13


def run(bench: Bench) -> pd.DataFrame:
    """A row for each classifier, ranking, draw and number of features."""
    windows, draws = bench.pick((165, 85, 250), (6, 4, 6)), range(bench.pick(5, 1))
    cases = grid(windows=[windows], folder=[os.environ.get("PLANETREE_TEXTURES", "")], fold=draws)
    return bench.cells(texture_curves, cases).drop(columns=["windows", "folder"])


def texture_curves(windows: tuple[int, int, int], folder: str, fold: int) -> list[dict[str, Any]]:
    """So many windows of each class to grow from, to hold out, and to test."""
    images = images_of(folder) if folder else make_textures(N_CLASSES, random_state=fold)
    growing, held_out, _ = windows
    cut, y = texture_windows(images, sum(windows), random_state=1000 + fold)
    X = fourier_texture_features(cut)
    place = np.arange(len(y)) % sum(windows)
    training = place < growing + held_out
    grows = place[training] < growing
    division = np.flatnonzero(grows), np.flatnonzero(~grows)
    return curves(
        "texture", Problem(X[training], y[training], X[~training], y[~training], division)
    )


def images_of(folder: str) -> list[np.ndarray]:
    """Images of a folder, in the order of their names."""
    from matplotlib.image import imread

    return [imread(path) for path in sorted(Path(folder).iterdir()) if path.is_file()]
