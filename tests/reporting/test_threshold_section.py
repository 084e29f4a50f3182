"""Thresholds on the probability: rows found and false alarms, counted by scikit-learn too."""

import numpy as np
from sklearn.metrics import confusion_matrix

from planetree.reporting.probabilities import RowProbabilities, threshold_counts, threshold_section


def test_thresholds_are_for_two_classes_that_both_have_rows():
    shares = np.array([[0.4, 0.6], [0.7, 0.3]])
    found = threshold_counts(RowProbabilities(shares, np.array([1, 0]), ""))
    assert (found["found"][60], found["found"][61], found["alarms"][30], found["alarms"][31]) == (
        1,
        0,
        1,
        0,
    )
    assert threshold_counts(RowProbabilities(shares, np.array([1, 1]), "")) is None
    assert threshold_counts(RowProbabilities(np.ones((2, 3)) / 3, np.array([1, 0]), "")) is None


def test_counts_are_those_of_scikit_learn_at_every_threshold():
    rng = np.random.default_rng(0)
    codes, p = np.resize([0, 1, 1], 90), rng.random(90).round(2)
    found = threshold_counts(RowProbabilities(np.column_stack([1 - p, p]), codes, ""))
    for step in range(101):
        _, alarms, _, hits = confusion_matrix(codes, p >= step / 100).ravel()
        assert (found["found"][step], found["alarms"][step]) == (hits, alarms)
    assert (found["positive"], found["negative"]) == (60, 30)


def test_the_slider_starts_where_expected_costs_are_equal():
    """t m = (1 - t) a for a false alarm of cost a and a miss of cost m: t = a / (a + m)."""
    given = RowProbabilities(np.array([[0.4, 0.6], [0.7, 0.3]]), np.array([1, 0]), "rows")
    text = threshold_section(["no", "<yes>"], given, np.array([[0.0, 1.0], [3.0, 0.0]]))
    assert 'value="25"' in text
    assert "<yes>" not in text
    assert threshold_section(["no", "yes"], None, np.zeros((2, 2))) == ""
