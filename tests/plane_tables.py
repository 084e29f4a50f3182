"""Clouds of rows that trees of planes are grown from."""

import numpy as np
import pandas as pd


def clouds(seed, n_rows=60, n_columns=5, n_classes=2):
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(n_classes), n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + 1.5 * rng.normal(size=(n_classes, n_columns))[y]
    return X, y


NAMES = list("abcde")


def table(seed, n=80):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)).round(2), columns=NAMES)
    X["e"] = rng.choice(["red", "blue", "green"], size=n)
    score = X["a"] + 0.7 * X["b"] * (X["c"] > 0) + (X["e"] == "red")
    return X, score + 0.3 * rng.normal(size=n) > 0.4


def read(model):
    return {NAMES[j] for j in model.features_used_}
