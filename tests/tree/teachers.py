"""Teachers and the tables that they teach with."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

from planetree.table import Table, canonical
from planetree.tree.teaching import lessons, read_teacher


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows the rule; keeps what it was asked."""

    def __init__(self, rule=None):
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.asked_, self.seen_ = np.unique(y), [], X
        return self

    def predict_proba(self, X):
        self.asked_.append(X)
        yes = np.asarray(self.rule(X), dtype=float)
        return np.column_stack([1.0 - yes, yes])


def noisy(seed=0, n_rows=150):
    """Classes by a sum of two columns, a third of the labels near the border wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)).round(3)
    score = X[:, 0] + X[:, 1]
    y = (score + 0.8 * rng.normal(size=n_rows) > 0).astype(int)
    return X, y


def table_with_gaps(seed=0, n_rows=80):
    rng = np.random.default_rng(seed)
    color = rng.choice(["red", "green", "blue"], n_rows)
    size = rng.normal(size=n_rows).round(2)
    y = np.where((color == "red") ^ (rng.random(n_rows) < 0.1), "yes", "no")
    size[rng.random(n_rows) < 0.2] = np.nan
    color = np.where(rng.random(n_rows) < 0.1, None, color)
    return pd.DataFrame({"color": pd.Categorical(color), "size": size}), y


def forest():
    return RandomForestClassifier(10, min_samples_leaf=2)


def lesson_of(teacher, X, y, weights=None):
    table = Table.read(X)
    weights = np.ones(len(y)) if weights is None else weights
    labels, codes = np.unique(y, return_inverse=True)
    rows = canonical(table, codes, weights, n_classes=len(labels))
    known = read_teacher(teacher, X, np.arange(len(y)))(rows, rows.weights, labels[rows.order])
    return rows, next(lessons(rows, rows.weights, known))
