"""Small tables that are hard on arithmetic: degenerate ones and badly scaled ones."""

import numpy as np


def random(rng, X, y):
    """Rows of two or three overlapping clouds."""
    return X, y


def ties(rng, X, y):
    """Small whole numbers."""
    return np.round(X), y


def duplicates(rng, X, y):
    """Rows that repeat, also in other classes."""
    picked = rng.integers(0, max(2, len(y) // 2), size=len(y))
    return X[picked], y


def collinear(rng, X, y):
    """A column that is a sum of the others."""
    X = np.round(4 * X) / 4
    X[:, -1] = X[:, :-1].sum(axis=1) if X.shape[1] > 1 else X[:, 0]
    return X, y


def constant_column(rng, X, y):
    """A column of one value."""
    if X.shape[1] > 1:
        X[:, rng.integers(X.shape[1])] = rng.choice([0.0, 1.0, 1e6, 0.1])
    return X, y


def separable(rng, X, y):
    """Classes far apart in the first column."""
    X[:, 0] += rng.choice([3.0, 10.0, 100.0]) * y
    return X, y


def barely_separable(rng, X, y):
    """Classes that are apart by a hair."""
    X[:, 0] = np.abs(X[:, 0]) * np.where(y == 0, -1, 1) + y * rng.choice([1e-9, 1e-12])
    return X, y


def one_row_each(rng, X, y):
    """One row of each class."""
    first = np.array([np.argmax(y == label) for label in np.unique(y)])
    return X[first], y[first]


def huge_row(rng, X, y):
    """One row far away from all others."""
    X[rng.integers(len(y))] *= rng.choice([1e4, 1e6, 1e8])
    return X, y


def huge_whole_row(rng, X, y):
    """One row of whole numbers far away from the others."""
    X = np.round(2 * X)
    X[rng.integers(len(y))] *= rng.choice([1e6, 1e8])
    return X, y


def large_column(rng, X, y):
    """One column in much smaller units."""
    X[:, rng.integers(X.shape[1])] *= 1e6
    return X, y


def small_column(rng, X, y):
    """One column in much larger units."""
    X[:, rng.integers(X.shape[1])] *= rng.choice([1e-6, 1e-12])
    return X, y


def near_the_last_digit(rng, X, y):
    """Whole numbers near 1e15."""
    j = rng.integers(X.shape[1])
    X[:, j] = 1e15 + np.round(4 * X[:, j])
    return X, y


def adjacent_floats(rng, X, y):
    """Values that differ in their last bits."""
    j = rng.integers(X.shape[1])
    X[:, j] = 1.0 + np.spacing(1.0) * rng.integers(0, 8, size=len(y))
    return X, y


FAMILIES = (
    random,
    ties,
    duplicates,
    collinear,
    constant_column,
    separable,
    barely_separable,
    one_row_each,
    huge_row,
    huge_whole_row,
    large_column,
    small_column,
    near_the_last_digit,
    adjacent_floats,
)


def draw(rng, n_classes, family=None):
    """Table of a family: its rows, codes of classes and weights of rows."""
    family = FAMILIES[rng.integers(len(FAMILIES))] if family is None else family
    m, n = int(rng.integers(2 * n_classes, 15)), int(rng.integers(1, 5 if n_classes == 2 else 4))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, size=m - n_classes)])
    X = rng.normal(size=(m, n)) + rng.choice([0.0, 0.5, 1.5]) * y[:, None]
    X, y = family(rng, X, y)
    weights = rng.integers(1, 4, size=len(y)).astype(float) if rng.random() < 0.3 else None
    return family.__name__, X, y, weights
