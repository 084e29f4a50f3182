"""Clouds of rows of several classes."""

import numpy as np


def clouds(seed, n_rows, n_columns, n_classes, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + shift * rng.normal(size=(n_classes, n_columns))[y]
    return X, y
