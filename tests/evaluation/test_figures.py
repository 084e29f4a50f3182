"""Figures of answers are those of scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import (
    precision_score,
    recall_score,
    roc_auc_score,
)

from planetree.evaluation.figures import figures_of


def test_recall_and_precision_of_each_class_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    labels, answers = rng.choice(["a", "b", "c"], (2, 200))
    weights = rng.uniform(size=200)
    found = figures_of(labels, answers, np.array(["a", "b", "c"]), None, weights)
    for score, own in ((recall_score, found.recall), (precision_score, found.precision)):
        expected = score(labels, answers, average=None, sample_weight=weights)
        np.testing.assert_allclose(own, expected)
    assert found.metric("recall") == pytest.approx(np.mean(found.recall))
    assert found.error == pytest.approx(weights @ (labels != answers) / weights.sum())


def test_the_mean_precision_counts_a_class_that_is_never_predicted_as_scikit_learn_does():
    """Such a class was once left out, so that always saying the most frequent class won."""
    labels = np.array(["a"] * 8 + ["b"] * 2)
    found = figures_of(labels, np.full(10, "a"), np.unique(labels))
    expected = precision_score(labels, np.full(10, "a"), average="macro", zero_division=0)
    assert found.metric("precision") == expected == 0.4


def test_the_area_under_the_curve_is_that_of_the_second_class_however_rare_the_first_is():
    """It was that of the rarer class, so the report, which takes the second, said another."""
    labels, second = np.array([0, 1, 1, 1]), np.array([1e-20, 2e-20, 0.5, 0.25])
    shares = np.column_stack([1.0 - second, second])  # 1 - 1e-20 and 1 - 2e-20 are the same number
    found = figures_of(labels, labels, np.array([0, 1]), shares)
    assert found.auc == roc_auc_score(labels, second) == 1.0
