"""Columns and decisions that return: those of trees of the same draws, fitted by hand."""

import numpy as np
import pandas as pd

from planetree import PlaneTreeClassifier, TreeEditor


def test_stability_counts_how_often_columns_and_decisions_return():
    """The oracle draws the same rows, and fits a tree to them as rows, not as weights."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    y = X["a"] + 0.3 * rng.normal(size=80) > 0
    editor = TreeEditor(PlaneTreeClassifier().fit(X, y), X, y)
    found = editor.stability(n=3, random_state=1)
    draws, trees = np.random.default_rng(1), []
    for _ in range(3):
        drawn = np.repeat(np.arange(80), draws.multinomial(80, np.full(80, 1 / 80)))
        trees.append(PlaneTreeClassifier().fit(X.iloc[drawn], y.iloc[drawn]).tree_)
    for j, name in enumerate("abc"):
        assert found.columns.get(name, 0.0) == np.mean([j in tree.features for tree in trees])
    first = editor.model_.tree_.splits[0].features.tolist()
    returns = [
        any(split is not None and split.features.tolist() == first for split in tree.splits)
        for tree in trees
    ]
    assert found.decisions[0] == np.mean(returns)
    assert found.n_terms == tuple(tree.n_terms for tree in trees)
