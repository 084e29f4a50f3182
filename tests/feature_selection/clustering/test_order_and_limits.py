"""Clustering selectors: names of classes and common units change nothing; time limits."""

import warnings

import numpy as np
import pytest

from campaigns import plain_tables
from planetree import BiclusteringSelector, CentroidSelector, PairwiseSelector
from planetree.exceptions import ConflictWarning, SolverError, TimeLimitWarning
from planetree.feature_selection.clustering.centroid import _CentroidProgram

SELECTORS = [CentroidSelector, PairwiseSelector, BiclusteringSelector]


def table(seed, k=2):
    """Whole numbers with many ties, also between classes."""
    rng = np.random.default_rng(seed)
    y = np.resize(np.arange(k), 14)
    return np.clip(np.round(rng.normal(size=(14, 4)) + 0.8 * y[:, None]), -1, 2), y


def predictions(selector, X, y, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConflictWarning)
        try:
            return selector().fit(X, y).predict(rows)
        except ValueError as error:
            return np.array([type(error).__name__])


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("selector", SELECTORS)
def test_names_of_classes_do_not_decide_ties(selector, k):
    """Of two classes equally near, the first by name won: 44 of 80 tables changed with names."""
    rows = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0, 2.0]] * 4)).reshape(4, -1).T
    for seed in range(6):
        X, y = table(seed, k)
        found, other = predictions(selector, X, y, rows), predictions(selector, X, k - 1 - y, rows)
        renamed = k - 1 - other if other.dtype.kind == "i" else other
        assert np.array_equal(found, renamed)


@pytest.mark.parametrize("selector", SELECTORS)
def test_all_columns_in_another_unit_give_the_same_answer(selector):
    for seed in range(6):
        X, y = table(seed)
        assert np.array_equal(
            predictions(selector, X, y, X), predictions(selector, 1024.0 * X, y, 1024.0 * X)
        )


@pytest.mark.parametrize("objective", ["separation", "features"])
def test_pairs_that_no_time_was_left_for_are_dropped(objective):
    """It was a SolverError: no point had been found yet."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 200)), np.resize([0, 1, 2], 120)
    with pytest.warns(TimeLimitWarning), pytest.warns(ConflictWarning):
        model = PairwiseSelector(objective=objective, time_limit=1e-3).fit(X, y)
    within, between = model.thresholds_
    assert model.status_ == "time_limit"
    assert within <= between
    assert model.objective_ <= model.bound_
    assert len(model.dropped_pairs_) > 0
    with pytest.raises(SolverError, match="time_limit"):
        PairwiseSelector(objective=objective, relax=False, time_limit=1e-3).fit(X, y)


def test_centroids_without_time_keep_full_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 60)), np.resize([0, 1, 2], 300)
    with pytest.warns(TimeLimitWarning), pytest.warns(ConflictWarning):
        model = CentroidSelector(time_limit=1e-3).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.objective_ <= model.bound_
    assert set(model.predict(X)) <= {0, 1, 2}


def test_a_proof_that_no_time_is_left_for_is_not_begun(monkeypatch):
    """With 3000 rows of 1500 columns the proof took twice as long as all else, past any limit."""
    asked = []
    monkeypatch.setattr(_CentroidProgram, "proved_weight", lambda *given: asked.append(1) or 0.0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 60)), np.resize([0, 1, 2], 300)
    with pytest.warns(TimeLimitWarning), pytest.warns(ConflictWarning):
        model = CentroidSelector(time_limit=1e-3).fit(X, y)
    assert not asked
    assert model.bound_ == 60


@pytest.mark.filterwarnings("ignore::planetree.exceptions.ConflictWarning")
@pytest.mark.parametrize("number", [23, 52])
def test_a_sample_between_two_medoids_goes_to_one_of_them_in_any_order_of_columns(number):
    """Its score is 0 in exact arithmetic; the rounding in the order of the columns decided."""
    table = plain_tables.draw(0, number, n_classes=(2, 3), odd=False, most_rows=40)
    order = np.random.default_rng(number).permutation(table.X.shape[1])
    first, second = (
        CentroidSelector(principle="k_medoids").fit(X, table.y).predict(X)
        for X in (table.X, table.X.iloc[:, order])
    )
    assert first.tolist() == second.tolist()
