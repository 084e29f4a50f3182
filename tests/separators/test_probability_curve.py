"""Probabilities of separators: they agree with scores and classes, and cost nothing until asked."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from planetree import (
    BilinearSeparator,
    CentroidSelector,
    GrinoldSeparator,
    MaxNormSeparator,
    QuadraticSeparator,
    RobustSeparator,
    SparseSeparator,
)
from planetree.separators.probability_curve import ProbabilityCurve
from planetree.tree import fitted_tree

TWO = [GrinoldSeparator(), MaxNormSeparator(), BilinearSeparator(max_restarts=1)]
ANY = [RobustSeparator(), QuadraticSeparator(), SparseSeparator()]


def clouds(seed, k):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(k), rng.integers(0, k, 60)])
    X = rng.normal(size=(len(codes), 2)) + 1.5 * np.column_stack([codes == 1, codes == 2])
    return X, np.array(["c", "a", "b"])[codes]


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
@pytest.mark.parametrize("separator", [*TWO, *ANY], ids=lambda each: type(each).__name__)
def test_score_class_and_probability_agree(separator, seed, k):
    X, y = clouds(seed, 2 if any(separator is each for each in TWO) else k)
    model = clone(separator).fit(X, y)
    rows = np.vstack([X, np.random.default_rng(seed).normal(scale=1e3, size=(20, 2))])
    p, scores = model.predict_proba(rows), model.decision_function(rows)
    assert np.all((p > 0) & (p < 1))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(rows))
    if scores.ndim == 1:
        by_score = np.argsort(scores, kind="stable")
        assert np.all(np.diff(p[by_score, 1]) >= -1e-15)
        np.testing.assert_array_equal(p[:, 1] > 0.5, scores > 0)


@pytest.mark.parametrize("light", [0, 1])
@pytest.mark.parametrize("separator", [*TWO, *ANY], ids=lambda each: type(each).__name__)
def test_rows_far_from_the_plane_are_sure_whichever_class_is_heavier(separator, light):
    """QuadraticSeparator fitted its curve to classes in another order, and was never sure."""
    codes = np.where(np.arange(40) % 4 == 0, light, 1 - light)
    X = np.random.default_rng(0).normal(size=(40, 2)) + 6.0 * codes[:, None]
    p = clone(separator).fit(X, codes).predict_proba(X)
    assert p[np.arange(40), codes].mean() > 0.9


@pytest.mark.parametrize("separator", ANY, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("k", [2, 3])
def test_a_separator_is_the_graded_tree_of_one_decision(separator, k):
    X, y = clouds(1, k)
    model = clone(separator).fit(X, y)
    graded = fitted_tree(model).tree.distribution(X)
    np.testing.assert_allclose(graded, model.predict_proba(X), atol=1e-12)


def test_the_curve_of_logistic_rows_is_the_one_they_were_drawn_from():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, 1)) * 3
    codes = (scores[:, 0] + rng.logistic(scale=0.5, size=len(scores)) > 0).astype(int)
    wrong = rng.random(len(scores)) < 0.05
    codes[wrong] = 1 - codes[wrong]
    curve = ProbabilityCurve.later(lambda: (scores, codes, np.ones(len(codes))), 1)
    assert curve.spread == pytest.approx(0.5, rel=0.1)
    assert curve.purity == pytest.approx(0.95, abs=0.01)


def test_a_row_that_rounding_puts_on_the_plane_goes_with_its_class():
    curve = ProbabilityCurve(1.0, 0.9)
    p = curve.probabilities(np.array([[1e-300], [-1e-300]]), np.array([1, 0]))
    np.testing.assert_array_equal(p.argmax(axis=1), [1, 0])


def test_a_curve_lets_go_of_the_training_rows_once_it_is_fitted_or_copied():
    model = RobustSeparator().fit(*clouds(2, 2))
    copied = pickle.loads(pickle.dumps(model))
    assert vars(copied.curve_).keys() == vars(model.curve_).keys() == {"_numbers"}
    assert copied.curve_ == model.curve_


def test_a_copy_keeps_its_curve_when_the_original_is_fitted_again():
    X, y = clouds(3, 2)
    model = RobustSeparator().fit(X, y)
    curve = model.curve_
    model.fit(10 * X, y)
    assert model.curve_.spread == pytest.approx(curve.spread, rel=1e-6)  # scores have no units
    assert model.curve_ is not curve


def test_selectors_that_compare_centroids_tell_no_probabilities():
    assert not hasattr(CentroidSelector(), "predict_proba")
