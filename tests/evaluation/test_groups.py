"""Errors by group, in Python and in the command."""

import numpy as np
import pytest
from sklearn.metrics import recall_score

from planetree.evaluation.groups import group_figures, groups_of


def test_numbers_of_many_values_are_divided_at_their_quartiles():
    cells = np.random.default_rng(0).permutation(100).astype(float)
    groups = groups_of("age", [*cells, None])
    assert np.bincount(groups.codes).tolist() == [25, 25, 25, 25, 1]
    assert groups.names[0] == "0 to 24"
    assert groups.names[-1] == "(missing)"
    for code in range(4):
        own = cells[groups.codes[:-1] == code]
        assert np.ptp(own) == 24


def test_too_many_texts_are_refused():
    with pytest.raises(ValueError, match="60 different values, too many for groups"):
        groups_of("name", [f"n{i}" for i in range(60)])


def test_each_group_has_the_recall_of_scikit_learn():
    rng = np.random.default_rng(1)
    labels, answers = rng.integers(0, 2, (2, 200))
    cells = rng.choice(["east", "west"], 200)
    found = group_figures(labels, answers, np.arange(2), groups_of("side", cells))
    for each in found:
        own = cells == each.name
        assert each.n_rows == own.sum()
        assert each.error == pytest.approx(np.mean(labels[own] != answers[own]))
        expected = recall_score(labels[own], answers[own], average=None)
        np.testing.assert_allclose(each.recall, expected)


def test_a_group_without_rows_has_no_figures():
    groups = groups_of("side", ["a", "b"]).rows([0])
    (_, empty) = group_figures(np.array([0]), np.array([0]), np.arange(2), groups)
    assert (empty.n_rows, empty.error, empty.recall) == (0, None, (None, None))
