"""Explanations of many rows: their radius is a distance that counting confirms."""

import numpy as np
import pytest
from changed_tables import answers, large_tree, random_table, two_numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from planetree import (
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.tree import Explanations


def test_the_radius_is_the_distance_to_the_plane_in_the_sum_of_deviations():
    """Of one plane w.x = t the least sum of |change| / deviation is |w.x - t| / max |w dev|."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1, 10, 0.1]
    model = SeparatorTreeClassifier(max_splits=1).fit(X, X @ [1, 0.1, 10] > 0)
    plane = model.tree_.splits[0]
    steepest = np.abs(plane.weights[0] * X.std(axis=0)[plane.columns]).max()
    expected = np.abs(plane.scores(X)[:, 0]) / steepest
    np.testing.assert_allclose(model.explain(X).robustness(), expected, rtol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_nothing_within_the_radius_changes_the_class(seed, draw):
    X, model = random_table(seed)[0], large_tree(seed)
    rng = np.random.default_rng(draw)
    row = X[rng.integers(len(X))]
    (radius,) = model.explain(row[None]).robustness()
    steps = rng.dirichlet(np.full(4, 0.3), size=200) * rng.choice([-1, 1], size=(200, 4))
    moved = np.tile(row, (200, 1))
    reach = min(radius, 1e6) * (1 - 1e-9)
    moved[:, :4] = row[:4].astype(float) + reach * steps * model.ranges_.scales()[:4]
    assert (model.predict(moved) == model.predict(row[None])[0]).all()


def test_an_unbounded_counterfactual_lies_on_the_radius():
    X, model = random_table(2, categories=False)[0], large_tree(2, categories=False)
    limits = {"bounds": None, "whole_numbers": False, "max_changes": None}
    costs = [each.cost for each in answers(model, X, **limits)]
    np.testing.assert_allclose(model.explain(X).robustness(), costs, rtol=1e-6, atol=1e-7)


def test_probabilities_that_cannot_be_proved_are_refused():
    X, y = two_numbers(0)
    with pytest.raises(ValueError, match="above 1/2"):
        PlaneTreeClassifier().fit(X, y).explain(X[:1]).counterfactuals(probability=0.3)
    with pytest.raises(ValueError, match="needs a tree"):
        Explanations(RobustSeparator().fit(X, y), X[:1]).counterfactuals(probability=0.7)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"changeable": ["age"]}, "'age' is not a column"),
        ({"changeable": "x0"}, "as a list"),
        ({"increase_only": ["x4"]}, "cannot rise or fall"),
        ({"change_costs": {"x0": 0.0}}, "positive number"),
        ({"bounds": "wide"}, "'observed', None"),
        ({"bounds": {"x0": (3, 2)}}, "empty"),
        ({"max_changes": 0}, "whole number of at least 1"),
        ({"target": "d"}, "one of"),
    ],
)
def test_limits_that_mean_nothing_are_refused(limits, says):
    X, model = random_table(0)[0], large_tree(0)
    with pytest.raises(ValueError, match=says):
        model.explain(X).counterfactuals(**limits)
