"""Threads: the same tree, to the bit, for any number of them."""

import json

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris, load_wine

from planetree import PlaneTreeClassifier, arrays, grading
from planetree.arrays import cells_of
from planetree.model_files import save
from planetree.tree.plane import plane_search


def written(model, path):
    save(model.set_params(n_jobs=None), path)
    found = json.loads(path.read_text())
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_tree_is_the_same_for_any_number_of_threads(load, tmp_path):
    X, y = load(return_X_y=True)
    models = [PlaneTreeClassifier(n_jobs=n).fit(X, y) for n in (None, 2, 4)]
    files = {written(model, tmp_path / "model.json") for model in models}
    assert len(files) == 1


def test_the_tree_of_many_rows_is_the_same_for_any_threads_and_order_of_rows(monkeypatch, tmp_path):
    """Some of them grow it, and all finish it, part by part."""
    monkeypatch.setattr(plane_search, "_TREE_ROWS", 1500)
    monkeypatch.setattr(grading, "GRADED_ROWS", 1000)
    monkeypatch.setattr(arrays, "_PART_ROWS", 700)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    X[::50, 1] = np.nan
    y = (X[:, 0] + np.nan_to_num(X[:, 1]) + rng.normal(size=len(X)) > 0).astype(int)
    order = rng.permutation(len(X))
    first = PlaneTreeClassifier(n_jobs=1).fit(X, y)
    other = PlaneTreeClassifier(n_jobs=2).fit(X[order], y[order])
    assert written(first, tmp_path / "first.json") == written(other, tmp_path / "other.json")
    assert np.array_equal(first.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("n", [10, 5000])
def test_scores_of_the_columns_that_are_read_are_those_of_all(n):
    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(n, 20)), np.sort(rng.permutation(n)[: n - 1])
    X[::7, 3] = np.nan
    columns = np.array([3, 11])
    assert np.array_equal(
        cells_of(X, rows, columns)[:, columns], X[rows][:, columns], equal_nan=True
    )


def test_a_tree_grows_in_threads_where_joblib_is_told_to_use_processes():
    X, y = load_wine(return_X_y=True)
    with parallel_config("loky", n_jobs=2):
        model = PlaneTreeClassifier().fit(X, y)
    assert model.to_text() == PlaneTreeClassifier().fit(X, y).to_text()
