"""Smooth units: the regions of a row sum to 1, and steeper units come to thresholds."""

import numpy as np
import pytest

from planetree import PlaneTreeClassifier, RobustSeparator
from planetree.convert import to_network


def fitted(grading="soft", k=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=120)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    return PlaneTreeClassifier(grading=grading, size=0.3).fit(X, y), X


@pytest.mark.parametrize("grading", ["soft", "leaf"])
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_of_the_units_are_those_of_the_model(grading, k):
    model, X = fitted(grading, k)
    network = to_network(model)
    np.testing.assert_allclose(network.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    assert np.array_equal(network.predict(X), model.predict(X))


def test_regions_are_reached_with_parts_that_sum_to_1():
    """With one class for every region, its probability is all there is."""
    model, X = fitted()
    units = to_network(model).probability_units.graded
    signals = np.hstack([group.signals(X) for group in units.groups])
    assert ((signals >= 0) & (signals <= 1)).all()
    reached = [
        np.prod([signals[:, i] if up else 1 - signals[:, i] for i, up in signs], axis=0)
        for signs in units.regions
    ]
    np.testing.assert_allclose(np.sum(reached, axis=0), 1.0, rtol=1e-12)


def test_steeper_units_come_to_thresholds():
    model, X = fitted()
    units = to_network(model).probability_units.graded
    for group in units.groups:
        steep = group._replace(spread=1e-9).signals(X)
        hard = (X @ group.weights.T - group.thresholds > 0).astype(float)
        np.testing.assert_allclose(steep, hard, atol=1e-12)


def test_units_of_a_separator_give_its_probabilities_and_go_to_plain_data():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    model = RobustSeparator().fit(X, X[:, 0] + 0.5 * rng.normal(size=60) > 0)
    network = to_network(model)
    np.testing.assert_allclose(network.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    said = network.probability_units.to_data()
    assert set(said) == {"graded", "way", "decides", "costs", "order"}
    assert len(said["graded"]["groups"][0]["weights"][0]) == 2
