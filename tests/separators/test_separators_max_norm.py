"""The plane of problem (2.2), and the pair it stands between."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import MaxNormSeparator
from planetree.exceptions import AccuracyWarning
from planetree.separators.max_norm import midway

pytestmark = pytest.mark.core

problems = st.builds(
    lambda seed, m, n, shift: (
        (rng := np.random.default_rng(seed)).normal(size=(m, n))
        + shift * (y := np.append([0, 1], rng.integers(0, 2, m - 2)))[:, None],
        y,
    ),
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.integers(1, 5),
    st.sampled_from([0.5, 4.0]),
)


@given(problems)
@settings(max_examples=50)
def test_the_pair_holds_both_classes_and_leaves_only_one_beyond_each_side(problem):
    X, y = problem
    model = MaxNormSeparator().fit(X, y)
    scores = X @ model.coef_[0]
    low, high = model.pair_.offsets
    assert model.separable_ == (scores[y == 1].min() > scores[y == 0].max())
    if model.separable_:
        assert model.score(X, y) == 1.0
        assert model.objective_ == pytest.approx(low - high)
    else:
        assert scores[y == 1].min() == pytest.approx(low)
        assert scores[y == 0].max() == pytest.approx(high)
        assert model.error_ == pytest.approx(high - low)
        assert np.all(y[scores > high + 1e-9] == 1)
        assert np.all(y[scores < low - 1e-9] == 0)
    assert model.gap_ <= 1e-7


@given(problems)
@settings(max_examples=30)
def test_no_random_plane_has_a_smaller_sum_of_largest_errors(problem):
    X, y = problem
    model = MaxNormSeparator().fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    W = np.random.default_rng(0).normal(size=(500, X.shape[1]))
    W /= np.abs(W).max(axis=1, keepdims=True)
    scores = Z @ W.T
    spans = scores[y == 0].max(axis=0) - scores[y == 1].min(axis=0)
    assert model.objective_ <= spans.min() + 1e-8


def test_the_plane_never_lies_on_a_training_score():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), [0, 1, 0, 0, 1]
    model = MaxNormSeparator().fit(X, y)
    assert np.abs(model.decision_function(X)).min() > 0.1
    assert midway(np.array([0.0, 1.0, 4.0]), 1.0) == 2.5
    assert midway(np.array([0.0, 1.0]), 3.0) == 3.0


def test_indicators_that_add_up_to_one_do_not_hide_the_plane():
    """The normal (1, 1, 1) has one score for every row: it must not win with the value 0."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(list("abc"), 40), "size": rng.normal(size=40)})
    y = (frame["size"] + (frame["kind"] == "a") + rng.normal(scale=0.3, size=40) > 0.5).to_numpy()
    model = MaxNormSeparator().fit(frame, y)
    assert np.ptp(model.decision_function(frame)) > 0.5
    assert model.score(frame, y) > 0.6


def test_three_classes_are_refused_with_an_alternative():
    with pytest.raises(ValueError, match="For more than two, use RobustSeparator"):
        MaxNormSeparator().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


@pytest.mark.parametrize("row", [[-2e6, 1e6], [1e8 / 3, -2e8 / 7]])
def test_the_objective_is_that_of_the_plane_as_stored(row):
    """It was that of normalized rows, whose rounding is seen where a row is far from the others."""
    X = [[-3, 2], [2, 2], row, [4, 4], [3, 5], [2, 6], [1, 3], [2, 0], [7, 0], [3, 3], [0, -2]]
    X, y = (
        np.array([*X, [5, 0], [-1, -5]], float),
        np.array([0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        model = MaxNormSeparator().fit(X, y)
    w = [Fraction(each) for each in model.coef_[0]]
    scores = [sum(a * Fraction(b) for a, b in zip(w, x, strict=True)) for x in X.tolist()]
    size = max(abs(a * Fraction(b)) for a, b in zip(w, model.scale_, strict=True))
    largest = max(s for s, code in zip(scores, y, strict=True) if code == 0)
    least = min(s for s, code in zip(scores, y, strict=True) if code == 1)
    assert model.objective_ == pytest.approx(float((largest - least) / size), rel=1e-12)
    assert model.status_ != "optimal" or model.objective_ - model.bound_ <= 1e-9
