"""Tables and models of which rows are changed."""

from functools import cache

import numpy as np

from planetree import (
    C45Classifier,
    PlaneTreeClassifier,
    SeparatorTreeClassifier,
)


def random_table(seed, n=60, categories=True):
    """Numbers, whole numbers and words, with a class that follows from all of them."""
    rng = np.random.default_rng(seed)
    numbers, whole = rng.normal(size=(n, 2)), rng.integers(-3, 4, size=(n, 2))
    words = rng.integers(0, 3, size=n)
    score = numbers @ rng.normal(size=2) + whole @ rng.normal(size=2) + rng.normal(size=3)[words]
    y = np.digitize(score, np.quantile(score, [0.4, 0.75] if seed % 2 else [0.5]))
    columns = [*numbers.T.tolist(), *whole.T.astype(float).tolist()]
    columns += [[["red", "green", "blue"][w] for w in words]] if categories else []
    return np.array(list(zip(*columns, strict=True)), dtype=object), np.array(list("abc"))[y]


@cache
def large_tree(seed, categories=True):
    return PlaneTreeClassifier(size=0.1).fit(*random_table(seed, categories=categories))


MODELS = [
    PlaneTreeClassifier(),
    PlaneTreeClassifier(grading=None, size=0.1),
    C45Classifier(min_cases=5),
    SeparatorTreeClassifier(max_splits=3),
]


def answers(model, X, **limits):
    """Cheapest change of each row, or None."""
    return [found[0] if found else None for found in model.explain(X).counterfactuals(**limits)]


def grid_of(model, row, n=161):
    """Rows of a grid within the observed ranges of two columns, and what they cost."""
    ranges = model.ranges_
    lines = [
        np.append(np.linspace(a, b, n), row[j])
        for j, (a, b) in enumerate(zip(ranges.low, ranges.high, strict=True))
    ]
    grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 2)
    return grid, (np.abs(grid - row) / ranges.scales()).sum(axis=1)


def two_numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2))
    return X, np.where(X[:, 0] ** 2 + X[:, 1] + 0.4 * rng.normal(size=150) > 0.8, "b", "a")
