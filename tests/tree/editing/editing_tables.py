"""Small tables that trees are fitted to and edited on."""

import numpy as np
import pandas as pd

COLUMNS = ["age", "dose", "color", "noise"]


def table(seed, n_classes=2, n=60):
    """Numbers with gaps, categories, and classes that depend on both."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n, 3)).round(2)
    color = rng.choice(["red", "blue", "green"], size=n)
    score = numbers[:, 0] + (numbers[:, 1] > 0.3) + (color == "red") + 0.4 * rng.normal(size=n)
    numbers[rng.random((n, 3)) < 0.03] = np.nan
    X = pd.DataFrame({"age": numbers[:, 0], "dose": numbers[:, 1], "color": color})
    X["noise"] = numbers[:, 2]
    steps = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.array(["a", "b", "c"])[np.searchsorted(steps, score)]


def three_classes():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    scores = X.to_numpy() @ np.array([[1.0, -0.5, -0.5], [0.0, 0.9, -0.9]])
    return X, scores.argmax(axis=1)
