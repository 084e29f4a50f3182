"""The proof that no larger selection is consistent, against all selections in fractions."""

import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from planetree import BiclusteringSelector
from planetree.exceptions import ConflictError
from planetree.feature_selection.clustering import biclustering, biclustering_search
from planetree.feature_selection.clustering.biclustering_programs import Biclustering
from planetree.feature_selection.clustering.biclustering_search import SelectionSearch

SCALES = ("plain", "column", "row", "far", "ties")


def table(seed, scales, n_features=7):
    """Few samples that no selection of all features satisfies, in units that round badly."""
    rng = np.random.default_rng(seed)
    y = np.arange(8) % (2 + seed % 2)
    X = rng.normal(size=(8, n_features)) + 0.9 * (
        np.arange(n_features) % (2 + seed % 2) == y[:, None]
    )
    if scales == "column":
        X *= 10.0 ** rng.choice([-6, 0, 0, 0, 5], size=n_features)
    if scales == "row":
        X[seed % 8] *= 1e8
    if scales == "far":
        X += 1e6
    if scales == "ties":
        X = np.round(X)
    return X, y


def is_consistent(rows, y, classes, selected, separation):
    for row, own in zip(rows, y, strict=True):
        average = {}
        for k in set(y.tolist()):
            values = [v for v, c, s in zip(row, classes, selected, strict=True) if s and c == k]
            if not values:
                return False
            average[k] = sum(values, Fraction(0)) / len(values)
        for k, other in average.items():
            if k != own and average[own] < other + separation * max(other, Fraction(0)):
                return False
    return True


def most_features(X, y, classes, separation):
    """Size of the largest consistent selection, in fractions; 0 if there is none."""
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    tried = sorted(product([False, True], repeat=X.shape[1]), key=sum, reverse=True)
    t = Fraction(separation)
    return next((sum(s) for s in tried if is_consistent(rows, y, classes, s, t)), 0)


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("seed", range(12))
def test_no_selection_has_more_features_than_the_bound_in_fractions(seed, scales):
    """It was the bound of branch and bound in floating point, whose rows hold to 1e-6."""
    X, y = table(seed, scales)
    separation = (0.0, 0.25)[seed // 2 % 2]
    model = BiclusteringSelector(method="exact", separation=separation, relax=False)
    try:
        model.fit(X, y)
    except ConflictError:
        return
    if not np.isnan(model.baselines_).all():
        return
    most = most_features(X, y, model.feature_classes_, separation)
    assert most <= model.bound_
    assert model.objective_ <= model.bound_
    assert model.status_ == "optimal"
    if scales == "plain":  # elsewhere averages may be equal but for their rounding
        assert model.objective_ == most


@pytest.mark.parametrize("seed", range(6))
def test_a_proof_that_is_cut_short_leaves_a_true_bound_and_no_claim(seed, monkeypatch):
    X, y = table(seed, "plain", 9)
    monkeypatch.setattr(biclustering, "_MOST_BOXES", 1)
    monkeypatch.setattr(biclustering_search, "_FEW_BOXES", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = BiclusteringSelector(method="exact").fit(X, y)
    kept = np.setdiff1d(np.arange(len(y)), model.outliers_)
    most = most_features(X[kept], y[kept], model.feature_classes_, 0.0)
    assert most <= model.bound_
    assert (model.status_ == "optimal") == (model.objective_ == model.bound_)


@pytest.mark.parametrize("separation", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(6))
def test_a_selection_is_found_exactly_where_there_is_one(seed, separation):
    rng = np.random.default_rng(seed)
    classes, codes = np.arange(8) % 2, np.arange(6) % 2
    values = rng.uniform(0, 10, (6, 8)) + 3.0 * (classes == codes[:, None])
    problem = Biclustering(values, codes, classes, separation, np.ones(6, dtype=bool))
    most = most_features(values, codes, classes, separation)
    search = SelectionSearch(problem)
    for n in range(2, 9):
        answer = search.at_least(n, 1000)
        assert answer.impossible == (n > most)
        if n <= most:
            assert answer.selected.sum() >= n
            assert problem.consistent(answer.selected)
    assert search.most(0) == most


def test_nothing_is_proved_where_rounding_exceeds_what_is_accepted():
    """A separation so large that averages times it are wrong by more than the tolerance."""
    problem = Biclustering(np.eye(2), np.arange(2), np.arange(2), 1e9, np.ones(2, dtype=bool))
    assert not SelectionSearch(problem).is_exact
    assert SelectionSearch(problem).most(0) == 2
