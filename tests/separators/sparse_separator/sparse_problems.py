"""Random problems with few features, and the objective of every set of them."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from planetree import RobustSeparator, SparseSeparator
from planetree.clock import UNLIMITED

KINDS = ("plain", "correlated", "separable", "three_classes", "categories")


class Problem(NamedTuple):
    """Rows, classes, and the separator whose features are minimized."""

    X: object
    y: np.ndarray
    separator: RobustSeparator


def random_problem(kind, seed):
    """3 to 10 features; RLP and RLP-P in turn."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    most = 8 if kind in ("three_classes", "categories") else 10
    m, n = int(rng.integers(15, 60)), int(rng.integers(3, most + 1))
    y = rng.permutation(np.resize(np.arange(3 if kind == "three_classes" else 2), m))
    X = rng.normal(size=(m, n)) + y[:, None] * rng.normal(size=n) * (rng.random(n) < 0.6)
    if kind == "correlated":
        X = X @ rng.normal(size=(n, n)) + 0.3 * rng.normal(size=(m, n))
    if kind == "separable":
        scores = X @ (rng.normal(size=n) * np.r_[1.0, rng.random(n - 1) < 0.5])
        y = (scores > np.median(scores)).astype(int)
    if kind == "categories":
        X = with_categories(X)
    return Problem(X, np.array(["a", "b", "c"])[y], RobustSeparator(perturbation=0.02 * (seed % 2)))


def with_categories(X):
    """Every other column cut into four categories."""
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    for name in frame.columns[::2]:
        codes = np.digitize(frame[name], [-0.7, 0.3, 1.0])
        frame[name] = pd.Categorical.from_codes(codes, list("pqrs"))
    return frame


def objectives_of_all_sets(problem):
    """Objective of every set of features that is not empty."""
    _, search = SparseSeparator(problem.separator)._prepare(problem.X, problem.y, None, UNLIMITED)
    n = search.n_features
    sets = (s for size in range(n, 0, -1) for s in combinations(range(n), size))
    everything = search.everything().solution
    return {s: search.value(s, everything) for s in sets}


def delta_of(values, increase=0.1):
    best = values[max(values, key=len)]
    return (1 + increase) * best + 1e-8 * max(1e-3, best)
